#include "fabric/faults.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/units.h"
#include "fabric/fault_events.h"

static bool parse_seed(const struct param *self, const char *text, void *field, struct param_problem *problem)
{
    (void)self;
    struct fault_seed *seed = field;
    struct units_problem wrong;
    uint64_t number = 0;
    bool is_given = strcmp(text, "run") != 0;
    if (is_given && !units_count(text, &number, &wrong))
        return param_fail(problem, wrong.at,
                          "a whole number is expected here, or 'run' for the seed of the run");
    seed->is_given = is_given;
    seed->seed = number;
    return true;
}

#define OF(field) offsetof(struct fault_config, field)
#define SHARE(full_name, field, text)                                                                        \
    {                                                                                                        \
        .name = (full_name), .type = PARAM_NUMBER, .offset = OF(field), .default_text = "0", .min = "0",     \
        .max = "1", .doc = (text)                                                                            \
    }
#define NAMES(full_name, field, text)                                                                        \
    {                                                                                                        \
        .name = (full_name), .type = PARAM_TEXT, .offset = OF(field), .doc = (text)                          \
    }

PARAM_TABLE(fault_params, "faults", struct fault_config,
            "links and switches that fail, links and nodes that are slow",
            SHARE("faults.link_share", link_share,
                  "share of the links between switches that fail, drawn: 1% or 0.01"),
            NAMES("faults.links", links,
                  "links that fail, by their names or numbers in helio topo: (0,0)>(1,0), leaf0>spine1, 137"),
            SHARE("faults.switch_share", switch_share, "share of the switches that fail, drawn"),
            NAMES("faults.switches", switches, "switches that fail, by their names: (0,0), spine1"),
            SHARE("faults.channel_share", channel_share,
                  "share of the channels (wavelengths) of links between switches that are lost, on photonic "
                  "networks"),
            {.name = "faults.at",
             .type = PARAM_TIME,
             .offset = OF(at_ps),
             .default_text = "0 ps",
             .min = "0 ps",
             .doc = "when links and switches fail and links become slow; 0: before the run"},
            {.name = "faults.reroute",
             .type = PARAM_TIME,
             .offset = OF(reroute_ps),
             .default_text = "0 ps",
             .min = "0 ps",
             .doc = "from faults.at, or an event, until there are new routes; messages on failed links wait"},
            {.name = "faults.repair",
             .type = PARAM_TIME,
             .offset = OF(repair_ps),
             .default_text = "0 ps",
             .min = "0 ps",
             .doc = "from faults.at until all links, switches and rates are as before; 0: never"},
            NAMES("faults.events", events,
                  "what happens to links and switches during the run: 20us fail (0,0)>(1,0); 50us repair "
                  "(0,0)>(1,0); 60us slow 137"),
            SHARE("faults.slow_link_share", slow_link_share,
                  "share of the links between switches that are slow, drawn"),
            NAMES("faults.slow_links", slow_links, "links that are slow, by their names or numbers"),
            {.name = "faults.slow_rate",
             .type = PARAM_NUMBER,
             .offset = OF(slow_rate),
             .default_text = "0.5",
             .min = "0.000001",
             .max = "1",
             .doc = "what a slow link has of its rate"},
            SHARE("faults.slow_node_share", slow_node_share, "share of the nodes that compute slowly, drawn"),
            NAMES("faults.slow_nodes", slow_nodes, "nodes that compute slowly, by their numbers: 3,8-11"),
            {.name = "faults.slow_compute",
             .type = PARAM_NUMBER,
             .offset = OF(slow_compute),
             .default_text = "1.1",
             .min = "1",
             .max = "1000000",
             .doc = "how many times as long a slow node computes: 1.1 is 10 % longer"},
            {.name = "faults.seed",
             .type = PARAM_CUSTOM,
             .offset = OF(seed),
             .default_text = "run",
             .parse = parse_seed,
             .doc = "of what is drawn: a number, or run, the seed of the run"});

static const char *const name_params[FAULT_EVENTS + 1] = {
    [FAULT_LINKS] = "faults.links",
    [FAULT_SWITCHES] = "faults.switches",
    [FAULT_SLOW_LINKS] = "faults.slow_links",
    [FAULT_EVENTS] = "faults.events",
};

static const struct fault_config *faults_of(const struct config *config)
{
    return config_of(config, &fault_params);
}

static bool has_names(const char *names)
{
    return names && names[strspn(names, " \t,")];
}

/* Faults that begin before the run or at faults.at. */
static bool has_table(const struct fault_config *faults)
{
    return faults->link_share > 0 || faults->switch_share > 0 || faults->slow_link_share > 0 ||
           has_names(faults->links) || has_names(faults->switches) || has_names(faults->slow_links);
}

bool fault_config_has_links(const struct config *config)
{
    const struct fault_config *faults = faults_of(config);
    return has_table(faults) || has_names(faults->events);
}

bool fault_config_changes(const struct config *config)
{
    const struct fault_config *faults = faults_of(config);
    return (has_table(faults) && (faults->at_ps || faults->repair_ps)) || has_names(faults->events);
}

