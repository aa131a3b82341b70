#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/rng.h"
#include "fabric/rotor/rotor.h"

static const char *const offset_names[] = {"together", "staggered", NULL};
static const char *const order_names[] = {"cyclic", "random", NULL};
static const char *const accept_names[] = {"any", "slot", NULL};

PARAM_TABLE(
    rotor_params, "rotor", struct rotor_config,
    "optical switches that rotate through fixed matchings (RotorNet, Opera, Sirius)",
    {.name = "rotor.switches",
     .type = PARAM_COUNT,
     .offset = offsetof(struct rotor_config, switches),
     .default_text = "0",
     .max = "1000000",
     .doc = "parallel switches, each with a link to every node; 0: one for every 16 matchings (RotorNet)"},
    {.name = "rotor.bandwidth",
     .type = PARAM_RATE,
     .offset = offsetof(struct rotor_config, bandwidth_bytes_per_s),
     .default_text = "12.5 GB/s",
     .min = "1 B/s",
     .doc = "of all links of a node together; a link has 1/rotor.switches of it"},
    {.name = "rotor.slot",
     .type = PARAM_TIME,
     .offset = offsetof(struct rotor_config, slot_ps),
     .default_text = "180 us",
     .min = "1 ps",
     .max = "1 s",
     .doc = "how long a matching carries data, without the guard (RotorNet: 90 % of 200 us)"},
    {.name = "rotor.guard",
     .type = PARAM_TIME,
     .offset = offsetof(struct rotor_config, guard_ps),
     .default_text = "20 us",
     .min = "0 ps",
     .max = "1 s",
     .doc = "how long a switch is dark before each slot, while it changes its matching (RotorNet)"},
    {.name = "rotor.wire",
     .type = PARAM_TIME,
     .offset = offsetof(struct rotor_config, wire_ps),
     .default_text = "0 ps",
     .min = "0 ps",
     .max = "1 ms",
     .doc = "of light on the link between a node and a switch; a hop passes two"},
    {.name = "rotor.offset",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct rotor_config, offset),
     .default_text = "together",
     .choices = offset_names,
     .doc = "all switches change at the same time (RotorNet), or one after another (Opera)"},
    {.name = "rotor.order",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct rotor_config, order),
     .default_text = "cyclic",
     .choices = order_names,
     .doc = "in which matchings are dealt to the switches; random ones make short paths (Opera)"},
    {.name = "rotor.hops",
     .type = PARAM_COUNT,
     .offset = offsetof(struct rotor_config, hops),
     .default_text = "1",
     .min = "1",
     .max = "2",
     .doc = "1: a message waits for the circuit to its destination; 2: it also goes over another node"},
    {.name = "rotor.cell",
     .type = PARAM_SIZE,
     .offset = offsetof(struct rotor_config, cell_bytes),
     .default_text = "0 B",
     .doc = "the largest part of a message that a link sends at once; 0: what a slot carries"},
    {.name = "rotor.accept",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct rotor_config, accept),
     .default_text = "slot",
     .choices = accept_names,
     .doc = "rotor.hops=2: what a node stores for others: anything, or only what fits into its next slot to "
            "the destination, beside its own messages to it (RotorLB)"},
    {.name = "rotor.stored",
     .type = PARAM_SIZE,
     .offset = offsetof(struct rotor_config, stored_bytes),
     .default_text = "0 B",
     .doc = "rotor.hops=2: the most that a node stores for others; 0: no limit"},
    {.name = "rotor.short",
     .type = PARAM_SIZE,
     .offset = offsetof(struct rotor_config, short_bytes),
     .default_text = "0 B",
     .doc = "smaller messages go at once, over several circuits that are up (Opera); 0: none do"},
    {.name = "rotor.failed",
     .type = PARAM_TEXT,
     .offset = offsetof(struct rotor_config, failed),
     .default_text = NULL,
     .doc = "numbers of switches that carry nothing, from 0, as 0,3"});

uint32_t rotor_switches(const struct rotor_config *config, uint32_t nodes)
{
    uint32_t matchings = nodes > 1 ? nodes - 1 : 1;
    return config->switches ? (uint32_t)config->switches : (matchings - 1) / ROTOR_MATCHINGS + 1;
}

size_t rotor_plan_bytes(uint32_t nodes, uint32_t switches)
{
    return 2 * (size_t)nodes * sizeof(uint32_t) + switches * (sizeof(struct rotor_up) + sizeof(bool));
}

ps_t rotor_service(const struct rotor_plan *plan, uint64_t bytes)
{
    uint64_t times;
    if (__builtin_mul_overflow(bytes, plan->switches, &times))
        return PS_NEVER;
    return service_ps(times, plan->config->bandwidth_bytes_per_s);
}

uint64_t rotor_capacity(const struct rotor_plan *plan, ps_t time)
{
    uint64_t product, parts = (uint64_t)PS_PER_S * plan->switches;
    if (time <= 0)
        return 0;
    if (!__builtin_mul_overflow((uint64_t)time, plan->config->bandwidth_bytes_per_s, &product))
        return product / parts;
    unsigned __int128 bytes = (unsigned __int128)(uint64_t)time * plan->config->bandwidth_bytes_per_s / parts;
    return bytes < INT64_MAX ? (uint64_t)bytes : INT64_MAX;
}

