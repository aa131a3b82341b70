#include "base/mem.h"
#include "fabric/list.h"
#include "fabric/maxmin.h"

/* A packet-switched network at flow level: the messages under way share each node's up and down link max-min
 * fairly, and everything between the links is free of contention. Eq. 6 of the FMU paper is what remains for
 * a message alone. docs/models/packet.md */

enum duplex { DUPLEX_FULL, DUPLEX_HALF };
static const char *const duplex_names[] = {"full", "half", NULL};

struct packet_config {
    ps_t latency_ps;
    uint64_t bandwidth_bytes_per_s;
    int duplex;
};

PARAM_TABLE(packet_params, "packet", struct packet_config,
            "max-min fair sharing of each node's up and down link, latency not shared",
            {.name = "packet.latency",
             .type = PARAM_TIME,
             .offset = offsetof(struct packet_config, latency_ps),
             .fallback = "8 us",
             .min = "0 ps",
             .doc = "from the last byte's injection to its delivery (FMU paper, Table 3)"},
            {.name = "packet.bandwidth",
             .type = PARAM_RATE,
             .offset = offsetof(struct packet_config, bandwidth_bytes_per_s),
             .fallback = "12.5 GB/s",
             .min = "1 B/s",
             .max = "70 TB/s", /* below MAXMIN_CAPACITY_LIMIT */
             .doc = "of each node's link (FMU paper, Table 3: 100 Gb/s InfiniBand)"},
            {.name = "packet.duplex",
             .type = PARAM_CHOICE,
             .offset = offsetof(struct packet_config, duplex),
             .fallback = "full",
             .choices = duplex_names,
             .doc = "full: a link up and a link down per node; half: both directions share one"});

struct packet_statistics {
    uint64_t flows, peak_flows, solves, rate_changes;
    struct metric_series up_bytes, down_bytes;
};

static const struct metric packet_metric_list[] = {
    {"flows", METRIC_COUNT, offsetof(struct packet_statistics, flows), "messages that had bytes to transfer"},
    {"peak_flows", METRIC_COUNT, offsetof(struct packet_statistics, peak_flows), "most of them at once"},
    {"solves", METRIC_COUNT, offsetof(struct packet_statistics, solves),
     "instants at which rates were solved for"},
    {"rate_changes", METRIC_COUNT, offsetof(struct packet_statistics, rate_changes),
     "changes of a flow's rate"},
    {"up_bytes", METRIC_COUNTS, offsetof(struct packet_statistics, up_bytes), "sent by each node"},
    {"down_bytes", METRIC_COUNTS, offsetof(struct packet_statistics, down_bytes), "received by each node"},
};

static const struct metric_table packet_metrics = {
    .metrics = packet_metric_list,
    .count = sizeof packet_metric_list / sizeof *packet_metric_list,
    .size = sizeof(struct packet_statistics),
};

/* A message under way, by the solver's flow index. */
struct flow {
    uint32_t message;
    uint32_t up, down;
    uint64_t rate;      /* in the solver's units */
    maxmin_work_t left; /* at `since` */
    ps_t since;
    ps_t finish;   /* when it ends if its rate stays */
    ps_t event_at; /* its one event in the queue; others found there are out of date */
};

struct packet {
    struct fabric fabric;
    const struct packet_config *config;
    struct event_loop *loop;
    const struct pool *messages;
    struct fabric_answers answers;
    uint32_t nodes;
    struct maxmin *solver;
    struct flow *flows;
    size_t flow_capacity;
    uint32_t flow_count;
    bool solve_pending;
    uint32_t solve_kind, end_kind;
    struct packet_statistics statistics;
    int64_t *up_bytes, *down_bytes;
};

/* All changes of one instant are solved together, behind the events that were already waiting for this
 * instant. */
static void request_solve(struct packet *packet)
{
    if (packet->solve_pending)
        return;
    packet->solve_pending = true;
    loop_at(packet->loop, packet->loop->now, packet->solve_kind, 0);
}

static void packet_submit(struct fabric *fabric, uint32_t index)
{
    struct packet *packet = (struct packet *)fabric;
    const struct message *message = message_at(packet->messages, index);
    const struct fabric_answers *answers = &packet->answers;
    ps_t now = packet->loop->now, arrives = ps_add(now, packet->config->latency_ps);
    uint64_t bytes = message->bytes;

    answers->visible(answers->self, index, arrives);
    if (bytes == 0) {
        answers->sender_done(answers->self, index, now);
        answers->delivered(answers->self, index, arrives);
        return;
    }
    uint32_t down_links = packet->config->duplex == DUPLEX_FULL ? packet->nodes : 0;
    uint32_t links[2] = {message->source_node, down_links + message->destination_node};
    uint32_t id = maxmin_add(packet->solver, links, 2);
    packet->flows = mem_grow(packet->flows, &packet->flow_capacity, (size_t)id + 1, "flows");
    packet->flows[id] = (struct flow){
        .message = index, .left = maxmin_work(bytes), .since = now, .finish = PS_NEVER, .event_at = PS_NEVER};
    packet->up_bytes[message->source_node] += (int64_t)bytes;
    packet->down_bytes[message->destination_node] += (int64_t)bytes;
    packet->statistics.flows++;
    if (++packet->flow_count > packet->statistics.peak_flows)
        packet->statistics.peak_flows = packet->flow_count;
    request_solve(packet);
}

