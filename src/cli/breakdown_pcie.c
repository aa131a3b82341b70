#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/param.h"
#include "base/units.h"
#include "breakdown/model.h"
#include "breakdown/pcie.h"
#include "cli/breakdown.h"
#include "cli/breakdown_values.h"
#include "cli/options.h"
#include "cli/print.h"
#include "output/quote.h"
#include "output/standard.h"

enum pcie_option {
    PCIE_SYSTEM_FILE,
    PCIE_DIRECT,
    PCIE_MAP,
    PCIE_ONLY,
    PCIE_ANALYZER,
    PCIE_COMPLETIONS,
    PCIE_RECEIVES,
    PCIE_LOOP,
    PCIE_JSON
};

static const struct cli_option options[] = {
    [PCIE_SYSTEM_FILE] =
        {"--system", 's', "FILE.yaml",
         "its LLP_post and LLP_prog are subtracted to get RC-to-MEM; by default the paper's"},
    [PCIE_DIRECT] = {"--direct", 'd', "FILE",
                     "the same test without the switch: gives Wire and Switch apart"},
    [PCIE_MAP] = {"--map", 'm', "FIELD=COLUMN",
                  "which column has a field: time dir type len seq addr packet ack_of "
                  "acked_by" CLI_REPEATS},
    [PCIE_ONLY] = {"--only", 0, "down|up", "the direction of all packets, of a trace without that column"},
    [PCIE_ANALYZER] = {"--analyzer", 0, "PLACE",
                       "next-to-nic (the default where no comment in the file says) or next-to-rc"},
    [PCIE_COMPLETIONS] = {"--cq", 0, "FIRST-LAST", "addresses of completion queues, hexadecimal"},
    [PCIE_RECEIVES] = {"--rx", 0, "FIRST-LAST", "addresses of receive buffers"},
    [PCIE_LOOP] = {"--loop", 0, "TIME",
                   "what the benchmark itself takes between pong and ping; 0 by default"},
    [PCIE_JSON] = {"--json", 0, NULL, "print one JSON object instead of the table"},
};

static const struct cli_command command = {
    .name = "breakdown pcie",
    .words = "FILE",
    .doc = "Component times from the trace of a PCIe analyzer: observed injection overhead, PCIe, Network "
           "(Wire\n"
           "and Switch), RC-to-MEM, as section 4 of \"Breaking Band\" takes them.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "FILE has a line per packet below a line of column names: time_ns,dir,type,len,seq,addr, or an\n"
             "analyzer's own names. docs/models/breakdown.md describes it, and what such traces cannot show.",
};

struct pcie_arguments {
    const char *file, *direct, *system;
    struct pcie_reading reading;
    char *columns[PCIE_FIELDS];
    struct pcie_range completions, receives;
    ps_t loop_ps;
    int place; /* enum pcie_place; -1 = as the file says */
    bool json;
};

/* Everything that is printed. */
struct pcie_findings {
    struct pcie_trace trace;
    struct pcie_answer answer;
    struct pcie_quantity wire; /* of the trace without a switch */
    bool has_direct;
};

/* ------------------------------------------------------------------- output */

static void print_quantity(const char *name, const struct pcie_quantity *quantity)
{
    char mean[40], median[40], p95[40], p99[40], least[40];
    if (quantity->count)
        printf("%-22s %9" PRIu64 " %11s %11s %11s %11s %11s\n", name, quantity->count,
               model_ns(quantity->mean_ps, mean, sizeof mean),
               model_ns(quantity->median_ps, median, sizeof median),
               model_ns(quantity->p95_ps, p95, sizeof p95), model_ns(quantity->p99_ps, p99, sizeof p99),
               model_ns(quantity->least_ps, least, sizeof least));
    else
        printf("%-22s %9s %s\n", name, "-", quantity->absent);
}

static bool switch_of(const struct pcie_findings *findings, ps_t *mean_ps, ps_t *median_ps)
{
    return findings->has_direct &&
           pcie_switch(&findings->answer.network, &findings->wire, mean_ps, median_ps);
}

