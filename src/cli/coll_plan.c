#include <stdio.h>

#include "base/diag.h"
#include "base/units.h"
#include "cli/coll.h"
#include "cli/coll_algorithms.h"
#include "cli/coll_footprint.h"
#include "cli/coll_shape.h"
#include "cli/print.h"
#include "coll/count.h"
#include "coll/leaders_vector.h"
#include "output/quote.h"
#include "output/standard.h"

enum plan_option { PLAN_JSON = COLL_SHAPE_OPTIONS, PLAN_CSV, PLAN_LIBRARY, PLAN_PLUGIN };

static const struct cli_option options[] = {
    COLL_SHAPE_OPTION_TABLE,
    [PLAN_JSON] = {"--json", 0, NULL, "print one JSON object instead of the table"},
    [PLAN_CSV] = {"--csv", 0, NULL, "print the table as CSV"},
    [PLAN_LIBRARY] = {"--library", 0, "MPI",
                      "what the preloaded library of this MPI takes for a communicator: openmpi or mpich"},
    [PLAN_PLUGIN] = CLI_PLUGIN,
};

static const struct cli_command command = {
    .name = "coll plan",
    .words = "",
    .doc =
        "What each algorithm of a collective asks of a node, counted from its schedule: messages that its\n"
        "ranks send, queue pairs, sends posted to other nodes, memory beside the call's buffers.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after =
        "Examples:\n"
        "  helio coll plan --nodes 16 --ppn 56 --bytes 1KiB\n"
        "  helio coll plan --op allreduce --ppn 8,8,5 --bytes 64 --json\n"
        "  helio coll plan --op gatherv --nodes 4 --ppn 8 --bytes 1KiB --imbalance 0.5\n"
        "  helio coll plan --op allreduce --nodes 100 --ppn 128 --bytes 1KiB --library openmpi\n\n"
        "Where nodes differ, each number is that of the node that has most.\n"
        "docs/models/collectives.md has the algorithms; docs/models/alltoall.md those of alltoall, and the\n"
        "formulas of the paper.",
};

/* What takes the time of an algorithm on a machine: the command, where ranks are on nodes as a run has them.
 */
static void print_forecast_command(const struct coll_shape *shape)
{
    char imbalance[48] = "";
    const bool in_blocks = shape->ppn && shape->nodes.in_order;
    if (!in_blocks)
        return;
    if (shape->counts)
        snprintf(imbalance, sizeof imbalance, ",imbalance=%g", shape->imbalance);
    printf("\nThe time of an algorithm on a machine (helio machine list)");
    if (coll_leaders_vector(shape->call.kind))
        printf(", but not of leaders,\nwhich only the preloaded library executes");
    printf(":\n"
           "  helio run -w collective:op=%s,ranks=%u",
           coll_kind_name(shape->call.kind), shape->call.size);
    if (shape->call.kind != COLL_BARRIER)
        printf(",bytes=%lluB", (unsigned long long)shape->bytes);
    printf("%s,algorithm=NAME -s ranks_per_node=%u", imbalance, shape->ppn);
    if (shape->call.leaders > 1)
        printf(" -s mpi.leaders=%u", shape->call.leaders);
    printf(" -f packet --machine MACHINE\n");
}

static enum status print_table(const struct coll_shape *shape)
{
    char text[128];
    printf("%s; per node:\n\n", coll_shape_print(shape, text, sizeof text));
    printf("%-20s %12s %12s %13s %13s\n", "algorithm", "messages", "queue pairs", "posted sends",
           "extra memory");
    const struct coll_algorithm *algorithm;
    for (size_t i = 0; (algorithm = coll_planned_at(shape->call.kind, i)); i++) {
        struct coll_counts counts = coll_count(algorithm, &shape->call, false);
        printf("%-20s %12llu %12llu %13llu %13s\n", algorithm->name, (unsigned long long)counts.node_messages,
               (unsigned long long)counts.queue_pairs, (unsigned long long)counts.posted_sends,
               units_show_size((double)coll_extra_bytes(&counts), 4, text, sizeof text));
    }
    print_forecast_command(shape);
    return standard_flush();
}

static enum status print_csv(const struct coll_shape *shape)
{
    const struct coll_algorithm *algorithm;
    puts("algorithm,messages,queue_pairs,posted_sends,extra_memory_bytes");
    for (size_t i = 0; (algorithm = coll_planned_at(shape->call.kind, i)); i++) {
        struct coll_counts counts = coll_count(algorithm, &shape->call, false);
        quote_csv(stdout, algorithm->name);
        printf(",%llu,%llu,%llu,%llu\n", (unsigned long long)counts.node_messages,
               (unsigned long long)counts.queue_pairs, (unsigned long long)counts.posted_sends,
               (unsigned long long)coll_extra_bytes(&counts));
    }
    return standard_flush();
}