/* Random matchings are a property of the network, like its wires, so they are the same for each seed. */
static void deal(struct rotor_plan *plan)
{
    struct rng rng = rng_init(0, "rotor.order");
    uint32_t count = plan->nodes - 1;
    for (uint32_t i = 0; i < count; i++)
        plan->order[i] = i + 1;
    for (uint32_t i = count; plan->config->order == ROTOR_RANDOM && i > 1; i--) {
        uint32_t other = (uint32_t)rng_below(&rng, i), kept = plan->order[other];
        plan->order[other] = plan->order[i - 1];
        plan->order[i - 1] = kept;
    }
    for (uint32_t i = 0; i < count; i++)
        plan->dealt[plan->order[i]] = i;
}

/* "0,3": the numbers of switches. */
static enum status read_failed(struct rotor_plan *plan)
{
    const char *text = plan->config->failed ? plan->config->failed : "";
    plan->working = plan->switches;
    for (const char *at = text; *at;) {
        char *end;
        unsigned long number = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || (*end && (*end != ',' || !end[1]))) {
            diag_error("rotor.failed=%s is no list of switches; write numbers with commas, such as 0,3",
                       text);
            return STATUS_BAD_INPUT;
        }
        if (number >= plan->switches) {
            diag_error("rotor.failed=%s: there is no switch %lu; the last one is switch %" PRIu32, text,
                       number, plan->switches - 1);
            return STATUS_BAD_INPUT;
        }
        plan->working -= !plan->failed[number];
        plan->failed[number] = true;
        at = *end ? end + 1 : end;
    }
    if (plan->working)
        return STATUS_OK;
    diag_error("rotor.failed=%s leaves no switch that works, so nothing can be sent", text);
    return STATUS_BAD_INPUT;
}

static enum status check_sizes(const struct rotor_plan *plan)
{
    const struct rotor_config *config = plan->config;
    unsigned __int128 cycle = (unsigned __int128)(uint64_t)plan->period_ps * (plan->nodes + 1);
    if (cycle >= INT64_MAX) {
        diag_error("the switches take longer than 106 days to pass through the matchings of %" PRIu32
                   " nodes; rotor.slot and rotor.guard must be shorter",
                   plan->nodes);
        return STATUS_BAD_INPUT;
    }
    if (config->short_bytes && plan->working < 2) {
        diag_error("rotor.short needs at least 2 switches that work, since a path takes several circuits "
                   "that are up at once; there is 1");
        return STATUS_BAD_INPUT;
    }
    if ((config->hops > 1 || config->short_bytes) && !plan->slot_bytes) {
        diag_error("a link carries less than 1 B in a slot; rotor.slot must be longer, or rotor.bandwidth "
                   "higher");
        return STATUS_BAD_INPUT;
    }
    if (config->hops > 1 && config->stored_bytes && config->stored_bytes < plan->cell_bytes) {
        diag_error("rotor.stored is smaller than a cell of %" PRIu64
                   " B, so a node could store nothing for others; raise it, or set rotor.cell lower",
                   plan->cell_bytes);
        return STATUS_BAD_INPUT;
    }
    return STATUS_OK;
}

static void make(struct rotor_plan *plan)
{
    const struct rotor_config *config = plan->config;
    plan->period_ps = config->guard_ps + config->slot_ps;
    plan->light_ps = 2 * config->wire_ps;
    plan->slot_bytes = rotor_capacity(plan, config->slot_ps);
    plan->cell_bytes = plan->slot_bytes;
    if (config->cell_bytes && config->cell_bytes < plan->cell_bytes)
        plan->cell_bytes = config->cell_bytes;
    plan->order = mem_alloc(plan->nodes, sizeof *plan->order, "matchings");
    plan->dealt = mem_alloc(plan->nodes, sizeof *plan->dealt, "matchings");
    plan->failed = mem_alloc(plan->switches, sizeof *plan->failed, "switches");
    plan->views = mem_alloc(plan->switches, sizeof *plan->views, "switches");
    deal(plan);
}

enum status rotor_plan_init(struct rotor_plan *plan, const struct config *config, uint32_t nodes)
{
    const struct rotor_config *settings = config_of(config, &rotor_params);
    uint32_t switches = rotor_switches(settings, nodes), matchings = nodes > 1 ? nodes - 1 : 1;
    *plan = (struct rotor_plan){.config = settings, .nodes = nodes, .switches = switches};
    if (switches > matchings) {
        diag_error("rotor.switches=%" PRIu32 " is too many for %" PRIu32
                   " nodes: each switch needs a matching, "
                   "and they have %" PRIu32,
                   switches, nodes, matchings);
        return STATUS_BAD_INPUT;
    }
    make(plan);
    enum status status = read_failed(plan);
    return status == STATUS_OK ? check_sizes(plan) : status;
}

void rotor_plan_free(struct rotor_plan *plan)
{
    free(plan->order);
    free(plan->dealt);
    free(plan->failed);
    free(plan->views);
}
