#include "collfile/teccl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"

/* -------------------------------------------------------------------- words */

/* Takes these bytes off the text. */
static bool take(const char **at, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

static bool take_number(const char **at, uint32_t most, uint32_t *number)
{
    uint64_t value = 0;
    const char *from = *at;
    for (; isdigit((unsigned char)**at) && value <= most; ++*at)
        value = value * 10 + (uint64_t)(**at - '0');
    *number = (uint32_t)value;
    return *at > from && value <= most;
}

static bool take_volume(const char **at, double *volume)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    *volume = strtod(*at, &end);
    *at = end;
    return *volume >= 0 && *volume <= 1e9;
}

/* "3->4 [with volume 0.5] in epoch 7 [via switches 0 -> 17]" */
static bool take_hop(struct teccl_file *file, const char **at, struct teccl_hop *hop, bool *has_volume)
{
    hop->volume = 1;
    *has_volume = false;
    if (!take_number(at, TECCL_NODES_MAX - 1, &hop->from) || !take(at, "->") ||
        !take_number(at, TECCL_NODES_MAX - 1, &hop->to))
        return false;
    if (take(at, " with volume ")) {
        *has_volume = true;
        if (!take_volume(at, &hop->volume))
            return false;
    }
    if (!take(at, " in epoch ") || !take_number(at, TECCL_EPOCHS_MAX, &hop->epoch))
        return false;
    hop->first_switch = (uint32_t)file->switch_count;
    if (!take(at, " via switches "))
        return **at == '\0';
    do {
        uint32_t node;
        if (!take_number(at, TECCL_NODES_MAX - 1, &node))
            return false;
        file->switches =
            mem_grow(file->switches, &file->switch_capacity, file->switch_count + 1, "a schedule");
        file->switches[file->switch_count++] = node;
        hop->switch_count++;
    } while (take(at, " -> ") || take(at, "->"));
    return **at == '\0';
}

/* ------------------------------------------------------------------- places */

static enum status refuse_text(const struct collfile_text *text, const char *value, const char *expected)
{
    return collfile_refuse(text, collfile_line_of(text, value), 0, "'%.100s' is not %s", value, expected);
}

static enum status read_flow(const struct collfile_text *text, struct teccl_file *file, const json_t *item)
{
    const char *value = json_string_value(item), *at = value;
    struct teccl_hop hop = {.text = value};
    bool has_volume = false;
    if (!value)
        return collfile_refuse(text, 0, 0, "Flows has an item that is no text");
    if (!take(&at, "Chunk ") || !take_number(&at, TECCL_CHUNKS_MAX - 1, &hop.chunk) || !take(&at, " from ") ||
        !take_number(&at, TECCL_NODES_MAX - 1, &hop.source) || !take(&at, " traveled over ") ||
        !take_hop(file, &at, &hop, &has_volume))
        return refuse_text(
            text, value,
            "a flow: 'Chunk 0 from 3 traveled over 3->5 [with volume 0.5] in epoch 7 [via switches "
            "0]' is expected");
    file->is_alltoall |= has_volume;
    file->flows = mem_grow(file->flows, &file->flow_capacity, file->flow_count + 1, "flows");
    file->flows[file->flow_count++] = hop;
    return STATUS_OK;
}

/* A hop is a text, or [epoch, text]. */
static enum status read_hop(const struct collfile_text *text, struct teccl_file *file,
                            const struct teccl_demand *demand, const json_t *item)
{
    const json_t *inner = json_is_array(item) ? json_array_get(item, 1) : item;
    const char *value = json_string_value(inner), *at = value;
    struct teccl_hop hop = {.source = demand->source, .chunk = demand->chunk, .text = value};
    bool has_volume;
    if (!value)
        return refuse_text(text, demand->text, "the key of a list of hops, or of a list of paths");
    if (!take_hop(file, &at, &hop, &has_volume))
        return refuse_text(text, value,
                           "a hop: '3->5 [with volume 0.5] in epoch 7 [via switches 0]' is expected");
    file->hops = mem_grow(file->hops, &file->hop_capacity, file->hop_count + 1, "hops");
    file->hops[file->hop_count++] = hop;
    file->paths[file->path_count - 1].hop_count++;
    return STATUS_OK;
}