static void print_notes(const struct pcie_arguments *arguments, const struct pcie_findings *findings)
{
    const struct pcie_answer *answer = &findings->answer;
    if (!findings->trace.place_known)
        printf("the file does not say where the analyzer sits: taken to be next to the NIC (--analyzer)\n");
    if (findings->trace.ignored)
        printf("%" PRIu64 " packets of other types were ignored\n", findings->trace.ignored);
    if (answer->coalesced)
        printf("%" PRIu64 " packets were acknowledged together with a later one and gave no sample\n",
               answer->coalesced);
    if (answer->unmatched)
        printf("%" PRIu64 " ACKs acknowledge packets that are not in the trace\n", answer->unmatched);
    if (answer->naks)
        printf("%" PRIu64 " NAKs: packets were sent again\n", answer->naks);
    if (answer->pong_is_completion)
        printf("no write to a receive buffer: the payload comes inside the completion (inline), which is "
               "taken as "
               "the pong\n");
    if (findings->trace.coarse)
        printf("time stamps have steps of 0.1 ns or more: a single value is no more exact than that, a mean "
               "is\n");
    if (answer->rc_to_mem.count && !arguments->system)
        printf("LLP_post and LLP_prog, which are subtracted to get RC-to-MEM, are of the paper's system "
               "(--system)\n");
}

static enum status print_table(const struct pcie_arguments *arguments, const struct pcie_findings *findings)
{
    const struct pcie_answer *answer = &findings->answer;
    char mean[40], median[40];
    ps_t mean_ps, median_ps;
    quote_terminal(stdout, arguments->file);
    printf(": %zu packets, analyzer next to the %s%s", findings->trace.count,
           findings->trace.place == PCIE_NEXT_TO_NIC ? "NIC" : "root complex",
           *findings->trace.test ? ", " : "");
    cli_print_text("", findings->trace.test);
    printf("\n");
    printf("%-22s %9s %11s %11s %11s %11s %11s\n", "ns", "count", "mean", "median", "p95", "p99", "least");
    print_quantity("observed Inj_overhead", &answer->inj_overhead);
    print_quantity("PCIe", &answer->pcie);
    print_quantity("Network", &answer->network);
    if (findings->has_direct)
        print_quantity("Wire", &findings->wire);
    if (switch_of(findings, &mean_ps, &median_ps))
        printf("%-22s %9s %11s %11s\n", "Switch", "", model_ns(mean_ps, mean, sizeof mean),
               model_ns(median_ps, median, sizeof median));
    print_quantity("RC-to-MEM", &answer->rc_to_mem);
    printf("\n");
    print_notes(arguments, findings);
    return standard_flush();
}

static json_t *quantity_json(const struct pcie_quantity *quantity)
{
    json_t *object = json_make_object();
    json_put_count(object, "count", quantity->count);
    if (!quantity->count) {
        json_put_text(object, "absent", quantity->absent);
        return object;
    }
    json_put(object, "mean_ns", breakdown_json_ns(quantity->mean_ps));
    json_put(object, "median_ns", breakdown_json_ns(quantity->median_ps));
    json_put(object, "p95_ns", breakdown_json_ns(quantity->p95_ps));
    json_put(object, "p99_ns", breakdown_json_ns(quantity->p99_ps));
    json_put(object, "min_ns", breakdown_json_ns(quantity->least_ps));
    return object;
}

static json_t *quantities_json(const struct pcie_findings *findings)
{
    const struct pcie_answer *answer = &findings->answer;
    json_t *quantities = json_make_object();
    ps_t mean_ps, median_ps;
    json_put(quantities, "Inj_overhead", quantity_json(&answer->inj_overhead));
    json_put(quantities, "PCIe", quantity_json(&answer->pcie));
    json_put(quantities, "Network", quantity_json(&answer->network));
    if (findings->has_direct)
        json_put(quantities, "Wire", quantity_json(&findings->wire));
    if (switch_of(findings, &mean_ps, &median_ps)) {
        json_t *of_switch = json_make_object();
        json_put(of_switch, "mean_ns", breakdown_json_ns(mean_ps));
        json_put(of_switch, "median_ns", breakdown_json_ns(median_ps));
        json_put(quantities, "Switch", of_switch);
    }
    json_put(quantities, "RC_to_MEM", quantity_json(&answer->rc_to_mem));
    return quantities;
}