static json_t *total_json(const struct coll_counts *counts)
{
    json_t *total = json_make_object();
    json_put_count(total, "messages_between_nodes", counts->messages);
    json_put_count(total, "bytes_between_nodes", counts->bytes);
    json_put_count(total, "messages_within_nodes", counts->local_messages);
    json_put_count(total, "bytes_within_nodes", counts->local_bytes);
    json_put_count(total, "barriers", counts->barriers);
    json_put_count(total, "flags", counts->flags_raised);
    return total;
}

static json_t *algorithm_json(const char *name, const struct coll_counts *counts)
{
    json_t *object = json_make_object();
    json_put_text(object, "algorithm", name);
    json_put_count(object, "messages", counts->node_messages);
    json_put_count(object, "queue_pairs", counts->queue_pairs);
    json_put_count(object, "posted_sends", counts->posted_sends);
    json_put_count(object, "extra_memory_bytes", coll_extra_bytes(counts));
    json_put_count(object, "shared_bytes", counts->shared_bytes);
    json_put_count(object, "scratch_bytes", counts->scratch_bytes);
    json_put_count(object, "messages_of_a_rank", counts->messages_rank_max);
    json_put_count(object, "phases", counts->phases_max);
    json_put(object, "total", total_json(counts));
    return object;
}

static enum status print_json(const struct coll_shape *shape)
{
    json_t *object = json_make_object(), *algorithms = json_make_list(), *ranks = json_make_list();
    for (uint32_t node = 0; node < shape->nodes.count; node++)
        json_add_count(ranks, shape->nodes.first[node + 1] - shape->nodes.first[node]);
    const struct coll_algorithm *algorithm;
    for (size_t i = 0; (algorithm = coll_planned_at(shape->call.kind, i)); i++) {
        struct coll_counts counts = coll_count(algorithm, &shape->call, false);
        json_add(algorithms, algorithm_json(algorithm->name, &counts));
    }
    json_put_text(object, "schema", "helio-coll-plan-1");
    json_put_text(object, "collective", coll_kind_name(shape->call.kind));
    json_put_count(object, "nodes", shape->nodes.count);
    json_put_count(object, "ranks", shape->call.size);
    json_put(object, "ranks_of_nodes", ranks);
    json_put_count(object, "bytes", shape->bytes);
    if (shape->counts)
        json_put_number(object, "imbalance", shape->imbalance);
    json_put_count(object, "leaders", shape->call.leaders);
    json_put_text(object, "placement", shape->is_round_robin ? "round-robin" : "block");
    json_put(object, "algorithms", algorithms);
    return cli_print_json(object, 15);
}

struct plan_arguments {
    struct coll_text text;
    bool json, csv;
    const char *library; /* NULL: not given */
};

static bool take(void *self, int found, const char *value)
{
    struct plan_arguments *arguments = self;
    if (found == CLI_WORD) {
        diag_error("helio coll plan takes only options, not '%s'", value);
        return false;
    }
    if (found - CLI_OPTION == PLAN_JSON)
        arguments->json = true;
    else if (found - CLI_OPTION == PLAN_CSV)
        arguments->csv = true;
    else if (found - CLI_OPTION == PLAN_LIBRARY)
        arguments->library = value;
    else
        arguments->text.values[found - CLI_OPTION] = value;
    return true;
}

int cli_coll_plan(int argc, char **argv)
{
    struct plan_arguments arguments = {.json = false};
    struct coll_shape shape;
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    if (found != CLI_END)
        return cli_status(found);
    if (arguments.json && arguments.csv) {
        diag_error("--json and --csv both print to standard output; give one of them");
        return STATUS_BAD_INPUT;
    }
    if (arguments.csv && arguments.library) {
        diag_error(
            "--library prints no table of algorithms, and --csv prints nothing else; give one of them");
        return STATUS_BAD_INPUT;
    }
    enum status status = coll_shape_init(&shape, &arguments.text);
    if (status == STATUS_OK && arguments.library && shape.counts) {
        diag_error("--library counts a plan for equal blocks; give the longest block with --bytes, and no "
                   "--imbalance");
        status = STATUS_BAD_INPUT;
    } else if (status == STATUS_OK && arguments.library)
        status = coll_footprint_print(&shape, arguments.library, arguments.json);
    else if (status == STATUS_OK && arguments.json)
        status = print_json(&shape);
    else if (status == STATUS_OK)
        status = arguments.csv ? print_csv(&shape) : print_table(&shape);
    coll_shape_free(&shape);
    return status;
}
