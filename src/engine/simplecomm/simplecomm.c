#include "engine/simplecomm/simplecomm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/tap.h"
#include "engine/simplecomm/internal.h"
#include "fabric/list.h"
#include "fabric/message.h"
#include "fabric/topology.h"

/* -------------------------------------------------------------- parameters */

static const char *const allreduce_names[] = {
    [ALLREDUCE_BINOMIAL] = "reduceBinomialTree_bcast", [ALLREDUCE_TO_ROOT] = "reduce_bcast", NULL};
static const char *const alltoallv_names[] = {
    [ALLTOALLV_ALL] = "nbc_like_simgrid", [ALLTOALLV_WITHOUT_EMPTY] = "nbc_improved", NULL};

PARAM_TABLE(simplecomm_params, "simplecomm", struct simplecomm_config,
            "parameters that only SimpleComm has; without compat=simplecomm they do nothing",
            {.name = "simplecomm.booster_factor",
             .type = PARAM_COUNT,
             .offset = offsetof(struct simplecomm_config, booster_factor),
             .default_text = "1",
             .max = "1000000000",
             .doc = "factor on the sizes of messages"},
            {.name = "simplecomm.booster_every",
             .type = PARAM_COUNT,
             .offset = offsetof(struct simplecomm_config, booster_every),
             .default_text = "1",
             .min = "1",
             .doc = "n: the factor counts for the first message and every n-th after it"},
            {.name = "simplecomm.allreduce",
             .type = PARAM_CHOICE,
             .offset = offsetof(struct simplecomm_config, allreduce),
             .default_text = "reduceBinomialTree_bcast",
             .choices = allreduce_names,
             .doc = "the reduction before the broadcast: a tree, or all ranks to rank 0"},
            {.name = "simplecomm.alltoallv",
             .type = PARAM_CHOICE,
             .offset = offsetof(struct simplecomm_config, alltoallv),
             .default_text = "nbc_like_simgrid",
             .choices = alltoallv_names,
             .doc = "with messages of no bytes, or without"});

/* ----------------------------------------------------------------- results */

#define STATISTIC(name, type, field, doc)                                                                    \
    {                                                                                                        \
        name, type, offsetof(struct compat_statistics, field), doc                                           \
    }

static const struct metric metric_list[] = {
    STATISTIC("late_receives", METRIC_COUNT, late_receives,
              "receives that were posted after the message had left its sender"),
    STATISTIC("network_messages", METRIC_COUNT, by_network, "messages that took the network"),
    STATISTIC("fmu_messages", METRIC_COUNT, by_fmu, "messages that took an FMU"),
    STATISTIC("pivot_bytes", METRIC_BYTES, pivot_bytes, "hybrid: size from which on messages take FMUs"),
    STATISTIC("coalesced_writes", METRIC_COUNT, coalesced_writes,
              "writes that needed no switching of their own"),
    STATISTIC("coalesced_reads", METRIC_COUNT, coalesced_reads,
              "reads that needed no switching of their own"),
    STATISTIC("idle_mappings", METRIC_COUNT, idle_mappings, "messages whose FMU was found idle"),
    STATISTIC("other_mappings", METRIC_COUNT, other_mappings, "messages whose FMU was chosen among all"),
    STATISTIC("biggest_buffer_bytes", METRIC_BYTES, biggest_buffer_bytes, "largest Q_data at any read"),
    STATISTIC("biggest_buffer_messages", METRIC_COUNT, biggest_buffer_messages,
              "entries of the largest Q_data"),
    STATISTIC("congestion_sum_s", METRIC_TIME_SUM, congestion_sum, "time that accesses waited for FMUs"),
    STATISTIC("channel_congestion_sum_s", METRIC_TIME_SUM, channel_congestion_sum,
              "time that accesses waited for the channel of their own node"),
    STATISTIC("congestion_s", METRIC_TIMES, congestion, "per FMU: time that accesses waited for it"),
    STATISTIC("channel_congestion_s", METRIC_TIMES, channel_congestion,
              "per rank: time that accesses waited for the channel of its node"),
    STATISTIC("usage_s", METRIC_TIMES, usage, "per FMU: lengths of all writes and reads"),
    STATISTIC("written_bytes", METRIC_COUNTS, written, "per FMU: bytes written to it"),
};
static const struct metric_table network_metrics = {
    .metrics = metric_list, .count = 1, .size = sizeof(struct compat_statistics)};
