#include "support/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/graph/graphs.h"
#include "engine/params.h"
#include "engine/rank/ranks.h"
#include "fabric/list.h"
#include "fabric/message.h"
#include "graph/of_calls.h"
#include "host/host.h"
#include "sim/components.h"
#include "sim/conservation.h"
#include "sim/experiment.h"
#include "sim/traffic.h"

enum { SCRIPT_SLOTS = 128 };

void (*script_visit)(void *self, struct fabric *fabric);
struct tap_part_handler script_part_handler;
struct critical_path *script_path;
uint32_t script_path_keep = CRITICAL_KEEP;
struct slack_result *script_slack;
void (*script_listen)(struct tap *tap);
bool script_as_graph;

struct script {
    struct program program;
    const struct call *const *calls;
    struct group world;
    uint64_t counts[1];
    uint32_t position[SCRIPT_RANKS];
};

static const struct call *script_next(struct program *program, uint32_t rank, struct call *scratch)
{
    struct script *script = (struct script *)program;
    uint32_t at = script->position[rank];
    if (at > 0 && script->calls[rank][at - 1].op == CALL_FINALIZE)
        return NULL;
    script->position[rank]++;
    *scratch = script->calls[rank][at];
    return scratch;
}

static uint32_t script_slots(const struct program *program, uint32_t rank)
{
    (void)program, (void)rank;
    return SCRIPT_SLOTS;
}

static struct call_place script_place(const struct program *program, uint32_t rank)
{
    static const char *const files[] = {"rank-1.txt", "rank-2.txt", "rank-3.txt", "rank-4.txt"};
    return (struct call_place){.file = files[rank % 4],
                               .line = ((const struct script *)program)->position[rank]};
}

static void script_rewind(struct program *program)
{
    memset(((struct script *)program)->position, 0, sizeof((struct script *)program)->position);
}

static const struct program_ops script_ops = {
    .next = script_next, .slots = script_slots, .place = script_place, .rewind = script_rewind};

static void keep_message(void *self, const struct tap_record *record)
{
    struct script_outcome *outcome = self;
    const struct message *message = record->message;
    assert_true(outcome->message_count < SCRIPT_MESSAGES);
    outcome->messages[outcome->message_count++] =
        (struct script_message){.source = message->source,
                                .destination = message->destination,
                                .tag = message->tag,
                                .bytes = message->bytes,
                                .send_posted = message->send_posted,
                                .send_released = message->send_released,
                                .recv_posted = message->recv_posted,
                                .received = message_received(message)};
}

static void keep_saying(void *self, enum diag_level level, const char *message)
{
    (void)level;
    char *said = self;
    strncat(said, message, sizeof((struct script_outcome *)0)->said - strlen(said) - 1);
}

static void keep_result(struct script_outcome *outcome, const struct result *result)
{
    outcome->makespan = result->makespan;
    outcome->message_total = result->messages;
    for (int op = 0; op < CALL_OPS; op++)
        outcome->idle_by_cause[op] = (ps_t)result->idle_by_cause[op];
    for (uint32_t i = 0; i < result->ranks; i++) {
        outcome->finish[i] = result->rows[i].finish;
        outcome->idle[i] = result->rows[i].idle;
        outcome->compute[i] = result->rows[i].compute;
        outcome->software[i] = result->rows[i].software;
    }
}

static struct config *configure(const char *const *settings)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    for (; settings && *settings; settings++)
        assert_int_equal(config_set(config, *settings), STATUS_OK);
    return config;
}

/* Instead of the calls, their graph. */
static enum status run_engine(struct engine_params *params, struct engine_usage *usage)
{
    struct collective_config collective;
    struct program *calls = params->program, *graph;
    const struct compute_config *compute = config_of(params->config, &compute_params);
    const struct graph_of_calls_options options = {.patterns = traffic_options(params->config, &collective),
                                                   .ps_per_operation = compute_config_ps(compute),
                                                   .scale = 1};
    if (!script_as_graph)
        return engine_ranks.run(params, usage, script_visit, NULL);
    enum status status = graph_of_calls(calls, &options, &graph);
    if (status != STATUS_OK)
        return status;
    params->program = graph;
    status = engine_graphs.run(params, usage, script_visit, NULL);
    params->program = calls;
    graph->ops->close(graph);
    return status;
}

void script_run(const struct call *const *calls, uint32_t ranks, const char *fabric_name,
                const char *const *settings, struct script_outcome *outcome)
{
    struct config *config = configure(settings);
    const struct fabric_ops *fabric = fabric_find(fabric_name);
    assert_non_null(fabric);
    struct script script = {.program = {.ops = &script_ops,
                                        .name = "script",
                                        .ranks = ranks,
                                        .groups = &script.world,
                                        .group_count = 1,
                                        .counts = script.counts},
                            .calls = calls,
                            .world = {.size = ranks}};
    struct tap tap = {0};
    struct conservation conservation;
    struct result result = {0};
    memset(outcome, 0, sizeof *outcome);
    result_collect(&result, ranks, &tap);
    conservation_attach(&conservation, &tap);
    tap_handle(&tap, TAP_BIT(TAP_FINISHED), keep_message, outcome);
    if (script_part_handler.handle)
        tap_handle_parts(&tap, script_part_handler);
    if (script_listen)
        script_listen(&tap);
    const struct host_config *host_config = config_of(config, &host_params);
    struct host host;
    if (host_config->system)
        assert_int_equal(host_open(&host, host_config, config_of(config, &rnic_params)), STATUS_OK);
    struct engine_params params = {.program = &script.program,
                                   .fabric = fabric,
                                   .config = config,
                                   .host = host_config->system ? &host : NULL,
                                   .tap = &tap,
                                   .seed = 1};
    struct traffic traffic = {.pairs = NULL};
    if (fabric->wants_traffic && fabric->wants_traffic(config)) {
        assert_int_equal(traffic_init(&traffic, &script.program, config), STATUS_OK);
        params.traffic = &traffic.traffic;
    }
    if (script_path)
        params.critical = critical_open(ranks, params.host != NULL, script_path_keep, &tap);
    struct slack *slack = script_path && script_slack ? slack_open(ranks, false) : NULL;
    if (slack)
        critical_want_slack(params.critical, slack);
    diag_set_sink(keep_saying, outcome->said);
    outcome->status = run_engine(&params, &result.usage);
    diag_set_sink(NULL, NULL);
    traffic_free(&traffic);
    if (script_path)
        critical_result(params.critical, script_path);
    critical_close(params.critical);
    if (slack)
        assert_true(slack_find(slack, 1, script_slack));
    slack_close(slack);
    if (outcome->status == STATUS_OK)
        assert_int_equal(conservation_check(&conservation, fabric_name), STATUS_OK);
    keep_result(outcome, &result);
    result_free(&result);
    if (host_config->system)
        host_close(&host);
    config_close(config);
}