static enum status read_path(const struct collfile_text *text, struct teccl_file *file,
                             struct teccl_demand *demand, const json_t *list)
{
    file->paths = mem_grow(file->paths, &file->path_capacity, file->path_count + 1, "paths");
    file->paths[file->path_count++] = (struct teccl_path){.first_hop = (uint32_t)file->hop_count};
    demand->path_count++;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < json_array_size(list) && status == STATUS_OK; i++)
        status = read_hop(text, file, demand, json_array_get(list, i));
    return status;
}

/* Several paths are lists in a list; one path is a list of texts. */
static enum status read_demand(const struct collfile_text *text, struct teccl_file *file, const char *key,
                               const json_t *list)
{
    const char *at = key;
    struct teccl_demand demand = {.first_path = (uint32_t)file->path_count, .text = key};
    if (!take(&at, "Demand at ") || !take_number(&at, TECCL_NODES_MAX - 1, &demand.destination) ||
        !take(&at, " for chunk ") || !take_number(&at, TECCL_CHUNKS_MAX - 1, &demand.chunk) ||
        !take(&at, " from ") || !take_number(&at, TECCL_NODES_MAX - 1, &demand.source) ||
        !take(&at, " met by epoch ") || !take_number(&at, TECCL_EPOCHS_MAX, &demand.met) || *at)
        return refuse_text(text, key,
                           "a demand: 'Demand at 5 for chunk 0 from 3 met by epoch 7' is expected");
    if (!json_is_array(list))
        return refuse_text(text, key, "the key of a list of hops");
    const json_t *first = json_array_get(list, 0);
    enum status status = STATUS_OK;
    if (json_is_string(first))
        status = read_path(text, file, &demand, list);
    for (size_t i = 0; !json_is_string(first) && i < json_array_size(list) && status == STATUS_OK; i++)
        status = read_path(text, file, &demand, json_array_get(list, i));
    file->demands = mem_grow(file->demands, &file->demand_capacity, file->demand_count + 1, "demands");
    file->demands[file->demand_count++] = demand;
    return status;
}

/* --------------------------------------------------------------------- file */

/* The member of that name, whatever number stands before it and however it is written: "7-Flows", "6-Flows",
 * "8-Chunk paths". */
static const json_t *find(json_t *json, const char *name, const char **key)
{
    for (void *at = json_object_iter(json); at; at = json_object_iter_next(json, at)) {
        const char *found = json_object_iter_key(at), *bare = found;
        while (isdigit((unsigned char)*bare))
            bare++;
        bare += bare > found && *bare == '-';
        if (strcasecmp(bare, name) != 0)
            continue;
        *key = found;
        return json_object_iter_value(at);
    }
    return NULL;
}

static enum status read_number(const struct collfile_text *text, json_t *json, const char *name,
                               double *value)
{
    const char *key;
    const json_t *found = find(json, name, &key);
    if (!found)
        return STATUS_OK;
    *value = json_number_value(found);
    if (json_is_number(found) && *value >= 0 && *value < 1e18)
        return STATUS_OK;
    return collfile_refuse(text, collfile_line_of(text, key), 0, "\"%.60s\": a number from 0 on is expected",
                           key);
}

static enum status read_numbers(const struct collfile_text *text, struct teccl_file *file)
{
    double epochs = 0;
    enum status status = read_number(text, file->json, "Epoch_Duration", &file->epoch_s);
    if (status == STATUS_OK)
        status = read_number(text, file->json, "Collective_Finish_Time", &file->finish_s);
    if (status == STATUS_OK)
        status = read_number(text, file->json, "Algo_Bandwidth", &file->bandwidth_gb_s);
    if (status == STATUS_OK)
        status = read_number(text, file->json, "Epochs_Required", &epochs);
    file->epochs = epochs < TECCL_EPOCHS_MAX ? (uint32_t)epochs : 0;
    return status;
}