bool fault_config_has_channels(const struct config *config)
{
    return faults_of(config)->channel_share > 0;
}

bool fault_config_has_slow_nodes(const struct config *config)
{
    const struct fault_config *faults = faults_of(config);
    return has_names(faults->slow_nodes) || faults->slow_node_share > 0;
}

size_t fault_config_unused(const struct config *config, const char **names, size_t room)
{
    const struct fault_config *faults = faults_of(config);
    bool is_timed = has_table(faults) || faults->channel_share > 0;
    bool has_slow_links = has_names(faults->slow_links) || faults->slow_link_share > 0 ||
                          (faults->events && strstr(faults->events, "slow"));
    bool is_drawn = faults->link_share > 0 || faults->switch_share > 0 || faults->channel_share > 0 ||
                    faults->slow_link_share > 0 || faults->slow_node_share > 0;
    const struct {
        const char *name;
        bool has_effect;
    } list[] = {
        {"faults.at", is_timed},
        {"faults.repair", is_timed},
        {"faults.reroute", fault_config_changes(config)},
        {"faults.slow_rate", has_slow_links},
        {"faults.slow_compute", fault_config_has_slow_nodes(config)},
        {"faults.seed", is_drawn},
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof list / sizeof *list && count < room; i++)
        if (!list[i].has_effect)
            names[count++] = list[i].name;
    return count;
}

static uint64_t seed_of(const struct config *config)
{
    const struct fault_config *faults = faults_of(config);
    const uint64_t *of_run = config_field(config, "seed");
    return faults->seed.is_given ? faults->seed.seed : of_run ? *of_run : 1;
}

/* Reports the problem with its place in the names. */
static void report(const struct config *config, const struct fault_problem *problem, const char *names)
{
    if (problem->kind == FAULT_KINDS) {
        diag_error("%s", problem->problem.text);
        return;
    }
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = name_params[problem->kind],
                                     .line = 1,
                                     .column = problem->problem.at + 1,
                                     .span = 1,
                                     .source = names,
                                     .source_length = strlen(names)},
                "%s", problem->problem.text);
    config_note_origin(config, name_params[problem->kind]);
}

enum status faults_report_cut(const struct topo *topo, const char *when, const char *cut)
{
    char text[TOPO_TEXT];
    diag_error("the faults cut %s%s: %s", topo_print(topo, text, sizeof text), when, cut);
    return STATUS_FAILED;
}

static struct fault_request request_of(const struct config *config, uint32_t channels)
{
    const struct fault_config *faults = faults_of(config);
    return (struct fault_request){.of = {[FAULT_LINKS] = {faults->links, faults->link_share},
                                         [FAULT_SWITCHES] = {faults->switches, faults->switch_share},
                                         [FAULT_SLOW_LINKS] = {faults->slow_links, faults->slow_link_share}},
                                  .slow_rate = faults->slow_rate,
                                  .channels = channels,
                                  .channel_share = channels ? faults->channel_share : 0,
                                  .seed = seed_of(config),
                                  .event_text = faults->events};
}

/* STATUS_BAD_INPUT, reported: it cannot be. */
static enum status add(const struct config *config, const struct fault_request *request, struct topo *topo)
{
    struct fault_problem problem;
    const struct topo base = *topo;
    if (faults_add(&base, request, topo, &problem))
        return STATUS_OK;
    report(config, &problem,
           problem.kind < FAULT_KINDS     ? request->of[problem.kind].names
           : problem.kind == FAULT_EVENTS ? request->event_text
                                          : "");
    return STATUS_BAD_INPUT;
}

enum status faults_apply(const struct config *config, uint32_t nodes, uint32_t channels, struct topo *topo)
{
    struct fault_request request = request_of(config, channels);
    struct fault_events events;
    const struct topo base = *topo;
    enum status status = fault_events_read(config, &events);
    if (status != STATUS_OK)
        return status;
    request.events = fault_events_without_repairs(&events, &request.event_count);
    status = add(config, &request, topo);
    /* on a platform, most pairs are left: a message ends the run that has no way */
    char *cut = status == STATUS_OK && topo->ops->choose ? faults_describe_cut(topo, nodes) : NULL;
    status = cut ? faults_report_cut(topo, "", cut) : status;
    free(cut);
    fault_events_free(&events);
    if (status != STATUS_OK)
        *topo = base;
    return status;
}

enum status faults_check(const struct config *config, const struct topo *topo)
{
    struct fault_request request = request_of(config, 0);
    struct fault_events events;
    struct fault_problem problem;
    enum status status = fault_events_read(config, &events);
    if (status != STATUS_OK)
        return status;
    request.events = fault_events_until(&events, PS_NEVER, &request.event_count);
    if (!faults_check_names(topo, &request, &problem)) {
        report(config, &problem,
               problem.kind == FAULT_EVENTS ? request.event_text : request.of[problem.kind].names);
        status = STATUS_BAD_INPUT;
    }
    fault_events_free(&events);
    return status;
}

/* -------------------------------------------------------------------- times */

