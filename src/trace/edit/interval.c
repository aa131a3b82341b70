#include "trace/edit/interval.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "call/balance.h"
#include "trace/edit/edit.h"
#include "trace/edit/pieces.h"
#include "trace/image/number.h"
#include "trace/ti/decompile.h"

/* A place of a part of a rank, behind a collective of the world; the first one is its begin. */
struct part_place {
    uint64_t token; /* the first one behind it, from 0 */
    uint64_t balance, open;
    uint64_t others; /* other collectives since the last one of the world; of a sum: the most of a rank less
                        the least */
};

/* A part of a rank. */
struct rank_part {
    uint64_t first; /* collectives behind the rank where the part begins */
    struct part_place *places;
    size_t count, capacity;
    struct part_place end;
};

struct interval {
    const struct compiled_trace *source;
    struct rank_part **ranks; /* per rank: its parts */
    size_t *counts, *capacities;
    struct rank_piece **pieces; /* per rank and part, what is kept */
    bool *is_open;              /* per slot of the rank that is read */
};

/* ------------------------------------------------------------------ reading */

static const char mark[] = "comm_size #behind ";

/* The numbers of a mark. False: the line is none. */
static bool read_mark(const struct compiled_trace *source, uint32_t rank, uint32_t token,
                      int64_t *collectives, int64_t *balance, int64_t *others)
{
    size_t length;
    if (token & TOKEN_COMPUTE || token == TOKEN_BLANK)
        return false;
    const char *text = compiled_text(source, rank, token, &length), *end = text + length;
    if (length < sizeof mark || memcmp(text, mark, sizeof mark - 1) != 0)
        return false;
    const char *at = number_integer(text + sizeof mark - 1, end, collectives);
    at = at && at < end && *at == ' ' ? number_integer(at + 1, end, balance) : NULL;
    return at && at < end && *at == ' ' && number_integer(at + 1, end, others) && *collectives >= 0 &&
           *others >= 0;
}

bool interval_is_in(const struct compiled_trace *source)
{
    for (uint32_t rank = 0; rank < source->program.ranks; rank++) {
        const uint32_t *tokens = compiled_tokens(source, rank);
        int64_t collectives, balance, others;
        for (uint64_t at = 0; at < compiled_lines(source, rank); at++)
            if (read_mark(source, rank, tokens[at], &collectives, &balance, &others))
                return true;
    }
    return false;
}

static uint64_t balance_of(const struct call *call, uint32_t rank)
{
    uint64_t balance = 0;
    if (call->op == CALL_SEND || call->op == CALL_SENDRECV)
        balance += balance_number((uint32_t)call->peer);
    if (call->op == CALL_RECV || call->op == CALL_SENDRECV)
        balance -= balance_number(rank);
    return balance;
}

/* How many requests are open behind the call. */
static uint64_t open_behind(struct interval *interval, uint32_t rank, const struct call *call, uint64_t open)
{
    const uint32_t slots = interval->source->ranks[rank].slots;
    if (call->op == CALL_WAITALL)
        memset(interval->is_open, 0, slots * sizeof *interval->is_open);
    if (call->op == CALL_WAITALL)
        return 0;
    bool *slot = &interval->is_open[call->slot];
    if (call->op == CALL_WAIT) {
        open -= *slot;
        *slot = false;
    } else if (call->flags & CALL_IMMEDIATE) {
        open += !*slot;
        *slot = true;
    }
    return open;
}

static void add_place(struct rank_part *part, struct part_place place)
{
    part->places = mem_grow(part->places, &part->capacity, part->count + 1, "places of a trace");
    part->places[part->count++] = place;
}

static struct rank_part *begin_part(struct interval *interval, uint32_t rank, int64_t collectives,
                                    struct part_place begin)
{
    size_t *count = &interval->counts[rank];
    interval->ranks[rank] =
        mem_grow(interval->ranks[rank], &interval->capacities[rank], *count + 1, "parts of a trace");
    struct rank_part *part = &interval->ranks[rank][(*count)++];
    *part = (struct rank_part){.first = (uint64_t)collectives, .end = begin};
    add_place(part, begin);
    return part;
}

