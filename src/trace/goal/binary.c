#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "trace/goal/goal.h"

/* The binary form, little endian and packed. Behind the magic number, and with offsets that count from there:
 *
 *     u32 ranks, u8 highest cpu, u8 highest nic, and for each rank u64 start, u64 end
 *     at each start: u32 operations, u32 roots, u32 root[roots], the operations, u32 list[]
 *
 * An operation, of GOAL_OPERATION_BYTES:
 *
 *     0  u32 dependences to wait for     23  u32 how many wait for its end
 *     4  i8 kind: 1 send, 2 recv, 3 calc 27  u32 and where they stand in the list
 *     5  u32 peer                        31  u32 how many wait for its beginning
 *     9  u64 size, or duration in ns     35  u32 and where they stand
 *     17 u32 tag, 21 u8 cpu, 22 u8 nic
 */
enum { MAGIC = 8, HEAD = 6, JUMP = 16, RANK_HEAD = 8, KIND_AT = 4, PEER_AT = 5, SIZE_AT = 9 };
enum {
    TAG_AT = 17,
    CPU_AT = 21,
    NIC_AT = 22,
    ON_END_AT = 23,
    END_LIST_AT = 27,
    ON_BEGIN_AT = 31,
    BEGIN_LIST_AT = 35
};

struct binary {
    struct goal_program *goal;
    struct content_window *window;
    const unsigned char *bytes; /* from `base` on; offsets count from behind the magic number */
    uint64_t base, size;
    unsigned char *jumps; /* start and end of each rank */
    uint32_t ranks;
    uint32_t rank;
    uint64_t start, end; /* of the rank */
    uint32_t operations, roots;
    uint64_t first, list; /* where its operations and its list begin */
    uint64_t listed;      /* entries of the list */
    uint32_t named;       /* of these, by its operations */
};

/* Little endian, as on every machine that this runs on. */
static inline uint64_t number_of(const unsigned char *bytes, unsigned count)
{
    uint64_t number = 0;
    memcpy(&number, bytes, count);
    return number;
}

static inline uint64_t number_at(const struct binary *binary, uint64_t at, unsigned bytes)
{
    return number_of(binary->bytes + (at - binary->base), bytes);
}

/* From now on number_at has these bytes, which the file has. */
static enum status look_at(struct binary *binary, uint64_t at, uint64_t count)
{
    binary->bytes = (const unsigned char *)content_window_at(binary->window, at + MAGIC, (size_t)count);
    binary->base = at;
    return binary->bytes ? STATUS_OK : STATUS_BAD_INPUT;
}

__attribute__((format(printf, 3, 4))) static enum status fail(const struct binary *binary, uint64_t at,
                                                              const char *format, ...)
{
    char text[256];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = binary->goal->path, .line = (at + MAGIC) | DIAG_BYTE}, "%s",
                text);
    return STATUS_BAD_INPUT;
}

/* ------------------------------------------------------------------- a rank */

static enum status read_rank_head(struct binary *binary)
{
    uint64_t jump = HEAD + (uint64_t)JUMP * binary->rank;
    const unsigned char *entry = binary->jumps + (size_t)JUMP * binary->rank;
    binary->start = number_of(entry, 8);
    binary->end = number_of(entry + 8, 8);
    if (binary->start > binary->end || binary->end > binary->size ||
        binary->end - binary->start < RANK_HEAD || binary->start < HEAD + (uint64_t)JUMP * binary->ranks)
        return fail(binary, jump, "rank %u is said to be from byte %llu to %llu of %llu", binary->rank,
                    (unsigned long long)binary->start, (unsigned long long)binary->end,
                    (unsigned long long)binary->size);
    if (look_at(binary, binary->start, binary->end - binary->start) != STATUS_OK)
        return STATUS_BAD_INPUT;
    binary->operations = (uint32_t)number_at(binary, binary->start, 4);
    binary->roots = (uint32_t)number_at(binary, binary->start + 4, 4);
    binary->first = binary->start + RANK_HEAD + 4 * (uint64_t)binary->roots;
    binary->list = binary->first + (uint64_t)GOAL_OPERATION_BYTES * binary->operations;
    if (binary->roots > binary->operations || binary->list > binary->end || binary->operations == GRAPH_ANY)
        return fail(binary, binary->start,
                    "rank %u has %u operations and %u roots, for which it is too short", binary->rank,
                    binary->operations, binary->roots);
    binary->listed = (binary->end - binary->list) / 4;
    return STATUS_OK;
}

static enum status check_message(const struct binary *binary, uint64_t at,
                                 const struct graph_operation *operation)
{
    bool is_any = operation->peer == GRAPH_ANY && operation->kind == GRAPH_RECV;
    if (operation->peer >= binary->ranks && !is_any)
        return fail(binary, at + PEER_AT, "there is no rank %u: the file has %u", operation->peer,
                    binary->ranks);
    return STATUS_OK;
}

