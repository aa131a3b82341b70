#include "cli/coll_circuits.h"

#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "base/range.h"
#include "base/units.h"
#include "cli/coll.h"
#include "cli/coll_algorithms.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/values.h"
#include "output/standard.h"
#include "report/collective_page.h"

enum circuits_option {
    CIRCUITS_OP,
    CIRCUITS_RANKS,
    CIRCUITS_BYTES,
    CIRCUITS_SWITCHING,
    CIRCUITS_RATE,
    CIRCUITS_SWITCHES,
    CIRCUITS_LATENCY,
    CIRCUITS_PACKET_LATENCY,
    CIRCUITS_PACKET_RATE,
    CIRCUITS_ALGORITHM,
    CIRCUITS_JSON,
    CIRCUITS_CSV,
    CIRCUITS_HTML,
    CIRCUITS_OPTIONS
};

static const struct cli_option options[] = {
    [CIRCUITS_OP] = {"--op", 0, "NAME", "the collective: alltoall (the default), allreduce, bcast ..."},
    [CIRCUITS_RANKS] = {"--ranks", 'n', "R", "ranks, each with a port"},
    [CIRCUITS_BYTES] = {"--bytes", 'b', "SIZES",
                        "of a call, as MPI counts: a block, or a whole vector: 64KiB, a list, or a\n"
                        "range 1KiB..1GiB, in which sizes grow four times unless it says x2"},
    [CIRCUITS_SWITCHING] = {"--switching", 0, "TIMES",
                            "how long circuits take to change: 10us, a list, or a range 1us..10ms, in\n"
                            "which times grow ten times unless it says x2"},
    [CIRCUITS_RATE] = {"--rate", 0, "RATE", "of a circuit: 400Gb/s"},
    [CIRCUITS_SWITCHES] = {"--switches", 0, "K", "parallel switches; each port has a link to each; 1"},
    [CIRCUITS_LATENCY] = {"--latency", 0, "TIME",
                          "of a step, for each circuit on the way: software, NICs, light; 1.05us"},
    [CIRCUITS_PACKET_LATENCY] = {"--packet-latency", 0, "TIME",
                                 "of a round on a packet network: the same and a switch; 1.2us"},
    [CIRCUITS_PACKET_RATE] = {"--packet-rate", 0, "RATE",
                              "of a port of the packet network; that of all its circuits together"},
    [CIRCUITS_ALGORITHM] = {"--algorithm", 'a', "NAME", "this algorithm in place of all (helio coll plan)"},
    [CIRCUITS_JSON] = {"--json", 0, NULL, "print one JSON object"},
    [CIRCUITS_CSV] = {"--csv", 0, NULL, "print the table as CSV"},
    [CIRCUITS_HTML] = {"--html", 0, "FILE.html", "write a page: which algorithm wins where, and by how much"},
};

static const struct cli_command command = {
    .name = "coll circuits",
    .words = "",
    .doc =
        "Which algorithm a collective takes on optical circuit switches, and before which of its steps the\n"
        "circuits change; beside a lower bound and the best algorithm on a packet network.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after =
        "Examples:\n"
        "  helio coll circuits --op allreduce --ranks 64 --bytes 1MiB --switching 10us --rate 400Gb/s\n"
        "  helio coll circuits --op alltoall --ranks 64 --bytes 1KiB..1MiB --switching 1us..10ms \\\n"
        "                      --rate 400Gb/s --html map.html\n\n"
        "docs/circuit-collectives.md explains the output; docs/models/circuit-collectives.md has the model.",
};

struct circuits_arguments {
    const char *values[CIRCUITS_OPTIONS]; /* NULL: not given */
    bool json, csv;
};

static bool take(void *self, int found, const char *value)
{
    struct circuits_arguments *arguments = self;
    if (found == CLI_WORD) {
        diag_error("helio coll circuits takes only options, not '%s'", value);
        return false;
    }
    if (found - CLI_OPTION == CIRCUITS_JSON)
        arguments->json = true;
    else if (found - CLI_OPTION == CIRCUITS_CSV)
        arguments->csv = true;
    else
        arguments->values[found - CLI_OPTION] = value;
    return true;
}

/* ------------------------------------------------------------------- values */

