#include "trace/chakra/write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/hashmap.h"
#include "base/mem.h"
#include "base/progress.h"
#include "output/json.h"
#include "output/output.h"
#include "trace/chakra/chakra.h"
#include "trace/chakra/et.pb-c.h"
#include "trace/chakra/schema.h"

/* Nodes that a node waits for, in an array of all. */
struct wait_lists {
    uint64_t *ids;
    size_t count, capacity;
    size_t *first; /* of each operation of the rank, and the end */
};

struct chakra_writer {
    const struct program *program;
    struct hashmap numbers;      /* of a group and its context: the number of its name */
    const struct group **groups; /* by number, from 1 on */
    size_t group_count, group_capacity;
    bool has_host;                  /* core 0 has computations alone: it is the host of an NPU */
    struct wait_lists ends, begins; /* of the present rank */
    struct wait_lists all;          /* the ends that an operation waits for, where beginnings are not known */
    size_t *all_count;
    uint8_t *bytes;
    size_t capacity;
};

/* --------------------------------------------------------- what can be said */

static bool is_ascending(const struct group *group)
{
    for (uint32_t i = 1; group->world && i < group->size; i++)
        if (group->world[i] < group->world[i - 1])
            return false;
    return true;
}

/* The number of the kind in the schema. CHAKRA_COLLECTIVES: there is none. */
static unsigned kind_of(const struct call *call)
{
    unsigned kind = 0;
    while (kind < CHAKRA_COLLECTIVES && chakra_collectives[kind].op != (enum call_op)call->op)
        kind++;
    return kind;
}

static uint64_t block_of(const struct call *call)
{
    return call->bytes > call->recv_bytes ? call->bytes : call->recv_bytes;
}

/* Of these the schema has the vector, and a call its block. */
static bool has_vector(const struct call *call)
{
    return call->op == CALL_REDUCE_SCATTER || call->op == CALL_ALLTOALL || call->op == CALL_SCATTER;
}

bool chakra_has_call(const struct program *program, const struct call *call)
{
    const struct group *group = &program->groups[call->group];
    return kind_of(call) < CHAKRA_COLLECTIVES && !call->send_counts && !call->recv_counts &&
           block_of(call) <= (uint64_t)INT64_MAX / (has_vector(call) ? group->size : 1) &&
           is_ascending(group);
}

bool chakra_has_calls(const struct program *program)
{
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        const struct graph_rank *about = &program->graph->ranks[rank];
        for (uint32_t i = 0; i < about->count; i++)
            if (about->operations[i].kind == GRAPH_CALL &&
                !chakra_has_call(program, &program->graph->calls[about->operations[i].amount]))
                return false;
    }
    return true;
}

/* NULL: Chakra has such an operation. */
static const char *fault_of(const struct program *program, const struct graph_operation *operation)
{
    const bool is_message = operation->kind == GRAPH_SEND || operation->kind == GRAPH_RECV;
    if (is_message && operation->peer == GRAPH_ANY)
        return "it receives from any rank";
    if (is_message && operation->tag == GRAPH_ANY)
        return "it matches any tag";
    if (is_message && operation->tag >= INT32_MAX)
        return "its tag is not below 2^31 - 1";
    if (operation->kind == GRAPH_CALL && !chakra_has_call(program, &program->graph->calls[operation->amount]))
        return "it is a collective call that Chakra has not";
    return operation->amount > INT64_MAX ? "its size or time is not below 2^63" : NULL;
}

enum status chakra_write_check(const struct program *program)
{
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        const struct graph_rank *about = &program->graph->ranks[rank];
        for (uint32_t i = 0; i < about->count; i++) {
            const char *fault = fault_of(program, &about->operations[i]);
            if (!fault)
                continue;
            struct call_place place = program->graph->place(program, rank, i);
            diag_report(DIAG_ERROR, &(struct diag_place){.file = place.file, .line = place.line},
                        "Chakra has no operation like %s of rank %u: %s",
                        program->graph->label(program, rank, i), rank, fault);
            return STATUS_BAD_INPUT;
        }
    }
    return STATUS_OK;
}

