#include "trace/edit/separated.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/mem.h"
#include "trace/edit/open_requests.h"

enum { PLACE_TEXT = 64 };

static const char *name_of(const struct places *places, uint64_t place, char text[static PLACE_TEXT])
{
    bool loops = places->kind == PLACES_ITERATIONS;
    if (place > places->count)
        snprintf(text, PLACE_TEXT, "at the end of the program");
    else if (!loops)
        snprintf(text, PLACE_TEXT, "behind collective %" PRIu64, place);
    else if (place < places->count)
        snprintf(text, PLACE_TEXT, "before iteration %" PRIu64, place);
    else
        snprintf(text, PLACE_TEXT, "behind iteration %" PRIu64, place - 1);
    return text;
}

/* ----------------------------------------------------------------- requests */

struct request_search {
    const struct places *places;
    uint64_t place;
    uint32_t rank;
    bool found;
};

static void report_request(void *self, uint64_t first, uint64_t last, uint64_t started, uint64_t named)
{
    struct request_search *search = self;
    char name[PLACE_TEXT];
    if (search->found || first >= search->place || last < search->place)
        return;
    search->found = true;
    compiled_report(search->places->source, DIAG_ERROR, search->rank, started + 1,
                    "a cut %s separates this request from the call that completes it",
                    name_of(search->places, search->place, name));
    compiled_report(search->places->source, DIAG_NOTE, search->rank, named + 1, "which is here");
}

static bool find_request(const struct places *places, uint64_t place)
{
    struct request_search search = {.places = places, .place = place};
    struct open_requests requests = {0};
    for (; !search.found && search.rank < places->source->program.ranks; search.rank++) {
        struct place_walk walk = place_walk_begin(places, search.rank);
        const struct call *call;
        uint64_t at;
        open_requests_begin(&requests, places->source, search.rank);
        while (!search.found && place_walk_next(&walk, &call, &at)) {
            open_requests_see(&requests, call, at, walk.place, report_request, &search);
            place_walk_pass(&walk, call);
        }
    }
    open_requests_free(&requests);
    return search.found;
}

/* ----------------------------------------------------------------- messages */

struct end_counts {
    uint64_t sends, receives, balance;
};

/* Ends of messages before a place: of channels, and of ranks with mailboxes. */
struct message_search {
    const struct places *places;
    struct end_counts *channels, *mailboxes;
};

static void count_end(struct message_search *search, uint32_t channel, uint32_t destination, uint64_t balance,
                      bool sends)
{
    struct end_counts *ends =
        channel == CHANNEL_MAILBOX ? &search->mailboxes[destination] : &search->channels[channel];
    ends->sends += sends;
    ends->receives += !sends;
    ends->balance += balance;
}

static void count_ends(struct message_search *search, uint32_t rank, const struct call *call)
{
    struct call send = *call, receive = *call;
    if (call->op == CALL_SENDRECV) {
        send.op = CALL_SEND;
        receive.op = CALL_RECV;
        receive.peer = call->source;
        receive.tag = call_source_tag(call);
        receive.channel = call->source_channel;
    }
    if (send.op == CALL_SEND)
        count_end(search, send.channel, (uint32_t)send.peer, place_balance(search->places, rank, &send),
                  true);
    if (receive.op == CALL_RECV)
        count_end(search, receive.channel, rank, place_balance(search->places, rank, &receive), false);
}

static void count_rank(struct message_search *search, uint32_t rank, uint64_t place)
{
    struct place_walk walk = place_walk_begin(search->places, rank);
    const struct call *call;
    uint64_t at;
    while ((walk.place < place || place > search->places->count) && place_walk_next(&walk, &call, &at)) {
        count_ends(search, rank, call);
        place_walk_pass(&walk, call);
    }
}

/* The k-th send or receive of a channel. */
struct channel_end {
    uint32_t rank;
    uint64_t number; /* of its call, from 1; 0: there is none */
};

static struct channel_end find_end(const struct places *places, uint32_t channel, bool sends, uint64_t k)
{
    for (uint32_t rank = 0; rank < places->source->program.ranks; rank++) {
        struct place_walk walk = place_walk_begin(places, rank);
        const struct call *call;
        uint64_t at;
        while (place_walk_next(&walk, &call, &at)) {
            bool is_send = call->op == CALL_SEND || call->op == CALL_SENDRECV;
            bool is_recv = call->op == CALL_RECV || call->op == CALL_SENDRECV;
            uint32_t of = sends || call->op == CALL_RECV ? call->channel : call->source_channel;
            if ((sends ? is_send : is_recv) && of == channel && k-- == 0)
                return (struct channel_end){rank, at + 1};
        }
    }
    return (struct channel_end){0, 0};
}