/* A list of values and ranges between commas. `step` is that of a range that has none. */
struct value_list {
    const char *option, *step;
    struct param param;
    union param_quantity values[COLL_CIRCUITS_MOST];
    size_t count;
};

static bool add_value(struct value_list *list, const char *text)
{
    struct param_problem problem;
    if (list->count == COLL_CIRCUITS_MOST) {
        diag_error("%s takes at most %d values", list->option, COLL_CIRCUITS_MOST);
        return false;
    }
    if (param_quantity_read(list->param.type, text, &list->values[list->count++], &problem))
        return true;
    diag_error("%s: %s", list->option, problem.text);
    return false;
}

static bool add_range(struct value_list *list, const char *text)
{
    char value[64];
    struct range range;
    struct param_problem problem;
    char *whole = strpbrk(text, "x+") ? mem_text(text) : mem_format("%s %s", text, list->step);
    bool good = range_read(&list->param, whole, &range, &problem);
    if (!good)
        diag_error("%s: %s", list->option, problem.text);
    free(whole);
    while (good && range_next(&range, value, sizeof value))
        good = add_value(list, value);
    return good;
}

static bool read_list(struct value_list *list, const char *text)
{
    char *copy = mem_text(text), *rest = copy;
    bool good = true;
    for (char *item; good && (item = strsep(&rest, ","));)
        good = range_is_meant(&list->param, item) ? add_range(list, item) : add_value(list, item);
    free(copy);
    return good;
}

static bool read_sizes(struct coll_circuits *run, const char *text)
{
    struct value_list list = {
        .option = "--bytes", .step = "x4", .param = {.name = "a size", .type = PARAM_SIZE}};
    if (!read_list(&list, text))
        return false;
    for (size_t i = 0; i < list.count; i++) {
        if (list.values[i].whole > COLLECTIVE_MOST_BYTES) {
            diag_error("--bytes: at most 1 TiB");
            return false;
        }
        run->bytes[run->sizes++] = list.values[i].whole;
    }
    return true;
}

static bool read_times(struct coll_circuits *run, const char *text)
{
    struct value_list list = {
        .option = "--switching", .step = "x10", .param = {.name = "a time", .type = PARAM_TIME}};
    if (!read_list(&list, text))
        return false;
    for (size_t i = 0; i < list.count; i++)
        run->switching_ps[run->times++] = list.values[i].time;
    return true;
}

static bool read_rate(const char *option, const char *text, uint64_t *rate)
{
    struct units_problem problem;
    if (text && !units_rate(text, rate, &problem)) {
        diag_error("%s: %s", option, problem.text);
        return false;
    }
    if (*rate)
        return true;
    diag_error("%s: at least 1 B/s is expected", option);
    return false;
}

static bool read_time(const char *option, const char *text, ps_t *time_ps)
{
    struct units_problem problem;
    if (!text || units_time(text, time_ps, &problem))
        return true;
    diag_error("%s: %s", option, problem.text);
    return false;
}

static bool read_number(const char *option, const char *text, uint64_t least, uint64_t most, uint32_t *number)
{
    uint64_t value = *number;
    if (text && !cli_value_count(option, text, &value))
        return false;
    if (value < least || value > most) {
        diag_error("%s: a number from %llu to %llu is expected, not %s", option, (unsigned long long)least,
                   (unsigned long long)most, text);
        return false;
    }
    *number = (uint32_t)value;
    return true;
}

static bool read_kind(struct coll_circuits *run, const char *text)
{
    run->collective.kind = COLL_ALLTOALL;
    if (text && !coll_kind_read(text, &run->collective.kind))
        return false;
    if (collective_is_known(run->collective.kind))
        return true;
    diag_error("--op: the ranks of %s have lengths of their own; choose a collective of equal blocks",
               coll_kind_name(run->collective.kind));
    return false;
}

static bool read_algorithm(struct coll_circuits *run, const char *name)
{
    if (!name)
        return true;
    run->only = coll_kind_algorithm(run->collective.kind, name);
    return run->only;
}

