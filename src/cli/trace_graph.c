#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "cli/print.h"
#include "cli/trace.h"
#include "output/quote.h"
#include "output/standard.h"
#include "trace/check/graph_check.h"
#include "trace/trace.h"

/* `helio trace info` and `helio trace validate` of a program whose ranks execute graphs. */

static double mean(const struct graph_summary *summary)
{
    uint64_t sends = summary->kinds[GRAPH_SEND];
    return sends ? (double)summary->bytes / (double)sends : 0;
}

/* --------------------------------------------------------------------- info */

static void print_operations(const struct graph *graph, const struct graph_summary *summary)
{
    printf("\nOperations %21s\n", "number");
    printf("  computes        %14" PRIu64 "  (%.6g s, all ranks together)\n",
           summary->kinds[GRAPH_COMPUTE] + summary->kinds[GRAPH_WORK],
           (double)summary->compute_ps / (double)PS_PER_S);
    if (summary->kinds[GRAPH_WORK])
        printf("                  %14" PRIu64 "  of them in operations, %.6g in all\n",
               summary->kinds[GRAPH_WORK], summary->work);
    printf("  sends           %14" PRIu64 "\n", summary->kinds[GRAPH_SEND]);
    printf("  receives        %14" PRIu64 "\n", summary->kinds[GRAPH_RECV]);
    if (summary->kinds[GRAPH_CALL])
        printf("  collectives     %14" PRIu64 "\n", summary->kinds[GRAPH_CALL]);
    printf("  cores           %14" PRIu32 "  of a rank, at most\n", graph->cores);
    printf("  NICs            %14" PRIu32 "  of a rank, at most\n", graph->nics);
}

static void print_dependences(const struct graph *graph, const struct graph_summary *summary)
{
    printf("\nDependences %20" PRIu64 "\n", graph->dependences);
    printf("  on beginnings   %14" PRIu64 "\n", summary->on_begin);
    printf("  roots           %14" PRIu64 "  operations wait for no other\n", summary->roots);
    printf("  alone           %14" PRIu64 "  of these, and no other waits for them\n", summary->alone);
    printf("  depth           %14" PRIu32 "  operations of the longest chain within a rank\n",
           summary->depth);
    printf("  width           %14" PRIu32 "  operations of a rank at equal depth, at most\n", summary->width);
}

static void print_messages(const struct graph_summary *summary)
{
    char all[32], average[32];
    printf("\nMessages\n");
    printf("  messages        %14" PRIu64, summary->kinds[GRAPH_SEND]);
    if (summary->to_itself)
        printf("  (%" PRIu64 " from a rank to itself)", summary->to_itself);
    printf("\n  bytes           %14s  (%s on average)\n",
           units_show_size((double)summary->bytes, 4, all, sizeof all),
           units_show_size(mean(summary), 4, average, sizeof average));
    if (summary->wildcards)
        printf("  wildcards       %14" PRIu64 "  receives\n", summary->wildcards);
    cli_trace_histogram(summary->sizes, summary->kinds[GRAPH_SEND]);
}

static enum status print_tables(const struct program *program, const struct graph_summary *summary)
{
    char size[32];
    quote_terminal(stdout, program->name);
    printf(": %" PRIu32 " ranks, a graph of %" PRIu64 " operations\n", program->ranks,
           program->graph->operations);
    printf("  memory          %14s  (%.1f B per operation)\n",
           units_show_size((double)program->bytes_mapped, 4, size, sizeof size),
           program->graph->operations ? (double)program->bytes_mapped / (double)program->graph->operations
                                      : 0);
    print_operations(program->graph, summary);
    print_dependences(program->graph, summary);
    print_messages(summary);
    return standard_flush();
}

static json_t *operations_json(const struct graph_summary *summary)
{
    json_t *object = json_make_object();
    json_put_count(object, "computes", summary->kinds[GRAPH_COMPUTE] + summary->kinds[GRAPH_WORK]);
    json_put_count(object, "sends", summary->kinds[GRAPH_SEND]);
    json_put_count(object, "receives", summary->kinds[GRAPH_RECV]);
    json_put_count(object, "collectives", summary->kinds[GRAPH_CALL]);
    return object;
}