/* The flow goes on at its new rate. An event for an earlier time is put into the queue, one for a later time
 * when the queue's event finds the flow unfinished: so a flow never has more events than its rate had rises.
 */
static void change_rate(struct packet *packet, uint32_t id)
{
    struct flow *flow = &packet->flows[id];
    ps_t now = packet->loop->now;
    flow->left -= maxmin_done(flow->left, flow->rate, now - flow->since);
    flow->since = now;
    flow->rate = maxmin_rate(packet->solver, id);
    flow->finish = ps_add(now, maxmin_time(flow->left, flow->rate));
    if (flow->finish < flow->event_at || flow->finish == PS_NEVER) {
        flow->event_at = flow->finish;
        loop_at(packet->loop, flow->finish, packet->end_kind, id);
    }
}

static void on_solve(void *self, uint32_t subject)
{
    struct packet *packet = self;
    (void)subject;
    packet->solve_pending = false;
    size_t count;
    const uint32_t *changed = maxmin_solve(packet->solver, &count);
    packet->statistics.solves++;
    packet->statistics.rate_changes += count;
    for (size_t i = 0; i < count; i++)
        change_rate(packet, changed[i]);
}

/* The event of a flow: it ends, or its rate has fallen since and it ends later. An index may have got a new
 * flow since the event was made; event_at tells them apart, and were both equal, this would be the new flow's
 * event. */
static void on_end(void *self, uint32_t id)
{
    struct packet *packet = self;
    struct flow *flow = &packet->flows[id];
    ps_t now = packet->loop->now;
    if (flow->event_at != now)
        return;
    if (flow->finish > now) {
        flow->event_at = flow->finish;
        loop_at(packet->loop, flow->finish, packet->end_kind, id);
        return;
    }
    const struct fabric_answers *answers = &packet->answers;
    uint32_t message = flow->message;
    flow->event_at = PS_NEVER;
    maxmin_remove(packet->solver, id);
    packet->flow_count--;
    request_solve(packet);
    answers->sender_done(answers->self, message, now);
    answers->delivered(answers->self, message, ps_add(now, packet->config->latency_ps));
}

static enum status packet_prepare(const struct fabric_plan *plan, struct fabric **fabric)
{
    struct packet *packet = mem_alloc(1, sizeof *packet, "the packet fabric");
    packet->fabric.ops = &packet_fabric;
    packet->config = plan->config;
    packet->loop = plan->loop;
    packet->messages = plan->messages;
    packet->answers = plan->answers;
    packet->nodes = plan->nodes;
    packet->solve_kind = loop_register(plan->loop, on_solve, packet);
    packet->end_kind = loop_register(plan->loop, on_end, packet);
    packet->up_bytes = mem_alloc(plan->nodes, sizeof *packet->up_bytes, "statistics");
    packet->down_bytes = mem_alloc(plan->nodes, sizeof *packet->down_bytes, "statistics");
    packet->statistics.up_bytes = (struct metric_series){packet->up_bytes, plan->nodes};
    packet->statistics.down_bytes = (struct metric_series){packet->down_bytes, plan->nodes};

    uint32_t links = packet->config->duplex == DUPLEX_FULL ? 2 * plan->nodes : plan->nodes;
    uint64_t *capacities = mem_alloc(links, sizeof *capacities, "links");
    for (uint32_t i = 0; i < links; i++)
        capacities[i] = packet->config->bandwidth_bytes_per_s;
    packet->solver = maxmin_create(capacities, links, 2);
    free(capacities);
    *fabric = &packet->fabric;
    return STATUS_OK;
}

static const void *packet_statistics_of(const struct fabric *fabric)
{
    return &((const struct packet *)fabric)->statistics;
}

static size_t packet_bytes(const struct fabric *fabric)
{
    const struct packet *packet = (const struct packet *)fabric;
    return sizeof *packet + packet->flow_capacity * sizeof *packet->flows + maxmin_bytes(packet->solver) +
           2 * packet->nodes * sizeof *packet->up_bytes;
}

static void packet_close(struct fabric *fabric)
{
    struct packet *packet = (struct packet *)fabric;
    maxmin_free(packet->solver);
    free(packet->flows);
    free(packet->up_bytes);
    free(packet->down_bytes);
    free(packet);
}

const struct fabric_ops packet_fabric = {
    .name = "packet",
    .doc = "packet switching: max-min fair sharing of each node's up and down link",
    .params = &packet_params,
    .metrics = &packet_metrics,
    .prepare = packet_prepare,
    .submit = packet_submit,
    .statistics = packet_statistics_of,
    .bytes = packet_bytes,
    .close = packet_close,
};
