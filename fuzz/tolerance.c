/* The exact time of a graph equals that of runs. The first line of the input names the parameter and values
 * of it: "latency 0 8000000 123", in ps, or "bandwidth 12500000000 1", in B/s. GOAL follows, as text or
 * binary. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz/fuzz_config.h"
#include "fuzz/fuzz_goal.h"
#include "sim/experiment.h"
#include "tolerance/tolerance.h"

enum { OPERATIONS = 2000, VALUES = 4 };

/* As published: 12.5 GB/s and 8 us. */
static struct tolerance_costs costs = {.latency = 8000000,
                                       .G_numerator = 80,
                                       .G_denominator = 1,
                                       .O_denominator = 1,
                                       .eager_bytes = 65536,
                                       .ranks_per_node = 1,
                                       .node_rate_bytes_per_s = 1,
                                       .scale = 1};

/* Nothing waits for a core or for another message of the same rank: each operation has a core of its own, and
 * the tags of a rank differ. Only then a run is a longest path. */
static bool waits_for_nothing(const struct graph *graph, uint32_t ranks)
{
    for (uint32_t rank = 0; rank < ranks; rank++) {
        const struct graph_operation *operations = graph->ranks[rank].operations;
        for (uint32_t i = 0; i < graph->ranks[rank].count; i++)
            for (uint32_t k = 0; k < i; k++)
                if (operations[i].core == operations[k].core ||
                    (operations[i].kind == operations[k].kind && operations[i].kind != GRAPH_COMPUTE &&
                     operations[i].peer == operations[k].peer && operations[i].tag == operations[k].tag))
                    return false;
    }
    return true;
}

/* False: the run did not end. */
static bool run(struct program *program, const char *setting, ps_t *makespan)
{
    struct config *config = fuzz_config_open();
    struct experiment experiment;
    struct result result;
    const struct experiment_watch watch = {.progress = NULL};
    config_set(config, "machine=as-published");
    config_set(config, "fabric=hockney");
    config_set(config, "trace=input.goal");
    bool ends = config_set(config, setting) == STATUS_OK &&
                experiment_init_with(&experiment, config, program) == STATUS_OK;
    if (ends) {
        ends = experiment_run(&experiment, 0, &watch, &result) == STATUS_OK;
        *makespan = result.makespan;
        result_free(&result);
        experiment_free(&experiment);
    }
    config_close(config);
    return ends;
}

/* A run rounds the time of the bytes of each message up. */
static void compare(struct program *program, struct program_paths *paths, struct tolerance_at at,
                    const char *setting)
{
    ps_t makespan;
    struct tolerance_line line = program_paths_longest(paths, at, false);
    __int128 rounding = costs.variable == TOLERANCE_PER_BYTE ? (__int128)program->graph->sends : 0;
    if (!run(program, setting, &makespan))
        return;
    __int128 above = ((__int128)makespan - line.a) * at.denominator - (__int128)line.k * at.numerator;
    fuzz_must(above >= 0 && above <= rounding * at.denominator,
              "with %s a run takes %" PRId64 " ps, not %.17g", setting, makespan, tolerance_time(line, at));
}

/* The pieces know the same limits as passes without them. */
static void check_limits(struct program_paths *paths, const struct tolerance *pieces,
                         struct tolerance_at base)
{
    const struct tolerance none = {.count = 0};
    struct tolerance_at limit, floor, other;
    struct tolerance_line now = program_paths_longest(paths, base, false);
    bool grows = tolerance_limit(paths, pieces, base, 1, &limit);
    fuzz_must(!grows || tolerance_compare(limit, base) >= 0 || tolerance_time(now, base) == 0,
              "a limit is below the value");
    fuzz_must(grows == tolerance_limit(paths, &none, base, 1, &other) &&
                  (!grows || tolerance_compare(limit, other) == 0),
              "the pieces have another limit");
    fuzz_must(grows == tolerance_floor(paths, pieces, &floor), "a time that grows has no floor");
    fuzz_must(grows == tolerance_floor(paths, &none, &other) &&
                  (!grows || tolerance_compare(floor, other) == 0),
              "the pieces have another floor");
}

/* The line of each piece is the time at both its ends. */
static void check_pieces(struct program_paths *paths)
{
    struct tolerance tolerance = {.count = 0};
    const struct tolerance_at from = {0, 1}, to = {PS_PER_S / 1000, 1};
    tolerance_find(paths, from, to, &tolerance);
    for (size_t i = 0; i < tolerance.count; i++) {
        const struct tolerance_piece *piece = &tolerance.pieces[i];
        struct tolerance_at end = i + 1 < tolerance.count ? piece[1].from : to;
        fuzz_must(i == 0 || piece->line.k > piece[-1].line.k, "a slope does not grow");
        fuzz_must(tolerance_compare(piece->from, end) < 0, "a piece is empty");
        struct tolerance_line low = program_paths_longest(paths, piece->from, false);
        struct tolerance_line high = program_paths_longest(paths, end, false);
        fuzz_must(tolerance_above(low, piece->line, piece->from) == 0 &&
                      tolerance_above(high, piece->line, end) == 0,
                  "a piece is not the time");
    }
    check_limits(paths, &tolerance, from);
    check_limits(paths, &tolerance, (struct tolerance_at){8000000, 1});
    free(tolerance.pieces);
}

static void check_values(struct program *program, struct program_paths *paths, struct fuzz_piece values)
{
    bool can_run = waits_for_nothing(program->graph, program->ranks);
    for (int i = 0; values.size && i < VALUES; i++) {
        struct fuzz_piece value = fuzz_cut(&values, " ");
        char digits[16], setting[64];
        snprintf(digits, sizeof digits, "%.*s", (int)(value.size < 13 ? value.size : 13), value.bytes);
        uint64_t number = strtoull(digits, NULL, 10);
        struct tolerance_at at = {(int64_t)number, 1};
        snprintf(setting, sizeof setting, "hockney.latency=%" PRIu64 " ps", number);
        if (costs.variable == TOLERANCE_PER_BYTE) {
            number += number == 0;
            at = tolerance_ratio(PS_PER_S, (__int128)number);
            snprintf(setting, sizeof setting, "hockney.bandwidth=%" PRIu64 " B/s", number);
        }
        if (can_run)
            compare(program, paths, at, setting);
    }
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct fuzz_piece rest = {(const char *)data, size};
    struct fuzz_piece values = fuzz_cut(&rest, "\n"), name = fuzz_cut(&values, " ");
    struct program *program = fuzz_goal(rest);
    struct program_paths *paths;
    if (!program)
        return false;
    costs.variable =
        name.size == 9 && memcmp(name.bytes, "bandwidth", 9) == 0 ? TOLERANCE_PER_BYTE : TOLERANCE_LATENCY;
    fuzz_is_too_large = program->graph->operations > OPERATIONS;
    bool is_open = !fuzz_is_too_large && program_paths_open(program, &costs, &paths) == STATUS_OK;
    if (is_open) {
        check_pieces(paths);
        check_values(program, paths, values);
        program_paths_close(paths);
    }
    program->ops->close(program);
    return is_open;
}