static enum status print_json(const struct pcie_findings *findings, bool is_sound)
{
    const struct pcie_answer *answer = &findings->answer;
    json_t *object = json_make_object();
    json_put_text(object, "schema", "helio-breakdown-pcie-1");
    json_put_count(object, "packets", findings->trace.count);
    json_put_text(object, "analyzer",
                  findings->trace.place == PCIE_NEXT_TO_NIC ? "next-to-nic" : "next-to-rc");
    json_put_text(object, "test", findings->trace.test);
    json_put_flag(object, "sound", is_sound);
    json_put(object, "quantities", quantities_json(findings));
    json_put_count(object, "other_packets", findings->trace.ignored);
    json_put_count(object, "coalesced", answer->coalesced);
    json_put_count(object, "unmatched_acks", answer->unmatched);
    json_put_count(object, "naks", answer->naks);
    json_put_flag(object, "pong_is_completion", answer->pong_is_completion);
    return cli_print_json(object, BREAKDOWN_DIGITS);
}

/* False, reported: the time is negative, so what was subtracted to get it does not belong to the trace. */
static bool is_time(const char *name, ps_t mean_ps, const char *subtracted)
{
    char mean[40];
    if (mean_ps < 0)
        diag_error("%s is %s ns, so no time: %s, which is subtracted, does not belong to this trace", name,
                   model_ns(mean_ps, mean, sizeof mean), subtracted);
    return mean_ps >= 0;
}

/* What is printed is marked by errors and the exit status. */
static enum status check_times(const struct pcie_findings *findings)
{
    const struct pcie_answer *answer = &findings->answer;
    ps_t mean_ps, median_ps;
    bool are_times = true;
    if (answer->network.count)
        are_times &= is_time("Network", answer->network.mean_ps, "PCIe");
    if (switch_of(findings, &mean_ps, &median_ps))
        are_times &= is_time("Switch", mean_ps, "the wire of --direct");
    if (answer->rc_to_mem.count)
        are_times &= is_time("RC-to-MEM", answer->rc_to_mem.mean_ps,
                             "the time of software (LLP_post and LLP_prog of --system, --loop)");
    return are_times ? STATUS_OK : STATUS_FAILED;
}

/* ---------------------------------------------------------------- arguments */

static bool read_range(const char *option, const char *text, struct pcie_range *range)
{
    char *end;
    errno = 0;
    range->first = strtoull(text, &end, 16);
    bool good = isxdigit((unsigned char)*text) && *end == '-' && isxdigit((unsigned char)end[1]);
    range->last = good ? strtoull(end + 1, &end, 16) : 0;
    range->given = good && !*end && !errno && range->first <= range->last;
    if (!range->given)
        diag_error("%s is a range of addresses, such as 4000026a00-4000036a00, not '%s'", option, text);
    return range->given;
}

static bool read_map(struct pcie_arguments *arguments, const char *text)
{
    struct param_assignment assignment;
    param_split(text, 0, strlen(text), &assignment);
    enum pcie_field field = pcie_field_of(assignment.name);
    bool good = field < PCIE_FIELDS && assignment.value && *assignment.value;
    if (good) {
        free(arguments->columns[field]);
        arguments->reading.columns[field] = arguments->columns[field] = assignment.value;
    } else {
        free(assignment.value);
        diag_error("--map is FIELD=COLUMN, with a field of: time dir type len seq addr packet ack_of "
                   "acked_by; not '%s'",
                   text);
    }
    free(assignment.name);
    return good;
}

static bool read_choice(const char *option, const char *value, const char *first, const char *second,
                        int *choice)
{
    *choice = strcmp(value, first) == 0 ? 0 : strcmp(value, second) == 0 ? 1 : -1;
    if (*choice < 0)
        diag_error("%s is %s or %s, not '%s'", option, first, second, value);
    return *choice >= 0;
}

