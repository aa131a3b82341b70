#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"
#include "fabric/ocs/ocs.h"

static const char *const control_names[] = {
    [OCS_DEMAND] = "demand", [OCS_COMPILED] = "compiled", [OCS_STATIC] = "static", NULL};
static const char *const policy_names[] = {
    [OCS_OLDEST] = "oldest", [OCS_MOST_BYTES] = "most-bytes", [OCS_ROUNDS] = "rounds", NULL};
static const char *const switch_names[] = {"not-all-stop", "all-stop", NULL};
static const char *const circuits_names[] = {
    [OCS_CIRCUITS_SHIFTS] = "shifts", [OCS_CIRCUITS_TRAFFIC] = "traffic", NULL};

static bool parse_algorithm(const struct param *self, const char *text, void *field,
                            struct param_problem *problem)
{
    (void)self;
    const struct circuit_algorithm **algorithm = field;
    *algorithm = circuit_algorithm_find(text);
    if (*algorithm)
        return true;
    size_t used = (size_t)snprintf(problem->text, sizeof problem->text, "an algorithm is one of");
    for (size_t i = 0; circuit_algorithm_at(i) && used < sizeof problem->text; i++)
        used += (size_t)snprintf(problem->text + used, sizeof problem->text - used, "%s %s", i ? "," : "",
                                 circuit_algorithm_at(i)->name);
    problem->at = 0;
    return false;
}

/* One failure: "3" or "3@5us". */
static bool parse_failure(const char *text, struct ocs_failures *failures, struct param_problem *problem)
{
    char number[32], *time;
    uint64_t value;
    struct units_problem unit;
    if (failures->count == OCS_MOST_SWITCHES || strlen(text) >= sizeof number)
        return param_fail(problem, 0, "at most %d switches fail, each as '3' or '3@5us'", OCS_MOST_SWITCHES);
    strcpy(number, text);
    time = strchr(number, '@');
    if (time)
        *time++ = '\0';
    ps_t at = 0;
    if (!units_count(number, &value, &unit) || value >= OCS_MOST_SWITCHES)
        return param_fail(problem, 0, "'%s' is not the number of a switch; they count from 0: '0,2@5us'",
                          number);
    if (time && !units_time(time, &at, &unit))
        return param_fail(problem, 0, "%s; a switch fails as '3' or '3@5us'", unit.text);
    failures->number[failures->count] = (uint32_t)value;
    failures->at[failures->count++] = at;
    return true;
}

static bool parse_failed(const struct param *self, const char *text, void *field,
                         struct param_problem *problem)
{
    (void)self;
    struct ocs_failures *failures = field;
    *failures = (struct ocs_failures){.count = 0};
    if (strcmp(text, "none") == 0)
        return true;
    for (const char *at = text;; at++) {
        char item[64];
        size_t length = strcspn(at, ",");
        if (length >= sizeof item)
            return param_fail(problem, (size_t)(at - text), "'none', or switches: '0,2@5us'");
        memcpy(item, at, length);
        item[length] = '\0';
        if (!parse_failure(item, failures, problem)) {
            problem->at = (uint32_t)(at - text);
            return false;
        }
        at += length;
        if (!*at)
            return true;
    }
}

