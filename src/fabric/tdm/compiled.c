#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/queue.h"
#include "fabric/fabric.h"
#include "fabric/tdm/registers.h"
#include "fabric/tdm/tdm.h"
#include "fabric/topology.h"

/* Compiled communication ("Compiled Communication for All-optical TDM Networks"): connections are scheduled
 * before the program runs, and the switches' circular shift registers are loaded before a phase begins. A
 * node starts at most one message in each slot. A message waits for the slot of its connection, and takes one
 * slot of every frame. docs/models/tdm.md */
enum tdm_compiled_schedule { SCHEDULE_PHASES, SCHEDULE_PROGRAM, SCHEDULE_ALL_TO_ALL, SCHEDULE_LOGICAL };

struct tdm_compiled_config {
    int schedule, algorithm, routes;
    uint64_t moves;
    ps_t reconfiguration_ps;
    const char *logical;
    ps_t forwarding_ps;
};

static const char *const schedule_names[] = {"phases", "program", "all-to-all", "logical", NULL};
static const char *const route_names[] = {"fixed", "free", NULL};

PARAM_TABLE(
    tdm_compiled_params, "tdm-compiled", struct tdm_compiled_config,
    "light paths scheduled before the program runs (Yuan, Melhem and Gupta)",
    {.name = "tdm.schedule",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct tdm_compiled_config, schedule),
     .default_text = "phases",
     .choices = schedule_names,
     .doc = "what is scheduled: each phase's pattern, their union, all pairs, or a logical topology"},
    {.name = "tdm.algorithm",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct tdm_compiled_config, algorithm),
     .default_text = "best",
     .choices = tdm_algorithm_names,
     .doc = "the scheduler (docs/models/tdm.md)"},
    {.name = "tdm.routes",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct tdm_compiled_config, routes),
     .default_text = "fixed",
     .choices = route_names,
     .doc = "free: greedy and best choose among minimal routes"},
    {.name = "tdm.moves",
     .type = PARAM_COUNT,
     .offset = offsetof(struct tdm_compiled_config, moves),
     .default_text = "20000",
     .min = "1",
     .doc = "moves after which best stops its search for a shorter schedule"},
    {.name = "tdm.reconfiguration",
     .type = PARAM_TIME,
     .offset = offsetof(struct tdm_compiled_config, reconfiguration_ps),
     .default_text = "0 ps",
     .doc = "cost of a change of patterns, beside the K slots in which registers are loaded"},
    {.name = "tdm.logical",
     .type = PARAM_TEXT,
     .offset = offsetof(struct tdm_compiled_config, logical),
     .default_text = "hypercube",
     .doc = "the logical topology of tdm.schedule=logical: hypercube, or a mesh or torus of the run's nodes"},
    {.name = "tdm.forwarding",
     .type = PARAM_TIME,
     .offset = offsetof(struct tdm_compiled_config, forwarding_ps),
     .default_text = "0 ps",
     .doc = "time that a node takes to forward a message over the logical topology"});

/* A connection of the loaded registers. */
struct tdm_connection {
    uint64_t left;     /* messages of the phase that have not been submitted */
    int64_t free_slot; /* the first one that is free */
};

/* Messages of later phases that have passed without their slots. */
struct tdm_passed {
    struct tdm_passed_message {
        uint32_t source, destination;
    } * messages;
    size_t count, capacity;
};

struct tdm_compiled {
    struct fabric fabric;
    const struct tdm_config *tdm;
    const struct tdm_compiled_config *config;
    struct topo topo, logical;
    struct tdm_registers *registers; /* by pattern */
    uint32_t patterns;
    uint32_t *at_node; /* SCHEDULE_LOGICAL: by message, where it is; grows */
    size_t at_node_capacity;
    size_t phase;
    struct tdm_connection *connections; /* of registers[pattern now] */
    size_t connection_capacity;
    const struct tdm_registers *now;
    int64_t base;         /* the slot at which the loaded registers begin their first frame */
    int64_t phase_end;    /* the slot at which all messages so far are delivered */
    uint64_t phase_left;  /* messages of the phase that have not been submitted */
    int64_t *next_issue;  /* by node: the first slot in which it may begin with a message */
    struct queue waiting; /* for a later phase, in the order of submission, by message->fabric */
    struct tdm_passed *passed;
    uint32_t hop_kind;
    struct tdm_statistics statistics;
};

