#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "trace/chakra/chakra.h"
#include "trace/chakra/et.pb-c.h"
#include "trace/chakra/schema.h"

const struct chakra_collective chakra_collectives[CHAKRA_COLLECTIVES] = {
    {"ALL_REDUCE", CALL_ALLREDUCE},
    {"REDUCE", CALL_REDUCE},
    {"ALL_GATHER", CALL_ALLGATHER},
    {"GATHER", CALL_GATHER},
    {"SCATTER", CALL_SCATTER},
    {"BROADCAST", CALL_BCAST},
    {"ALL_TO_ALL", CALL_ALLTOALL},
    {"REDUCE_SCATTER", CALL_REDUCE_SCATTER},
    {"REDUCE_SCATTER_BLOCK", CALL_REDUCE_SCATTER},
    {"BARRIER", CALL_BARRIER}};

struct nodes_reader {
    struct chakra_program *chakra;
    const char *path;
    const uint8_t *bytes;
    size_t size, next;
    uint64_t at; /* of the present message */
    uint32_t rank;
    size_t first_operation; /* of the rank, among those of all */
    struct hashmap by_id;   /* the operation of a node */
    struct wanted {
        uint64_t id;
        uint64_t at;
        uint32_t after;
        bool on_begin;
    } * wanted;
    size_t wanted_count, wanted_capacity;
    uint32_t *latest; /* of each group: the last collective call of the rank, plus 1 */
    size_t latest_capacity;
    enum status status;
};

__attribute__((format(printf, 3, 4))) static void fail(struct nodes_reader *reader, uint64_t at,
                                                       const char *format, ...)
{
    char text[256];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    diag_report(DIAG_ERROR, &(struct diag_place){.file = reader->path, .line = at | DIAG_BYTE}, "%s", text);
    reader->status = STATUS_BAD_INPUT;
}

static void report_circle(struct nodes_reader *reader)
{
    const struct chakra_program *chakra = reader->chakra;
    const struct graph_circle *circle = &chakra->builder.circle;
    const size_t first = reader->first_operation;
    fail(reader, chakra->at[first + circle->operations[0]],
         "node %llu depends on itself, by way of others; a collective call depends on those of its group "
         "before it in the file, too",
         (unsigned long long)chakra->ids[first + circle->operations[0]]);
    for (uint32_t i = 1; i < circle->count && i < GRAPH_CIRCLE_SHOWN; i++)
        diag_report(DIAG_NOTE,
                    &(struct diag_place){.file = reader->path,
                                         .line = chakra->at[first + circle->operations[i]] | DIAG_BYTE},
                    "the one above depends on node %llu",
                    (unsigned long long)chakra->ids[first + circle->operations[i]]);
    if (circle->count > GRAPH_CIRCLE_SHOWN)
        diag_note("and %u more", circle->count - GRAPH_CIRCLE_SHOWN);
}

/* --------------------------------------------------------------- attributes */

static const Chakra__Attribute *find_among(Chakra__Attribute *const *attributes, size_t count,
                                           const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(attributes[i]->name, name) == 0)
            return attributes[i];
    return NULL;
}

static const Chakra__Attribute *find(const Chakra__Node *node, const char *name)
{
    return find_among(node->attr, node->n_attr, name);
}