/* ------------------------------------------------------------------- groups */

/* 0: all ranks. The same number on all ranks, since the order in which numbers are given has no effect. */
static uint32_t number_of(struct chakra_writer *writer, const struct call *call)
{
    if (!call->group && !call->context)
        return 0;
    uint32_t *slot = hashmap_slot(&writer->numbers, (uint64_t)call->group << 32 | call->context);
    if (!*slot) {
        writer->groups =
            mem_grow(writer->groups, &writer->group_capacity, writer->group_count + 1, "groups of NPUs");
        writer->groups[writer->group_count++] = &writer->program->groups[call->group];
        *slot = (uint32_t)writer->group_count;
    }
    return *slot;
}

static json_t *groups_json(const struct chakra_writer *writer)
{
    json_t *object = json_make_object();
    for (size_t i = 0; i < writer->group_count; i++) {
        char name[24];
        json_t *members = json_make_list();
        for (uint32_t k = 0; k < writer->groups[i]->size; k++)
            json_add_count(members, group_world(writer->groups[i], k));
        snprintf(name, sizeof name, "%zu", i + 1);
        json_put(object, name, members);
    }
    return object;
}

/* -------------------------------------------------------------- dependences */

static void add_wait(struct wait_lists *waits, uint64_t id)
{
    waits->ids = mem_grow(waits->ids, &waits->capacity, waits->count + 1, "dependences");
    waits->ids[waits->count++] = id;
}

/* Sorts the dependences of a rank by the operation that waits. */
static void collect(struct wait_lists *waits, const struct graph_rank *rank, bool on_begin)
{
    size_t *next = mem_alloc((size_t)rank->count + 2, sizeof *next, "dependences");
    for (uint32_t i = 0; i < rank->count; i++) {
        const struct graph_operation *operation = &rank->operations[i];
        const uint32_t from = on_begin ? operation->on_begin : operation->on_end;
        const uint32_t to = on_begin ? operation[1].on_end : operation->on_begin;
        for (uint32_t k = from; k < to; k++)
            next[rank->dependents[k] + 2]++;
    }
    for (uint32_t i = 2; i < rank->count + 2; i++)
        next[i] += next[i - 1];
    waits->count = next[rank->count + 1];
    waits->ids = mem_grow(waits->ids, &waits->capacity, waits->count, "dependences");
    for (uint32_t i = 0; i < rank->count; i++) {
        const struct graph_operation *operation = &rank->operations[i];
        const uint32_t from = on_begin ? operation->on_begin : operation->on_end;
        const uint32_t to = on_begin ? operation[1].on_end : operation->on_begin;
        for (uint32_t k = from; k < to; k++)
            waits->ids[next[rank->dependents[k] + 1]++] = i;
    }
    free(waits->first);
    waits->first = next; /* filling has moved each first to where the next one's was */
}

/* The operations of the rank, each behind those that it waits for. The caller frees it. */
static uint32_t *in_order(const struct graph_rank *rank)
{
    uint32_t *order = mem_alloc(rank->count, sizeof *order, "operations of a rank");
    uint32_t *needs = mem_alloc(rank->count, sizeof *needs, "operations of a rank");
    uint32_t count = 0;
    for (uint32_t i = 0; i < rank->count; i++) {
        needs[i] = rank->operations[i].needs;
        if (!needs[i])
            order[count++] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct graph_operation *operation = &rank->operations[order[i]];
        for (uint32_t k = operation->on_end; k < operation[1].on_end; k++)
            if (!--needs[rank->dependents[k]])
                order[count++] = rank->dependents[k];
    }
    free(needs);
    return order;
}

/* Adds an operation that is not in the list yet. */
static void add_once(struct wait_lists *list, uint64_t id, uint32_t *seen, uint32_t stamp)
{
    if (seen[id] != stamp)
        add_wait(list, id);
    seen[id] = stamp;
}

/* Chakra has no dependences on beginnings. An operation that has one waits for the ends that the other one
 * waits for, so that both begin together where no core is busy. */
