#include "base/diag.h"
#include "base/lines.h"
#include "base/units.h"
#include "engine/free.h"
#include "engine/loggops/causes.h"
#include "engine/loggops/internal.h"
#include "fabric/message.h"

ps_t loggops_ps(const struct loggops *engine, when_t time)
{
    if (engine->rules == LOGGOPS_MENDED)
        return time > (when_t)PS_NEVER ? PS_NEVER : (ps_t)time;
    return time > (when_t)PS_NEVER / 1000 ? PS_NEVER : (ps_t)(time * 1000);
}

/* ---------------------------------------------------------------- hosts */

/* No cpu of the host was busy. That is known when one is again, so that TAP_BLOCKED, which is told when it
 * happens, is not. `operation`: for which it has waited; POOL_NONE: not known. */
static void tell_idle(struct loggops *engine, uint32_t host, when_t since, when_t until, uint32_t operation)
{
    ps_t from = loggops_ps(engine, since), to = loggops_ps(engine, until);
    const uint32_t site = engine->sites && operation != POOL_NONE
                              ? engine->sites->of_operation(engine->sites, host, operation)
                              : 0;
    tap_emit(engine->params->tap, &(struct tap_record){.kind = TAP_IDLE,
                                                       .rank = host,
                                                       .call = CALL_RECV,
                                                       .cause = CALL_RECV,
                                                       .peer = TAP_NOBODY,
                                                       .site = site,
                                                       .site_name = site ? engine->sites->names[site] : NULL,
                                                       .since = from,
                                                       .at = to});
}

void loggops_open_waits(struct loggops *engine)
{
    const struct program *program = engine->params->program;
    engine->sites = program->sites && program->sites->of_operation ? program->sites : NULL;
    pool_init(&engine->idle, sizeof(struct loggops_idle), "idle times");
    if (!engine->sites)
        return;
    engine->waits = mem_alloc(program->ranks, sizeof *engine->waits, "what hosts wait for");
    for (uint32_t host = 0; host < program->ranks; host++)
        engine->waits[host] = (struct loggops_waits){POOL_NONE, POOL_NONE, POOL_NONE};
}

void loggops_close_waits(struct loggops *engine)
{
    pool_free(&engine->idle);
    free(engine->waits);
}

size_t loggops_waits_bytes(const struct loggops *engine)
{
    return (engine->waits ? engine->params->program->ranks * sizeof *engine->waits : 0) +
           engine->idle.capacity * engine->idle.size;
}

/* What the host has waited for is known only later. */
static void keep_idle(struct loggops *engine, uint32_t host, when_t since, when_t until)
{
    struct loggops_waits *waits = &engine->waits[host];
    const uint32_t index = pool_take(&engine->idle);
    *(struct loggops_idle *)pool_at(&engine->idle, index) = (struct loggops_idle){since, until, POOL_NONE};
    if (waits->first == POOL_NONE)
        waits->first = index;
    else
        ((struct loggops_idle *)pool_at(&engine->idle, waits->last))->next = index;
    waits->last = index;
}

static void tell_kept(struct loggops *engine, uint32_t host, uint32_t operation)
{
    struct loggops_waits *waits = &engine->waits[host];
    for (uint32_t i = waits->first; i != POOL_NONE;) {
        const struct loggops_idle idle = *(const struct loggops_idle *)pool_at(&engine->idle, i);
        tell_idle(engine, host, idle.since, idle.until, operation);
        pool_give(&engine->idle, i);
        i = idle.next;
    }
    waits->first = POOL_NONE;
}

void loggops_tell_ended(struct loggops *engine, uint32_t host, uint32_t operation)
{
    engine->waits[host].ended = operation;
    tell_kept(engine, host, operation);
}

/* The host is busy; if it was idle before, it has waited for the operation. */
static void cover(struct loggops *engine, uint32_t host, when_t since, when_t until, uint32_t operation)
{
    struct loggops_host *at = loggops_host(engine, host);
    const bool was_idle = since > at->covered;
    if (engine->waits && operation != POOL_NONE)
        tell_kept(engine, host, operation);
    if (was_idle && engine->waits && operation == POOL_NONE)
        keep_idle(engine, host, at->covered, since);
    else if (was_idle)
        tell_idle(engine, host, at->covered, since, operation);
    at->covered = when_max(at->covered, until);
}

