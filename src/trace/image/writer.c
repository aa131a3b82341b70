#define XXH_INLINE_ALL
#include "trace/image/writer.h"

#include <stdarg.h>
#include <string.h>
#include <xxhash.h>

/* -------------------------------------------------------------------- ranks */

void image_writer_init(struct image_writer *writer, FILE *out, uint32_t ranks, uint32_t flags)
{
    *writer = (struct image_writer){.rank_count = ranks, .flags = flags};
    writer->ranks = mem_alloc(ranks, sizeof *writer->ranks, "the ranks of a trace");
    writer->calls = mem_alloc(ranks, sizeof *writer->calls, "the ranks of a trace");
    comms_init(&writer->comms, ranks);
    counts_init(&writer->counts);
    image_file_begin(&writer->file, out);
}

void image_writer_free(struct image_writer *writer)
{
    for (uint32_t rank = 0; rank < writer->rank_count; rank++) {
        free(writer->calls[rank].calls);
        free(writer->calls[rank].about);
        free(writer->calls[rank].sites);
    }
    free(writer->calls);
    free(writer->ranks);
    free(writer->names);
    free(writer->tokens);
    free(writer->lines);
    free(writer->amounts);
    free(writer->texts);
    hashmap_free(&writer->amounts_index);
    hashmap_free(&writer->calls_index);
    counts_free(&writer->counts);
    sites_free(&writer->sites);
    comms_free(&writer->comms);
    image_file_abandon(&writer->file);
}

static void add_name(struct image_writer *writer, const char *name)
{
    size_t length = strlen(name) + 1;
    writer->names =
        mem_grow(writer->names, &writer->name_capacity, writer->name_bytes + length, "the names of files");
    memcpy(writer->names + writer->name_bytes, name, length);
    writer->name_bytes += length;
}

void image_writer_begin_rank(struct image_writer *writer, uint32_t rank, const char *file)
{
    writer->rank = &writer->calls[rank];
    writer->rank_index = rank;
    writer->rank_file = file;
    writer->token_count = writer->amount_count = writer->text_count = 0;
    writer->ranks[rank].slots = SLOT_FIRST;
    writer->ranks[rank].name = writer->name_bytes;
    add_name(writer, file);
    hashmap_clear(&writer->amounts_index);
    hashmap_clear(&writer->calls_index);
    image_writer_call(writer, &(struct call){.op = CALL_NOTHING}, image_writer_text(writer, "", 0), KEY_NONE,
                      DOUBT_NONE); /* TOKEN_BLANK */
}

void image_writer_end_rank(struct image_writer *writer)
{
    struct image_rank *rank = &writer->ranks[writer->rank_index];
    struct image_file *file = &writer->file;
    writer->tokens =
        mem_grow(writer->tokens, &writer->token_capacity, writer->token_count + 1, "the lines of a rank");
    writer->tokens[writer->token_count] = TOKEN_END;
    rank->tokens = image_file_append(file, writer->tokens, writer->token_count + 1, sizeof *writer->tokens);
    if (writer->flags & IMAGE_HAS_LINES)
        image_file_append(file, writer->lines, writer->token_count, sizeof *writer->lines);
    rank->amounts = image_file_append(file, writer->amounts, writer->amount_count, sizeof *writer->amounts);
    rank->texts = image_file_append(file, writer->texts, writer->text_count, 1);
    writer->token_total += writer->token_count;
}

/* --------------------------------------------------------- texts and tokens */

uint32_t image_writer_text(struct image_writer *writer, const char *text, size_t length)
{
    size_t start = writer->text_count;
    if (start + length + 1 >= UINT32_MAX)
        return IMAGE_NO_TEXT;
    writer->texts = mem_grow(writer->texts, &writer->text_capacity, start + length + 1, "distinct lines");
    memcpy(writer->texts + start, text, length);
    writer->texts[start + length] = '\n';
    writer->text_count += length + 1;
    return (uint32_t)start;
}