static void expand(struct chakra_writer *writer, const struct graph_rank *rank)
{
    struct wait_lists *all = &writer->all;
    const struct wait_lists *ends = &writer->ends, *begins = &writer->begins;
    uint32_t *order = in_order(rank), *seen = mem_alloc(rank->count, sizeof *seen, "operations of a rank");
    free(writer->all_count);
    free(all->first);
    all->first = mem_alloc(rank->count, sizeof *all->first, "dependences");
    writer->all_count = mem_alloc(rank->count, sizeof *writer->all_count, "dependences");
    all->count = 0;
    for (uint32_t i = 0; i < rank->count; i++) {
        const uint32_t operation = order[i];
        const size_t first = all->first[operation] = all->count;
        for (size_t k = ends->first[operation]; k < ends->first[operation + 1]; k++)
            add_once(all, ends->ids[k], seen, i + 1);
        for (size_t k = begins->first[operation]; k < begins->first[operation + 1]; k++) {
            const uint64_t before = begins->ids[k];
            for (size_t n = 0; n < writer->all_count[before]; n++)
                add_once(all, all->ids[all->first[before] + n], seen, i + 1);
        }
        writer->all_count[operation] = all->count - first;
    }
    free(order);
    free(seen);
}

/* -------------------------------------------------------------------- nodes */

enum { MOST_ATTRIBUTES = 12 };

struct node {
    Chakra__Node node;
    Chakra__Attribute attributes[MOST_ATTRIBUTES], *list[MOST_ATTRIBUTES];
    Chakra__Int64List begins;
    char group[16];
};

static Chakra__Attribute *add_attribute(struct node *node, const char *name,
                                        Chakra__Attribute__ValueCase value_case)
{
    Chakra__Attribute *attribute = &node->attributes[node->node.n_attr];
    chakra__attribute__init(attribute);
    attribute->name = (char *)(uintptr_t)name;
    attribute->value_case = value_case;
    node->list[node->node.n_attr++] = attribute;
    return attribute;
}

/* The types are those that Chakra's own reader takes. */
static void add_int32(struct node *node, const char *name, uint32_t value)
{
    add_attribute(node, name, CHAKRA__ATTRIBUTE__VALUE_INT32_VAL)->int32_val = (int32_t)value;
}

static void add_int64(struct node *node, const char *name, uint64_t value)
{
    add_attribute(node, name, CHAKRA__ATTRIBUTE__VALUE_INT64_VAL)->int64_val = (int64_t)value;
}

static void add_flag(struct node *node, const char *name, bool value)
{
    add_attribute(node, name, CHAKRA__ATTRIBUTE__VALUE_BOOL_VAL)->bool_val = value;
}

/* These return the core that the reader gives such a node. */

static uint8_t describe_compute(struct node *node, const struct graph_operation *operation, bool has_host)
{
    const bool is_time = operation->kind == GRAPH_COMPUTE, is_host = has_host && operation->core == CORE_HOST;
    node->node.type = is_time && !operation->amount ? NODE_METADATA : NODE_COMPUTE;
    node->node.name = (char *)(uintptr_t)(node->node.type == NODE_METADATA ? "nothing" : "compute");
    add_flag(node, "is_cpu_op", is_host);
    if (!is_time) {
        add_int64(node, "num_ops", operation->amount);
    } else {
        const uint64_t ps_per_us = 1000000;
        node->node.duration_micros = (operation->amount + ps_per_us / 2) / ps_per_us;
        add_int64(node, CHAKRA_OWN_DURATION, operation->amount);
    }
    return is_host ? CORE_HOST : CORE_KERNELS;
}