/* The operation, but its lists. `needs` becomes minus the dependences that it is said to wait for. */
static enum status read_operation(const struct binary *binary, uint32_t index, struct graph_operation *to)
{
    static const uint8_t kinds[] = {[1] = GRAPH_SEND, [2] = GRAPH_RECV, [3] = GRAPH_COMPUTE};
    const uint64_t at = binary->first + (uint64_t)GOAL_OPERATION_BYTES * index;
    const unsigned char *bytes = binary->bytes + (at - binary->base);
    const unsigned kind = bytes[KIND_AT];
    if (kind < 1 || kind > 3)
        return fail(binary, at + KIND_AT, "operation %u of rank %u is of kind %u; there are 1 to 3", index,
                    binary->rank, kind);
    *to = (struct graph_operation){.kind = kinds[kind],
                                   .amount = number_of(bytes + SIZE_AT, 8),
                                   .peer = (uint32_t)number_of(bytes + PEER_AT, 4),
                                   .tag = (uint32_t)number_of(bytes + TAG_AT, 4),
                                   .needs = 0 - (uint32_t)number_of(bytes, 4),
                                   .core = bytes[CPU_AT],
                                   .nic = bytes[NIC_AT]};
    bool is_calc = to->kind == GRAPH_COMPUTE;
    uint64_t most = is_calc ? GOAL_MOST_NS : (uint64_t)INT64_MAX;
    if (to->amount > most)
        return fail(binary, at + SIZE_AT, "%s is at most %llu", is_calc ? "a time in ns" : "a size in bytes",
                    (unsigned long long)most);
    if (to->core >= GOAL_MOST_CORES || to->nic >= GOAL_MOST_CORES)
        return fail(binary, at + CPU_AT, "the number of a cpu or nic is at most %d", GOAL_MOST_CORES - 1);
    if (!is_calc)
        return check_message(binary, at, to);
    to->amount *= 1000;
    to->peer = to->tag = 0;
    to->nic = 0;
    return STATUS_OK;
}

static enum status read_operations(const struct binary *binary)
{
    struct graph_operation *to = graph_builder_add_all(&binary->goal->builder, binary->operations);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < binary->operations; i++)
        status = read_operation(binary, i, &to[i]);
    return status;
}

/* The lists of a rank, as they are read. */
struct rank_lists {
    struct graph_operation *operations;
    uint32_t *dependents, used;
};

/* `at`: where it stands how many there are, and behind that where. */
static enum status read_list(const struct binary *binary, uint32_t index, uint64_t at, struct rank_lists *to)
{
    const uint64_t count = number_at(binary, at, 4), first = number_at(binary, at + 4, 4);
    if (count && first + count > binary->listed)
        return fail(binary, at, "operation %u of rank %u names entries %llu to %llu of a list of %llu", index,
                    binary->rank, (unsigned long long)first, (unsigned long long)(first + count),
                    (unsigned long long)binary->listed);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t entry = binary->list + 4 * (first + i);
        const uint32_t after = (uint32_t)number_at(binary, entry, 4);
        if (after >= binary->operations)
            return fail(binary, entry, "there is no operation %u: rank %u has %u", after, binary->rank,
                        binary->operations);
        to->dependents[to->used++] = after;
        to->operations[after].needs++;
    }
    return STATUS_OK;
}

/* The file has the lists as the graph does: of each operation those that wait for its end, then those that
 * wait for its beginning. Most have none. */
static enum status read_lists(struct binary *binary)
{
    struct graph_builder *builder = &binary->goal->builder;
    struct rank_lists lists = {.dependents = graph_builder_lists(builder, binary->named),
                               .used = (uint32_t)builder->dependent_count};
    lists.operations = builder->operations + builder->rank_first;
    uint64_t at = binary->first;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < binary->operations; i++, at += GOAL_OPERATION_BYTES) {
        lists.operations[i].on_end = lists.used;
        if (number_at(binary, at + ON_END_AT, 4))
            status = read_list(binary, i, at + ON_END_AT, &lists);
        lists.operations[i].on_begin = lists.used;
        if (status == STATUS_OK && number_at(binary, at + ON_BEGIN_AT, 4))
            status = read_list(binary, i, at + ON_BEGIN_AT, &lists);
    }
    return status;
}

/* Lists may overlap in a hostile file, so that few bytes make many dependences. */
static enum status check_amount(struct binary *binary)
{
    uint64_t sum = 0;
    const unsigned char *bytes = binary->bytes + (binary->first - binary->base);
    for (uint32_t i = 0; i < binary->operations; i++, bytes += GOAL_OPERATION_BYTES)
        sum += number_of(bytes + ON_END_AT, 4) + number_of(bytes + ON_BEGIN_AT, 4);
    binary->named = (uint32_t)sum;
    if (sum > binary->listed || sum > UINT32_MAX)
        return fail(binary, binary->start,
                    "the operations of rank %u name %llu dependences, its list has %llu%s", binary->rank,
                    (unsigned long long)sum, (unsigned long long)binary->listed,
                    sum > UINT32_MAX ? ", and a rank has at most 2^32 - 1" : "");
    return STATUS_OK;
}

