#include <jansson.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/units.h"
#include "cli/alltoall.h"
#include "cli/alltoall_algorithms.h"
#include "cli/alltoall_shape.h"
#include "cli/print.h"
#include "coll/count.h"
#include "output/standard.h"

enum plan_option { PLAN_JSON = ALLTOALL_OPTIONS };

static const struct cli_option options[] = {
    ALLTOALL_OPTION_TABLE,
    [PLAN_JSON] = {"--json", 0, NULL, "print one JSON object instead of the table"},
};

static const struct cli_command command = {
    .name = "alltoall plan",
    .words = "",
    .doc =
        "What each algorithm of MPI_Alltoall asks of a node, counted from its schedule: messages that its\n"
        "ranks send, queue pairs, sends posted to other nodes, memory beside the call's buffers.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after =
        "Examples:\n"
        "  helio alltoall plan --nodes 16 --ppn 56 --bytes 1KiB\n"
        "  helio alltoall plan --ppn 8,8,5 --bytes 64 --json\n\n"
        "Where nodes differ, each number is that of the node that has most. docs/models/alltoall.md has the\n"
        "algorithms, and the formulas of the paper.",
};

static enum status print_table(const struct alltoall_shape *shape)
{
    char text[64], bytes[64];
    printf("%s, %s for each pair of ranks; per node:\n\n", alltoall_shape_print(shape, text, sizeof text),
           units_print_size(shape->call.bytes, bytes, sizeof bytes));
    printf("%-20s %12s %12s %13s %13s\n", "algorithm", "messages", "queue pairs", "posted sends",
           "extra memory");
    const struct coll_algorithm *algorithm;
    for (size_t i = 0; (algorithm = alltoall_algorithm_at(i)); i++) {
        struct coll_counts counts = coll_count(algorithm, &shape->call, false);
        printf("%-20s %12llu %12llu %13llu %13s\n", algorithm->name, (unsigned long long)counts.node_messages,
               (unsigned long long)counts.queue_pairs, (unsigned long long)counts.posted_sends,
               units_show_size((double)coll_extra_bytes(&counts), 4, text, sizeof text));
    }
    return standard_flush();
}

static json_t *json_of(const char *name, const struct coll_counts *counts)
{
    json_t *total =
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "messages_between_nodes", (json_int_t)counts->messages,
                  "bytes_between_nodes", (json_int_t)counts->bytes, "messages_within_nodes",
                  (json_int_t)counts->local_messages, "bytes_within_nodes", (json_int_t)counts->local_bytes,
                  "barriers", (json_int_t)counts->barriers, "flags", (json_int_t)counts->flags_raised);
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "algorithm", name, "messages",
                     (json_int_t)counts->node_messages, "queue_pairs", (json_int_t)counts->queue_pairs,
                     "posted_sends", (json_int_t)counts->posted_sends, "extra_memory_bytes",
                     (json_int_t)coll_extra_bytes(counts), "shared_bytes", (json_int_t)counts->shared_bytes,
                     "scratch_bytes", (json_int_t)counts->scratch_bytes, "messages_of_a_rank",
                     (json_int_t)counts->messages_rank_max, "phases", (json_int_t)counts->phases_max, "total",
                     total);
}

static enum status print_json(const struct alltoall_shape *shape)
{
    json_t *algorithms = json_array(), *ranks = json_array();
    for (uint32_t node = 0; node < shape->nodes.count; node++)
        json_array_append_new(ranks, json_integer(shape->nodes.first[node + 1] - shape->nodes.first[node]));
    const struct coll_algorithm *algorithm;
    for (size_t i = 0; (algorithm = alltoall_algorithm_at(i)); i++) {
        struct coll_counts counts = coll_count(algorithm, &shape->call, false);
        json_array_append_new(algorithms, json_of(algorithm->name, &counts));
    }
    json_t *object = json_pack("{s:s, s:I, s:I, s:o, s:I, s:I, s:o}", "schema", "helio-alltoall-plan-1",
                               "nodes", (json_int_t)shape->nodes.count, "ranks", (json_int_t)shape->call.size,
                               "ranks_of_nodes", ranks, "bytes", (json_int_t)shape->call.bytes, "leaders",
                               (json_int_t)shape->call.leaders, "algorithms", algorithms);
    return cli_print_json(object, 15);
}

struct plan_arguments {
    struct alltoall_text text;
    bool json;
};

static bool take(void *self, int found, const char *value)
{
    struct plan_arguments *arguments = self;
    if (found == CLI_WORD) {
        diag_error("helio alltoall plan takes only options, not '%s'", value);
        return false;
    }
    if (found - CLI_OPTION == PLAN_JSON)
        arguments->json = true;
    else
        arguments->text.values[found - CLI_OPTION] = value;
    return true;
}

int cli_alltoall_plan(int argc, char **argv)
{
    struct plan_arguments arguments = {.json = false};
    struct alltoall_shape shape;
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    if (found != CLI_END)
        return cli_status(found);
    enum status status = alltoall_shape_init(&shape, &arguments.text);
    if (status == STATUS_OK)
        status = arguments.json ? print_json(&shape) : print_table(&shape);
    alltoall_shape_free(&shape);
    return status;
}