static const struct metric_table fmu_metrics = {.metrics = metric_list,
                                                .count = sizeof metric_list / sizeof *metric_list,
                                                .size = sizeof(struct compat_statistics)};

static const void *statistics(struct fabric *fabric)
{
    return &((struct simplecomm *)fabric)->statistics;
}

static const struct fabric_ops topology_ops[] = {
    [COMPAT_KAHUNA] = {.name = "packet", .metrics = &network_metrics, .statistics = statistics},
    [COMPAT_FMU] = {.name = "fmu", .metrics = &fmu_metrics, .statistics = statistics},
    [COMPAT_HYBRID] = {.name = "hybrid", .metrics = &fmu_metrics, .statistics = statistics},
};
enum { TOPOLOGIES = sizeof topology_ops / sizeof *topology_ops };

/* The times are the columns of SimpleComm, not those of the calls: on FMUs, a base is the start of the
 * access. */
static void emit_message(const struct simplecomm *engine, const struct compat_match *match)
{
    struct message message = {.bytes = match->bytes,
                              .posted_bytes = match->bytes,
                              .source = match->source,
                              .destination = match->destination,
                              .source_node = match->source / engine->cores_per_node,
                              .destination_node = match->destination / engine->cores_per_node,
                              .tag = match->tag,
                              .op = match->send_op,
                              .send_posted = seconds_to_ps(match->send_base_s),
                              .send_released = seconds_to_ps(match->send_end_s),
                              .recv_posted = seconds_to_ps(match->recv_base_s),
                              .delivered = seconds_to_ps(match->recv_end_s)};
    struct tap_record record = {.kind = TAP_INJECTED, .at = message.send_posted, .message = &message};
    tap_emit(engine->params->tap, &record);
    record.kind = TAP_DELIVERED;
    record.at = message.delivered;
    tap_emit(engine->params->tap, &record);
    record.kind = TAP_FINISHED;
    tap_emit(engine->params->tap, &record);
}

/* ------------------------------------------------------------------ driver */

/* HYBRID takes the next match from the side where something starts first. The sides do not share anything. */
static struct compat_match *next_match(struct simplecomm *engine)
{
    size_t on_network = engine->network.count, on_fmus = engine->fmu.open.count;
    bool by_network = on_fmus == 0;
    if (on_network > 0 && on_fmus > 0)
        by_network = compat_network_lowest(&engine->network) < compat_fmu_lowest(&engine->fmu);
    if (by_network) {
        engine->statistics.by_network++;
        return compat_network_next(engine);
    }
    engine->statistics.by_fmu++;
    return compat_fmu_next(engine);
}

/* Sets when the two ranks may go on. Eager means `<=` here, but `<` where a match forms. */
static void release(const struct simplecomm *engine, struct compat_match *match)
{
    bool eager = match->bytes <= engine->eager_bytes;
    if (match->on_network) {
        match->send_end_s = match->recv_end_s = match->end_s;
        if (eager)
            match->recv_end_s = fmax(match->recv_base_s, match->end_s);
    }
    if (eager)
        match->send_end_s = match->send_base_s;
}

/* On KAHUNA the clock of a rank may be at most a millisecond beyond the message that releases the rank. */
static void check_clock(struct simplecomm *engine, uint32_t index, double end_s)
{
    double now_s = engine->rank[index].now_s;
    if (engine->topology == COMPAT_KAHUNA && now_s >= end_s && !seconds_close(now_s, end_s, 1e-9, 0.001))
        compat_abort(engine, ABORT_CLOCK);
}

