#include "support/packets.h"

#include <stdlib.h>

enum { NONE = UINT32_MAX };

struct packet {
    uint32_t flow, hop; /* the link that it is on, as a place in its route */
    uint64_t arrives;
};

/* The packets on a link and in the queue at its end, a ring. */
struct queue_of_link {
    struct packet *packets;
    uint32_t first, count, turn; /* turn: the link, or the flow, that was served last */
    uint64_t free_at;
    uint32_t way; /* the direction that was served last, of the lower one of both */
};

struct sender {
    uint64_t sent, arrived, *answers; /* a ring of the slots of acknowledgements */
    uint32_t first, under_way, answered;
    uint32_t next; /* flow of the same node */
};

struct run {
    struct packets_network *network;
    struct packets_flow *flows;
    struct queue_of_link *queues;
    struct sender *senders;
    bool *is_first, *has_room; /* [links] a node's link; at the beginning of the slot */
    uint32_t *asks;            /* [links] the link whose head is to go on by this one */
    uint32_t count, places;
    uint64_t slot, warm_up;
};

/* The link that both directions are. */
static uint32_t both_of(const struct run *run, uint32_t link)
{
    return run->network->both ? run->network->both[link] : link;
}

static uint64_t draw(struct packets_network *network)
{
    network->random ^= network->random << 13;
    network->random ^= network->random >> 7;
    network->random ^= network->random << 17;
    return network->random;
}

static bool can_send(const struct run *run, uint32_t id)
{
    const struct packets_flow *flow = &run->flows[id];
    const struct sender *sender = &run->senders[id];
    if (flow->packets && sender->sent == flow->packets)
        return false;
    return !flow->window || sender->under_way < flow->window;
}

/* The flow whose turn it is at the node's link. */
static uint32_t choose_flow(struct run *run, uint32_t link)
{
    uint32_t last = run->queues[link].turn, able = 0, id = last;
    do {
        id = run->senders[id].next;
        able += can_send(run, id);
    } while (id != last);
    if (!able)
        return NONE;
    uint32_t skip = run->network->random ? (uint32_t)(draw(run->network) % able) : 0;
    for (id = run->senders[last].next; !can_send(run, id) || skip--;)
        id = run->senders[id].next;
    return id;
}

static void put(struct run *run, uint32_t link, struct packet packet)
{
    struct queue_of_link *queue = &run->queues[link];
    packet.arrives = run->slot + 1 + run->network->latency;
    queue->packets[(queue->first + queue->count++) % run->places] = packet;
    struct queue_of_link *both = &run->queues[both_of(run, link)];
    both->free_at = run->slot + (run->network->interval ? run->network->interval[link] : 1);
    both->way = link;
}

/* The head of each queue asks for its next link. Whoever is first behind the one served last is heard. */
static void ask(struct run *run)
{
    uint32_t links = run->network->links;
    for (uint32_t link = 0; link < links; link++)
        run->asks[link] = NONE;
    for (uint32_t from = 0; from < links; from++) {
        const struct queue_of_link *queue = &run->queues[from];
        const struct packet *head = &queue->packets[queue->first];
        if (!queue->count || head->arrives > run->slot)
            continue;
        uint32_t to = run->flows[head->flow].links[head->hop + 1], last = run->queues[to].turn;
        uint32_t other = run->asks[to], after = links - 1 - last;
        if (other == NONE || (from + after) % links < (other + after) % links)
            run->asks[to] = from;
    }
}

/* Of both directions of a link, the one goes on that was not served last. */
static void take_turns(struct run *run)
{
    for (uint32_t link = 0; link < run->network->links; link++) {
        uint32_t both = both_of(run, link);
        if (both != link && run->has_room[link] && run->has_room[both] && run->asks[link] != NONE &&
            run->asks[both] != NONE)
            run->asks[run->queues[both].way] = NONE;
    }
}

static void pass_on(struct run *run, uint32_t link)
{
    uint32_t from = run->asks[link];
    if (from == NONE)
        return;
    struct queue_of_link *source = &run->queues[from];
    struct packet packet = source->packets[source->first];
    source->first = (source->first + 1) % run->places;
    source->count--;
    packet.hop++;
    put(run, link, packet);
    run->queues[link].turn = from;
}