PARAM_TABLE(
    ocs_params, "ocs", struct ocs_config, "optical circuit switches, between nodes",
    {.name = "ocs.bandwidth",
     .type = PARAM_RATE,
     .offset = offsetof(struct ocs_config, bandwidth_bytes_per_s),
     .default_text = "12.5 GB/s",
     .min = "1 B/s",
     .doc =
         "of a node, over its links to all switches together; each wavelength of a link has an equal share"},
    {.name = "ocs.switching",
     .type = PARAM_TIME,
     .offset = offsetof(struct ocs_config, switching_ps),
     .default_text = "10 us",
     .min = "0 ps",
     .doc = "how long it takes to set up a circuit"},
    {.name = "ocs.switches",
     .type = PARAM_COUNT,
     .offset = offsetof(struct ocs_config, switches),
     .default_text = "1",
     .min = "1",
     .max = "64",
     .doc = "parallel switches; each node has a link to each of them"},
    {.name = "ocs.wavelengths",
     .type = PARAM_COUNT,
     .offset = offsetof(struct ocs_config, wavelengths),
     .default_text = "1",
     .min = "1",
     .max = "64",
     .doc = "of a link that are switched each for itself; 1: the link as a whole"},
    {.name = "ocs.switch",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct ocs_config, switch_kind),
     .default_text = "not-all-stop",
     .choices = switch_names,
     .doc = "all-stop: no circuit of a switch carries while one of them changes"},
    {.name = "ocs.control",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct ocs_config, control),
     .default_text = "demand",
     .choices = control_names,
     .doc = "demand: circuits for messages that wait; compiled: planned for each phase of the program; "
            "static: circuits never change"},
    {.name = "ocs.policy",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct ocs_config, policy),
     .default_text = "oldest",
     .choices = policy_names,
     .doc = "on demand, who is served first; rounds: what waits is scheduled by ocs.algorithm"},
    {.name = "ocs.controller",
     .type = PARAM_TIME,
     .offset = offsetof(struct ocs_config, controller_ps),
     .default_text = "1 us",
     .min = "0 ps",
     .doc = "on demand, from a message to the decision of the controller (an estimate: a message there and "
            "back)"},
    {.name = "ocs.algorithm",
     .type = PARAM_CUSTOM,
     .offset = offsetof(struct ocs_config, algorithm),
     .default_text = "best",
     .parse = parse_algorithm,
     .doc = "what schedules phases and rounds, as `helio schedule --switching --algorithm`"},
    {.name = "ocs.moves",
     .type = PARAM_COUNT,
     .offset = offsetof(struct ocs_config, moves),
     .default_text = "100",
     .min = "1",
     .doc = "schedules that best tries for a phase or round"},
    {.name = "ocs.circuits",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct ocs_config, circuits),
     .default_text = "shifts",
     .choices = circuits_names,
     .doc =
         "static circuits: from node i to i + 1, and further shifts; or those of most bytes of the program"},
    {.name = "ocs.forwarding",
     .type = PARAM_TIME,
     .offset = offsetof(struct ocs_config, forwarding_ps),
     .default_text = "1 us",
     .min = "0 ps",
     .doc = "of a node that sends on a message over static circuits (an estimate)"},
    {.name = "ocs.failed",
     .type = PARAM_CUSTOM,
     .offset = offsetof(struct ocs_config, failed),
     .default_text = "none",
     .parse = parse_failed,
     .doc = "switches that fail: '0,2@5us' are switch 0 from the start, and switch 2 after 5 us"},
    {.name = "ocs.wire",
     .type = PARAM_TIME,
     .offset = offsetof(struct ocs_config, wire_ps),
     .default_text = "0 ps",
     .min = "0 ps",
     .max = "1 ms",
     .doc = "of light between a node and a switch"});

static const struct metric metric_list[] = {
    {"setups", METRIC_COUNT, offsetof(struct ocs_statistics, setups), "circuits that were set up"},
    {"kept", METRIC_COUNT, offsetof(struct ocs_statistics, kept),
     "times that a circuit carried again without a set-up"},
    {"planned", METRIC_COUNT, offsetof(struct ocs_statistics, planned), "circuits of a plan that carried"},
    {"unplanned", METRIC_COUNT, offsetof(struct ocs_statistics, unplanned),
     "circuits that were asked for one by one"},
    {"plans", METRIC_COUNT, offsetof(struct ocs_statistics, plans), "phases and rounds that were scheduled"},
    {"hops", METRIC_COUNT, offsetof(struct ocs_statistics, hops), "static circuits that messages took"},
    {"carrying_s", METRIC_TIME_SUM, offsetof(struct ocs_statistics, carried),
     "summed over circuits: in which they carried"},
    {"setting_up_s", METRIC_TIME_SUM, offsetof(struct ocs_statistics, setting),
     "summed over circuits: in which they were set up, or stopped for others"},
    {"waited_s", METRIC_TIME_SUM, offsetof(struct ocs_statistics, waited),
     "summed over messages: in which no circuit carried them"},
};

const struct metric_table ocs_metrics = {
    .metrics = metric_list,
    .count = sizeof metric_list / sizeof *metric_list,
    .size = sizeof(struct ocs_statistics),
};

uint32_t ocs_planes(const struct ocs_config *config)
{
    return (uint32_t)(config->switches * config->wavelengths);
}

enum status ocs_check(const struct ocs_config *config, uint32_t nodes)
{
    uint64_t broken = 0;
    if (nodes > UINT32_MAX / OCS_SIDES / ocs_planes(config)) {
        diag_error("ocs: %" PRIu32 " nodes on %" PRIu32 " switches and wavelengths have more ports than 2^32",
                   nodes, ocs_planes(config));
        return STATUS_BAD_INPUT;
    }
    for (uint32_t i = 0; i < config->failed.count; i++) {
        if (config->failed.number[i] >= config->switches) {
            diag_error("ocs.failed names switch %" PRIu32 ", and there are %" PRIu64 ", counted from 0",
                       config->failed.number[i], config->switches);
            return STATUS_BAD_INPUT;
        }
        broken |= config->failed.at[i] == 0 ? UINT64_C(1) << config->failed.number[i] : 0;
    }
    if (config->control == OCS_STATIC)
        for (uint32_t i = 0; i < config->failed.count; i++)
            if (config->failed.at[i] > 0) {
                diag_error("with ocs.control=static a switch fails from the start: write 'ocs.failed=%" PRIu32
                           "'",
                           config->failed.number[i]);
                return STATUS_BAD_INPUT;
            }
    if (ocs_planes(config) > OCS_MOST_PLANES || ocs_planes(config) > config->bandwidth_bytes_per_s) {
        diag_error(
            "ocs.switches x ocs.wavelengths is at most %d, and no more than the bytes a second of a node",
            OCS_MOST_PLANES);
        return STATUS_BAD_INPUT;
    }
    uint64_t all = config->switches == 64 ? UINT64_MAX : (UINT64_C(1) << config->switches) - 1;
    if (broken == all) {
        diag_error("ocs.failed: all switches have failed at the start");
        return STATUS_BAD_INPUT;
    }
    return STATUS_OK;
}