static void report_message(const struct places *places, uint64_t place, uint32_t channel,
                           const struct end_counts *ends)
{
    uint64_t before = ends->sends < ends->receives ? ends->sends : ends->receives;
    struct channel_end send = find_end(places, channel, true, before),
                       receive = find_end(places, channel, false, before);
    char name[PLACE_TEXT];
    if (!send.number || !receive.number) {
        const struct channel_end *lonely = send.number ? &send : &receive;
        compiled_report(places->source, DIAG_ERROR, lonely->rank, lonely->number, "this %s",
                        send.number ? "message is never received" : "receive never gets a message");
        return;
    }
    compiled_report(places->source, DIAG_ERROR, send.rank, send.number,
                    "a cut %s separates this send from its receive", name_of(places, place, name));
    compiled_report(places->source, DIAG_NOTE, receive.rank, receive.number, "which is here");
}

static void report_mailbox(const struct places *places, uint64_t place, uint32_t rank)
{
    char name[PLACE_TEXT];
    compiled_report(places->source, DIAG_ERROR, rank, 0,
                    "a cut %s separates messages to rank %" PRIu32
                    ", which receives from any source, from their receives",
                    name_of(places, place, name), rank);
}

static bool find_message(const struct places *places, uint64_t place)
{
    const struct program *program = &places->source->program;
    struct message_search search = {.places = places};
    bool found = false;
    search.channels = mem_alloc(program->channels, sizeof *search.channels, "the channels of a trace");
    search.mailboxes = mem_alloc(program->ranks, sizeof *search.mailboxes, "the mailboxes of a trace");
    for (uint32_t rank = 0; rank < program->ranks; rank++)
        count_rank(&search, rank, place);
    for (uint32_t i = 0; !found && i < program->channels; i++) {
        found = search.channels[i].balance;
        if (found)
            report_message(places, place, i, &search.channels[i]);
    }
    for (uint32_t rank = 0; !found && rank < program->ranks; rank++) {
        found = search.mailboxes[rank].balance;
        if (found)
            report_mailbox(places, place, rank);
    }
    free(search.channels);
    free(search.mailboxes);
    return found;
}

/* -------------------------------------------------------------- collectives */

/* Collective calls before a place, of a rank or of all, by communicator. */
struct collective_counts {
    const struct places *places;
    uint64_t place;
    uint64_t *all, *first; /* of all ranks, and of the first member */
};

/* How many calls of a communicator the rank makes. `add`: those of all communicators are added up. */
static uint64_t count_collectives(const struct collective_counts *counts, uint32_t rank, uint32_t group,
                                  bool add)
{
    const struct places *places = counts->places;
    struct place_walk walk = place_walk_begin(places, rank);
    const struct call *call;
    uint64_t at, calls = 0;
    while ((walk.place < counts->place || counts->place > places->count) &&
           place_walk_next(&walk, &call, &at)) {
        if (call_is_collective(call)) {
            calls += call->group == group;
            counts->all[call->group] += add;
            counts->first[call->group] +=
                add && group_world(&places->source->program.groups[call->group], 0) == rank;
        }
        place_walk_pass(&walk, call);
    }
    return calls;
}

static void report_collective(const struct collective_counts *counts, uint32_t group_index)
{
    const struct program *program = &counts->places->source->program;
    const struct group *group = &program->groups[group_index];
    char name[PLACE_TEXT];
    for (uint32_t i = 1; i < group->size; i++) {
        uint32_t rank = group_world(group, i);
        uint64_t calls = count_collectives(counts, rank, group_index, false);
        if (calls == counts->first[group_index])
            continue;
        compiled_report(counts->places->source, DIAG_ERROR, rank, 0,
                        "a cut %s separates the ranks of a collective call: rank %" PRIu32 " makes %" PRIu64
                        " calls of that communicator before it, and rank %" PRIu32 " makes %" PRIu64,
                        name_of(counts->places, counts->place, name), rank, calls, group_world(group, 0),
                        counts->first[group_index]);
        return;
    }
}

static void find_collective(const struct places *places, uint64_t place)
{
    const struct program *program = &places->source->program;
    struct collective_counts counts = {.places = places, .place = place};
    counts.all = mem_alloc(program->group_count, sizeof *counts.all, "communicators");
    counts.first = mem_alloc(program->group_count, sizeof *counts.first, "communicators");
    for (uint32_t rank = 0; rank < program->ranks; rank++)
        count_collectives(&counts, rank, 0, true);
    uint32_t group = 0;
    while (group < program->group_count &&
           counts.all[group] == counts.first[group] * program->groups[group].size)
        group++;
    if (group < program->group_count)
        report_collective(&counts, group);
    else
        diag_error("a cut here separates ranks of a collective call");
    free(counts.all);
    free(counts.first);
}

void separated_report(const struct places *places, uint64_t place)
{
    if (places->open[place] && find_request(places, place))
        return;
    if (!find_message(places, place))
        find_collective(places, place);
}