/* ---------------------------------------------------------------- registers */

/* Loads the registers when all messages so far are delivered: it takes K slots, and the cost of a change. */
static void load(struct tdm_compiled *compiled, const struct tdm_registers *registers)
{
    int64_t begun = compiled->phase_end;
    if (compiled->now) /* the first load is no change */
        begun = ps_add(begun, tdm_slot_from(compiled->tdm, compiled->config->reconfiguration_ps));
    compiled->now = registers;
    compiled->base = compiled->phase_end = ps_add(begun, registers->degree);
    compiled->statistics.reconfigurations++;
    if (registers->degree > compiled->statistics.degree)
        compiled->statistics.degree = registers->degree;
    compiled->connections =
        mem_grow(compiled->connections, &compiled->connection_capacity, registers->count + 1, "connections");
    memset(compiled->connections, 0, registers->count * sizeof *compiled->connections);
}

static bool has_phases(const struct tdm_compiled *compiled)
{
    return compiled->config->schedule == SCHEDULE_PHASES;
}

/* Sets up the phase with the number compiled->phase, which exists. */
static void begin_phase(struct tdm_compiled *compiled)
{
    const struct fabric_phase *phase = &compiled->fabric.params.traffic->phases[compiled->phase];
    load(compiled, &compiled->registers[phase->pattern]);
    compiled->phase_left = 0;
    for (size_t i = 0; i < phase->count; i++) {
        compiled->connections[i].left = phase->pairs[i].messages;
        compiled->phase_left += phase->pairs[i].messages;
    }
}

/* ----------------------------------------------------------------- messages */

/* Tells the tap where a message's time goes before its first slot: it waits for its phase, for the node's
 * other messages, for a slot to begin, and for its own one, as others have those before. */
static void emit_waits(const struct tdm_compiled *compiled, uint32_t index, uint32_t node, ps_t since,
                       ps_t begun)
{
    ps_t loaded = ps_max(since, tdm_slot_begin(compiled->tdm, compiled->base));
    ps_t issued = ps_max(loaded, tdm_slot_begin(compiled->tdm, compiled->next_issue[node]));
    const struct tap *tap = compiled->fabric.params.tap;
    tap_emit_part(tap, index, TAP_PART_SWITCH, since, loaded, "the registers of phase",
                  (uint32_t)compiled->phase);
    tap_emit_part(tap, index, TAP_PART_QUEUE, loaded, issued, "messages sent before it by node", node);
    ps_t slot = tdm_slot_begin(compiled->tdm, tdm_slot_from(compiled->tdm, issued));
    tap_emit_part(tap, index, TAP_PART_SWITCH, issued, slot, "the next slot at node", node);
    tap_emit_part(tap, index, TAP_PART_QUEUE, slot, begun, "its slot at node", node);
}

/* What light takes over a connection, the links of both nodes included. */
static ps_t light_ps(const struct tdm_compiled *compiled, size_t at)
{
    const struct tdm_request *pair = &compiled->now->pairs[at];
    return tdm_light_ps(compiled->tdm, &compiled->topo, pair->source, pair->destination);
}

/* Sends the message over a connection, for which it has waited since `since`; returns the slot after its last
 * one. */