static enum status read_flows(const struct collfile_text *text, struct teccl_file *file)
{
    const char *key;
    const json_t *flows = find(file->json, "Flows", &key);
    if (!flows || !json_is_array(flows) || json_array_size(flows) == 0)
        return collfile_refuse(text, 1, 0,
                               "this JSON is no output of TE-CCL: a list of texts, \"7-Flows\", is expected");
    if (json_array_size(flows) > TECCL_FLOWS_MAX)
        return collfile_refuse(text, 0, 0, "there are more than %d flows, the limit of a schedule",
                               TECCL_FLOWS_MAX);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < json_array_size(flows) && status == STATUS_OK; i++)
        status = read_flow(text, file, json_array_get(flows, i));
    return status;
}

static enum status read_paths(const struct collfile_text *text, struct teccl_file *file)
{
    const char *key;
    const json_t *paths = find(file->json, "Chunk paths", &key);
    if (!paths)
        return STATUS_OK;
    if (!json_is_object(paths))
        return collfile_refuse(text, collfile_line_of(text, key), 0, "\"%.60s\": an object is expected", key);
    file->has_paths = true;
    enum status status = STATUS_OK;
    for (void *at = json_object_iter((json_t *)paths); at && status == STATUS_OK;
         at = json_object_iter_next((json_t *)paths, at))
        status = read_demand(text, file, json_object_iter_key(at), json_object_iter_value(at));
    return status;
}

static void see(struct teccl_file *file, uint32_t node, enum teccl_role role)
{
    file->roles[node] |= (uint8_t)role;
    if (node >= file->nodes)
        file->nodes = node + 1;
}

/* Without paths, hops to and from switches are flows of their own. There a node whose chunks do not travel is
 * a switch. */
static void see_nodes(struct teccl_file *file)
{
    enum teccl_role end = file->has_paths ? TECCL_GPU : TECCL_RELAY;
    file->roles = mem_alloc(TECCL_NODES_MAX, sizeof *file->roles, "nodes");
    for (size_t i = 0; i < file->flow_count; i++) {
        see(file, file->flows[i].source, TECCL_GPU);
        see(file, file->flows[i].from, end);
        see(file, file->flows[i].to, end);
        if (file->flows[i].chunk >= file->chunks)
            file->chunks = file->flows[i].chunk + 1;
    }
    for (size_t i = 0; i < file->demand_count; i++) {
        see(file, file->demands[i].source, TECCL_GPU);
        see(file, file->demands[i].destination, TECCL_GPU);
        if (file->demands[i].chunk >= file->chunks)
            file->chunks = file->demands[i].chunk + 1;
    }
    for (size_t i = 0; i < file->switch_count; i++)
        see(file, file->switches[i], TECCL_SWITCH);
    for (uint32_t node = 0; node < file->nodes; node++)
        if (file->roles[node] & TECCL_RELAY)
            file->roles[node] = (uint8_t)((file->roles[node] & TECCL_GPU) ? file->roles[node] & ~TECCL_RELAY
                                                                          : TECCL_RELAY | TECCL_SWITCH);
}

enum status teccl_read(const struct collfile_text *text, struct teccl_file *file)
{
    struct json_fault fault;
    const char *key;
    *file = (struct teccl_file){.json = json_read(text->bytes, text->size, &fault)};
    if (!file->json)
        return collfile_refuse(text, fault.line, fault.column, "this is not JSON: %s", fault.text);
    enum status status = read_numbers(text, file);
    if (status == STATUS_OK)
        status = read_flows(text, file);
    if (status == STATUS_OK)
        status = read_paths(text, file);
    if (status != STATUS_OK)
        return status;
    file->met = find(file->json, "Demand_Met", &key);
    see_nodes(file);
    return STATUS_OK;
}

void teccl_free(struct teccl_file *file)
{
    json_decref(file->json);
    free(file->flows);
    free(file->hops);
    free(file->paths);
    free(file->demands);
    free(file->switches);
    free(file->roles);
    *file = (struct teccl_file){.json = NULL};
}