static void read_rank(struct interval *interval, uint32_t rank)
{
    const struct compiled_trace *source = interval->source;
    const uint32_t *tokens = compiled_tokens(source, rank);
    const struct rank_piece body = piece_body(source, rank);
    struct rank_part *part = NULL;
    struct part_place place = {.token = 0};
    interval->is_open = mem_alloc(source->ranks[rank].slots, sizeof *interval->is_open, "requests");
    for (uint64_t at = body.from; at < body.to; at++) {
        int64_t collectives, balance, others;
        place.token = at + 1;
        if (read_mark(source, rank, tokens[at], &collectives, &balance, &others)) {
            place.balance = (uint64_t)balance;
            place.others = (uint64_t)others;
            part = begin_part(interval, rank, collectives, place);
        }
        if (!part)
            continue;
        if (!(tokens[at] & TOKEN_COMPUTE)) {
            const struct call *call = &compiled_calls(source, rank)[tokens[at]];
            place.balance += balance_of(call, rank);
            place.open = open_behind(interval, rank, call, place.open);
            const bool is_of_world = !call->group && !(call->flags & CALL_IMMEDIATE);
            if (call_is_collective(call))
                place.others = is_of_world ? 0 : place.others + 1;
            if (call_is_collective(call) && is_of_world)
                add_place(part, place);
        }
        part->end = place;
    }
    free(interval->is_open);
}

/* ------------------------------------------------------------------ cutting */

/* The places of all ranks with the same number of collectives behind them, added up. NULL `of`: their ends.
 */
static struct part_place sum_at(const struct interval *interval, size_t part, uint64_t collectives,
                                bool at_end)
{
    struct part_place sum = {.token = 0};
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t rank = 0; rank < interval->source->program.ranks; rank++) {
        const struct rank_part *mine = &interval->ranks[rank][part];
        const struct part_place *place = at_end ? &mine->end : &mine->places[collectives - mine->first];
        sum.balance += place->balance;
        sum.open += place->open;
        least = place->others < least ? place->others : least;
        most = place->others > most ? place->others : most;
    }
    sum.others = most - least;
    return sum;
}

static bool is_free(const struct part_place *sum)
{
    return sum->balance == 0 && sum->open == 0 && sum->others == 0;
}

/* The places that all ranks have in a part: from *first to *last collectives behind them. `ends_together`:
 * all ranks end it behind the same collective. */
static bool find_common(const struct interval *interval, size_t part, uint64_t *first, uint64_t *last,
                        bool *ends_together)
{
    uint64_t most = 0;
    *first = 0;
    *last = UINT64_MAX;
    for (uint32_t rank = 0; rank < interval->source->program.ranks; rank++) {
        const struct rank_part *mine = &interval->ranks[rank][part];
        const uint64_t end = mine->first + mine->count - 1;
        *first = mine->first > *first ? mine->first : *first;
        *last = end < *last ? end : *last;
        most = end > most ? end : most;
    }
    *ends_together = most == *last;
    return *first <= *last;
}

static enum status refuse(const struct interval *interval, size_t part, const char *why)
{
    diag_error(
        "%s: part %zu of the run, as it was captured, has no two places at which all ranks stand and "
        "nothing is under way: %s; a longer interval, or one between two collectives of all ranks, has",
        interval->source->program.name, part + 1, why);
    return STATUS_BAD_INPUT;
}