static int64_t pass(struct tdm_compiled *compiled, uint32_t index, size_t at, uint32_t node, ps_t since)
{
    struct tdm_connection *connection = &compiled->connections[at];
    const struct tdm_registers *registers = compiled->now;
    const struct fabric *fabric = &compiled->fabric;
    int64_t count = tdm_slots_of(compiled->tdm, fabric_message_bytes(fabric, fabric_message(fabric, index)));
    int64_t issue = ps_max(ps_max(tdm_slot_from(compiled->tdm, fabric_now(fabric)), compiled->base),
                           compiled->next_issue[node]);
    int64_t first = tdm_next_slot(ps_max(issue, connection->free_slot), compiled->base, registers->slot[at],
                                  registers->degree);
    int64_t end = tdm_end_slot(first, count, registers->degree);
    connection->free_slot = end;
    ps_t light = light_ps(compiled, at);
    int64_t there =
        light ? tdm_slot_from(compiled->tdm, ps_add(tdm_slot_begin(compiled->tdm, end), light)) : end;
    compiled->phase_end = ps_max(compiled->phase_end, there);
    compiled->statistics.data_slots += count;
    compiled->statistics.hops++;
    ps_t begun = tdm_slot_begin(compiled->tdm, first);
    compiled->statistics.waited += begun - since;
    emit_waits(compiled, index, node, since, begun);
    compiled->next_issue[node] = ps_add(issue, 1);
    tap_emit_part(fabric->params.tap, index, TAP_PART_TRANSFER, begun, tdm_slot_begin(compiled->tdm, end),
                  NULL, 0);
    return end;
}

/* The message has left in the slot before this one, and light takes `light` to its destination. */
static void arrive(struct tdm_compiled *compiled, uint32_t index, int64_t slot, ps_t light)
{
    const struct fabric *fabric = &compiled->fabric;
    ps_t at = tdm_slot_begin(compiled->tdm, slot), there = ps_add(at, light);
    if ((uint64_t)slot > compiled->statistics.slots)
        compiled->statistics.slots = (uint64_t)slot;
    compiled->statistics.released = ps_max(compiled->statistics.released, at);
    tap_emit_part(fabric->params.tap, index, TAP_PART_WIRE, at, there, NULL, 0);
    fabric_visible(fabric, index, there);
    fabric_sender_done(fabric, index, at);
    fabric_delivered(fabric, index, there);
}

/* One message less of the connection. False: this phase does not have it, or all its messages are gone. */
static bool count_message(struct tdm_compiled *compiled, size_t at)
{
    if (at == compiled->now->count || (has_phases(compiled) && compiled->connections[at].left == 0))
        return false;
    if (has_phases(compiled)) {
        compiled->connections[at].left--;
        compiled->phase_left--;
    }
    return true;
}

static bool send_now(struct tdm_compiled *compiled, uint32_t index)
{
    const struct message *message = fabric_message(&compiled->fabric, index);
    size_t at = tdm_registers_find(compiled->now, message->source_node, message->destination_node);
    if (!count_message(compiled, at))
        return false;
    int64_t end = pass(compiled, index, at, message->source_node, message->injected);
    arrive(compiled, index, end, light_ps(compiled, at));
    return true;
}

static struct queue_links message_links(const struct tdm_compiled *compiled)
{
    return QUEUE_LINKS(compiled->fabric.params.messages->records, struct message, fabric);
}

static void put_off(struct tdm_compiled *compiled, uint32_t index)
{
    queue_append(&compiled->waiting, message_links(compiled), index);
}

/* Sends the messages that wait for the phase that begins; those of later phases wait on. */
static void send_waiting(struct tdm_compiled *compiled)
{
    struct queue before = compiled->waiting;
    queue_init(&compiled->waiting);
    while (!queue_is_empty(&before)) {
        uint32_t index = queue_take(&before, message_links(compiled));
        if (!send_now(compiled, index))
            put_off(compiled, index);
    }
}

static bool pass_now(struct tdm_compiled *compiled, const struct tdm_passed_message *message)
{
    return count_message(compiled, tdm_registers_find(compiled->now, message->source, message->destination));
}