/* faults.at <= time < the end of the repair. */
static bool is_table_there(const struct fault_config *faults, ps_t time)
{
    return faults->at_ps <= time && (!faults->repair_ps || time < ps_add(faults->at_ps, faults->repair_ps));
}

enum status faults_apply_at(const struct config *config, ps_t time, struct topo *topo)
{
    struct fault_request request = request_of(config, 0);
    struct fault_events events;
    enum status status = fault_events_read(config, &events);
    if (status != STATUS_OK)
        return status;
    if (!is_table_there(faults_of(config), time))
        memset(request.of, 0, sizeof request.of);
    request.events = fault_events_until(&events, time, &request.event_count);
    status = add(config, &request, topo);
    fault_events_free(&events);
    return status;
}

static int compare_times(const void *a, const void *b)
{
    ps_t left = *(const ps_t *)a, right = *(const ps_t *)b;
    return (left > right) - (left < right);
}

enum status faults_times(const struct config *config, ps_t **times, size_t *count)
{
    const struct fault_config *faults = faults_of(config);
    struct fault_events events;
    enum status status = fault_events_read(config, &events);
    if (status != STATUS_OK)
        return status;
    ps_t *all = mem_alloc(events.count + 3, sizeof *all, "faults");
    size_t found = 0, kept = 0;
    all[found++] = 0;
    if (has_table(faults)) {
        all[found++] = faults->at_ps;
        all[found++] = faults->repair_ps ? ps_add(faults->at_ps, faults->repair_ps) : PS_NEVER;
    }
    for (size_t i = 0; i < events.count; i++)
        all[found++] = events.at_ps[i];
    qsort(all, found, sizeof *all, compare_times);
    for (size_t i = 0; i < found && all[i] < PS_NEVER; i++)
        if (kept == 0 || all[i] > all[kept - 1])
            all[kept++] = all[i];
    fault_events_free(&events);
    *times = all;
    *count = kept;
    return STATUS_OK;
}

/* --------------------------------------------------------------- slow nodes */

/* "3" or "8-11" at *at; false: something else. */
static bool read_range(const char *text, size_t *at, uint32_t limit, uint32_t *first, uint32_t *last)
{
    char *end;
    size_t begin = *at;
    if (text[begin] < '0' || text[begin] > '9')
        return false;
    unsigned long long low = strtoull(text + begin, &end, 10), high = low;
    if (*end == '-' && end[1] >= '0' && end[1] <= '9')
        high = strtoull(end + 1, &end, 10);
    *at = (size_t)(end - text);
    *first = (uint32_t)low;
    *last = (uint32_t)high;
    return low <= high && high < limit;
}

static bool mark_slow(const char *text, uint32_t nodes, double factor, double *factors, size_t *wrong)
{
    static const char *const between = " \t,";
    for (size_t at = strspn(text, between); text[at]; at += strspn(text + at, between)) {
        uint32_t first, last;
        *wrong = at;
        if (!read_range(text, &at, nodes, &first, &last) || (text[at] && !strchr(between, text[at])))
            return false;
        for (uint32_t node = first; node <= last; node++)
            factors[node] = factor;
    }
    return true;
}

/* The first of a random order, half a node rounded up. */
static void draw_slow(const struct config *config, uint32_t nodes, double *factors)
{
    const struct fault_config *faults = faults_of(config);
    struct rng rng = rng_init(seed_of(config), "faults.slow_nodes");
    uint32_t *order = mem_alloc(nodes, sizeof *order, "faults");
    uint32_t count = (uint32_t)floor(faults->slow_node_share * nodes + 0.5);
    for (uint32_t i = 0; i < nodes; i++)
        order[i] = i;
    for (uint32_t i = 0; i < count && i < nodes; i++) {
        uint32_t other = i + (uint32_t)rng_below(&rng, nodes - i), node = order[other];
        order[other] = order[i];
        factors[node] = faults->slow_compute;
    }
    free(order);
}

enum status faults_slow_nodes(const struct config *config, uint32_t nodes, double **factors)
{
    const struct fault_config *faults = faults_of(config);
    size_t at = 0;
    *factors = NULL;
    if (!fault_config_has_slow_nodes(config))
        return STATUS_OK;
    *factors = mem_alloc(nodes, sizeof **factors, "faults");
    for (uint32_t i = 0; i < nodes; i++)
        (*factors)[i] = 1;
    if (!faults->slow_nodes || mark_slow(faults->slow_nodes, nodes, faults->slow_compute, *factors, &at)) {
        draw_slow(config, nodes, *factors);
        return STATUS_OK;
    }
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = "faults.slow_nodes",
                                     .line = 1,
                                     .column = (uint32_t)at + 1,
                                     .span = 1,
                                     .source = faults->slow_nodes,
                                     .source_length = strlen(faults->slow_nodes)},
                "nodes of the run are expected here, from 0 to %" PRIu32 ", such as 3 or 8-11", nodes - 1);
    config_note_origin(config, "faults.slow_nodes");
    free(*factors);
    *factors = NULL;
    return STATUS_BAD_INPUT;
}
