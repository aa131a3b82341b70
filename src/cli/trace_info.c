#include "cli/trace.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/options.h"
#include "cli/print.h"
#include "output/quote.h"
#include "output/standard.h"
#include "sim/bursts.h"
#include "trace/summary.h"
#include "trace/trace.h"

enum info_option { INFO_JSON };

static const struct cli_option options[] = {
    [INFO_JSON] = {"--json", 0, NULL, "print one JSON object instead of the tables"},
    CLI_PLUGIN,
};

static const struct cli_command command = {
    .name = "trace info",
    .words = "PATH",
    .doc = "What a trace consists of: its calls, its messages and their sizes.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after =
        "Messages are counted with collectives expanded: bcast and reduce P-1; allreduce and barrier "
        "2(P-1),\n"
        "and one more barrier at finalize; alltoall(v) and allgather(v) P(P-1); gather(v), scatter(v) and\n"
        "scans P-1; reducescatter 2(P-1). Empty messages and those to oneself count. A call site has the\n"
        "bytes of its messages: those of a collective count at the sender, the root or rank 0.",
};

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static double mean(sum_t bytes, uint64_t messages)
{
    return messages ? (double)bytes / (double)messages : 0;
}

/* ------------------------------------------------------------------- tables */

static void print_calls(const struct trace_summary *summary)
{
    printf("\nCalls %26s %14s\n", "number", "non-blocking");
    for (int op = 0; op < CALL_OPS; op++) {
        if (!summary->calls[op])
            continue;
        printf("  %-15s %14" PRIu64, call_op_name((enum call_op)op), summary->calls[op]);
        if (summary->immediate[op])
            printf(" %14" PRIu64, summary->immediate[op]);
        printf("\n");
    }
}

static void print_lost(const struct compiled_trace *compiled)
{
    struct summary_losses losses = summary_lost(compiled);
    if (losses.count)
        printf("\nLost: calls whose data the trace lacks\n");
    for (size_t i = 0; i < losses.count; i++) {
        printf("  %30" PRIu64 "  ", losses.names[i].calls);
        quote_terminal(stdout, losses.names[i].name);
        putchar('\n');
    }
    summary_lost_free(&losses);
}

static void print_point_to_point(const struct trace_summary *summary)
{
    char all[32], average[32];
    printf("\nPoint to point\n");
    printf("  messages        %14" PRIu64, summary->sends);
    if (summary->to_itself)
        printf("  (%" PRIu64 " from a rank to itself)", summary->to_itself);
    printf("\n  bytes           %14s  (%s on average)\n",
           units_show_size((double)summary->send_bytes, 4, all, sizeof all),
           units_show_size(mean(summary->send_bytes, summary->sends), 4, average, sizeof average));
    printf("  channels        %14" PRIu32 "  (source, destination, tag)\n", summary->channels);
    printf("  outstanding     %14" PRIu32 "  requests of a rank at a time, at most\n", summary->outstanding);
    if (summary->wildcards)
        printf("  wildcards       %14" PRIu64 "  receives, on %" PRIu32 " of %" PRIu32 " ranks\n",
               summary->wildcards, summary->mailbox_ranks, summary->ranks);
}

/* "4 KiB": the least size of a row of the histogram. */
static const char *size_label(int row, char *buffer, size_t size)
{
    return row ? units_print_size(UINT64_C(1) << (row - 1), buffer, size) : "0 B";
}

void cli_trace_histogram(const uint64_t *sizes, uint64_t messages)
{
    enum { WIDTH = 40 };
    static const char bar[WIDTH + 1] = "########################################";
    int first = SUMMARY_SIZES, last = -1;
    uint64_t most = 1;
    for (int i = 0; i < SUMMARY_SIZES; i++) {
        if (!sizes[i])
            continue;
        first = i < first ? i : first;
        last = i;
        most = sizes[i] > most ? sizes[i] : most;
    }
    if (last >= 0)
        printf("\n  from size       %14s\n", "messages");
    for (int i = first; i <= last; i++) {
        char label[32];
        int length = (int)((double)sizes[i] / (double)most * WIDTH + 0.999);
        printf("  %9s       %14" PRIu64 " %5.1f %%%s%.*s\n", size_label(i, label, sizeof label), sizes[i],
               percent(sizes[i], messages), length ? "  " : "", length < WIDTH ? length : WIDTH, bar);
    }
}

static void print_messages(const struct trace_summary *summary)
{
    char all[32];
    printf("\nMessages, collectives expanded (helio trace info --help says how)\n");
    printf("  messages        %14" PRIu64 "\n", summary->messages);
    printf("  bytes           %14s  (%.0f B on average)\n",
           units_show_size((double)summary->message_bytes, 4, all, sizeof all),
           mean(summary->message_bytes, summary->messages));
    printf("  above 37 kB     %12.1f %%\n", percent(summary->large_messages, summary->messages));
    cli_trace_histogram(summary->sizes, summary->messages);
}

static int by_calls(const void *first, const void *second)
{
    const struct summary_site *const *a = first, *const *b = second;
    if ((*a)->calls != (*b)->calls)
        return (*a)->calls < (*b)->calls ? 1 : -1;
    return (*a > *b) - (*a < *b);
}