static enum status cut_part(struct interval *interval, size_t part, struct interval_cut *cut)
{
    uint64_t first, last;
    bool ends_together, at_end = false;
    if (!find_common(interval, part, &first, &last, &ends_together))
        return refuse(interval, part, "no rank is in a collective of all ranks where all others record, too");
    uint64_t from = first, to = last;
    for (struct part_place sum; from <= last && (sum = sum_at(interval, part, from, false), !is_free(&sum));)
        from++;
    if (from > last)
        return refuse(interval, part,
                      "behind each collective a message, a request or another collective is under way");
    if (ends_together) {
        const struct part_place sum = sum_at(interval, part, 0, true);
        at_end = is_free(&sum);
    }
    for (struct part_place sum;
         !at_end && to > from && (sum = sum_at(interval, part, to, false), !is_free(&sum));)
        to--;
    if (!at_end && to == from)
        return refuse(interval, part, "there is one such place only");
    for (uint32_t rank = 0; rank < interval->source->program.ranks; rank++) {
        const struct rank_part *mine = &interval->ranks[rank][part];
        const uint64_t end = at_end ? mine->end.token : mine->places[to - mine->first].token;
        interval->pieces[rank][part] =
            (struct rank_piece){.from = mine->places[from - mine->first].token, .to = end};
        cut->kept += end - interval->pieces[rank][part].from;
    }
    cut->collectives += to - from;
    return STATUS_OK;
}

static enum status cut_parts(struct interval *interval, struct interval_cut *cut)
{
    const size_t parts = interval->counts[0];
    const uint32_t ranks = interval->source->program.ranks;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        if (interval->counts[rank] != parts || parts == 0) {
            diag_error("%s: rank %" PRIu32
                       " has recorded %zu parts of the run, and rank 0 %zu: nothing can be "
                       "cut that all ranks have",
                       interval->source->program.name, rank, interval->counts[rank], parts);
            return STATUS_BAD_INPUT;
        }
        interval->pieces[rank] = mem_alloc(parts, sizeof **interval->pieces, "parts of a trace");
    }
    cut->parts = parts;
    enum status status = STATUS_OK;
    for (size_t part = 0; status == STATUS_OK && part < parts; part++)
        status = cut_part(interval, part, cut);
    return status;
}

/* ------------------------------------------------------------------ writing */

static enum status rank_text(void *self, uint32_t rank, char **text, size_t *size)
{
    const struct interval *interval = self;
    const struct compiled_trace *source = interval->source;
    const size_t parts = interval->counts[rank];
    struct rank_text lines = {0};
    pieces_put_definitions(source, rank, 0, interval->pieces[rank][0].from, &lines);
    for (size_t part = 0; part < parts; part++) {
        const struct rank_piece *piece = &interval->pieces[rank][part];
        decompile_lines(source, rank, piece->from, piece->to, &lines);
        if (part + 1 < parts)
            pieces_put_definitions(source, rank, piece->to, piece[1].from, &lines);
    }
    pieces_put_end(source, rank, interval->pieces[rank][parts - 1].to, &lines);
    *text = lines.bytes ? lines.bytes : mem_text("");
    *size = lines.size;
    return STATUS_OK;
}

static void free_interval(struct interval *interval)
{
    for (uint32_t rank = 0; rank < interval->source->program.ranks; rank++) {
        for (size_t part = 0; part < interval->counts[rank]; part++)
            free(interval->ranks[rank][part].places);
        free(interval->ranks[rank]);
        free(interval->pieces[rank]);
    }
    free(interval->ranks);
    free(interval->pieces);
    free(interval->counts);
    free(interval->capacities);
}

enum status interval_make(const struct compiled_trace *source, const char *out,
                          struct compiled_trace **result, struct interval_cut *cut)
{
    const uint32_t ranks = source->program.ranks;
    struct interval interval = {.source = source,
                                .ranks = mem_alloc(ranks, sizeof *interval.ranks, "parts of a trace"),
                                .pieces = mem_alloc(ranks, sizeof *interval.pieces, "parts of a trace"),
                                .counts = mem_alloc(ranks, sizeof *interval.counts, "parts of a trace"),
                                .capacities =
                                    mem_alloc(ranks, sizeof *interval.capacities, "parts of a trace")};
    *cut = (struct interval_cut){.lines = source->header->lines};
    for (uint32_t rank = 0; rank < ranks; rank++)
        read_rank(&interval, rank);
    enum status status = cut_parts(&interval, cut);
    const struct edit edit = {.ranks = ranks, .rank_text = rank_text, .self = &interval};
    if (status == STATUS_OK)
        status = edit_make(&edit, out, result);
    free_interval(&interval);
    return status;
}