static json_t *dependences_json(const struct graph *graph, const struct graph_summary *summary)
{
    json_t *object = json_make_object();
    json_put_count(object, "count", graph->dependences);
    json_put_count(object, "on_beginnings", summary->on_begin);
    json_put_count(object, "roots", summary->roots);
    json_put_count(object, "alone", summary->alone);
    json_put_count(object, "depth", summary->depth);
    json_put_count(object, "width", summary->width);
    return object;
}

static json_t *messages_json(const struct graph_summary *summary)
{
    json_t *object = json_make_object();
    json_put_count(object, "count", summary->kinds[GRAPH_SEND]);
    json_put_count(object, "bytes", summary->bytes);
    json_put_number(object, "mean_bytes", mean(summary));
    json_put_count(object, "to_itself", summary->to_itself);
    json_put_count(object, "wildcards", summary->wildcards);
    json_put(object, "sizes", cli_trace_sizes_json(summary->sizes));
    return object;
}

static enum status print_json(const struct program *program, const struct graph_summary *summary)
{
    enum { DIGITS = 12 };
    char key[TRACE_KEY_TEXT];
    json_t *object = json_make_object();
    trace_key(program, key);
    json_put_count(object, "schema", 1);
    json_put_value(object, "name", program->name);
    json_put_text(object, "xxh3_128", key);
    json_put_count(object, "ranks", program->ranks);
    json_put_count(object, "graph_operations", program->graph->operations);
    json_put_count(object, "memory_bytes", program->bytes_mapped);
    json_put_number(object, "compute_s", (double)summary->compute_ps / (double)PS_PER_S);
    json_put_number(object, "compute_operations", summary->work);
    json_put_count(object, "cores", program->graph->cores);
    json_put_count(object, "nics", program->graph->nics);
    json_put(object, "operations", operations_json(summary));
    json_put(object, "dependences", dependences_json(program->graph, summary));
    json_put(object, "messages", messages_json(summary));
    return cli_print_json(object, DIGITS);
}

enum status cli_trace_graph_info(struct program *program, bool json)
{
    struct graph_summary summary;
    graph_summary_of(program, &summary);
    enum status status = json ? print_json(program, &summary) : print_tables(program, &summary);
    program->ops->close(program);
    return status;
}

/* ----------------------------------------------------------------- validate */

static void print_check(const struct program *program, const struct graph_check *check)
{
    struct graph_summary summary;
    graph_summary_of(program, &summary);
    quote_terminal(stdout, program->name);
    printf(": %" PRIu32 " ranks, a graph of %" PRIu64 " operations\n", program->ranks,
           program->graph->operations);
    printf("  operations    read; each is known, with numbers in range and ranks that exist\n");
    printf("  dependences   %" PRIu64 ": none leads back to where it begins\n", program->graph->dependences);
    printf("  alone         %" PRIu64 " operations require no other, and no other requires them\n",
           summary.alone);
    printf("  channels      %" PRIu64 " (source, destination, tag): ", check->channels);
    if (check->unmatched)
        printf("%" PRIu64 " do not pair up, wildcards included\n", check->unmatched);
    else
        printf("as many sends as receives\n");
    if (check->unequal)
        printf("  sizes         of sends and receives differ on %" PRIu64
               " channels; a message has the size of its send\n",
               check->unequal);
    if (check->mailboxes)
        printf("  wildcards     on %" PRIu64 " of %" PRIu32
               " ranks: numbers of sends and receives compared\n",
               check->mailboxes, program->ranks);
}

enum status cli_trace_graph_validate(struct program *program)
{
    struct graph_check check;
    bool right = graph_check(program, &check);
    print_check(program, &check);
    program->ops->close(program);
    enum status written = standard_flush();
    return right ? written : STATUS_BAD_INPUT;
}