/* A whole number of whatever width. False: it is missing, negative or no number. */
static bool has_number(const Chakra__Attribute *attribute, uint64_t *value)
{
    int64_t number = -1;
    if (!attribute)
        return false;
    switch (attribute->value_case) {
    case CHAKRA__ATTRIBUTE__VALUE_INT32_VAL:
        number = attribute->int32_val;
        break;
    case CHAKRA__ATTRIBUTE__VALUE_INT64_VAL:
        number = attribute->int64_val;
        break;
    case CHAKRA__ATTRIBUTE__VALUE_UINT32_VAL:
        number = attribute->uint32_val;
        break;
    case CHAKRA__ATTRIBUTE__VALUE_UINT64_VAL:
        number = attribute->uint64_val <= INT64_MAX ? (int64_t)attribute->uint64_val : -1;
        break;
    case CHAKRA__ATTRIBUTE__VALUE_SINT32_VAL:
        number = attribute->sint32_val;
        break;
    case CHAKRA__ATTRIBUTE__VALUE_SINT64_VAL:
        number = attribute->sint64_val;
        break;
    case CHAKRA__ATTRIBUTE__VALUE_FIXED32_VAL:
        number = attribute->fixed32_val;
        break;
    case CHAKRA__ATTRIBUTE__VALUE_FIXED64_VAL:
        number = attribute->fixed64_val <= INT64_MAX ? (int64_t)attribute->fixed64_val : -1;
        break;
    case CHAKRA__ATTRIBUTE__VALUE_SFIXED32_VAL:
        number = attribute->sfixed32_val;
        break;
    case CHAKRA__ATTRIBUTE__VALUE_SFIXED64_VAL:
        number = attribute->sfixed64_val;
        break;
    default:
        break;
    }
    *value = (uint64_t)number;
    return number >= 0;
}

static bool number_of(const Chakra__Node *node, const char *name, uint64_t *value)
{
    return has_number(find(node, name), value);
}

static bool is_set(const Chakra__Node *node, const char *name)
{
    const Chakra__Attribute *attribute = find(node, name);
    return attribute && attribute->value_case == CHAKRA__ATTRIBUTE__VALUE_BOOL_VAL && attribute->bool_val;
}

static const char *text_of(const Chakra__Node *node, const char *name)
{
    const Chakra__Attribute *attribute = find(node, name);
    return attribute && attribute->value_case == CHAKRA__ATTRIBUTE__VALUE_STRING_VAL ? attribute->string_val
                                                                                     : NULL;
}

static uint64_t wanted_number(struct nodes_reader *reader, const Chakra__Node *node, const char *name)
{
    uint64_t value = 0;
    if (!number_of(node, name, &value))
        fail(reader, reader->at, "node %llu has no attribute %s with a whole number",
             (unsigned long long)node->id, name);
    return value;
}

static uint64_t number_or_0(const Chakra__Node *node, const char *name)
{
    uint64_t value;
    return number_of(node, name, &value) ? value : 0;
}

/* 0 without the attribute. One that is there has a number that we can take, or the program would be another.
 */
static uint64_t optional_number(struct nodes_reader *reader, const Chakra__Node *node, const char *name)
{
    uint64_t value = 0;
    if (!find(node, name) || number_of(node, name, &value))
        return value;
    fail(reader, reader->at, "node %llu: %s is no whole number from 0 to 2^63 - 1",
         (unsigned long long)node->id, name);
    return 0;
}

/* --------------------------------------------------------------- operations */

static struct graph_operation message(struct nodes_reader *reader, const Chakra__Node *node)
{
    bool is_send = node->type == NODE_SEND;
    uint64_t peer = wanted_number(reader, node, is_send ? "comm_dst" : "comm_src");
    uint64_t tag = optional_number(reader, node, "comm_tag");
    if (reader->status == STATUS_OK && peer >= reader->chakra->program.ranks)
        fail(reader, reader->at, "node %llu names NPU %llu; there are files of %u, numbered from 0",
             (unsigned long long)node->id, (unsigned long long)peer, reader->chakra->program.ranks);
    else if (tag >= INT32_MAX)
        fail(reader, reader->at, "node %llu has the tag %llu; the largest is %d",
             (unsigned long long)node->id, (unsigned long long)tag, INT32_MAX - 1);
    return (struct graph_operation){.kind = is_send ? GRAPH_SEND : GRAPH_RECV,
                                    .amount = wanted_number(reader, node, "comm_size"),
                                    .peer = (uint32_t)peer,
                                    .tag = (uint32_t)tag,
                                    .core = CORE_MESSAGES,
                                    .is_eager = is_send && !is_set(node, CHAKRA_OWN_MPI_SEND)};
}

static uint8_t element_of(const Chakra__Node *node)
{
    const uint64_t bytes = number_or_0(node, CHAKRA_OWN_ELEMENT);
    return bytes && bytes <= UINT8_MAX ? (uint8_t)bytes : 1;
}