static void end_of_side(struct simplecomm *engine, uint32_t index, bool blocking, double end_s, uint8_t op,
                        int32_t tag)
{
    struct compat_rank *rank = &engine->rank[index];
    if (blocking) {
        compat_idle(engine, index, end_s, op);
        if (rank->blocking_posts == 0 && !rank->in_collective && rank->in_point_to_point) {
            rank->state = RANK_NORMAL;
            rank->in_point_to_point = false;
        }
    } else if (op == CALL_SENDRECV) {
        compat_idle(engine, index, end_s, op);
    } else {
        compat_completed(engine, index, tag, end_s, op);
    }
    if (op >= CALL_BARRIER || op == CALL_SENDRECV)
        rank->layer_pending--;
}

static enum status finish(struct simplecomm *engine, struct compat_match *match)
{
    if (engine->too_large)
        return compat_too_large(engine);
    if (!time_fits(match->end_s) || !time_fits(match->send_end_s))
        return compat_too_long(engine);
    engine->statistics.late_receives +=
        match->recv_posted_s > (match->on_network ? match->end_s : match->send_end_s);
    release(engine, match);
    engine->rank[match->source].blocking_posts -= match->send_blocking;
    engine->rank[match->destination].blocking_posts -= match->recv_blocking;
    emit_message(engine, match);
    if (match->send_blocking && match->bytes >= engine->eager_bytes)
        check_clock(engine, match->source, match->send_end_s);
    if (!match->send_given_up)
        end_of_side(engine, match->source, match->send_blocking, match->send_end_s, match->send_op,
                    match->tag);
    if (match->recv_blocking)
        check_clock(engine, match->destination, match->recv_end_s);
    end_of_side(engine, match->destination, match->recv_blocking, match->recv_end_s, match->recv_op,
                match->tag);
    match->next_free = engine->free_matches;
    engine->free_matches = match;
    engine->live_matches--;
    engine->finished++;
    return STATUS_OK;
}

/* Puts a rank in its place among the active ones, if its next step does something. All of them step next, so
 * this costs no more than those steps. */