void loggops_tell_busy(struct loggops *engine, uint32_t host, uint8_t core, when_t since, when_t until,
                       enum loggops_busy with)
{
    static const uint32_t calls[] = {[BUSY_COMPUTES_NOTHING] = CALL_NOTHING,
                                     [BUSY_COMPUTES_OPERATIONS] = CALL_COMPUTE,
                                     [BUSY_COMPUTES_TIME] = CALL_SLEEP};
    struct loggops_host *at = loggops_host(engine, host);
    ps_t from = loggops_ps(engine, since), to = loggops_ps(engine, until);
    cover(engine, host, since, until, engine->waits ? engine->waits[host].ended : POOL_NONE);
    if (with >= BUSY_COMPUTES_NOTHING)
        tap_emit(engine->params->tap, &(struct tap_record){.kind = TAP_COMPUTED,
                                                           .rank = host,
                                                           .call = calls[with],
                                                           .core = core,
                                                           .since = from,
                                                           .at = to});
    else if (with == BUSY_STARTS)
        tap_emit(engine->params->tap, &(struct tap_record){.kind = TAP_BEGAN, .rank = host, .at = to});
    else
        at->software = ps_add(at->software, to - from);
}

void loggops_tell_receives(struct loggops *engine, uint32_t host, when_t since, when_t until,
                           uint32_t receive)
{
    struct loggops_host *at = loggops_host(engine, host);
    cover(engine, host, since, until, receive);
    at->software = ps_add(at->software, loggops_ps(engine, until) - loggops_ps(engine, since));
}

/* ------------------------------------------------------------- messages */

/* A message as observers see it. */
static struct message show(const struct loggops_message *message, ps_t delivered)
{
    return (struct message){.bytes = message->bytes,
                            .posted_bytes = message->bytes,
                            .source = message->source,
                            .destination = message->destination,
                            .source_node = message->source,
                            .destination_node = message->destination,
                            .tag = (int32_t)message->tag,
                            .send_posted = message->posted,
                            .injected = message->posted,
                            .send_released = message->posted,
                            .delivered = delivered,
                            .send_owner = message->send,
                            .op = CALL_SEND};
}

bool loggops_is_free(struct loggops *engine, uint32_t host)
{
    return engine->free && free_messages_count(engine->free, host);
}

void loggops_send(struct loggops *engine, uint32_t host, uint32_t operation, when_t at, when_t there,
                  bool is_free)
{
    const struct graph_operation *send = loggops_operation(engine, host, operation);
    uint32_t index = pool_take(&engine->messages);
    struct loggops_message *message = loggops_message(engine, index);
    *message = (struct loggops_message){.bytes = send->amount,
                                        .posted = loggops_ps(engine, at),
                                        .source = host,
                                        .destination = send->peer,
                                        .send = operation,
                                        .tag = send->tag,
                                        .core = send->core,
                                        .nic = send->nic,
                                        .is_synchronous = loggops_is_synchronous(engine, send),
                                        .is_free = is_free};
    const struct tap *tap = engine->params->tap;
    engine->sent++;
    for (enum tap_kind kind = TAP_SENT; kind <= TAP_INJECTED; kind++) {
        if (!tap_has_handler(tap, kind))
            continue;
        const struct message shown = show(message, 0);
        tap_emit(tap, &(struct tap_record){
                          .kind = kind, .index = index, .at = message->posted, .message = &shown});
    }
    if (engine->causes) {
        const struct message shown = show(message, 0);
        loggops_causes_send(engine, index, &shown, at, there);
    }
    loggops_push(engine, there, EVENT_MESSAGE, send->peer, index);
}

void loggops_tell_delivered(struct loggops *engine, uint32_t index, when_t at)
{
    struct loggops_message *message = loggops_message(engine, index);
    message->delivered = loggops_ps(engine, at);
    if (message->delivered < message->posted && !engine->early++) {
        engine->early_host = message->source;
        engine->early_send = message->send;
    }
    if (!tap_has_handler(engine->params->tap, TAP_DELIVERED))
        return;
    const struct message shown = show(message, message->delivered);
    tap_emit(engine->params->tap,
             &(struct tap_record){
                 .kind = TAP_DELIVERED, .index = index, .at = message->delivered, .message = &shown});
}

