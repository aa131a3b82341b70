#include <jansson.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/units.h"
#include "cli/alltoall.h"
#include "cli/options.h"
#include "coll/count.h"

enum plan_option { PLAN_NODES, PLAN_PPN, PLAN_BYTES, PLAN_LEADERS, PLAN_PLACEMENT, PLAN_JSON };

static const struct cli_option options[] = {
    [PLAN_NODES] = {"--nodes", 'n', "N", "nodes"},
    [PLAN_PPN] = {"--ppn", 'p', "P", "ranks on each node; 8,8,5 gives the number for each of three"},
    [PLAN_BYTES] = {"--bytes", 'b', "M", "that each rank has for each other one: 64, 4KiB"},
    [PLAN_LEADERS] = {"--leaders", 0, "K", "ranks of a node that lead in `leaders`; 1 by default"},
    [PLAN_PLACEMENT] = {"--placement", 0, "WAY", "of ranks on nodes: block (the default) or round-robin"},
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

static uint64_t extra_bytes(const struct coll_counts *counts)
{
    return counts->shared_bytes + counts->scratch_bytes;
}

static void print_table(const struct alltoall_shape *shape)
{
    char text[64], bytes[64];
    printf("%s, %s for each pair of ranks; per node:\n\n", alltoall_shape_print(shape, text, sizeof text),
           units_print_size(shape->call.bytes, bytes, sizeof bytes));
    printf("%-20s %12s %12s %13s %13s\n", "algorithm", "messages", "queue pairs", "posted sends",
           "extra memory");
    for (size_t i = 0; alltoall_algorithm_at(i); i++) {
        struct coll_counts counts =
            coll_count(coll_find(COLL_ALLTOALL, alltoall_algorithm_at(i)), &shape->call, false);
        printf("%-20s %12llu %12llu %13llu %13s\n", alltoall_algorithm_at(i),
               (unsigned long long)counts.node_messages, (unsigned long long)counts.queue_pairs,
               (unsigned long long)counts.posted_sends,
               units_show_size((double)extra_bytes(&counts), 4, text, sizeof text));
    }
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
                     (json_int_t)extra_bytes(counts), "shared_bytes", (json_int_t)counts->shared_bytes,
                     "scratch_bytes", (json_int_t)counts->scratch_bytes, "messages_of_a_rank",
                     (json_int_t)counts->messages_rank_max, "phases", (json_int_t)counts->phases_max, "total",
                     total);
}

static int print_json(const struct alltoall_shape *shape)
{
    json_t *algorithms = json_array(), *ranks = json_array();
    for (uint32_t node = 0; node < shape->nodes.count; node++)
        json_array_append_new(ranks, json_integer(shape->nodes.first[node + 1] - shape->nodes.first[node]));
    for (size_t i = 0; alltoall_algorithm_at(i); i++) {
        struct coll_counts counts =
            coll_count(coll_find(COLL_ALLTOALL, alltoall_algorithm_at(i)), &shape->call, false);
        json_array_append_new(algorithms, json_of(alltoall_algorithm_at(i), &counts));
    }
    json_t *object = json_pack("{s:s, s:I, s:I, s:o, s:I, s:I, s:o}", "schema", "helio-alltoall-plan-1",
                               "nodes", (json_int_t)shape->nodes.count, "ranks", (json_int_t)shape->call.size,
                               "ranks_of_nodes", ranks, "bytes", (json_int_t)shape->call.bytes, "leaders",
                               (json_int_t)shape->call.leaders, "algorithms", algorithms);
    int failed = !object || json_dumpf(object, stdout, JSON_INDENT(2));
    json_decref(object);
    putchar('\n');
    if (failed)
        diag_error("cannot write JSON to standard output");
    return failed ? STATUS_FAILED : STATUS_OK;
}

/* CLI_END when all is read; CLI_HELP; CLI_ERROR, reported. */
static int read_arguments(int argc, char **argv, struct alltoall_text *text, bool *json)
{
    struct cli_reader reader = {.command = &command, .argc = argc, .argv = argv, .next = 1};
    const char *value;
    for (int found; (found = cli_read(&reader, &value)) != CLI_END;) {
        if (found == CLI_HELP || found == CLI_ERROR)
            return found;
        if (found == CLI_WORD) {
            diag_error("helio alltoall plan takes options alone, not '%s'", value);
            return CLI_ERROR;
        }
        switch ((enum plan_option)(found - CLI_OPTION)) {
        case PLAN_NODES:
            text->nodes = value;
            break;
        case PLAN_PPN:
            text->ppn = value;
            break;
        case PLAN_BYTES:
            text->bytes = value;
            break;
        case PLAN_LEADERS:
            text->leaders = value;
            break;
        case PLAN_PLACEMENT:
            text->placement = value;
            break;
        case PLAN_JSON:
            *json = true;
            break;
        }
    }
    return CLI_END;
}

int cli_alltoall_plan(int argc, char **argv)
{
    struct alltoall_text text = {0};
    struct alltoall_shape shape;
    bool json = false;
    int found = read_arguments(argc, argv, &text, &json);
    if (found != CLI_END)
        return found == CLI_HELP ? STATUS_OK : STATUS_BAD_INPUT;
    enum status status = alltoall_shape_open(&shape, &text);
    if (status == STATUS_OK && json)
        status = (enum status)print_json(&shape);
    else if (status == STATUS_OK)
        print_table(&shape);
    alltoall_shape_close(&shape);
    return status == STATUS_OK ? alltoall_flush() : (int)status;
}