static bool read_loop(const char *text, ps_t *loop_ps)
{
    struct units_problem problem;
    if (units_time(text, loop_ps, &problem) && *loop_ps <= PS_PER_S)
        return true;
    diag_error("--loop is a time of at most 1 s, such as 20ns, not '%s'", text);
    return false;
}

static bool take(void *self, int found, const char *value)
{
    struct pcie_arguments *arguments = self;
    if (found == CLI_WORD)
        return cli_take_word(&command, &arguments->file, value, "trace");
    switch ((enum pcie_option)(found - CLI_OPTION)) {
    case PCIE_SYSTEM_FILE:
        arguments->system = value;
        return true;
    case PCIE_DIRECT:
        arguments->direct = value;
        return true;
    case PCIE_MAP:
        return read_map(arguments, value);
    case PCIE_ONLY:
        return read_choice("--only", value, "down", "up", &arguments->reading.only_direction);
    case PCIE_ANALYZER:
        return read_choice("--analyzer", value, "next-to-nic", "next-to-rc", &arguments->place);
    case PCIE_COMPLETIONS:
        return read_range("--cq", value, &arguments->completions);
    case PCIE_RECEIVES:
        return read_range("--rx", value, &arguments->receives);
    case PCIE_LOOP:
        return read_loop(value, &arguments->loop_ps);
    default:
        arguments->json = true;
        return true;
    }
}

/* CLI_END when all is read; CLI_HELP; CLI_ERROR, reported. */
static int read_arguments(int argc, char **argv, struct pcie_arguments *arguments)
{
    int found = cli_read_all(&command, argc, argv, take, arguments);
    if (found != CLI_END || arguments->file)
        return found;
    diag_error("helio breakdown pcie needs a trace: %s", command.words);
    return CLI_ERROR;
}

/* ------------------------------------------------------------------ command */

static enum status ask(const struct pcie_arguments *arguments, const struct system *system, const char *path,
                       struct pcie_trace *trace, struct pcie_answer *answer)
{
    enum status status = pcie_read(path, &arguments->reading, trace);
    if (status != STATUS_OK)
        return status;
    if (arguments->place >= 0) {
        trace->place = (enum pcie_place)arguments->place;
        trace->place_known = true;
    }
    const struct pcie_question question = {.trace = trace,
                                           .system = system,
                                           .block_bytes = 64,
                                           .completions = arguments->completions,
                                           .receives = arguments->receives,
                                           .loop_extra_ps = arguments->loop_ps};
    pcie_answer(&question, answer);
    return STATUS_OK;
}

static enum status find_quantities(const struct pcie_arguments *arguments, const struct system *system,
                                   struct pcie_findings *findings)
{
    enum status status = ask(arguments, system, arguments->file, &findings->trace, &findings->answer);
    if (status != STATUS_OK || !arguments->direct)
        return status;
    struct pcie_trace direct;
    struct pcie_answer answer;
    status = ask(arguments, system, arguments->direct, &direct, &answer);
    if (status != STATUS_OK)
        return status;
    findings->has_direct = true;
    findings->wire = answer.network;
    pcie_free(&direct);
    return STATUS_OK;
}

int cli_breakdown_pcie(int argc, char **argv)
{
    struct pcie_arguments arguments = {.place = -1, .reading = {.only_direction = -1}};
    struct pcie_findings findings = {.has_direct = false};
    struct system_file file = {.config = NULL};
    int found = read_arguments(argc, argv, &arguments);
    enum status status = found == CLI_END ? system_init(&file, arguments.system) : STATUS_BAD_INPUT;
    if (status == STATUS_OK) {
        status = find_quantities(&arguments, &file.system, &findings);
        enum status sound = status == STATUS_OK ? check_times(&findings) : STATUS_OK;
        if (status == STATUS_OK)
            status = arguments.json ? print_json(&findings, sound == STATUS_OK)
                                    : print_table(&arguments, &findings);
        if (status == STATUS_OK)
            status = sound;
        pcie_free(&findings.trace);
        system_free(&file);
    }
    for (int field = 0; field < PCIE_FIELDS; field++)
        free(arguments.columns[field]);
    return found == CLI_HELP ? STATUS_OK : status;
}