/* Then `needs` is what each operation waits for. */
static enum status check_needs(const struct binary *binary)
{
    const struct graph_builder *builder = &binary->goal->builder;
    struct graph_operation *operations = builder->operations + builder->rank_first;
    uint32_t roots = 0;
    for (uint32_t i = 0; i < binary->operations; i++) {
        uint64_t at = binary->first + (uint64_t)GOAL_OPERATION_BYTES * i;
        uint32_t said = (uint32_t)number_at(binary, at, 4);
        roots += said == 0;
        if (operations[i].needs)
            return fail(binary, at, "operation %u of rank %u waits for %u dependences, and %u lead to it", i,
                        binary->rank, said, said + operations[i].needs);
        operations[i].needs = said;
    }
    if (roots != binary->roots)
        return fail(binary, binary->start + 4,
                    "rank %u has %u operations that wait for nothing, and names %u", binary->rank, roots,
                    binary->roots);
    return STATUS_OK;
}

static enum status read_rank(struct binary *binary)
{
    graph_builder_rank(&binary->goal->builder);
    enum status status = read_rank_head(binary);
    if (status == STATUS_OK)
        status = check_amount(binary);
    if (status == STATUS_OK)
        status = read_operations(binary);
    if (status == STATUS_OK)
        status = read_lists(binary);
    if (status == STATUS_OK)
        status = check_needs(binary);
    if (status != STATUS_OK)
        return status;
    if (graph_builder_end_lists(&binary->goal->builder, binary->named))
        return STATUS_OK;
    goal_report_circle(binary->goal, binary->rank);
    return STATUS_BAD_INPUT;
}

/* ----------------------------------------------------------------- the file */

/* Looks up where the operations of the rank begin. False: the file has no such bytes. */
static bool find_rank(struct content_window *window, uint32_t rank, uint64_t *at)
{
    uint64_t jump = MAGIC + HEAD + (uint64_t)JUMP * rank;
    const char *bytes = jump + JUMP <= window->size ? content_window_at(window, jump, JUMP) : NULL;
    if (!bytes)
        return false;
    uint64_t start = number_of((const unsigned char *)bytes, 8);
    bool exists = start < window->size && start + MAGIC + RANK_HEAD <= window->size;
    bytes = exists ? content_window_at(window, start + MAGIC, RANK_HEAD) : NULL;
    if (!bytes)
        return false;
    *at = MAGIC + start + RANK_HEAD + 4 * number_of((const unsigned char *)bytes + 4, 4);
    return true;
}

uint64_t goal_binary_rank_at(const struct goal_program *goal, uint32_t rank)
{
    struct content_window window = {.bytes = goal->bytes, .to = goal->size, .size = goal->size};
    uint64_t at = 0;
    if (!goal->bytes && content_window_open(&window, goal->path, NULL) != STATUS_OK)
        return 0;
    if (!find_rank(&window, rank, &at))
        at = 0;
    if (!goal->bytes)
        content_window_close(&window);
    return at;
}

static enum status read_head(struct binary *binary)
{
    if (binary->size < HEAD)
        return fail(binary, 0, "the file is cut short");
    if (look_at(binary, 0, HEAD) != STATUS_OK)
        return STATUS_BAD_INPUT;
    binary->ranks = (uint32_t)number_at(binary, 0, 4);
    if (!binary->ranks || binary->ranks > (binary->size - HEAD) / JUMP)
        return fail(binary, 0, "%u ranks, for which the file is too short", binary->ranks);
    const size_t size = (size_t)JUMP * binary->ranks;
    if (look_at(binary, HEAD, size) != STATUS_OK)
        return STATUS_BAD_INPUT;
    binary->jumps = mem_alloc(binary->ranks, JUMP, "places of ranks");
    memcpy(binary->jumps, binary->bytes, size);
    return STATUS_OK;
}

enum status goal_read_binary(struct goal_program *goal, struct content_window *window)
{
    struct binary binary = {.goal = goal, .window = window, .size = window->size - MAGIC};
    if (window->size < MAGIC) /* it was longer when its form was found out */
        return fail(&binary, 0, "the file is cut short");
    const char *magic = content_window_at(window, 0, MAGIC);
    if (!magic)
        return STATUS_BAD_INPUT;
    if (number_of((const unsigned char *)magic, MAGIC) == GOAL_CONSUMED) {
        diag_report(
            DIAG_ERROR, &(struct diag_place){.file = goal->path},
            "LogGOPSim has written into this file (--save-mem): its dependences are lost; make it anew");
        return STATUS_BAD_INPUT;
    }
    enum status status = read_head(&binary);
    if (status == STATUS_OK) {
        const uint64_t rest = binary.size - HEAD - (uint64_t)JUMP * binary.ranks;
        goal->program.ranks = binary.ranks;
        graph_builder_reserve(&goal->builder, binary.ranks, (size_t)(rest / GOAL_OPERATION_BYTES));
    }
    for (; status == STATUS_OK && binary.rank < binary.ranks; binary.rank++)
        status = read_rank(&binary);
    free(binary.jumps);
    return status;
}
