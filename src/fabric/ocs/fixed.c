#include <inttypes.h>

#include "base/diag.h"
#include "base/mem.h"
#include "fabric/ocs/ocs.h"
#include "schedule/circuit/assignment.h"

/* Circuits that are set up before the run and never change. Each node has one to send and one to receive on
 * each plane. A message takes as few circuits as possible, one after another; of several ways the one whose
 * next circuit is free first. A node on the way has all of it before it sends it on. */

static uint32_t *end_of(const struct ocs *ocs, uint32_t plane, uint32_t node)
{
    return &ocs->fixed.to[(size_t)plane * ocs->nodes + node];
}

/* ----------------------------------------------------------------- circuits */

static void set_shift(const struct ocs *ocs, uint32_t plane, uint32_t shift)
{
    for (uint32_t node = 0; node < ocs->nodes; node++)
        *end_of(ocs, plane, node) = (uint32_t)(((uint64_t)node + shift) % ocs->nodes);
}

/* Shift k of K is about nodes^(k / K), so that every distance is a sum of few shifts: 1, 8, 64 of 512 nodes.
 */
static void set_shifts(const struct ocs *ocs)
{
    uint32_t before = 0;
    for (uint32_t plane = 0; plane < ocs->planes; plane++) {
        uint32_t shift = before + 1;
        /* The least number above the one before whose K-th power is at least nodes^k. */
        for (; shift < ocs->nodes - 1; shift++) {
            double power = 1, nodes = 1;
            for (uint32_t i = 0; i < ocs->planes; i++)
                power *= shift;
            for (uint32_t i = 0; i < plane; i++)
                nodes *= ocs->nodes;
            if (power >= nodes)
                break;
        }
        before = shift < ocs->nodes ? shift : 1;
        set_shift(ocs, plane, before);
    }
}

/* The program's bytes from node to node, scaled so that a sum of any matching fits. */
static int64_t *weights_of(const struct ocs *ocs)
{
    const struct fabric_traffic *traffic = ocs->fabric.params.traffic;
    size_t nodes = ocs->nodes;
    double *bytes = mem_alloc(nodes * nodes, sizeof *bytes, "bytes between nodes"), most = 1;
    for (size_t i = 0; i < traffic->count; i++)
        for (size_t k = 0; k < traffic->phases[i].count; k++) {
            const struct fabric_pair *pair = &traffic->phases[i].pairs[k];
            double *sum = &bytes[pair->source * nodes + pair->destination];
            *sum += (double)pair->bytes + (double)pair->messages;
            most = *sum > most ? *sum : most;
        }
    int64_t *weights = mem_alloc(nodes * nodes, sizeof *weights, "bytes between nodes");
    for (size_t i = 0; i < nodes * nodes; i++)
        weights[i] = bytes[i] > 0 ? (int64_t)(bytes[i] / most * 0x1p40) + 1 : 0;
    free(bytes);
    return weights;
}

/* Nodes without traffic on the plane have circuits too, to the receivers that are left. */
static void take_matching(const struct ocs *ocs, uint32_t plane, const struct assignment *matching)
{
    for (uint32_t node = 0; node < ocs->nodes; node++) {
        uint32_t to = matching->column_of[node];
        *end_of(ocs, plane, node) = to == node ? OCS_NONE : to;
    }
}

/* Plane after plane gets the matching that carries most, where a pair with k circuits counts 1 / (k + 1). */
static void set_by_traffic(struct ocs *ocs, const int64_t *weights)
{
    size_t nodes = ocs->nodes;
    struct assignment matching;
    uint32_t *circuits = mem_alloc(nodes * nodes, sizeof *circuits, "circuits between nodes");
    assignment_init(&matching, ocs->nodes);
    for (uint32_t plane = 0; plane < ocs->planes; plane++) {
        for (size_t i = 0; i < nodes * nodes; i++)
            matching.weights[i] = weights[i] / (circuits[i] + 1);
        assignment_restart(&matching);
        assignment_solve(&matching);
        take_matching(ocs, plane, &matching);
        for (uint32_t node = 0; node < nodes; node++)
            if (*end_of(ocs, plane, node) != OCS_NONE)
                circuits[node * nodes + *end_of(ocs, plane, node)]++;
    }
    assignment_free(&matching);
    free(circuits);
}