/* Collective calls of a group begin in the order of the file, as those of one communicator have to. */
static void follow_group(struct nodes_reader *reader, uint32_t group, uint32_t operation)
{
    size_t known = reader->latest_capacity;
    reader->latest = mem_grow(reader->latest, &reader->latest_capacity, (size_t)group + 1, "groups of NPUs");
    if (known < reader->latest_capacity)
        memset(reader->latest + known, 0, (reader->latest_capacity - known) * sizeof *reader->latest);
    if (reader->latest[group])
        graph_builder_depend(&reader->chakra->builder, reader->latest[group] - 1, operation, true);
    reader->latest[group] = operation + 1;
}

static struct graph_operation collective(struct nodes_reader *reader, const Chakra__Node *node,
                                         uint32_t number)
{
    struct chakra_program *chakra = reader->chakra;
    uint64_t kind = wanted_number(reader, node, "comm_type"),
             size = optional_number(reader, node, "comm_size"), root = optional_number(reader, node, "root");
    if (reader->status == STATUS_OK && kind >= CHAKRA_COLLECTIVES)
        fail(reader, reader->at,
             "node %llu is of the kind %llu of collective calls; there are 0 (%s) to %d (%s)",
             (unsigned long long)node->id, (unsigned long long)kind, chakra_collectives[0].name,
             CHAKRA_COLLECTIVES - 1, chakra_collectives[CHAKRA_COLLECTIVES - 1].name);
    if (reader->status != STATUS_OK)
        return (struct graph_operation){.kind = GRAPH_COMPUTE};
    uint32_t group = chakra_group(&chakra->groups, text_of(node, "pg_name"), reader->rank);
    size_t index = chakra->call_count++;
    chakra->calls = mem_grow(chakra->calls, &chakra->call_capacity, index + 1, "collective calls");
    chakra->call_names = mem_grow(chakra->call_names, &chakra->name_capacity, index + 1, "collective calls");
    chakra->call_ranks = mem_grow(chakra->call_ranks, &chakra->rank_capacity, index + 1, "collective calls");
    chakra->calls[index] = (struct call){.op = (uint8_t)chakra_collectives[kind].op,
                                         .flags = CALL_IMMEDIATE,
                                         .bytes = size,
                                         .recv_bytes = size,
                                         .peer = (int32_t)(root < INT32_MAX ? root : INT32_MAX),
                                         .element_bytes = element_of(node),
                                         .channel = CHANNEL_KEYED,
                                         .source_channel = CHANNEL_KEYED};
    chakra->call_names[index] = group;
    chakra->call_ranks[index] = reader->rank;
    follow_group(reader, group, number);
    return (struct graph_operation){.kind = GRAPH_CALL, .amount = index, .core = CORE_MESSAGES};
}

/* As long as it was recorded; without a time, its operations at compute.rate. */
static struct graph_operation compute(struct nodes_reader *reader, const Chakra__Node *node)
{
    struct graph_operation operation = {.kind = GRAPH_COMPUTE,
                                        .core = is_set(node, "is_cpu_op") ? CORE_HOST : CORE_KERNELS};
    uint64_t operations = number_or_0(node, "num_ops"), nanoseconds;
    if (number_of(node, CHAKRA_OWN_DURATION, &operation.amount))
        return operation;
    if (number_of(node, "runtime", &nanoseconds) && !node->duration_micros)
        operation.amount = nanoseconds <= INT64_MAX / 1000 ? nanoseconds * 1000 : INT64_MAX;
    else if (node->duration_micros > INT64_MAX / 1000000)
        fail(reader, reader->at, "node %llu takes %llu us; simulated time is 106 days",
             (unsigned long long)node->id, (unsigned long long)node->duration_micros);
    else
        operation.amount = node->duration_micros * 1000000;
    if (!operation.amount && operations && node->type == NODE_COMPUTE) {
        operation.kind = GRAPH_WORK;
        operation.amount = operations;
    }
    reader->chakra->left_out += !operation.amount && node->type != NODE_COMPUTE;
    return operation;
}

/* ------------------------------------------------------------------- nodes */

