#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "collfile/format.h"
#include "collfile/teccl_proof.h"

/* What an output of TE-CCL promises: every chunk that is wanted somewhere comes on paths whose hops are among
 * the flows, and the flows of a chunk are conserved. */

/* -------------------------------------------------------------------- roles */

/* GPUs of the machine, or else all numbers up to the last that are no switch, take part. */
static void check_roles(struct teccl_proof *proof)
{
    struct teccl_file *file = proof->file;
    uint32_t nodes = proof->machine.name ? proof->machine.nodes : file->nodes;
    for (uint32_t node = 0; node < nodes; node++) {
        uint8_t role = file->roles[node];
        bool is_switch = proof->machine.name ? teccl_is_switch(&proof->machine, node)
                                             : (role & (TECCL_GPU | TECCL_SWITCH)) == TECCL_SWITCH;
        if (!is_switch && !(role & TECCL_GPU)) {
            file->roles[node] |= TECCL_MISSING;
            collfile_wrong(proof->text, proof->proof, COLLFILE_MISSING_GPU, 0,
                           "GPU %u is missing: no chunk %s%s", node, "comes from it or goes to it",
                           role & TECCL_SWITCH ? "; the file uses it as a switch" : "");
        } else if ((role & TECCL_GPU) && (role & TECCL_SWITCH)) {
            collfile_wrong(proof->text, proof->proof, COLLFILE_STRUCTURE, 0,
                           "node %u is a GPU of some flows and a switch of others", node);
        }
    }
}

uint32_t teccl_missing_gpus(const struct teccl_file *file)
{
    uint32_t count = 0;
    for (uint32_t node = 0; node < file->nodes; node++)
        count += (file->roles[node] & TECCL_MISSING) != 0;
    return count;
}

static void number_gpus(struct teccl_proof *proof)
{
    proof->gpu_of = mem_alloc(TECCL_NODES_MAX, sizeof *proof->gpu_of, "nodes");
    proof->proof->gpu_of_rank = mem_alloc(TECCL_NODES_MAX, sizeof *proof->gpu_of, "nodes");
    for (uint32_t node = 0; node < proof->file->nodes; node++)
        if (proof->file->roles[node] & TECCL_GPU) {
            proof->proof->gpu_of_rank[proof->gpus] = node;
            proof->gpu_of[node] = proof->gpus++;
        }
    proof->ranks = proof->gpus;
    for (uint32_t node = 0; node < proof->file->nodes; node++)
        if (proof->file->roles[node] & TECCL_RELAY) {
            proof->proof->gpu_of_rank[proof->ranks] = node;
            proof->gpu_of[node] = proof->ranks++;
        }
    proof->proof->relays = proof->ranks - proof->gpus;
    proof->blocks = proof->file->chunks;
    if (proof->file->is_alltoall)
        proof->blocks = (proof->file->chunks + proof->gpus - 1) / proof->gpus;
}

/* ------------------------------------------------------------------ sorting */

struct sorting {
    const struct teccl_hop *flows;
    enum teccl_order by;
};

static int compare_hops(const struct teccl_hop *a, const struct teccl_hop *b, enum teccl_order by)
{
    int order = teccl_compare_numbers(a->source, b->source);
    if (!order)
        order = teccl_compare_numbers(a->chunk, b->chunk);
    if (!order && by != TECCL_BY_ARRIVAL)
        order = teccl_compare_numbers(a->from, b->from);
    if (!order && by != TECCL_BY_DEPARTURE)
        order = teccl_compare_numbers(a->to, b->to);
    return order ? order : teccl_compare_numbers(a->epoch, b->epoch);
}

static int compare_flows(const void *a, const void *b, void *self)
{
    const struct sorting *sorting = self;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    int order = compare_hops(&sorting->flows[left], &sorting->flows[right], sorting->by);
    return order ? order : teccl_compare_numbers(left, right);
}

static uint32_t *sort_flows(const struct teccl_file *file, enum teccl_order by)
{
    struct sorting sorting = {.flows = file->flows, .by = by};
    uint32_t *order = mem_alloc(file->flow_count + 1, sizeof *order, "flows");
    for (uint32_t i = 0; i < file->flow_count; i++)
        order[i] = i;
    qsort_r(order, file->flow_count, sizeof *order, compare_flows, &sorting);
    return order;
}