uint32_t image_writer_call(struct image_writer *writer, const struct call *call, uint32_t start, uint32_t key,
                           enum call_doubt doubt)
{
    struct image_calls *rank = writer->rank;
    struct image_rank *image = &writer->ranks[writer->rank_index];
    rank->calls = mem_grow(rank->calls, &rank->capacity, rank->count + 1, "distinct calls");
    rank->about = mem_grow(rank->about, &rank->about_capacity, rank->count + 1, "distinct calls");
    rank->calls[rank->count] = *call;
    rank->about[rank->count] = (struct image_call){
        .first_token = writer->token_count + 1,
        .start = start,
        .key = key,
        .doubt = doubt,
        .is_ordered = call_is_collective(call) && !call->group, /* other communicators have their own order */
    };
    if (call->slot >= image->slots)
        image->slots = call->slot + 1;
    return (uint32_t)rank->count++;
}

/* The sites of all calls up to `count`; those that are new have none. */
static void extend_sites(struct image_calls *rank, size_t count)
{
    rank->sites = mem_grow(rank->sites, &rank->site_capacity, count, "call sites");
    while (rank->site_count < count)
        rank->sites[rank->site_count++] = 0;
}

void image_writer_site(struct image_writer *writer, uint32_t token, uint32_t site)
{
    if (!site)
        return;
    extend_sites(writer->rank, token + (size_t)1);
    writer->rank->sites[token] = site;
}

uint32_t image_writer_amount(struct image_writer *writer, double amount)
{
    uint64_t bits;
    memcpy(&bits, &amount, sizeof bits);
    uint32_t *known = hashmap_slot(&writer->amounts_index, bits);
    if (!*known) {
        writer->amounts =
            mem_grow(writer->amounts, &writer->amount_capacity, writer->amount_count + 1, "amounts");
        writer->amounts[writer->amount_count++] = amount;
        *known = (uint32_t)writer->amount_count;
    }
    return (*known - 1) | TOKEN_COMPUTE;
}

/* What a collective adds to the order that all ranks must share. Sizes may differ, kind and root may not. */
void image_writer_count_collective(struct image_writer *writer, const struct call *call)
{
    struct image_calls *rank = writer->rank;
    uint64_t order = (uint64_t)call->op << 40 | (uint64_t)call->flags << 32 | (uint32_t)call->peer;
    if (!rank->order_count++)
        rank->first_collective = writer->token_count;
    rank->order_hash = (rank->order_hash ^ order) * UINT64_C(0x9e3779b97f4a7c15);
    rank->order_hash ^= rank->order_hash >> 29;
}

/* ------------------------------------------------------------- call by call */

static bool is_same(const struct image_writer *writer, uint32_t token, const struct call *call,
                    const char *text, size_t length)
{
    uint32_t start = writer->rank->about[token].start;
    const char *known = writer->texts + start;
    return !memcmp(&writer->rank->calls[token], call, sizeof *call) && writer->text_count - start > length &&
           !memcmp(known, text, length) && known[length] == '\n';
}

/* The token of a call with its text; TOKEN_BAD: there is no room for another one. */
static uint32_t call_token(struct image_writer *writer, const struct call *call, const char *text)
{
    size_t length = strcspn(text, "\n");
    uint64_t hash = XXH3_64bits(call, sizeof *call) ^ XXH3_64bits_withSeed(text, length, 1);
    uint32_t *known;
    while (*(known = hashmap_slot(&writer->calls_index, hash)))
        if (is_same(writer, *known, call, text, length))
            return *known;
        else
            hash++;
    uint32_t start = image_writer_text(writer, text, length);
    if (start == IMAGE_NO_TEXT || writer->rank->count >= TOKEN_COMPUTE - 1)
        return TOKEN_BAD;
    *known = image_writer_call(writer, call, start, KEY_NONE, DOUBT_NONE);
    return *known;
}

static const char *call_fault(const struct image_writer *writer, const struct call *call)
{
    const struct image_limits limits = {
        .groups = writer->comms.groups,
        .group_count = writer->comms.count,
        .ranks = writer->rank_count,
        .counts = writer->counts.count,
    };
    bool has_request = call->op == CALL_WAIT || call->op == CALL_TEST || call->flags & CALL_IMMEDIATE;
    if (has_request && (call->slot < SLOT_FIRST || call->slot - SLOT_FIRST > writer->token_count))
        return "it has no slot that a request could have";
    return image_call_fault(call, &limits);
}