static void add_dependences(struct nodes_reader *reader, const uint64_t *ids, size_t count, uint32_t after,
                            bool on_begin)
{
    reader->wanted =
        mem_grow(reader->wanted, &reader->wanted_capacity, reader->wanted_count + count, "dependences");
    for (size_t i = 0; i < count; i++)
        reader->wanted[reader->wanted_count++] =
            (struct wanted){.id = ids[i], .at = reader->at, .after = after, .on_begin = on_begin};
}

static void keep_place(struct nodes_reader *reader, const Chakra__Node *node)
{
    struct chakra_program *chakra = reader->chakra;
    size_t index = (size_t)chakra->builder.graph.operations;
    chakra->ids = mem_grow(chakra->ids, &chakra->id_capacity, index + 1, "places of nodes");
    chakra->at = mem_grow(chakra->at, &chakra->at_capacity, index + 1, "places of nodes");
    chakra->site_of = mem_grow(chakra->site_of, &chakra->site_capacity, index + 1, "names of nodes");
    chakra->site_of[index] = chakra_site(chakra, node->name);
    chakra->ids[index] = node->id;
    chakra->at[index] = reader->at;
}

static void take_own_cores(struct nodes_reader *reader, const Chakra__Node *node,
                           struct graph_operation *operation)
{
    uint64_t core = operation->core, nic = number_or_0(node, CHAKRA_OWN_NIC);
    number_of(node, CHAKRA_OWN_CORE, &core);
    if (core >= CHAKRA_MOST_CORES || nic >= CHAKRA_MOST_CORES) {
        fail(reader, reader->at, "the number of a core or NIC of node %llu is at most %d",
             (unsigned long long)node->id, CHAKRA_MOST_CORES - 1);
        return;
    }
    operation->core = (uint8_t)core;
    operation->nic = (uint8_t)nic;
}

/* A group has NPUs whose files are missing: the others would be a program of fewer NPUs. */
static void check_process_groups(struct nodes_reader *reader, const Chakra__Node *node)
{
    const uint32_t npus = reader->chakra->program.ranks;
    struct chakra_absent absent;
    if (!node->inputs.len || !strstr(node->name, "process_group:init"))
        return;
    Chakra__Inputs *inputs = chakra__inputs__unpack(NULL, node->inputs.len, node->inputs.data);
    if (inputs && chakra_names_absent(inputs->values, npus, &absent)) {
        if (absent.size)
            fail(reader, reader->at,
                 "node %llu says that process group %s has %llu NPUs; there are files of %u",
                 (unsigned long long)node->id, absent.group, (unsigned long long)absent.size, npus);
        else
            fail(reader, reader->at,
                 "node %llu says that process group %s has NPU %llu; there are files of %u, numbered from 0",
                 (unsigned long long)node->id, absent.group, (unsigned long long)absent.npu, npus);
    }
    if (inputs)
        chakra__inputs__free_unpacked(inputs, NULL);
}

static void add_node(struct nodes_reader *reader, const Chakra__Node *node)
{
    struct graph_builder *builder = &reader->chakra->builder;
    uint32_t number = builder->ranks[builder->rank_count - 1].count;
    struct graph_operation operation;
    if (node->type < NODE_METADATA || node->type > NODE_COLLECTIVE) {
        fail(reader, reader->at, "node %llu is of kind %d; there are 1 to 7", (unsigned long long)node->id,
             node->type);
        return;
    }
    uint32_t *slot = hashmap_slot(&reader->by_id, node->id);
    if (*slot) {
        fail(reader, reader->at, "there are two nodes %llu", (unsigned long long)node->id);
        return;
    }
    *slot = number + 1;
    check_process_groups(reader, node);
    if (node->type == NODE_SEND || node->type == NODE_RECEIVE)
        operation = message(reader, node);
    else if (node->type == NODE_COLLECTIVE)
        operation = collective(reader, node, number);
    else
        operation = compute(reader, node);
    if (reader->status != STATUS_OK)
        return;
    keep_place(reader, node);
    take_own_cores(reader, node, &operation);
    graph_builder_add(builder, &operation);
    add_dependences(reader, node->ctrl_deps, node->n_ctrl_deps, number, false);
    add_dependences(reader, node->data_deps, node->n_data_deps, number, false);
    const Chakra__Attribute *begin = find(node, CHAKRA_OWN_BEGIN);
    if (begin && begin->value_case == CHAKRA__ATTRIBUTE__VALUE_INT64_LIST)
        add_dependences(reader, (const uint64_t *)begin->int64_list->values, begin->int64_list->n_values,
                        number, true);
}