static void activate(struct simplecomm *engine, uint32_t rank)
{
    uint32_t place = engine->active_count;
    if (engine->rank[rank].is_active || !compat_can_step(engine, rank))
        return;
    for (; place > 0 && engine->active[place - 1] > rank; place--)
        engine->active[place] = engine->active[place - 1];
    engine->active[place] = rank;
    engine->active_count++;
    engine->rank[rank].is_active = true;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

/* The ranks that eager sends have blocked go on. Only then is a rank active. */
static void revive_senders(struct simplecomm *engine)
{
    for (uint32_t i = 0; i < engine->blocked_count; i++) {
        uint32_t rank = engine->blocked_senders[i];
        engine->rank[rank].may_give_up = false;
        if (!compat_give_up_send(engine, rank))
            continue;
        engine->active[engine->active_count++] = rank;
        engine->rank[rank].is_active = true;
    }
    engine->blocked_count = 0;
    qsort(engine->active, engine->active_count, sizeof *engine->active, by_number);
}

/* SimpleComm stops when no rank can go on and no message has both ends. It does so too early: it looks at a
 * waitall, and at a collective without messages, one step late, and it blocks eager senders until their
 * receive is posted. Here the ranks go on. */
static bool revive(struct simplecomm *engine)
{
    if (engine->active_count > 0) {
        compat_abort(engine, ABORT_NOTHING_OPEN);
        return true; /* the rank goes on with the next step */
    }
    revive_senders(engine);
    if (engine->active_count > 0)
        compat_abort(engine, ABORT_SEND_BLOCKED);
    return engine->active_count > 0;
}

static enum status report_deadlock(const struct simplecomm *engine)
{
    enum { SHOWN = 8 };
    struct program *program = engine->params->program;
    uint32_t blocked = engine->ranks - engine->ended, shown = 0;
    diag_error("fabric %s: deadlock: %u of %u ranks are blocked, and no message has both ends",
               engine->params->fabric->name, blocked, engine->ranks);
    for (uint32_t rank = 0; rank < engine->ranks && shown < SHOWN; rank++) {
        if (engine->rank[rank].state == RANK_ENDED)
            continue;
        struct call_place place = program->ops->place(program, rank);
        diag_report(DIAG_NOTE, &(struct diag_place){.file = place.file, .line = place.line},
                    "rank %u is blocked here", rank);
        shown++;
    }
    if (blocked > shown)
        diag_note("and %u more", blocked - shown);
    return STATUS_FAILED;
}

static enum status tell_progress(const struct simplecomm *engine, uint32_t rank)
{
    const struct engine_params *params = engine->params;
    const struct engine_progress at = {.calls = engine->calls,
                                       .sent = engine->finished + engine->live_matches,
                                       .messages = engine->finished,
                                       .now = seconds_to_ps(engine->rank[rank].now_s)};
    if (params->progress && !params->progress(params->progress_self, &at))
        return STATUS_CANCELLED;
    return STATUS_OK;
}

/* One step of each active rank. Those whose next step does something stay active. *is_normal: one of them is
 * not waiting for anything. */
static enum status step_ranks(struct simplecomm *engine, uint64_t *steps, bool *is_normal)
{
    enum { TELL_EVERY = 1 << 12 };
    uint32_t kept = 0;
    *is_normal = false;
    for (uint32_t i = 0; i < engine->active_count; i++) {
        uint32_t rank = engine->active[i];
        enum status status = compat_step(engine, rank);
        if (status == STATUS_OK && ++*steps % TELL_EVERY == 0)
            status = tell_progress(engine, rank);
        if (status != STATUS_OK)
            return status;
        engine->rank[rank].is_active = compat_can_step(engine, rank);
        *is_normal |= engine->rank[rank].state == RANK_NORMAL;
        if (engine->rank[rank].is_active)
            engine->active[kept++] = rank;
    }
    engine->active_count = kept;
    return STATUS_OK;
}

/* Finishes a match. Only its two ranks may go on by that. */
static enum status finish_next(struct simplecomm *engine)
{
    struct compat_match *match = next_match(engine);
    uint32_t source = match->source, destination = match->destination;
    enum status status = finish(engine, match);
    if (status == STATUS_OK) {
        activate(engine, source);
        activate(engine, destination);
    }
    return status;
}

static enum status simulate(struct simplecomm *engine)
{
    uint64_t steps = 0;
    for (;;) {
        bool is_normal;
        enum status status = step_ranks(engine, &steps, &is_normal);
        if (status != STATUS_OK)
            return status;
        if (engine->ended == engine->ranks)
            return STATUS_OK;
        if (is_normal)
            continue;
        if (engine->live_matches > 0)
            status = finish_next(engine);
        else if (!revive(engine))
            status = report_deadlock(engine);
        if (status != STATUS_OK)
            return status;
    }
}

/* ------------------------------------------------------------------- setup */

/* The size for which both take the same time; -1: always the network, 0: always the FMUs (Top_Hybrid.py). */
static double pivot_of(const struct compat_link *network, const struct compat_link *fmu)
{
    double latency_s = fmu->latency_s * 2, bytes_per_s = fmu->bytes_per_s / 2;
    if (network->bytes_per_s == bytes_per_s)
        return latency_s < network->latency_s ? 0 : -1;
    if (network->latency_s == latency_s)
        return bytes_per_s > network->bytes_per_s ? 0 : -1;
    double pivot = (latency_s - network->latency_s) / ((1 / network->bytes_per_s) - (1 / bytes_per_s));
    if (pivot < 0)
        return bytes_per_s > network->bytes_per_s ? 0 : -1;
    return pivot;
}

/* TOPOLOGIES when there is none. */
static int topology_of(const struct fabric_ops *fabric)
{
    int topology = 0;
    while (topology < TOPOLOGIES && strcmp(topology_ops[topology].name, fabric->name) != 0)
        topology++;
    return topology;
}

bool simplecomm_has(const struct fabric_ops *fabric)
{
    int topology = topology_of(fabric);
    return topology < TOPOLOGIES &&
           (topology != COMPAT_HYBRID || (fabric_find("packet") && fabric_find("fmu")));
}

static bool runs(const struct engine_input *input)
{
    return input->compat && strcmp(input->compat, engine_simplecomm.name) == 0 &&
           !(input->program && input->program->openloop);
}

static enum status prepare(const struct engine_input *input)
{
    if (!simplecomm_has(input->fabric)) {
        diag_error(
            "SimpleComm has no fabric %s; with compat=simplecomm there are packet (its KAHUNA), fmu and "
            "hybrid",
            input->fabric->name);
        return STATUS_BAD_INPUT;
    }
    if (input->program && input->program->graph) {
        diag_error("SimpleComm runs sequences of calls; the ranks of %s execute graphs",
                   input->program->name);
        return STATUS_BAD_INPUT;
    }
    if (input->has_host)
        diag_error("SimpleComm has no hosts; compat=simplecomm and host.system exclude each other");
    return input->has_host ? STATUS_BAD_INPUT : STATUS_OK;
}

/* SimpleComm would ignore a topology. */
static enum status refuse_topology(const struct engine_params *params)
{
    const struct topology_config *topology = config_of(params->config, &topology_params);
    if (topology->is_given)
        diag_error(
            "SimpleComm has no topology: all nodes are on one switch; compat=simplecomm and topology exclude "
            "each other");
    return topology->is_given ? STATUS_BAD_INPUT : STATUS_OK;
}

static void warn_if_set(const struct simplecomm *engine, const char *name)
{
    const struct config *config = engine->params->config;
    if (!config_has_default(config, name))
        diag_warning("fabric %s: %s=%s has no effect: SimpleComm has its own algorithms, which "
                     "simplecomm.allreduce, simplecomm.alltoallv and mpi.reduce=linear choose",
                     engine->params->fabric->name, name, config_text(config, name));
}

static bool has_reduce(const struct coll_choice *choice)
{
    bool has = true;
    for (uint32_t i = 0; i < choice->count; i++)
        has &= strcmp(choice->algorithm[i]->name, "binomial") == 0 ||
               strcmp(choice->algorithm[i]->name, "linear") == 0;
    return has;
}

static void warn_of_algorithms(const struct simplecomm *engine)
{
    warn_if_set(engine, "mpi.tuning");
    for (enum coll_kind kind = 0; kind < COLL_KINDS; kind++) {
        char name[64];
        snprintf(name, sizeof name, "mpi.%s", coll_kind_name(kind));
        if (kind != COLL_REDUCE || !has_reduce(&engine->collective->choice[kind]))
            warn_if_set(engine, name);
    }
}

static void check(struct simplecomm *engine)
{
    warn_of_algorithms(engine);
    if (engine->ranks % engine->cores_per_node != 0)
        compat_abort(engine, ABORT_NODES);
    if (engine->topology == COMPAT_HYBRID && engine->fmus_take_the_small)
        compat_abort(engine, ABORT_PIVOT);
}

/* The largest rate that can be written stands for SimpleComm's 0: bytes take no time. */
static struct compat_link link_of(ps_t latency_ps, uint64_t bytes_per_s)
{
    return (struct compat_link){.latency_s = (double)latency_ps / 1e12,
                                .bytes_per_s = bytes_per_s == INT64_MAX ? 0 : (double)bytes_per_s};
}

/* Finds the parameters by name. Where there is no fabric that has them, prepare() has refused the experiment.
 */
static struct compat_link configured_link(const struct config *config, const char *latency, const char *rate)
{
    const ps_t *latency_ps = config_field(config, latency);
    const uint64_t *bytes_per_s = config_field(config, rate);
    return link_of(latency_ps ? *latency_ps : 0, bytes_per_s ? *bytes_per_s : INT64_MAX);
}

static void open_engine(struct simplecomm *engine, const struct engine_params *params)
{
    const struct node_config *node = config_of(params->config, &node_params);
    const struct protocol_config *protocol = config_of(params->config, &protocol_params);
    engine->params = params;
    engine->config = config_of(params->config, &simplecomm_params);
    engine->compute = config_of(params->config, &compute_params);
    engine->collective = config_of(params->config, &collective_params);
    engine->ranks = params->program->ranks;
    engine->cores_per_node = node_config_ranks(node);
    engine->eager_bytes = protocol->eager_threshold_bytes;
    engine->network_link = configured_link(params->config, "packet.latency", "packet.bandwidth");
    engine->fmu_link = configured_link(params->config, "fmu.t_switch", "fmu.bandwidth");
    engine->node_link = link_of(node->latency_ps, node->bandwidth_bytes_per_s);
    engine->pivot_bytes = pivot_of(&engine->network_link, &engine->fmu_link);
    engine->topology = (enum compat_topology)topology_of(params->fabric);
    engine->fabric.ops = &topology_ops[engine->topology];
    engine->fmus_take_the_small =
        engine->pivot_bytes > 0 && engine->fmu_link.bytes_per_s / 2 < engine->network_link.bytes_per_s;
    check(engine);
    if (engine->topology == COMPAT_HYBRID)
        engine->statistics.pivot_bytes =
            engine->pivot_bytes < 0x1p63 ? (uint64_t)ceil(fmax(engine->pivot_bytes, 0)) : INT64_MAX;
    engine->rank = mem_alloc(engine->ranks, sizeof *engine->rank, "ranks");
    engine->active = mem_alloc(engine->ranks, sizeof *engine->active, "ranks");
    engine->blocked_senders = mem_alloc(engine->ranks, sizeof *engine->blocked_senders, "ranks");
    engine->active_count = engine->ranks;
    for (uint32_t rank = 0; rank < engine->ranks; rank++) {
        engine->active[rank] = rank;
        engine->rank[rank].is_active = true;
        queue_init(&engine->rank[rank].completions);
        engine->rank[rank].blocked_by = POOL_NONE;
        engine->rank[rank].slot_tags =
            mem_alloc(params->program->ops->slots(params->program, rank), sizeof(int32_t), "requests");
    }
    queue_table_init(&engine->unmatched);
    queue_table_init(&engine->completed);
    pool_init(&engine->posts, sizeof(struct compat_post), "unmatched sends and receives");
    pool_init(&engine->completions, sizeof(struct compat_completion), "finished requests");
    compat_network_init(engine);
    compat_fmu_init(engine, params->config, params->seed);
}

static void close_engine(struct simplecomm *engine)
{
    for (uint32_t rank = 0; engine->rank && rank < engine->ranks; rank++)
        free(engine->rank[rank].slot_tags);
    free(engine->rank);
    free(engine->active);
    free(engine->blocked_senders);
    queue_table_free(&engine->unmatched);
    queue_table_free(&engine->completed);
    pool_free(&engine->posts);
    pool_free(&engine->completions);
    arena_free(&engine->match_memory);
    compat_network_free(&engine->network);
    compat_fmu_free(&engine->fmu);
}

static enum status run(const struct engine_params *params, struct engine_usage *usage, engine_visit *visit,
                       void *self)
{
    struct simplecomm engine = {0};
    enum status status = refuse_topology(params);
    if (status != STATUS_OK)
        return status;
    open_engine(&engine, params);
    status = simulate(&engine);
    *usage = (struct engine_usage){
        .bytes = engine.match_memory.used + engine.posts.capacity * engine.posts.size +
                 engine.completions.capacity * engine.completions.size +
                 queue_table_bytes(&engine.unmatched) + queue_table_bytes(&engine.completed) +
                 engine.ranks * (sizeof *engine.rank + 2 * sizeof *engine.active),
        .peak_messages = engine.peak_matches,
        .events = engine.finished,
        .calls = engine.calls};
    compat_fmu_summarize(&engine);
    if (status == STATUS_OK && visit)
        visit(self, &engine.fabric);
    close_engine(&engine);
    return status;
}

static const char *no_path(const struct config *config)
{
    (void)config;
    return "SimpleComm counts in binary floating point, changes times that have passed when messages share a "
           "network, and can release a sender in its past: so the parts of a chain do not add up to the run";
}

const struct engine engine_simplecomm = {.name = "simplecomm",
                                         .no_path = no_path,
                                         .estimate = compat_estimate,
                                         .runs = runs,
                                         .prepare = prepare,
                                         .run = run};