static uint8_t describe_message(struct node *node, const struct graph_operation *operation, uint32_t rank)
{
    const bool is_send = operation->kind == GRAPH_SEND;
    node->node.type = is_send ? NODE_SEND : NODE_RECEIVE;
    node->node.name = (char *)(uintptr_t)(is_send ? "send" : "receive");
    add_flag(node, "is_cpu_op", false);
    add_int64(node, "comm_size", operation->amount);
    add_int32(node, "comm_src", is_send ? rank : operation->peer);
    add_int32(node, "comm_dst", is_send ? operation->peer : rank);
    add_int32(node, "comm_tag", operation->tag);
    if (is_send && !operation->is_eager)
        add_flag(node, CHAKRA_OWN_MPI_SEND, true);
    return CORE_MESSAGES;
}

static uint8_t describe_call(struct chakra_writer *writer, struct node *node, const struct call *call)
{
    const struct group *group = &writer->program->groups[call->group];
    const uint32_t number = number_of(writer, call);
    const unsigned kind = kind_of(call);
    node->node.type = NODE_COLLECTIVE;
    node->node.name = (char *)(uintptr_t)chakra_collectives[kind].name;
    add_flag(node, "is_cpu_op", false);
    add_int64(node, "comm_type", kind);
    add_int64(node, "comm_size", block_of(call) * (has_vector(call) ? group->size : 1));
    if (call->peer > 0)
        add_int32(node, "root", (uint32_t)call->peer);
    if (call->element_bytes > 1)
        add_int32(node, CHAKRA_OWN_ELEMENT, call->element_bytes);
    snprintf(node->group, sizeof node->group, "%" PRIu32, number);
    if (number)
        add_attribute(node, "pg_name", CHAKRA__ATTRIBUTE__VALUE_STRING_VAL)->string_val = node->group;
    return CORE_MESSAGES;
}

static void describe_waits(const struct chakra_writer *writer, struct node *node, uint32_t operation)
{
    const struct wait_lists *begins = &writer->begins;
    node->node.n_data_deps = writer->all_count[operation];
    if (node->node.n_data_deps)
        node->node.data_deps = writer->all.ids + writer->all.first[operation];
    if (begins->first[operation] == begins->first[operation + 1])
        return;
    chakra__int64_list__init(&node->begins);
    node->begins.values = (int64_t *)(begins->ids + begins->first[operation]);
    node->begins.n_values = begins->first[operation + 1] - begins->first[operation];
    add_attribute(node, CHAKRA_OWN_BEGIN, CHAKRA__ATTRIBUTE__VALUE_INT64_LIST)->int64_list = &node->begins;
}

/* -------------------------------------------------------------------- files */

/* Behind its length, a varint. */
static void put_message(struct chakra_writer *writer, const ProtobufCMessage *message, FILE *out)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    writer->bytes = mem_grow(writer->bytes, &writer->capacity, size, "a message of Chakra");
    protobuf_c_message_pack(message, writer->bytes);
    size_t rest = size;
    for (; rest > 127; rest >>= 7)
        fputc((int)(rest & 127) | 128, out);
    fputc((int)rest, out);
    fwrite(writer->bytes, 1, size, out);
}

static void put_operation(struct chakra_writer *writer, uint32_t rank, uint32_t number, FILE *out)
{
    const struct graph *graph = writer->program->graph;
    const struct graph_operation *operation = &graph->ranks[rank].operations[number];
    struct node node = {.node = CHAKRA__NODE__INIT};
    uint8_t core;
    node.node.id = number;
    node.node.attr = node.list;
    if (operation->kind == GRAPH_CALL)
        core = describe_call(writer, &node, &graph->calls[operation->amount]);
    else if (operation->kind == GRAPH_SEND || operation->kind == GRAPH_RECV)
        core = describe_message(&node, operation, rank);
    else
        core = describe_compute(&node, operation, writer->has_host);
    if (core != operation->core)
        add_int32(&node, CHAKRA_OWN_CORE, operation->core);
    if (operation->nic)
        add_int32(&node, CHAKRA_OWN_NIC, operation->nic);
    describe_waits(writer, &node, number);
    put_message(writer, &node.node.base, out);
}