/* ------------------------------------------------------------------- routes */

enum { FAR = UINT16_MAX };

/* Hops of each node to `to`, breadth first against the direction of circuits. */
static const uint16_t *distances_to(struct ocs *ocs, uint32_t to)
{
    struct ocs_fixed *fixed = &ocs->fixed;
    if (fixed->distance[to])
        return fixed->distance[to];
    uint16_t *distance = mem_alloc(ocs->nodes, sizeof *distance, "distances between nodes");
    for (uint32_t node = 0; node < ocs->nodes; node++)
        distance[node] = node == to ? 0 : FAR;
    bool grows = true;
    for (uint16_t hops = 0; grows && hops < FAR - 1; hops++) {
        grows = false;
        for (uint32_t node = 0; node < ocs->nodes; node++)
            for (uint32_t plane = 0; plane < ocs->planes && distance[node] == FAR; plane++) {
                uint32_t next = *end_of(ocs, plane, node);
                if (next == OCS_NONE || ocs->plane[plane].has_failed || distance[next] != hops)
                    continue;
                distance[node] = (uint16_t)(hops + 1);
                grows = true;
            }
    }
    return fixed->distance[to] = distance;
}

static bool reaches_all(struct ocs *ocs, const int64_t *weights)
{
    for (uint32_t to = 0; to < ocs->nodes; to++) {
        const uint16_t *distance = distances_to(ocs, to);
        for (uint32_t from = 0; from < ocs->nodes; from++)
            if (weights[(size_t)from * ocs->nodes + to] && distance[from] == FAR)
                return false;
    }
    return true;
}

static void forget_distances(struct ocs *ocs)
{
    for (uint32_t node = 0; node < ocs->nodes; node++) {
        free(ocs->fixed.distance[node]);
        ocs->fixed.distance[node] = NULL;
    }
}

/* The last plane that has not failed. */
static uint32_t last_plane(const struct ocs *ocs)
{
    uint32_t plane = ocs->planes - 1;
    while (plane > 0 && ocs->plane[plane].has_failed)
        plane--;
    return plane;
}

enum status ocs_fixed_init(struct ocs *ocs)
{
    struct ocs_fixed *fixed = &ocs->fixed;
    size_t links = (size_t)ocs->planes * ocs->nodes;
    fixed->to = mem_alloc(links, sizeof *fixed->to, "circuits");
    fixed->free_at = mem_alloc(links, sizeof *fixed->free_at, "circuits");
    fixed->distance = mem_alloc(ocs->nodes, sizeof *fixed->distance, "distances between nodes");
    if (ocs->config->circuits == OCS_CIRCUITS_SHIFTS || ocs->nodes < 2) {
        set_shifts(ocs);
        return STATUS_OK;
    }
    int64_t *weights = weights_of(ocs);
    set_by_traffic(ocs, weights);
    if (!reaches_all(ocs, weights)) {
        forget_distances(ocs);
        set_shift(ocs, last_plane(ocs), 1);
        diag_note(
            "ocs: the circuits of most bytes do not join all nodes that send to each other, so that the last "
            "switch has a ring of all nodes");
    }
    free(weights);
    return STATUS_OK;
}

void ocs_fixed_free(struct ocs *ocs)
{
    if (ocs->fixed.distance)
        forget_distances(ocs);
    free(ocs->fixed.distance);
    free(ocs->fixed.to);
    free(ocs->fixed.free_at);
    free(ocs->fixed.at_node);
}

size_t ocs_fixed_bytes(const struct ocs *ocs)
{
    size_t rows = 0;
    for (uint32_t node = 0; ocs->fixed.distance && node < ocs->nodes; node++)
        rows += ocs->fixed.distance[node] != NULL;
    if (!ocs->fixed.to)
        return 0;
    return (size_t)ocs->planes * ocs->nodes * (sizeof *ocs->fixed.to + sizeof *ocs->fixed.free_at) +
           ocs->nodes * sizeof *ocs->fixed.distance + rows * ocs->nodes * sizeof **ocs->fixed.distance +
           ocs->fixed.at_node_capacity * sizeof *ocs->fixed.at_node;
}