static void send_from_node(struct run *run, uint32_t link)
{
    uint32_t id = choose_flow(run, link);
    if (id == NONE)
        return;
    struct sender *sender = &run->senders[id];
    run->queues[link].turn = id;
    sender->under_way++;
    sender->sent++;
    put(run, link, (struct packet){.flow = id});
}

/* Packets that have arrived at their nodes. */
static void take_out(struct run *run, uint32_t link)
{
    struct queue_of_link *queue = &run->queues[link];
    while (queue->count) {
        const struct packet *head = &queue->packets[queue->first];
        struct packets_flow *flow = &run->flows[head->flow];
        struct sender *sender = &run->senders[head->flow];
        if (head->arrives > run->slot || head->hop + 1 < flow->count)
            return;
        flow->delivered += run->slot >= run->warm_up;
        flow->end = ++sender->arrived == flow->packets ? run->slot : flow->end;
        if (flow->window)
            sender->answers[(sender->first + sender->answered++) % flow->window] = run->slot + flow->answer;
        else
            sender->under_way--;
        queue->first = (queue->first + 1) % run->places;
        queue->count--;
    }
}

static void acknowledge(struct run *run, uint32_t id)
{
    struct sender *sender = &run->senders[id];
    while (sender->answered && sender->answers[sender->first] <= run->slot) {
        sender->first = (sender->first + 1) % run->flows[id].window;
        sender->answered--;
        sender->under_way--;
    }
}

/* Links see the packets and the room that there were at the beginning of the slot. */
static void play_slot(struct run *run)
{
    uint32_t links = run->network->links;
    for (uint32_t link = 0; link < links; link++)
        take_out(run, link);
    for (uint32_t id = 0; id < run->count; id++)
        acknowledge(run, id);
    for (uint32_t link = 0; link < links; link++)
        run->has_room[link] =
            run->queues[link].count < run->places && run->queues[both_of(run, link)].free_at <= run->slot;
    ask(run);
    take_turns(run);
    for (uint32_t link = 0; link < links; link++)
        if (run->has_room[link] && run->is_first[link])
            send_from_node(run, link);
        else if (run->has_room[link])
            pass_on(run, link);
}

/* The flows of each node's link form a ring; the turn of the link is one of them. */
static void tie_flows(struct run *run)
{
    for (uint32_t id = 0; id < run->count; id++) {
        struct queue_of_link *queue = &run->queues[run->flows[id].links[0]];
        run->senders[id].next = id;
        if (run->is_first[run->flows[id].links[0]]) {
            run->senders[id].next = run->senders[queue->turn].next;
            run->senders[queue->turn].next = id;
        }
        run->is_first[run->flows[id].links[0]] = true;
        queue->turn = id;
    }
}

void packets_run(struct packets_network *network, struct packets_flow *flows, uint32_t count,
                 uint64_t warm_up, uint64_t slots)
{
    struct run run = {.network = network,
                      .flows = flows,
                      .queues = calloc(network->links, sizeof *run.queues),
                      .senders = calloc(count, sizeof *run.senders),
                      .is_first = calloc(network->links, sizeof *run.is_first),
                      .has_room = calloc(network->links, sizeof *run.has_room),
                      .asks = calloc(network->links, sizeof *run.asks),
                      .count = count,
                      .places = network->room + network->latency,
                      .warm_up = warm_up};
    for (uint32_t link = 0; link < network->links; link++)
        run.queues[link].packets = calloc(run.places, sizeof *run.queues[link].packets);
    for (uint32_t id = 0; id < count; id++) {
        flows[id].delivered = flows[id].end = 0;
        run.senders[id].answers = calloc(flows[id].window + 1, sizeof *run.senders[id].answers);
    }
    tie_flows(&run);
    for (; run.slot < slots; run.slot++)
        play_slot(&run);
    for (uint32_t link = 0; link < network->links; link++)
        free(run.queues[link].packets);
    for (uint32_t id = 0; id < count; id++)
        free(run.senders[id].answers);
    free(run.queues);
    free(run.senders);
    free(run.is_first);
    free(run.has_room);
    free(run.asks);
}
