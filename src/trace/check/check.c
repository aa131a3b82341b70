#include "trace/check/check.h"

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "trace/check/coll_consistency.h"
#include "trace/check/comm_order.h"

/* One end of a channel, or all ends at one mailbox. */
struct channel_side {
    uint32_t rank;
    uint64_t count, first_line;
    uint64_t least, most; /* bytes */
};

struct channel_sides {
    struct channel_side send, recv;
};

struct checker {
    const struct compiled_trace *compiled;
    struct trace_check *check;
    struct channel_sides *channels;  /* per channel */
    struct channel_sides *mailboxes; /* per destination */
};

/* -------------------------------------------------------- ends of channels */

static void add(struct channel_side *side, uint32_t rank, uint64_t line, uint64_t bytes)
{
    if (!side->count++) {
        *side = (struct channel_side){
            .rank = rank, .count = 1, .first_line = line, .least = bytes, .most = bytes};
        return;
    }
    side->least = bytes < side->least ? bytes : side->least;
    side->most = bytes > side->most ? bytes : side->most;
}

static void add_call(struct checker *checker, uint32_t rank, uint64_t line, const struct call *call)
{
    if (call->op == CALL_SEND || call->op == CALL_SENDRECV) {
        bool mailbox = call->channel == CHANNEL_MAILBOX;
        struct channel_sides *sides =
            mailbox ? &checker->mailboxes[call->peer] : &checker->channels[call->channel];
        add(&sides->send, rank, line, call->bytes);
    }
    if (call->op == CALL_RECV || call->op == CALL_SENDRECV) {
        uint32_t channel = call->op == CALL_RECV ? call->channel : call->source_channel;
        bool mailbox = channel == CHANNEL_MAILBOX;
        struct channel_sides *sides = mailbox ? &checker->mailboxes[rank] : &checker->channels[channel];
        add(&sides->recv, rank, line, call->recv_bytes);
    }
}

static void collect(struct checker *checker)
{
    progress_begin("checking messages", checker->compiled->program.ranks);
    for (uint32_t rank = 0; rank < checker->compiled->program.ranks; rank++) {
        progress_tell(rank);
        const uint32_t *tokens = compiled_tokens(checker->compiled, rank);
        const struct call *calls = compiled_calls(checker->compiled, rank);
        for (uint64_t i = 0; i < compiled_lines(checker->compiled, rank); i++)
            if (!(tokens[i] & TOKEN_COMPUTE))
                add_call(checker, rank, i + 1, &calls[tokens[i]]);
    }
    progress_end();
}

/* ------------------------------------------------------- one channel */

/* A cursor over the sends of a channel, or over its receives. */
struct channel_walk {
    const struct compiled_trace *compiled;
    uint32_t rank, channel;
    bool sends;
    uint64_t line; /* of the current send or receive */
    uint64_t bytes;
};

static bool is_walked(const struct channel_walk *walk, const struct call *call)
{
    if (call->op == CALL_SENDRECV)
        return (walk->sends ? call->channel : call->source_channel) == walk->channel;
    return call->op == (walk->sends ? CALL_SEND : CALL_RECV) && call->channel == walk->channel;
}

static bool walk_on(struct channel_walk *walk)
{
    const uint32_t *tokens = compiled_tokens(walk->compiled, walk->rank);
    const struct call *calls = compiled_calls(walk->compiled, walk->rank);
    uint64_t lines = compiled_lines(walk->compiled, walk->rank);
    while (walk->line < lines) {
        uint32_t token = tokens[walk->line++];
        if (token & TOKEN_COMPUTE || !is_walked(walk, &calls[token]))
            continue;
        walk->bytes = walk->sends ? calls[token].bytes : calls[token].recv_bytes;
        return true;
    }
    return false;
}

static void report_truncation(const struct checker *checker, const struct channel_walk *send,
                              const struct channel_walk *recv)
{
    if (checker->check->truncated > CHECK_MOST_REPORTS)
        return;
    compiled_report(checker->compiled, DIAG_ERROR, recv->rank, recv->line,
                    "a receive of at most %llu bytes meets a message of %llu",
                    (unsigned long long)recv->bytes, (unsigned long long)send->bytes);
    compiled_report(checker->compiled, DIAG_NOTE, send->rank, send->line, "the message is sent here");
}

/* The first send or receive that has no counterpart. `other`: the other side, which has ended or is empty. */
static void report_unmatched(const struct checker *checker, const struct channel_walk *lonely,
                             const struct channel_side *other)
{
    if (checker->check->unmatched > CHECK_MOST_REPORTS)
        return;
    const char *what = lonely->sends ? "this message is never received" : "this receive never gets a message";
    if (!other->count)
        compiled_report(checker->compiled, DIAG_ERROR, lonely->rank, lonely->line,
                        "%s: no %s has these ranks and this tag", what, lonely->sends ? "receive" : "send");
    else
        compiled_report(checker->compiled, DIAG_ERROR, lonely->rank, lonely->line,
                        "%s: all %llu %s with these ranks and this tag are taken", what,
                        (unsigned long long)other->count, lonely->sends ? "receives" : "messages");
    if (other->count)
        compiled_report(checker->compiled, DIAG_NOTE, other->rank, other->first_line,
                        "the first of those is here");
}