/* Behind those that wait: a message that has passed must not take the place of one sent before it. */
static void count_passed(struct tdm_compiled *compiled)
{
    struct tdm_passed *passed = compiled->passed;
    size_t kept = 0;
    for (size_t i = 0; i < passed->count; i++)
        if (!pass_now(compiled, &passed->messages[i]))
            passed->messages[kept++] = passed->messages[i];
    passed->count = kept;
}

/* Goes on to the first phase of which messages are left. */
static void end_phases(struct tdm_compiled *compiled)
{
    while (has_phases(compiled) && compiled->phase_left == 0 &&
           compiled->phase + 1 < compiled->fabric.params.traffic->count) {
        compiled->phase++;
        begin_phase(compiled);
        send_waiting(compiled);
        count_passed(compiled);
    }
}

/* A phase is planned with the message, and ends without it. */
static void compiled_pass(struct fabric *fabric, const struct message *message)
{
    struct tdm_compiled *compiled = (struct tdm_compiled *)fabric;
    const struct tdm_passed_message it = {message->source_node, message->destination_node};
    struct tdm_passed *passed = compiled->passed;
    if (!has_phases(compiled))
        return;
    if (pass_now(compiled, &it)) {
        end_phases(compiled);
        return;
    }
    passed->messages =
        mem_grow(passed->messages, &passed->capacity, passed->count + 1, "messages that have passed");
    passed->messages[passed->count++] = it;
}

static void hop(void *self, uint32_t index);

static bool is_scheduled(const struct tdm_compiled *compiled, const struct message *message)
{
    for (size_t i = compiled->phase; has_phases(compiled) && i < compiled->fabric.params.traffic->count;
         i++) {
        const struct tdm_registers *registers =
            &compiled->registers[compiled->fabric.params.traffic->phases[i].pattern];
        if (tdm_registers_find(registers, message->source_node, message->destination_node) !=
            registers->count)
            return true;
    }
    return false;
}

/* A phase ends with its last message, and handshakes would count as messages. */
static bool refuse_handshake(struct tdm_compiled *compiled, const struct message *message)
{
    if (!has_phases(compiled) || !(message->state & MESSAGE_CONTROL))
        return false;
    diag_error("the handshake from node %" PRIu32 " to node %" PRIu32
               " is in no phase: tdm.schedule=phases schedules the messages of the program alone; "
               "tdm.schedule=all-to-all or logical also carries others, and rendezvous.handshakes=0 has none",
               message->source_node, message->destination_node);
    fabric_failed(&compiled->fabric, STATUS_FAILED);
    return true;
}

static void compiled_submit(struct fabric *fabric, uint32_t index)
{
    struct tdm_compiled *compiled = (struct tdm_compiled *)fabric;
    const struct message *message = fabric_message(&compiled->fabric, index);
    if (refuse_handshake(compiled, message))
        return;
    if (compiled->config->schedule == SCHEDULE_LOGICAL) {
        compiled->at_node =
            mem_grow(compiled->at_node, &compiled->at_node_capacity, (size_t)index + 1, "messages under way");
        compiled->at_node[index] = message->source_node;
        hop(compiled, index);
        return;
    }
    if (compiled->now && send_now(compiled, index)) {
        end_phases(compiled);
        return;
    }
    if (!is_scheduled(compiled, message)) {
        diag_error("no connection from node %" PRIu32 " to node %" PRIu32
                   " is scheduled; tdm.schedule=all-to-all or logical also carries messages that are not the "
                   "program's, such as rendezvous.handshakes",
                   message->source_node, message->destination_node);
        fabric_failed(fabric, STATUS_FAILED);
        return;
    }
    put_off(compiled, index);
}

/* --------------------------------------------------------- logical topology */