/* Those with most calls first. */
static void print_sites(const struct program_sites *known, const struct summary_site *sites)
{
    enum { SHOWN = 20 };
    const struct summary_site **order = mem_alloc(known->count, sizeof *order, "call sites");
    size_t used = 0;
    for (uint32_t i = 0; i < known->count; i++)
        if (sites[i].calls)
            order[used++] = &sites[i];
    qsort(order, used, sizeof *order, by_calls);
    printf("\nCall sites, collectives expanded\n  %30s %14s\n", "calls", "bytes sent");
    for (size_t i = 0; i < used && i < SHOWN; i++) {
        const size_t number = (size_t)(order[i] - sites);
        char size[32];
        printf("  %30" PRIu64 " %14s  ", order[i]->calls,
               units_show_size((double)order[i]->bytes, 4, size, sizeof size));
        quote_terminal(stdout, number ? known->names[number] : "(not known)");
        putchar('\n');
    }
    if (used > SHOWN)
        printf("  and %zu more (--json has all)\n", used - SHOWN);
    free(order);
}

static void print_site(const struct program_sites *sites, uint32_t site)
{
    quote_terminal(stdout, site ? sites->names[site] : "(not known)");
}

/* Where in the source ranks compute. */
static void print_between(const struct bursts_summary *bursts, const struct program_sites *sites)
{
    enum { SHOWN = 10 };
    printf("\nComputation between call sites\n");
    printf("  processor time    share  waiting%s  from one call to the next\n",
           bursts->all.counted ? "  instructions/s" : "");
    for (size_t i = 0; i < bursts->between_count && i < SHOWN; i++) {
        const struct bursts_between *between = &bursts->between[i];
        const double used = (double)between->sum.used_ns, all = (double)bursts->all.used_ns;
        printf("  %12.6g s %6.1f %% %6.1f %%", used * 1e-9, all > 0 ? 100 * used / all : 0,
               100 * bursts_waiting(&between->sum));
        if (bursts->all.counted)
            printf(" %15.3g", bursts_instructions_per_s(&between->sum));
        printf("  ");
        print_site(sites, between->after);
        printf(" to ");
        print_site(sites, between->before);
        putchar('\n');
    }
    if (bursts->between_count > SHOWN)
        printf("  and %zu more (--json has all)\n", bursts->between_count - SHOWN);
}

static void print_bursts(const struct bursts_summary *bursts, const struct program_sites *sites)
{
    const struct bursts_sum *all = &bursts->all;
    const __int128 waited_ns = all->lasted_ns - all->used_ns;
    printf("\nBursts of computation\n");
    printf("  processor time  %14.6g  seconds, all ranks together, in %" PRIu64 " bursts\n",
           (double)all->used_ns * 1e-9, all->count);
    printf("  waiting         %14.6g  seconds for a processor, %.1f %% of the bursts' time",
           (double)waited_ns * 1e-9, 100 * bursts_waiting(all));
    if (waited_ns)
        printf("; rank %u most, %.1f %%", bursts->worst, 100 * bursts_waiting(&bursts->ranks[bursts->worst]));
    printf("\n  late            %14" PRIu64 "  bursts that waited longer than they computed\n", all->late);
    if (all->counted)
        printf("  instructions    %14.6g  %.3g per second of processor time\n", (double)all->instructions,
               bursts_instructions_per_s(all));
    if (bursts->between_count)
        print_between(bursts, sites);
}

static enum status print_tables(const struct compiled_trace *compiled, const struct trace_summary *summary,
                                const struct summary_site *sites)
{
    char size[32];
    quote_terminal(stdout, compiled->program.name);
    printf(": %u ranks, %" PRIu64 " lines\n", summary->ranks, summary->lines);
    printf("  compiled        %14s  (%.1f B per line)\n",
           units_show_size((double)compiled->image_bytes, 4, size, sizeof size),
           summary->lines ? (double)compiled->image_bytes / (double)summary->lines : 0);
    printf("  computes        %14.6g  operations, all ranks together\n", summary->compute_total);
    if (summary->sleep_total > 0)
        printf("  sleeps          %14.6g  seconds, all ranks together\n", summary->sleep_total);
    printf("  collectives     %14" PRIu64 "  per rank\n", summary->collectives);
    print_calls(summary);
    print_lost(compiled);
    print_point_to_point(summary);
    print_messages(summary);
    if (sites)
        print_sites(compiled->program.sites, sites);
    struct bursts_summary bursts;
    if (bursts_summarise(&compiled->program, &bursts))
        print_bursts(&bursts, compiled->program.sites);
    bursts_summary_free(&bursts);
    return standard_flush();
}

/* --------------------------------------------------------------------- JSON */

static json_t *calls_json(const uint64_t *calls)
{
    json_t *object = json_make_object();
    for (int op = 0; op < CALL_OPS; op++)
        if (calls[op])
            json_put_count(object, call_op_name((enum call_op)op), calls[op]);
    return object;
}