bool image_writer_add(struct image_writer *writer, const struct call *call, const char *text, uint64_t line)
{
    struct diag_place place = {.file = writer->rank_file, .line = line};
    const char *fault = call_fault(writer, call);
    if (fault) {
        image_writer_error(writer, &place, "this '%s' cannot be: %s",
                           call->op < CALL_OPS ? call_op_name((enum call_op)call->op) : "call", fault);
        return !image_writer_is_done(writer);
    }
    uint32_t token = call->op == CALL_COMPUTE ? image_writer_amount(writer, call->amount)
                                              : call_token(writer, call, text ? text : "");
    if (token == TOKEN_BAD) {
        image_writer_error(writer, &place, "rank %u has too many different calls for one trace",
                           writer->rank_index);
        return false;
    }
    if (writer->flags & IMAGE_HAS_LINES)
        image_writer_append_at(writer, token, line);
    else
        image_writer_append(writer, token);
    return !image_writer_is_done(writer);
}

void image_writer_error(struct image_writer *writer, const struct diag_place *place, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_report(DIAG_ERROR, place, "%s", text);
    writer->errors++;
}

void image_writer_note(struct image_writer *writer, enum image_note_kind kind)
{
    image_notes_add(&writer->notes, kind, writer->rank_index, writer->token_count + 1, 1);
}

/* ---------------------------------------------------------- the whole trace */

/* Notes each rank whose collectives are not those of rank 0, in kind, root or order. */
static void note_order(struct image_writer *writer)
{
    const struct image_calls *first = &writer->calls[0];
    for (uint32_t rank = 1; rank < writer->rank_count; rank++) {
        const struct image_calls *other = &writer->calls[rank];
        if (other->order_hash != first->order_hash || other->order_count != first->order_count)
            image_notes_add(&writer->notes, NOTE_ORDER, rank, other->first_collective, 1);
    }
}

static void append_calls(struct image_writer *writer, uint32_t rank)
{
    struct image_calls *calls = &writer->calls[rank];
    uint32_t *starts = mem_alloc(calls->count, sizeof *starts, "distinct calls");
    for (size_t i = 0; i < calls->count; i++)
        starts[i] = calls->about[i].start;
    struct image_rank *image = &writer->ranks[rank];
    image->calls = image_file_append(&writer->file, calls->calls, calls->count, sizeof *calls->calls);
    image->starts = image_file_append(&writer->file, starts, calls->count, sizeof *starts).at;
    free(starts);
    if (!calls->sites)
        return;
    extend_sites(calls, calls->count);
    image->sites = image_file_append(&writer->file, calls->sites, calls->count, sizeof *calls->sites).at;
}

static struct image_part append_notes(struct image_writer *writer)
{
    struct image_note notes[NOTE_KINDS];
    uint64_t count = 0;
    for (int kind = 0; kind < NOTE_KINDS; kind++)
        if (writer->notes.kinds[kind].count)
            notes[count++] = writer->notes.kinds[kind];
    return image_file_append(&writer->file, notes, count, sizeof *notes);
}

int image_writer_finish(struct image_writer *writer, const uint64_t key[2])
{
    struct image_file *file = &writer->file;
    const struct comms *comms = &writer->comms;
    struct image_header header = {
        .key = {key[0], key[1]}, .lines = writer->token_total, .flags = writer->flags};
    note_order(writer);
    header.channels = match_ranks(writer->calls, writer->rank_count, &writer->notes);
    for (uint32_t rank = 0; rank < writer->rank_count; rank++)
        append_calls(writer, rank);
    header.counts =
        image_file_append(file, writer->counts.bytes, writer->counts.count, sizeof *writer->counts.bytes);
    header.names = image_file_append(file, writer->names, writer->name_bytes, 1);
    header.notes = append_notes(writer);
    header.ranks = image_file_append(file, writer->ranks, writer->rank_count, sizeof *writer->ranks);
    header.groups = image_file_append(file, comms->groups, comms->count, sizeof *comms->groups);
    header.members = image_file_append(file, comms->members, comms->member_count, sizeof *comms->members);
    header.sites = image_file_append(file, writer->sites.texts, writer->sites.size, 1);
    return image_file_finish(file, &header);
}