void ocs_derive(struct derivation *derivation)
{
    derive_rate(derivation, "ocs.bandwidth", derivation->node_rate_bytes_per_s, "nic.count x nic.rate");
    derive_time(derivation, "ocs.wire", derivation->machine->wire_latency_ps, "wire.latency");
}

/* A node has a link to each switch, which carries all wavelengths of the switch. */
enum status ocs_hardware(const struct config *config, uint32_t nodes, struct hardware *hardware)
{
    const struct ocs_config *ocs = config_of(config, &ocs_params);
    return hardware_add_stars(hardware, (uint32_t)ocs->switches, nodes, 0,
                              ocs->bandwidth_bytes_per_s / ocs->switches);
}

struct hardware_use ocs_use(const struct config *config, uint32_t nodes, const void *statistics)
{
    const struct ocs_statistics *of = statistics;
    (void)config, (void)nodes;
    return (struct hardware_use){.setups = (double)of->setups};
}

static void describe_unused(const struct ocs_config *ocs, struct fabric_description *description)
{
    bool is_static = ocs->control == OCS_STATIC;
    bool plans = ocs->control == OCS_COMPILED || (ocs->control == OCS_DEMAND && ocs->policy == OCS_ROUNDS);
    description_unused(description, is_static, "ocs.switching");
    description_unused(description, is_static, "ocs.switch");
    description_unused(description, is_static, "ocs.policy");
    description_unused(description, is_static, "ocs.controller");
    description_unused(description, !plans, "ocs.algorithm");
    description_unused(description, !plans, "ocs.moves");
    description_unused(description, !is_static, "ocs.circuits");
    description_unused(description, !is_static, "ocs.forwarding");
}

/* Of the first message from node 0 to node 1. */
void ocs_describe(const struct config *config, uint32_t nodes, struct fabric_description *description)
{
    const struct ocs_config *ocs = config_of(config, &ocs_params);
    const struct machine_config *machine = config_of(config, &machine_params);
    uint64_t planes = ocs_planes(ocs);
    char time[DESCRIPTION_TIME];
    (void)nodes;
    ps_t setup = ocs->control == OCS_STATIC ? 0 : ocs->switching_ps;
    ps_t controller = ocs->control == OCS_DEMAND ? ocs->controller_ps : 0;
    uint64_t share = ocs->bandwidth_bytes_per_s / planes;
    description->message_rate_bytes_per_s = share;
    description->rate_bytes_per_s = share * planes;
    description->latency_ps =
        ps_add(ps_add(ps_times(ocs->wire_ps, 2), ps_add(setup, controller)), service_ps(1, share));
    description->ignores_topology = true;
    describe_unused(ocs, description);
    description_base(description, config, "ocs.wire", ocs->wire_ps, machine->wire_latency_ps, NULL);
    if (controller)
        description_add(&description->includes, "%s for the controller", description_time(controller, time));
    if (setup)
        description_add(&description->includes, "%s to set up a circuit", description_time(setup, time));
    description_add_times(description, 2, "wire", "wires", ocs->wire_ps);
    if (setup || controller)
        description_add(&description->notes, "while the circuit stays up, messages need no %s",
                        setup ? "set-up" : "controller");
    if (ocs->control == OCS_STATIC)
        description_add(&description->notes, "nodes without a circuit use several, %s more for each",
                        description_time(ocs->forwarding_ps, time));
}

/* Each pair that has messages has a piece for each of them at most; a plan has as many pieces as pairs, and
 * some more. */
enum status ocs_estimate(const struct fabric_demand *demand, struct estimate *estimate)
{
    const struct ocs_config *config = config_of(demand->config, &ocs_params);
    enum status status = ocs_check(config, demand->nodes);
    if (status != STATUS_OK)
        return status;
    double ports = (double)demand->nodes * ocs_planes(config);
    double bytes = ports * (OCS_SIDES * (sizeof(struct ocs_port) + 5.) + 4) +
                   (double)demand->nodes * OCS_SIDES * sizeof(struct ocs_list);
    if (config->control == OCS_STATIC) {
        bytes = ports * (sizeof(uint32_t) + sizeof(ps_t)) + (double)demand->nodes * demand->nodes * 2;
    } else {
        double pieces = config->control == OCS_COMPILED || config->policy == OCS_ROUNDS ? demand->pairs : 0;
        pieces = pieces > demand->messages ? pieces : demand->messages;
        bytes += estimate_array(demand->pairs, sizeof(struct ocs_pair)) + demand->pairs * 2 * 16 +
                 estimate_array(pieces, sizeof(struct ocs_piece)) +
                 estimate_array(demand->messages, sizeof(struct ocs_transfer)) +
                 loop_estimate(demand->messages);
    }
    fabric_estimate_add(estimate, bytes);
    return STATUS_OK;
}