/* A message is at a node and takes its next logical link; messages go in the order in which they come. */
static void hop(void *self, uint32_t index)
{
    struct tdm_compiled *compiled = self;
    uint32_t node = compiled->at_node[index];
    uint32_t destination = fabric_message(&compiled->fabric, index)->destination_node;
    uint32_t next = topo_link_to(&compiled->logical, topo_next(&compiled->logical, node, destination));
    size_t at = tdm_registers_find(compiled->now, node, next);
    int64_t end = pass(compiled, index, at, node, fabric_now(&compiled->fabric));
    compiled->at_node[index] = next;
    ps_t light = light_ps(compiled, at);
    if (next == destination)
        arrive(compiled, index, end, light);
    else
        loop_at(compiled->fabric.params.loop,
                ps_add(ps_add(tdm_slot_begin(compiled->tdm, end), light), compiled->config->forwarding_ps),
                compiled->hop_kind, index);
}

static bool is_power_of_two(uint32_t number)
{
    return (number & (number - 1)) == 0;
}

/* A hypercube is a mesh of two nodes in each dimension. */
static enum status read_logical(struct tdm_compiled *compiled, uint32_t nodes)
{
    const char *text = compiled->config->logical;
    char hypercube[TOPO_TEXT] = "mesh:2";
    if (strcmp(text, "hypercube") == 0) {
        if (!is_power_of_two(nodes) || nodes < 2) {
            diag_error("tdm.logical=hypercube needs 2, 4, 8 ... nodes, and the run has %" PRIu32
                       "; give a mesh or torus",
                       nodes);
            return STATUS_BAD_INPUT;
        }
        for (uint32_t n = 2; n < nodes && strlen(hypercube) + 3 < sizeof hypercube; n *= 2)
            strcat(hypercube, "x2");
        text = hypercube;
    }
    enum status status = topo_parse("tdm.logical", text, &compiled->logical);
    if (status != STATUS_OK)
        return status;
    if (topo_grid(&compiled->logical) && compiled->logical.nodes == nodes)
        return STATUS_OK;
    diag_error("tdm.logical must be a mesh or torus with as many nodes as the run, %" PRIu32 "; '%s' is not",
               nodes, text);
    return STATUS_BAD_INPUT;
}

static void add_logical_links(const struct topo *logical, struct tdm_pattern *pattern)
{
    for (uint32_t link = 2 * logical->nodes; link < logical->links; link++) {
        struct topo_ends ends = topo_link_ends(logical, link);
        tdm_pattern_add(pattern, ends.from.id, ends.to.id);
    }
}

/* ------------------------------------------------------------------- fabric */

static void add_pairs(const struct fabric_phase *phase, struct tdm_pattern *pattern)
{
    for (size_t i = 0; i < phase->count; i++)
        tdm_pattern_add(pattern, phase->pairs[i].source, phase->pairs[i].destination);
}

/* The pattern with this number, by tdm.schedule. */
static void gather(const struct tdm_compiled *compiled, uint32_t number, uint32_t nodes,
                   struct tdm_pattern *pattern)
{
    const struct fabric_traffic *traffic = compiled->fabric.params.traffic;
    size_t i = 0;
    switch (compiled->config->schedule) {
    case SCHEDULE_PHASES:
        while (traffic->phases[i].pattern != number)
            i++;
        add_pairs(&traffic->phases[i], pattern);
        return;
    case SCHEDULE_PROGRAM:
        for (; i < traffic->count; i++)
            add_pairs(&traffic->phases[i], pattern);
        return;
    case SCHEDULE_ALL_TO_ALL:
        for (uint32_t source = 0; source < nodes; source++)
            for (uint32_t destination = 0; destination < nodes; destination++)
                if (source != destination)
                    tdm_pattern_add(pattern, source, destination);
        return;
    default:
        add_logical_links(&compiled->logical, pattern);
    }
}

static enum status schedule_patterns(struct tdm_compiled *compiled, uint32_t nodes, uint64_t seed)
{
    const struct tdm_compiled_config *config = compiled->config;
    struct tdm_method method = {.algorithm = config->algorithm,
                                .free_routes = config->routes == 1,
                                .seed = seed,
                                .limit = {.moves = config->moves}};
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < compiled->patterns && status == STATUS_OK; i++) {
        struct tdm_pattern pattern = {0};
        gather(compiled, i, nodes, &pattern);
        status = tdm_registers_init(&compiled->registers[i], &compiled->topo, &pattern, &method);
        tdm_pattern_free(&pattern);
    }
    if (status != STATUS_OK || compiled->patterns == 0)
        return status;
    if (has_phases(compiled))
        begin_phase(compiled);
    else
        load(compiled, &compiled->registers[0]);
    return STATUS_OK;
}