static void walk_channel(struct checker *checker, uint32_t channel)
{
    const struct channel_sides *sides = &checker->channels[channel];
    struct channel_walk send = {
        .compiled = checker->compiled, .rank = sides->send.rank, .channel = channel, .sends = true};
    struct channel_walk recv = {.compiled = checker->compiled, .rank = sides->recv.rank, .channel = channel};
    bool sent, received;
    for (;;) {
        sent = sides->send.count && walk_on(&send);
        received = sides->recv.count && walk_on(&recv);
        if (!sent || !received)
            break;
        if (send.bytes <= recv.bytes)
            continue;
        checker->check->truncated++;
        report_truncation(checker, &send, &recv);
    }
    if (sent == received)
        return;
    checker->check->unmatched++;
    report_unmatched(checker, sent ? &send : &recv, sent ? &sides->recv : &sides->send);
}

static void check_channels(struct checker *checker)
{
    progress_begin("checking channels", checker->compiled->program.channels);
    for (uint32_t i = 0; i < checker->compiled->program.channels; i++) {
        progress_tell(i);
        const struct channel_sides *sides = &checker->channels[i];
        checker->check->channels++;
        /* Nearly all channels are right by number and size, without a look at each message. */
        if (sides->send.count != sides->recv.count || sides->send.most > sides->recv.least)
            walk_channel(checker, i);
    }
    progress_end();
}

static void check_mailboxes(struct checker *checker)
{
    for (uint32_t rank = 0; rank < checker->compiled->program.ranks; rank++) {
        const struct channel_sides *sides = &checker->mailboxes[rank];
        if (!sides->send.count && !sides->recv.count)
            continue;
        checker->check->mailboxes++;
        if (sides->send.count == sides->recv.count || checker->check->unmatched++ >= CHECK_MOST_REPORTS)
            continue;
        const struct channel_side *side = sides->recv.count ? &sides->recv : &sides->send;
        compiled_report(checker->compiled, DIAG_ERROR, side->rank, side->first_line,
                        "%llu messages are sent to rank %u, which receives %llu; the first %s is here",
                        (unsigned long long)sides->send.count, rank, (unsigned long long)sides->recv.count,
                        sides->recv.count ? "receive" : "send");
    }
}

/* -------------------------------------------------------------- collectives */

static const char *difference(const struct call *a, const struct call *b)
{
    if (a->op != b->op || a->flags != b->flags)
        return "another collective than";
    if (a->peer != b->peer)
        return "another root than";
    return comm_order_has_common_size(a) && a->bytes != b->bytes ? "another size than" : NULL;
}

static void report_difference(const struct checker *checker, const struct comm_difference *two, uint64_t line,
                              uint64_t first_line, const char *what)
{
    if (checker->check->disagreements > CHECK_MOST_REPORTS)
        return;
    compiled_report(checker->compiled, DIAG_ERROR, two->other, line, "%s rank %u has at this point%s", what,
                    two->first, two->group ? " in this communicator" : "");
    compiled_report(checker->compiled, DIAG_NOTE, two->first, first_line, "rank %u is here", two->first);
}

/* The collectives of two ranks on a communicator; reports the first difference. */
static void compare_collectives(struct checker *checker, const struct comm_difference *two)
{
    const struct compiled_trace *compiled = checker->compiled;
    const struct call *ours = NULL, *theirs = NULL;
    uint64_t line = 0, first_line = 0, shown, first_shown;
    const char *what = NULL;
    for (;;) {
        shown = line;
        first_shown = first_line;
        bool more = compiled_next_collective(compiled, two->other, two->group, &line, &ours);
        bool first_more = compiled_next_collective(compiled, two->first, two->group, &first_line, &theirs);
        if (!more && !first_more)
            return;
        if (more && first_more) {
            shown = line;
            first_shown = first_line;
            what = difference(ours, theirs);
        } else {
            what = more ? "a collective more than" : "fewer collectives than";
            shown = more ? line : shown;
            first_shown = first_more ? first_line : first_shown;
        }
        if (what)
            break;
    }
    checker->check->disagreements++;
    report_difference(checker, two, shown, first_shown, what);
}

static void check_collectives(struct checker *checker)
{
    const struct call *call;
    uint64_t line = 0;
    while (compiled_next_collective(checker->compiled, 0, 0, &line, &call))
        checker->check->collectives++;
    progress_begin("checking collectives", checker->compiled->program.ranks);
    for (uint32_t rank = 1; rank < checker->compiled->program.ranks; rank++) {
        progress_tell(rank);
        compare_collectives(checker, &(struct comm_difference){.group = 0, .first = 0, .other = rank});
    }
    progress_end();
}

static void check_communicators(struct checker *checker)
{
    struct comm_difference *list;
    size_t count = comm_order_find(checker->compiled, &list, &checker->check->communicators);
    for (size_t i = 0; i < count; i++)
        compare_collectives(checker, &list[i]);
    free(list);
}

bool check_trace(const struct compiled_trace *compiled, struct trace_check *check)
{
    const struct program *program = &compiled->program;
    struct checker checker = {.compiled = compiled, .check = check};
    *check = (struct trace_check){0};
    checker.channels = mem_alloc(program->channels, sizeof *checker.channels, "the channels of a trace");
    checker.mailboxes = mem_alloc(program->ranks, sizeof *checker.mailboxes, "the mailboxes of a trace");
    collect(&checker);
    check_channels(&checker);
    check_mailboxes(&checker);
    check_collectives(&checker);
    check_communicators(&checker);
    if (!check->disagreements)
        check->unequal = coll_consistency_check(compiled, check->collectives);
    free(checker.channels);
    free(checker.mailboxes);
    return !check->unmatched && !check->truncated && !check->disagreements && !check->unequal;
}