void loggops_tell_received(struct loggops *engine, uint32_t index, ps_t posted, when_t at, when_t released)
{
    const struct loggops_message *message = loggops_message(engine, index);
    const struct tap *tap = engine->params->tap;
    struct message shown = show(message, message->delivered);
    shown.recv_posted = posted;
    if (message->is_synchronous)
        shown.send_released = loggops_ps(engine, released);
    if (tap_has_handler(tap, TAP_RECEIVED))
        tap_emit(tap,
                 &(struct tap_record){
                     .kind = TAP_RECEIVED, .index = index, .at = loggops_ps(engine, at), .message = &shown});
    tap_emit(tap, &(struct tap_record){.kind = TAP_FINISHED, .index = index, .message = &shown});
    pool_give(&engine->messages, index);
    engine->received++;
}

/* ---------------------------------------------------------------- the end */

static when_t finish_of(const struct loggops *engine, uint32_t host)
{
    when_t finish = engine->rules == LOGGOPS_MENDED ? loggops_host(engine, host)->finish : 0;
    for (uint32_t core = 0; core < engine->cores; core++)
        finish = when_max(finish, *loggops_cpu(engine, host, (uint8_t)core));
    return finish;
}

static void tell_end(struct loggops *engine, uint32_t host, when_t finish)
{
    const struct tap *tap = engine->params->tap;
    const uint32_t ended = engine->waits ? engine->waits[host].ended : POOL_NONE;
    if (engine->waits)
        tell_kept(engine, host, ended);
    if (finish > loggops_host(engine, host)->covered)
        tell_idle(engine, host, loggops_host(engine, host)->covered, finish, ended);
    tap_emit(tap, &(struct tap_record){
                      .kind = TAP_SOFTWARE, .rank = host, .at = loggops_host(engine, host)->software});
    tap_emit(tap, &(struct tap_record){.kind = TAP_ENDED, .rank = host, .at = loggops_ps(engine, finish)});
    if (engine->causes)
        loggops_causes_host_ends(engine, host, finish);
}

struct rank_end {
    ps_t at;
    uint32_t host;
};

enum { DIGIT = 11 /* bits */, AHEAD = 8 /* hosts that are prefetched */ };

/* Sorts by one digit of the time; what is equal stays in its order. */
static void sort_digit(const struct rank_end *from, struct rank_end *to, uint32_t count, unsigned shift)
{
    uint32_t first[(1 << DIGIT) + 1] = {0};
    const uint32_t mask = (1 << DIGIT) - 1;
    for (uint32_t i = 0; i < count; i++)
        first[((uint64_t)from[i].at >> shift & mask) + 1]++;
    for (uint32_t i = 0; i < mask; i++)
        first[i + 1] += first[i];
    for (uint32_t i = 0; i < count; i++)
        to[first[(uint64_t)from[i].at >> shift & mask]++] = from[i];
}

/* In the order of time, as everything is told, and those of equal time in that of the hosts. */
static bool tell_ends(struct loggops *engine)
{
    uint32_t ranks = engine->params->program->ranks;
    struct rank_end *ends = lines_alloc(2 * (size_t)ranks, sizeof *ends, "the ends of ranks"), *sorted = ends;
    uint64_t differing = 0;
    bool is_in_range = true;
    for (uint32_t host = 0; is_in_range && host < ranks; host++) {
        ends[host] = (struct rank_end){loggops_ps(engine, finish_of(engine, host)), host};
        differing |= (uint64_t)ends[host].at ^ (uint64_t)ends[0].at;
        is_in_range = ends[host].at != PS_NEVER;
    }
    for (unsigned shift = 0; is_in_range && shift < 64; shift += DIGIT) {
        if (!(differing >> shift & ((1 << DIGIT) - 1)))
            continue;
        struct rank_end *other = sorted == ends ? ends + ranks : ends;
        sort_digit(sorted, other, ranks, shift);
        sorted = other;
    }
    for (uint32_t i = 0; is_in_range && i < ranks; i++) {
        if (ranks - i > AHEAD)
            __builtin_prefetch(loggops_host(engine, sorted[i + AHEAD].host));
        tell_end(engine, sorted[i].host, finish_of(engine, sorted[i].host));
    }
    free(ends);
    return is_in_range;
}

enum { SHOWN = 16 };