static void compiled_free(struct fabric *fabric)
{
    struct tdm_compiled *compiled = (struct tdm_compiled *)fabric;
    for (uint32_t i = 0; i < compiled->patterns; i++)
        tdm_registers_free(&compiled->registers[i]);
    faults_release(&compiled->topo);
    free(compiled->registers);
    free(compiled->at_node);
    free(compiled->connections);
    free(compiled->next_issue);
    if (compiled->passed)
        free(compiled->passed->messages);
    free(compiled->passed);
}

static enum status check(const struct tdm_compiled_config *config)
{
    if (config->routes == 0 || config->algorithm == TDM_GREEDY || config->algorithm == TDM_BEST)
        return STATUS_OK;
    diag_error("only greedy and best choose routes; tdm.algorithm=%s schedules fixed ones",
               tdm_algorithm_names[config->algorithm]);
    return STATUS_BAD_INPUT;
}

static bool compiled_wants_traffic(const struct config *config)
{
    int schedule = ((const struct tdm_compiled_config *)config_of(config, &tdm_compiled_params))->schedule;
    return schedule == SCHEDULE_PHASES || schedule == SCHEDULE_PROGRAM;
}

/* How many patterns are scheduled. */
static uint32_t count_patterns(int schedule, const struct fabric_traffic *traffic)
{
    if (schedule == SCHEDULE_PHASES)
        return traffic->patterns;
    return schedule != SCHEDULE_PROGRAM || traffic->count > 0;
}

static enum status compiled_init(struct fabric *fabric)
{
    struct tdm_compiled *compiled = (struct tdm_compiled *)fabric;
    const struct fabric_params *params = &fabric->params;
    compiled->tdm = config_of(params->config, &tdm_params);
    compiled->config = config_of(params->config, &tdm_compiled_params);
    queue_init(&compiled->waiting);
    compiled->next_issue = mem_alloc(params->nodes, sizeof *compiled->next_issue, "nodes");
    compiled->passed = mem_alloc(1, sizeof *compiled->passed, "messages that have passed");
    compiled->hop_kind = loop_register(params->loop, hop, compiled);
    int schedule = compiled->config->schedule;
    enum status status = check(compiled->config);
    if (status == STATUS_OK)
        status = topology_for_circuits(params->config, params->nodes, 0, &compiled->topo);
    if (status == STATUS_OK)
        faults_hold(&compiled->topo);
    if (status == STATUS_OK)
        status = tdm_check_rates(compiled->tdm, &compiled->topo);
    if (status == STATUS_OK && schedule == SCHEDULE_LOGICAL)
        status = read_logical(compiled, params->nodes);
    if (status != STATUS_OK)
        return status;
    compiled->patterns = count_patterns(schedule, params->traffic);
    compiled->registers =
        mem_alloc((size_t)compiled->patterns + 1, sizeof *compiled->registers, "registers of the switches");
    return schedule_patterns(compiled, params->nodes, params->seed);
}

static const void *compiled_statistics(struct fabric *fabric)
{
    return &((struct tdm_compiled *)fabric)->statistics;
}

static size_t compiled_bytes(const struct fabric *fabric)
{
    const struct tdm_compiled *compiled = (const struct tdm_compiled *)fabric;
    size_t bytes = compiled->connection_capacity * sizeof *compiled->connections +
                   compiled->at_node_capacity * sizeof *compiled->at_node +
                   compiled->passed->capacity * sizeof *compiled->passed->messages +
                   compiled->topo.nodes * sizeof *compiled->next_issue;
    for (uint32_t i = 0; i < compiled->patterns; i++)
        bytes += tdm_registers_bytes(&compiled->registers[i], compiled->topo.nodes);
    return bytes;
}