json_t *cli_trace_sizes_json(const uint64_t *sizes)
{
    json_t *list = json_make_list();
    for (int i = 0; i < SUMMARY_SIZES; i++) {
        if (!sizes[i])
            continue;
        json_t *size = json_make_object();
        json_put_count(size, "from_bytes", i ? UINT64_C(1) << (i - 1) : 0);
        json_put_count(size, "messages", sizes[i]);
        json_add(list, size);
    }
    return list;
}

static json_t *lost_json(const struct summary_losses *losses)
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < losses->count; i++) {
        json_t *object = json_make_object();
        json_put_text(object, "name", losses->names[i].name);
        json_put_count(object, "calls", losses->names[i].calls);
        json_add(list, object);
    }
    return list;
}

static json_t *point_to_point_json(const struct trace_summary *summary)
{
    json_t *object = json_make_object();
    json_put_count(object, "messages", summary->sends);
    json_put_count(object, "bytes", summary->send_bytes);
    json_put_count(object, "to_itself", summary->to_itself);
    json_put_count(object, "channels", summary->channels);
    json_put_count(object, "most_outstanding", summary->outstanding);
    json_put_count(object, "wildcards", summary->wildcards);
    json_put_count(object, "wildcard_ranks", summary->mailbox_ranks);
    return object;
}

static json_t *messages_json(const struct trace_summary *summary)
{
    json_t *object = json_make_object();
    json_put_count(object, "count", summary->messages);
    json_put_count(object, "bytes", summary->message_bytes);
    json_put_number(object, "mean_bytes", mean(summary->message_bytes, summary->messages));
    json_put_number(object, "above_37kB_fraction", percent(summary->large_messages, summary->messages) / 100);
    json_put(object, "sizes", cli_trace_sizes_json(summary->sizes));
    return object;
}

static json_t *sites_json(const struct program_sites *known, const struct summary_site *sites)
{
    json_t *list = json_make_list();
    for (uint32_t i = 0; i < known->count; i++) {
        if (!sites[i].calls)
            continue;
        json_t *object = json_make_object();
        json_put_text(object, "name", i ? known->names[i] : NULL);
        json_put_count(object, "calls", sites[i].calls);
        json_put_count(object, "bytes_sent", sites[i].bytes);
        json_add(list, object);
    }
    return list;
}

enum { INFO_DIGITS = 12 };

static enum status print_json(const struct compiled_trace *compiled, const struct trace_summary *summary,
                              const struct summary_site *sites)
{
    char key[TRACE_KEY_TEXT];
    json_t *object = json_make_object();
    trace_key(&compiled->program, key);
    json_put_count(object, "schema", 1);
    json_put_value(object, "name", compiled->program.name);
    json_put_text(object, "xxh3_128", key);
    json_put_count(object, "ranks", summary->ranks);
    json_put_count(object, "lines", summary->lines);
    json_put_count(object, "compiled_bytes", compiled->image_bytes);
    json_put_number(object, "compute_operations", summary->compute_total);
    json_put_number(object, "sleep_s", summary->sleep_total);
    json_put_count(object, "collectives_per_rank", summary->collectives);
    json_put(object, "calls", calls_json(summary->calls));
    json_put(object, "non_blocking", calls_json(summary->immediate));
    struct summary_losses losses = summary_lost(compiled);
    if (losses.count)
        json_put(object, "lost", lost_json(&losses));
    summary_lost_free(&losses);
    json_put(object, "point_to_point", point_to_point_json(summary));
    json_put(object, "messages", messages_json(summary));
    if (sites)
        json_put(object, "sites", sites_json(compiled->program.sites, sites));
    struct bursts_summary bursts;
    if (bursts_summarise(&compiled->program, &bursts))
        json_put(object, "bursts", bursts_json(&bursts, compiled->program.sites));
    bursts_summary_free(&bursts);
    return cli_print_json(object, INFO_DIGITS);
}

struct info_arguments {
    const char *path;
    bool json;
};

static bool take(void *self, int found, const char *value)
{
    struct info_arguments *arguments = self;
    if (found == CLI_WORD)
        return cli_take_word(&command, &arguments->path, value, "trace");
    arguments->json = true;
    return true;
}

int cli_trace_info(int argc, char **argv)
{
    struct info_arguments arguments = {.path = NULL};
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    if (found != CLI_END)
        return cli_status(found);
    if (!arguments.path) {
        diag_error("helio trace info needs a trace: %s", command.words);
        return STATUS_BAD_INPUT;
    }
    struct compiled_trace *compiled;
    struct program *graph;
    enum status status = trace_open_either(arguments.path, &compiled, &graph);
    if (status != STATUS_OK)
        return status;
    if (graph)
        return cli_trace_graph_info(graph, arguments.json);
    struct trace_summary summary;
    compiled_report_notes(compiled, NOTES_ALL);
    summary_of(compiled, &summary);
    struct summary_site *sites = summary_sites(compiled);
    status = arguments.json ? print_json(compiled, &summary, sites) : print_tables(compiled, &summary, sites);
    free(sites);
    compiled->program.ops->close(&compiled->program);
    return status;
}