static bool read_network(struct collective_network *network, const char *const *values)
{
    *network = (struct collective_network){
        .switches = 1, .latency_ps = 1050 * PS_PER_NS, .packet_latency_ps = 1200 * PS_PER_NS};
    if (!read_number("--switches", values[CIRCUITS_SWITCHES], 1, COLLECTIVE_MOST_SWITCHES,
                     &network->switches) ||
        !read_rate("--rate", values[CIRCUITS_RATE], &network->rate_bytes_per_s) ||
        !read_time("--latency", values[CIRCUITS_LATENCY], &network->latency_ps) ||
        !read_time("--packet-latency", values[CIRCUITS_PACKET_LATENCY], &network->packet_latency_ps))
        return false;
    if (__builtin_mul_overflow(network->rate_bytes_per_s, network->switches,
                               &network->packet_rate_bytes_per_s)) {
        diag_error("--rate: that of %u circuits is out of range", network->switches);
        return false;
    }
    return read_rate("--packet-rate", values[CIRCUITS_PACKET_RATE], &network->packet_rate_bytes_per_s);
}

static bool read_run(struct coll_circuits *run, const struct circuits_arguments *arguments)
{
    const char *const *values = arguments->values;
    if (arguments->json && arguments->csv) {
        diag_error("--json and --csv both print to standard output; give one of them");
        return false;
    }
    if (!read_kind(run, values[CIRCUITS_OP]))
        return false;
    const char *bytes = run->collective.kind == COLL_BARRIER ? "0B" : values[CIRCUITS_BYTES];
    if (!values[CIRCUITS_RANKS] || !bytes || !values[CIRCUITS_SWITCHING] || !values[CIRCUITS_RATE]) {
        diag_error("helio coll circuits needs --ranks, --bytes, --switching and --rate, as in --ranks 64 "
                   "--bytes 1MiB --switching 10us --rate 400Gb/s");
        return false;
    }
    return read_number("--ranks", values[CIRCUITS_RANKS], 2, COLLECTIVE_MOST_RANKS, &run->collective.ranks) &&
           read_network(&run->network, values) && read_sizes(run, bytes) &&
           read_times(run, values[CIRCUITS_SWITCHING]) && read_algorithm(run, values[CIRCUITS_ALGORITHM]);
}

/* ------------------------------------------------------------------ answers */

/* STATUS_BAD_INPUT, reported: a time is out of range. */
static enum status find_answers(struct coll_circuits *run)
{
    bool good = true;
    progress_begin(coll_kind_name(run->collective.kind), run->sizes);
    for (size_t i = 0; i < run->sizes; i++) {
        struct collective_answer *answer = &run->answers[i];
        run->collective.bytes = run->bytes[i];
        progress_tell(i);
        collective_answer_init(answer, &run->collective, &run->network, run->switching_ps, run->times,
                               run->only);
        for (size_t time = 0; time < run->times; time++) {
            const struct collective_plan *best = collective_plan_at(answer, answer->best[time], time);
            good = good && best->best.time_ps < PS_NEVER &&
                   collective_plan_at(answer, answer->packet_best, 0)->packet_ps < PS_NEVER;
        }
    }
    progress_end();
    if (!good)
        diag_error("the collective takes longer than 106 days; are rate and sizes as meant?");
    return good ? STATUS_OK : STATUS_BAD_INPUT;
}

static enum status print(const struct coll_circuits *run, const struct circuits_arguments *arguments)
{
    char title[128];
    const char *html = arguments->values[CIRCUITS_HTML];
    enum status status = STATUS_OK;
    if (html)
        status = collective_page_save(html, coll_circuits_title(run, title, sizeof title),
                                      coll_circuits_json(run));
    if (status != STATUS_OK)
        return status;
    if (arguments->json)
        return cli_print_json(coll_circuits_json(run), COLL_CIRCUITS_DIGITS);
    (arguments->csv ? coll_circuits_print_csv : coll_circuits_print)(run);
    return standard_flush();
}

int cli_coll_circuits(int argc, char **argv)
{
    struct circuits_arguments arguments = {.json = false};
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    if (found != CLI_END)
        return cli_status(found);
    struct coll_circuits *run = mem_alloc(1, sizeof *run, "answers");
    enum status status = read_run(run, &arguments) ? find_answers(run) : STATUS_BAD_INPUT;
    if (status == STATUS_OK)
        status = print(run, &arguments);
    for (size_t i = 0; i < run->sizes; i++)
        collective_answer_free(&run->answers[i]);
    free(run);
    return status;
}