size_t teccl_search(const struct teccl_file *file, const uint32_t *order, const struct teccl_hop *hop,
                    enum teccl_order by)
{
    size_t low = 0, high = file->flow_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_hops(&file->flows[order[middle]], hop, by) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Volumes up to each flow, of its chunk at one node. */
static double *sum_up(const struct teccl_file *file, const uint32_t *order, enum teccl_order by)
{
    double *sums = mem_alloc(file->flow_count + 1, sizeof *sums, "flows");
    for (size_t i = 0; i < file->flow_count; i++) {
        const struct teccl_hop *flow = &file->flows[order[i]];
        struct teccl_hop before = *flow;
        bool is_same = false;
        if (i > 0) {
            before.epoch = file->flows[order[i - 1]].epoch;
            is_same = compare_hops(&file->flows[order[i - 1]], &before, by) == 0;
        }
        sums[order[i]] = flow->volume + (is_same ? sums[order[i - 1]] : 0);
    }
    return sums;
}

/* -------------------------------------------------------------------- times */

/* The first epoch in which what this hop brings can go on: at least one later, and not before the latency of
 * its first link is over. */
static uint64_t goes_on(const struct teccl_proof *proof, const struct teccl_hop *hop)
{
    uint32_t next = hop->switch_count ? proof->file->switches[hop->first_switch] : hop->to;
    struct teccl_link link = teccl_link_of(&proof->machine, hop->from, next);
    uint64_t latency = 0;
    if (link.gb_s > 0 && proof->file->epoch_s > 0)
        latency = (uint64_t)fmin(link.alpha_s / proof->file->epoch_s * (1 + 1e-9), 1e9);
    return (uint64_t)hop->epoch + 1 + latency;
}

/* What of the chunk has come to the node so early that it can leave in this epoch. */
static double here_before(const struct teccl_proof *proof, const struct teccl_hop *flow)
{
    struct teccl_hop key = {.source = flow->source, .chunk = flow->chunk, .to = flow->from};
    double volume = 0;
    for (size_t i = teccl_search(proof->file, proof->arriving, &key, TECCL_BY_ARRIVAL);
         i < proof->file->flow_count; i++) {
        const struct teccl_hop *other = &proof->file->flows[proof->arriving[i]];
        if (other->source != key.source || other->chunk != key.chunk || other->to != key.to ||
            other->epoch >= flow->epoch)
            break;
        if (goes_on(proof, other) <= flow->epoch)
            volume += other->volume;
    }
    return volume;
}

/* -------------------------------------------------------------------- paths */

static void path_is_wrong(struct teccl_proof *proof, const struct teccl_demand *demand,
                          enum collfile_problem problem, const char *what, const char *hop)
{
    uint64_t line = *proof->proof->first_problem ? 0 : collfile_line_of(proof->text, demand->text);
    collfile_wrong(proof->text, proof->proof, problem, line, "chunk %u from GPU %u to GPU %u: %s%s%s",
                   demand->chunk, demand->source, demand->destination, what, hop ? ": " : "", hop ? hop : "");
}

/* Finds the flow, and counts what the path takes of it. */
static bool use_flow(struct teccl_proof *proof, const struct teccl_hop *hop, double volume)
{
    size_t at = teccl_search(proof->file, proof->sorted, hop, TECCL_BY_LINK);
    if (at == proof->file->flow_count ||
        compare_hops(&proof->file->flows[proof->sorted[at]], hop, TECCL_BY_LINK) != 0)
        return false;
    proof->used[proof->sorted[at]] += volume;
    return true;
}

static double check_path(struct teccl_proof *proof, const struct teccl_demand *demand,
                         const struct teccl_path *path)
{
    uint32_t at = demand->source;
    uint64_t least = 0;
    double volume = path->hop_count ? proof->file->hops[path->first_hop].volume : 0;
    for (uint32_t i = 0; i < path->hop_count; i++) {
        const struct teccl_hop *hop = &proof->file->hops[path->first_hop + i];
        if (hop->from != at)
            path_is_wrong(proof, demand, COLLFILE_PATH, "this hop does not begin where the one before ends",
                          hop->text);
        else if (hop->epoch < least)
            path_is_wrong(proof, demand, COLLFILE_ORDER, "this hop is too early, its chunk has not come yet",
                          hop->text);
        else if (fabs(hop->volume - volume) > TECCL_TOLERANCE)
            path_is_wrong(proof, demand, COLLFILE_VOLUME,
                          "this hop carries another volume than the first of its path", hop->text);
        else if (!use_flow(proof, hop, volume))
            path_is_wrong(proof, demand, COLLFILE_PATH, "this hop is not among the flows", hop->text);
        at = hop->to;
        least = goes_on(proof, hop);
    }
    if (at != demand->destination || path->hop_count == 0)
        path_is_wrong(proof, demand, COLLFILE_PATH, "a path does not end at its destination", NULL);
    else if (proof->file->hops[path->first_hop + path->hop_count - 1].epoch > demand->met)
        path_is_wrong(proof, demand, COLLFILE_ORDER, "a path ends after the epoch by which it is met", NULL);
    return volume;
}

/* Which part of the block from source to destination the chunk is. False: it is not for that destination. */
static bool part_of(const struct teccl_proof *proof, const struct teccl_demand *demand, uint32_t *part)
{
    *part = proof->file->is_alltoall ? demand->chunk / proof->gpus : demand->chunk;
    return !proof->file->is_alltoall || demand->chunk % proof->gpus == proof->gpu_of[demand->destination];
}

/* Whether Demand_Met has that time under these two names. */
static bool has_time(const struct teccl_proof *proof, uint32_t outer, uint32_t inner, uint32_t chunk,
                     double time_s)
{
    char outer_name[32], inner_name[32], chunk_name[32];
    snprintf(outer_name, sizeof outer_name, "GPU %u", outer);
    snprintf(inner_name, sizeof inner_name, "GPU %u", inner);
    snprintf(chunk_name, sizeof chunk_name, "Chunk %u", chunk);
    const json_t *chunks = json_object_get(json_object_get(proof->file->met, outer_name), inner_name);
    const json_t *found = json_object_get(chunks, chunk_name);
    return json_is_number(found) && fabs(json_number_value(found) - time_s) <= 1e-6 * time_s;
}

/* Demand_Met lists destinations and their sources, in files that have been seen; either way is taken. */
static void check_met(struct teccl_proof *proof, const struct teccl_demand *demand)
{
    double time_s = ((double)demand->met + 1) * proof->file->epoch_s;
    if (!has_time(proof, demand->destination, demand->source, demand->chunk, time_s) &&
        !has_time(proof, demand->source, demand->destination, demand->chunk, time_s))
        path_is_wrong(proof, demand, COLLFILE_ORDER, "Demand_Met has another time than its path", NULL);
}

static void check_demand(struct teccl_proof *proof, const struct teccl_demand *demand)
{
    uint32_t part;
    double volume = 0;
    if (demand->source == demand->destination || !part_of(proof, demand, &part)) {
        path_is_wrong(proof, demand, COLLFILE_PATH, "this chunk belongs to another GPU", NULL);
        return;
    }
    size_t pair = (size_t)proof->gpu_of[demand->source] * proof->gpus + proof->gpu_of[demand->destination];
    bool *wanted = &proof->wanted[pair * proof->blocks + part];
    if (*wanted)
        path_is_wrong(proof, demand, COLLFILE_PATH, "there are two demands for it", NULL);
    *wanted = true;
    for (uint32_t i = 0; i < demand->path_count; i++)
        volume += check_path(proof, demand, &proof->file->paths[demand->first_path + i]);
    if (fabs(volume - 1) > TECCL_TOLERANCE) {
        char text[96];
        snprintf(text, sizeof text, "its paths carry %g of the chunk", volume);
        path_is_wrong(proof, demand, COLLFILE_VOLUME, text, NULL);
    }
    if (proof->file->epochs && demand->met >= proof->file->epochs)
        path_is_wrong(proof, demand, COLLFILE_ORDER, "it is met after the last epoch", NULL);
    if (proof->file->met && proof->file->epoch_s > 0)
        check_met(proof, demand);
}

/* -------------------------------------------------------------------- flows */

static double total(const struct teccl_proof *proof, const uint32_t *order, const struct teccl_hop *flow,
                    uint32_t node, enum teccl_order by)
{
    struct teccl_hop key = {.source = flow->source, .chunk = flow->chunk, .from = node, .to = node};
    double volume = 0;
    for (size_t i = teccl_search(proof->file, order, &key, by); i < proof->file->flow_count; i++) {
        const struct teccl_hop *other = &proof->file->flows[order[i]];
        if (other->source != key.source || other->chunk != key.chunk ||
            (by == TECCL_BY_ARRIVAL ? other->to : other->from) != node)
            break;
        volume += other->volume;
    }
    return volume;
}

/* The volume of all flows on the same link in the same epoch. */
static double carried(const struct teccl_proof *proof, uint32_t number)
{
    const struct teccl_hop *flow = &proof->file->flows[number];
    double volume = 0;
    for (size_t i = teccl_search(proof->file, proof->sorted, flow, TECCL_BY_LINK);
         i < proof->file->flow_count &&
         compare_hops(&proof->file->flows[proof->sorted[i]], flow, TECCL_BY_LINK) == 0;
         i++)
        volume += proof->file->flows[proof->sorted[i]].volume;
    return volume;
}

/* What is wrong with the flow, or NULL. Of an alltoall, each node passes on what it gets; of an allgather,
 * what is sent is there. */
static const char *flow_problem(const struct teccl_proof *proof, uint32_t number)
{
    const struct teccl_hop *flow = &proof->file->flows[number];
    if (flow->from != flow->source) {
        double here = here_before(proof, flow);
        if (!proof->file->is_alltoall && here == 0)
            return "its chunk has not come to its beginning";
        if (proof->file->is_alltoall && proof->left[number] > here + TECCL_TOLERANCE)
            return "more of its chunk leaves than has come";
    }
    if (!proof->file->is_alltoall)
        return NULL;
    if (proof->used[number] > carried(proof, number) + TECCL_TOLERANCE)
        return "its paths take more than it carries";
    double in = total(proof, proof->arriving, flow, flow->to, TECCL_BY_ARRIVAL);
    double out = total(proof, proof->leaving, flow, flow->to, TECCL_BY_DEPARTURE);
    bool ends = proof->gpu_of[flow->to] == flow->chunk % proof->gpus;
    if (flow->to == flow->source || fabs(in - out - (ends ? 1 : 0)) > TECCL_TOLERANCE)
        return ends ? "not one whole chunk ends at its destination" : "not all that comes goes on";
    double from_source = total(proof, proof->leaving, flow, flow->source, TECCL_BY_DEPARTURE);
    return fabs(from_source - 1) > TECCL_TOLERANCE ? "not one whole chunk leaves its source" : NULL;
}

/* Counts each chunk of a source once. */
static void check_flows(struct teccl_proof *proof)
{
    uint64_t wrong = 0;
    const struct teccl_hop *last = NULL;
    for (size_t i = 0; i < proof->file->flow_count; i++) {
        uint32_t number = proof->sorted[i];
        const struct teccl_hop *flow = &proof->file->flows[number];
        bool is_counted = last && last->source == flow->source && last->chunk == flow->chunk;
        const char *problem = is_counted ? NULL : flow_problem(proof, number);
        if (!problem)
            continue;
        last = flow;
        if (wrong++ == 0)
            collfile_wrong(proof->text, proof->proof, COLLFILE_FLOW,
                           collfile_line_of(proof->text, flow->text), "%s: the flow is not conserved, %s",
                           flow->text, problem);
    }
    proof->proof->problems[COLLFILE_FLOW] = wrong;
}

/* Without paths, a chunk is wanted where a flow of it ends. */
static void take_flows_for_demands(struct teccl_proof *proof)
{
    for (size_t i = 0; i < proof->file->flow_count; i++) {
        const struct teccl_hop *flow = &proof->file->flows[i];
        struct teccl_demand demand = {.source = flow->source, .destination = flow->to, .chunk = flow->chunk};
        uint32_t part;
        size_t pair = (size_t)proof->gpu_of[flow->source] * proof->gpus + proof->gpu_of[flow->to];
        if (proof->gpu_of[flow->to] < proof->gpus && part_of(proof, &demand, &part))
            proof->wanted[pair * proof->blocks + part] = true;
    }
}

static void check_pairs(struct teccl_proof *proof)
{
    for (uint32_t source = 0; source < proof->gpus; source++)
        for (uint32_t destination = 0; destination < proof->gpus; destination++)
            for (uint32_t part = 0; part < proof->blocks && source != destination; part++)
                if (!proof->wanted[((size_t)source * proof->gpus + destination) * proof->blocks + part])
                    collfile_wrong(proof->text, proof->proof, COLLFILE_MISSING_PAIR, 0,
                                   "nothing comes from GPU %u to GPU %u (part %u of its block)",
                                   proof->proof->gpu_of_rank[source], proof->proof->gpu_of_rank[destination],
                                   part);
    uint64_t missing = teccl_missing_gpus(proof->file), all = proof->gpus + missing;
    proof->proof->problems[COLLFILE_MISSING_PAIR] +=
        (all * (all - 1) - (uint64_t)proof->gpus * (proof->gpus - 1)) * proof->blocks;
}

/* ------------------------------------------------------------------- format */

static bool probe(const struct collfile_text *text)
{
    size_t at = 0;
    while (at < text->size && strchr(" \t\r\n", text->bytes[at]) && text->bytes[at])
        at++;
    return at < text->size && text->bytes[at] == '{';
}

static void check(struct teccl_proof *proof, struct collfile_schedule *schedule)
{
    struct teccl_file *file = proof->file;
    proof->sorted = sort_flows(file, TECCL_BY_LINK);
    proof->arriving = sort_flows(file, TECCL_BY_ARRIVAL);
    proof->leaving = sort_flows(file, TECCL_BY_DEPARTURE);
    proof->left = sum_up(file, proof->leaving, TECCL_BY_DEPARTURE);
    proof->used = mem_alloc(file->flow_count + 1, sizeof *proof->used, "flows");
    proof->wanted = mem_alloc((size_t)proof->gpus * proof->gpus * proof->blocks + 1, 1, "pairs of GPUs");
    for (size_t i = 0; i < file->demand_count; i++)
        check_demand(proof, &file->demands[i]);
    if (!file->has_paths)
        take_flows_for_demands(proof);
    check_pairs(proof);
    check_flows(proof);
    teccl_make_schedule(proof, schedule);
    teccl_check_claim(proof);
}

static void free_proof(struct teccl_proof *proof)
{
    free(proof->gpu_of);
    free(proof->sorted);
    free(proof->arriving);
    free(proof->leaving);
    free(proof->left);
    free(proof->used);
    free(proof->wanted);
    teccl_free(proof->file);
}

static enum status prove(const struct collfile_text *text, struct collfile_proof *result,
                         struct collfile_schedule *schedule)
{
    struct teccl_file file;
    struct teccl_proof proof = {.text = text, .proof = result, .file = &file};
    enum status status = teccl_read(text, &file);
    if (status == STATUS_OK) {
        proof.machine = teccl_machine_of(&file);
        check_roles(&proof);
        number_gpus(&proof);
        result->op = file.is_alltoall ? COLLFILE_ALLTOALL : COLLFILE_ALLGATHER;
        result->ranks = proof.gpus;
        result->steps = file.epochs;
        if ((uint64_t)proof.gpus * proof.gpus * proof.blocks > 1 << 26)
            status = collfile_refuse(text, 0, 0, "too large to be proven: %u GPUs, %u chunks", proof.gpus,
                                     file.chunks);
        else
            check(&proof, schedule);
    }
    free_proof(&proof);
    return status;
}

const struct collfile_format teccl_format = {
    .name = "TE-CCL JSON",
    .doc = "\"7-Flows\" and \"8-Chunk paths\", as TE-CCL writes it",
    .probe = probe,
    .prove = prove,
};