/* A core that handles messages is not the host of an NPU, which computes alone. */
static bool has_host(const struct program *program)
{
    for (uint32_t rank = 0; rank < program->ranks; rank++) {
        const struct graph_rank *about = &program->graph->ranks[rank];
        for (uint32_t i = 0; i < about->count; i++) {
            const struct graph_operation *operation = &about->operations[i];
            if (operation->core == CORE_HOST && operation->kind != GRAPH_COMPUTE &&
                operation->kind != GRAPH_WORK)
                return false;
        }
    }
    return true;
}

struct chakra_writer *chakra_writer_open(const struct program *program)
{
    struct chakra_writer *writer = mem_alloc(1, sizeof *writer, "a Chakra trace");
    writer->program = program;
    writer->has_host = has_host(program);
    return writer;
}

void chakra_writer_put(struct chakra_writer *writer, uint32_t rank, FILE *out)
{
    const struct graph_rank *about = &writer->program->graph->ranks[rank];
    Chakra__Metadata metadata = CHAKRA__METADATA__INIT;
    Chakra__Attribute npus = CHAKRA__ATTRIBUTE__INIT, *attributes[] = {&npus};
    npus.name = (char *)(uintptr_t)CHAKRA_OWN_NPUS;
    npus.value_case = CHAKRA__ATTRIBUTE__VALUE_INT64_VAL;
    npus.int64_val = writer->program->ranks;
    metadata.version = (char *)(uintptr_t) "0.0.4";
    metadata.attr = attributes;
    metadata.n_attr = 1;
    collect(&writer->ends, about, false);
    collect(&writer->begins, about, true);
    expand(writer, about);
    put_message(writer, &metadata.base, out);
    for (uint32_t i = 0; i < about->count; i++)
        put_operation(writer, rank, i, out);
}

void chakra_writer_close(struct chakra_writer *writer)
{
    hashmap_free(&writer->numbers);
    free(writer->groups);
    free(writer->ends.ids);
    free(writer->ends.first);
    free(writer->begins.ids);
    free(writer->begins.first);
    free(writer->all.ids);
    free(writer->all.first);
    free(writer->all_count);
    free(writer->bytes);
    free(writer);
}

/* The name of the folder, without what leads to it. */
static char *stem_of(const char *out)
{
    size_t end = strlen(out);
    while (end > 1 && out[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && out[begin - 1] != '/')
        begin--;
    return mem_format("%.*s", (int)(end - begin), out + begin);
}

static enum status put_rank(struct chakra_writer *writer, const struct output_folder *folder,
                            const char *stem, uint32_t rank)
{
    struct output output;
    char *name = mem_format("%s.%" PRIu32 ".et", stem, rank);
    enum status status = output_folder_file(folder, name, &output);
    if (status == STATUS_OK) {
        chakra_writer_put(writer, rank, output.file);
        status = output_close(&output, STATUS_OK);
    }
    free(name);
    return status;
}

static enum status put_groups(const struct chakra_writer *writer, const struct output_folder *folder,
                              const char *stem)
{
    if (!writer->group_count)
        return STATUS_OK;
    char *name = mem_format("%s.groups.json", stem), *line = json_take_line(groups_json(writer), JSON_EXACT);
    char *text = mem_format("%s\n", line);
    enum status status = output_folder_put(folder, name, text, strlen(text));
    free(name);
    free(line);
    free(text);
    return status;
}

enum status chakra_write(const struct program *program, const char *out)
{
    struct output_folder folder;
    enum status status = chakra_write_check(program);
    if (status == STATUS_OK)
        status = output_folder_open(&folder, out);
    if (status != STATUS_OK)
        return status;
    struct chakra_writer *writer = chakra_writer_open(program);
    char *stem = stem_of(out);
    progress_begin("writing the trace", program->ranks);
    for (uint32_t rank = 0; status == STATUS_OK && rank < program->ranks; rank++) {
        status = put_rank(writer, &folder, stem, rank);
        progress_tell(rank + UINT64_C(1));
    }
    progress_end();
    if (status == STATUS_OK)
        status = put_groups(writer, &folder, stem);
    free(stem);
    chakra_writer_close(writer);
    return output_folder_close(&folder, status);
}