static void resolve(struct nodes_reader *reader)
{
    for (size_t i = 0; reader->status == STATUS_OK && i < reader->wanted_count; i++) {
        const struct wanted *wanted = &reader->wanted[i];
        uint32_t before = hashmap_get(&reader->by_id, wanted->id);
        if (before)
            graph_builder_depend(&reader->chakra->builder, before - 1, wanted->after, wanted->on_begin);
        else
            fail(reader, wanted->at, "there is no node %llu, on which this one depends",
                 (unsigned long long)wanted->id);
    }
}

/* ----------------------------------------------------------------- messages */

/* Each message stands behind its length, a varint. False: there is no further one, or it is cut short. */
static bool next_message(struct nodes_reader *reader, const uint8_t **bytes, size_t *size)
{
    uint64_t length = 0;
    reader->at = reader->next;
    if (reader->next >= reader->size)
        return false;
    for (unsigned shift = 0;; shift += 7) {
        if (reader->next >= reader->size || shift > 56) {
            fail(reader, reader->at, "the length of a message is cut short");
            return false;
        }
        uint8_t byte = reader->bytes[reader->next++];
        length |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    if (length > reader->size - reader->next) {
        fail(reader, reader->at, "a message of %llu bytes, of which the file has %llu",
             (unsigned long long)length, (unsigned long long)(reader->size - reader->next));
        return false;
    }
    *bytes = reader->bytes + reader->next;
    *size = (size_t)length;
    reader->next += (size_t)length;
    return true;
}

static void read_metadata(struct nodes_reader *reader, const uint8_t *bytes, size_t size)
{
    Chakra__Metadata *metadata = chakra__metadata__unpack(NULL, size, bytes);
    uint64_t npus;
    if (!metadata) {
        fail(reader, reader->at, "the first message is no metadata of Chakra");
        return;
    }
    if (has_number(find_among(metadata->attr, metadata->n_attr, CHAKRA_OWN_NPUS), &npus) &&
        npus != reader->chakra->program.ranks)
        fail(reader, reader->at, "the trace has %llu NPUs, and there are files of %u",
             (unsigned long long)npus, reader->chakra->program.ranks);
    chakra__metadata__free_unpacked(metadata, NULL);
}

static void read_messages(struct nodes_reader *reader)
{
    const uint8_t *bytes;
    size_t size;
    if (!next_message(reader, &bytes, &size)) {
        if (reader->status == STATUS_OK)
            fail(reader, 0, "the file is empty; it begins with metadata");
        return;
    }
    read_metadata(reader, bytes, size);
    while (reader->status == STATUS_OK && next_message(reader, &bytes, &size)) {
        Chakra__Node *node = chakra__node__unpack(NULL, size, bytes);
        if (!node) {
            fail(reader, reader->at, "this message is no node of Chakra");
            return;
        }
        add_node(reader, node);
        chakra__node__free_unpacked(node, NULL);
    }
}

enum status chakra_read_rank(struct chakra_program *chakra, uint32_t rank, const char *path,
                             const uint8_t *bytes, size_t size)
{
    struct nodes_reader reader = {.chakra = chakra,
                                  .path = path,
                                  .bytes = bytes,
                                  .size = size,
                                  .rank = rank,
                                  .first_operation = (size_t)chakra->builder.graph.operations,
                                  .status = STATUS_OK};
    graph_builder_rank(&chakra->builder);
    read_messages(&reader);
    resolve(&reader);
    bool has_order = graph_builder_end(&chakra->builder);
    if (reader.status == STATUS_OK && !has_order)
        report_circle(&reader);
    hashmap_free(&reader.by_id);
    free(reader.wanted);
    free(reader.latest);
    return reader.status;
}