/* ----------------------------------------------------------------- messages */

/* The circuit towards `to` that is free first; OCS_NONE: no way leads there. */
static uint32_t next_plane(struct ocs *ocs, uint32_t node, uint32_t to)
{
    const uint16_t *distance = distances_to(ocs, to);
    uint32_t best = OCS_NONE;
    for (uint32_t plane = 0; plane < ocs->planes && distance[node] != FAR; plane++) {
        uint32_t next = *end_of(ocs, plane, node);
        const ps_t *free_at = &ocs->fixed.free_at[node];
        if (next == OCS_NONE || ocs->plane[plane].has_failed || distance[next] + 1 != distance[node])
            continue;
        if (best == OCS_NONE || free_at[(size_t)plane * ocs->nodes] < free_at[(size_t)best * ocs->nodes])
            best = plane;
    }
    return best;
}

static void arrive(struct ocs *ocs, uint32_t index, ps_t sent, ps_t there, bool is_first, bool is_last)
{
    if (is_first)
        fabric_sender_done(&ocs->fabric, index, sent);
    if (is_last) {
        fabric_visible(&ocs->fabric, index, there);
        fabric_delivered(&ocs->fabric, index, there);
    } else {
        loop_at(ocs->fabric.params.loop, ps_add(there, ocs->config->forwarding_ps), ocs->hop_kind, index);
    }
}

/* The message is at a node, and takes its next circuit. */
void ocs_on_hop(void *self, uint32_t index)
{
    struct ocs *ocs = self;
    const struct tap *tap = ocs->fabric.params.tap;
    const struct message *message = fabric_message(&ocs->fabric, index);
    uint32_t node = ocs->fixed.at_node[index], to = message->destination_node;
    uint32_t plane = next_plane(ocs, node, to);
    if (plane == OCS_NONE) {
        diag_error("ocs: no circuits lead from node %" PRIu32 " to node %" PRIu32, node, to);
        fabric_failed(&ocs->fabric, STATUS_FAILED);
        return;
    }
    uint64_t bytes = fabric_message_bytes(&ocs->fabric, message);
    ps_t now = fabric_now(&ocs->fabric), *free_at = &ocs->fixed.free_at[(size_t)plane * ocs->nodes + node];
    ps_t begun = ps_max(now, *free_at);
    ps_t sent = ps_add(begun, service_ps(bytes ? bytes : 1, ocs->rate_bytes_per_s));
    ps_t there = ps_add(sent, ocs_light_ps(ocs));
    uint32_t next = *end_of(ocs, plane, node);
    ps_t ready = next == to ? there : ps_add(there, ocs->config->forwarding_ps);
    *free_at = sent;
    ocs->fixed.at_node[index] = next;
    ocs->statistics.hops++;
    ocs->statistics.waited += begun - now;
    ocs->statistics.carried += sent - begun;
    tap_emit_part(tap, index, TAP_PART_QUEUE, now, begun, "messages sent before it by node", node);
    tap_emit_part(tap, index, TAP_PART_TRANSFER, begun, sent, NULL, 0);
    tap_emit_part(tap, index, TAP_PART_WIRE, sent, there, NULL, 0);
    tap_emit_part(tap, index, TAP_PART_SWITCH, there, ready, "forwarding by node", next);
    arrive(ocs, index, sent, there, node == message->source_node, next == to);
}

void ocs_fixed_submit(struct ocs *ocs, uint32_t index)
{
    struct ocs_fixed *fixed = &ocs->fixed;
    fixed->at_node =
        mem_grow(fixed->at_node, &fixed->at_node_capacity, (size_t)index + 1, "messages under way");
    fixed->at_node[index] = fabric_message(&ocs->fabric, index)->source_node;
    ocs_on_hop(ocs, index);
}