static void compiled_explain(const struct fabric *fabric)
{
    const struct tdm_compiled *compiled = (const struct tdm_compiled *)fabric;
    if (compiled->waiting.head != POOL_NONE)
        diag_note("tdm-compiled is in phase %zu of %zu, of which %" PRIu64
                  " messages have not been sent; messages of later phases wait for them",
                  compiled->phase + 1, compiled->fabric.params.traffic->count, compiled->phase_left);
}

/* The connections that are scheduled. */
static double connections_of(const struct fabric_demand *demand, const struct tdm_compiled_config *config)
{
    double nodes = demand->nodes;
    switch (config->schedule) {
    case SCHEDULE_ALL_TO_ALL:
        return nodes * (nodes - 1);
    case SCHEDULE_LOGICAL: /* at most as many neighbours as a hypercube has */
        return nodes * estimate_doublings(nodes);
    default:
        return demand->pairs;
    }
}

/* Scheduling one pattern takes more than holding all of them: every scheduler lists the links of all routes,
 * and which connections use each link. */
static enum status compiled_estimate(const struct fabric_demand *demand, struct estimate *estimate)
{
    const struct tdm_compiled_config *config = config_of(demand->config, &tdm_compiled_params);
    const size_t of_connection = sizeof(struct tdm_connection) + 2 * sizeof(struct tdm_request) +
                                 6 * sizeof(uint32_t); /* slots, orders and counts of the schedulers */
    struct topo topo;
    enum status status = topology_for_circuits(demand->config, demand->nodes, 0, &topo);
    if (status != STATUS_OK)
        return status;
    double connections = connections_of(demand, config);
    double links = connections * (topo_mean_distance(&topo) + 2);
    fabric_estimate_add(estimate, connections * (double)of_connection + 2 * links * (double)sizeof(uint32_t) +
                                      (double)demand->nodes * sizeof(int64_t));
    return STATUS_OK;
}

static bool has_choices(const struct config *config, uint32_t nodes)
{
    struct topo topo;
    return topology_at_start(config, nodes, &topo) != STATUS_OK || topo_has_choices(&topo);
}

/* With the registers loaded, and at a slot of its connection. */
static void compiled_describe(const struct config *config, uint32_t nodes,
                              struct fabric_description *description)
{
    const struct tdm_compiled_config *compiled = config_of(config, &tdm_compiled_params);
    tdm_describe(config, nodes, 1, description);
    description_unused(description, compiled->schedule != SCHEDULE_LOGICAL, "tdm.logical");
    description_unused(description, compiled->schedule != SCHEDULE_LOGICAL, "tdm.forwarding");
    description_unused(description, compiled->schedule != SCHEDULE_PHASES, "tdm.reconfiguration");
    description_unused(description, compiled->algorithm != TDM_BEST, "tdm.moves");
    description_unused(description, !has_choices(config, nodes), "tdm.routes");
    description_add(&description->notes,
                    "in a frame of K slots a message waits up to K slots, at 1/K of the rate");
}

const struct fabric_ops tdm_compiled_fabric = {
    .name = "tdm-compiled",
    .doc = "time-multiplexed light paths, scheduled before the program runs",
    .params = &tdm_compiled_params,
    .metrics = &tdm_metrics,
    .host_path = HOST_PATH_NIC,
    .derive = tdm_derive,
    .describe = compiled_describe,
    .hardware = tdm_hardware,
    .wants_traffic = compiled_wants_traffic,
    .size = sizeof(struct tdm_compiled),
    .counted_bytes = 1240,
    .init = compiled_init,
    .free = compiled_free,
    .submit = compiled_submit,
    .pass = compiled_pass,
    .statistics = compiled_statistics,
    .bytes = compiled_bytes,
    .estimate = compiled_estimate,
    .is_immediate = true,
    .explain = compiled_explain,
};