/* Those that have begun are named: all others wait for them. */
static void show_blocked(const struct loggops *engine)
{
    uint64_t named = 0, waiting = 0;
    for (uint32_t host = 0; host < engine->params->program->ranks; host++) {
        const struct graph_rank *rank = &engine->graph->ranks[host];
        for (uint32_t i = 0; i < rank->count; i++) {
            uint32_t needs = loggops_run(engine, host, i)->needs;
            waiting += needs < OPERATION_BEGUN;
            if (needs == OPERATION_BEGUN && named++ < SHOWN)
                graph_report(engine->params->program, DIAG_NOTE, host, i,
                             rank->operations[i].kind == GRAPH_SEND ? "waits for its receive"
                                                                    : "waits for its message");
        }
    }
    if (named > SHOWN)
        diag_note("and %llu more", (unsigned long long)(named - SHOWN));
    if (waiting)
        diag_note("%llu %s not begun", (unsigned long long)waiting,
                  waiting == 1 ? "operation requires them, and has" : "operations require them, and have");
}

/* LogGOPSim prints no times where messages or receives are left, and does not see operations that never ran.
 * ATLAHS sees neither. */
static enum status check_published(const struct loggops *engine, uint64_t left)
{
    if (engine->rules == LOGGOPS_PUBLISHED && (engine->messages.live || engine->posted)) {
        diag_error(
            "%u messages have met no receive, and %u receives no message: the simulator prints no times",
            engine->messages.live, engine->posted);
        show_blocked(engine);
        return STATUS_FAILED;
    }
    if (left) {
        diag_warning(
            "%llu of %llu operations never ended; the times are those of the others, as the simulator "
            "prints them",
            (unsigned long long)left, (unsigned long long)engine->graph->operations);
        show_blocked(engine);
    }
    return STATUS_OK;
}

static enum status check_mended(const struct loggops *engine, uint64_t left, ps_t now)
{
    char time[32];
    if (left) {
        diag_error("deadlock at %s: %llu of %llu operations have not ended, and nothing is under way",
                   units_show_time(now, 6, time, sizeof time), (unsigned long long)left,
                   (unsigned long long)engine->graph->operations);
        show_blocked(engine);
        return STATUS_FAILED;
    }
    if (engine->messages.live)
        diag_warning("%u messages were sent that nobody receives", engine->messages.live);
    return STATUS_OK;
}

/* ATLAHS lets what an operation irequires carry no time, so that a receive can end before its message is
 * sent.
 */
static enum status check_order(const struct loggops *engine)
{
    if (!engine->early)
        return STATUS_OK;
    diag_error("messages are received before they are sent (%llu): with compat=atlahs irequires carries no "
               "time, and the simulator ends with an assertion",
               (unsigned long long)engine->early);
    graph_report(engine->params->program, DIAG_NOTE, engine->early_host, engine->early_send,
                 "is the first such message");
    return STATUS_FAILED;
}

static void warn_of_sizes(const struct loggops *engine)
{
    const struct program *program = engine->params->program;
    if (!engine->too_small)
        return;
    struct call_place place = engine->graph->place(program, engine->small_host, engine->small_receive);
    diag_report(
        DIAG_WARNING, &(struct diag_place){.file = place.file, .line = place.line},
        "%s of rank %u is smaller than its message of %llu bytes; a message has the size of its send (%llu "
        "such receives)",
        engine->graph->label(program, engine->small_host, engine->small_receive), engine->small_host,
        (unsigned long long)engine->small_bytes, (unsigned long long)engine->too_small);
}

enum status loggops_finish(struct loggops *engine)
{
    uint64_t left = engine->graph->operations - engine->ended;
    ps_t now = 0;
    warn_of_sizes(engine);
    for (uint32_t host = 0; host < engine->params->program->ranks; host++)
        now = ps_max(now, loggops_ps(engine, finish_of(engine, host)));
    enum status status =
        engine->rules == LOGGOPS_MENDED ? check_mended(engine, left, now) : check_published(engine, left);
    if (status == STATUS_OK)
        status = check_order(engine);
    loggops_run_free(engine); /* before the ends are sorted, which needs memory */
    if (status != STATUS_OK || tell_ends(engine))
        return status;
    diag_error("simulated time passes 2^63 ps (106 days); the parameters make the run too long");
    return STATUS_FAILED;
}
