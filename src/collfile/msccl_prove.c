#include <stdio.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/queue.h"
#include "collfile/msccl.h"

/* Executes a program once. Which send meets which receive, what each step reads and which step comes before
 * which are the same in every execution without races, so one execution stands for all. */

/* The messages that are on their way, first in, first out. */
struct msccl_connection {
    uint32_t head, tail;       /* message + 1 */
    uint32_t sender, receiver; /* threadblock; MSCCL_NONE: nobody */
    bool is_awaited;           /* the receiver waits */
};

struct state {
    uint32_t done;         /* steps */
    uint32_t to, from;     /* connections; MSCCL_NONE */
    uint32_t next_waiting; /* threadblock + 1 that waits for the same step */
    bool is_queued;
};

struct msccl_execution {
    const struct collfile_text *text;
    const struct msccl_program *program;
    struct collfile_proof *proof;
    struct msccl_run *run;
    struct msccl_memory memory;
    struct msccl_order order;
    struct state *states;
    uint32_t *queue; /* of threadblocks that can go on: a ring */
    size_t queue_head, queue_count;
    struct msccl_connection *connections;
    size_t connection_count, connection_capacity;
    struct hashmap by_key;
    uint32_t *next; /* of each message on its way: the one behind it + 1 */
    size_t next_capacity;
    uint32_t *waiting; /* of each step: the first threadblock + 1 that waits for it */
    uint32_t *kept;    /* of each step that others wait for: its clock + 1 */
    uint32_t *awaited; /* of each step: how many steps still wait for it */
    bool is_too_large;
};

/* ----------------------------------------------------------------- problems */

__attribute__((format(printf, 5, 6))) static void step_is_wrong(struct msccl_execution *run, uint32_t tb,
                                                                uint32_t step, enum collfile_problem problem,
                                                                const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    msccl_step_is_wrong(run->text, run->proof, run->program, tb, step, problem, format, arguments);
    va_end(arguments);
}

static void report_race(struct msccl_execution *run, uint32_t tb, uint32_t step, struct msccl_place place,
                        uint32_t k, bool is_write, uint32_t other_tb, uint32_t other)
{
    const struct msccl_tb *found = &run->program->tbs[other_tb];
    step_is_wrong(
        run, tb, step, COLLFILE_RACE,
        "%s chunk %u of buffer %s, and nothing puts it before or after step %u of threadblock %d: a race",
        is_write ? "writes" : "reads", (uint32_t)place.offset + k,
        msccl_buffer_name((enum msccl_buffer)place.buffer), other - found->first_step, found->id);
}

/* ------------------------------------------------------------------- memory */

/* Whether the chunk is in its buffer; check_place has reported it if it is not. */
static bool is_inside(const struct msccl_execution *run, uint32_t tb, struct msccl_place place, uint32_t k)
{
    int64_t at = (int64_t)place.offset + k;
    return at >= 0 && (uint64_t)at < msccl_buffer_chunks(run->program, run->program->tbs[tb].gpu,
                                                         (enum msccl_buffer)place.buffer);
}

static struct msccl_content read_chunk(struct msccl_execution *run, uint32_t tb, uint32_t step,
                                       struct msccl_place place, uint32_t k)
{
    if (!is_inside(run, tb, place, k))
        return (struct msccl_content){.set = RANK_SET_NONE, .index = MSCCL_UNDEFINED};
    uint64_t cell = msccl_cell(&run->memory, run->program->tbs[tb].gpu, place, k);
    struct msccl_content content = run->memory.contents[cell];
    uint32_t other = 0, first = run->program->tbs[tb].first_step;
    uint32_t other_tb = msccl_order_read(&run->order, tb, step - first, cell, &other);
    if (other_tb != MSCCL_NONE)
        report_race(run, tb, step, place, k, false, other_tb, run->program->tbs[other_tb].first_step + other);
    if (content.set == RANK_SET_NONE && content.index == MSCCL_UNDEFINED)
        step_is_wrong(run, tb, step, COLLFILE_UNDEFINED_READ,
                      "reads undefined chunk %u of buffer %s: nobody has written it",
                      (uint32_t)place.offset + k, msccl_buffer_name((enum msccl_buffer)place.buffer));
    return content;
}

static void write_chunk(struct msccl_execution *run, uint32_t tb, uint32_t step, struct msccl_place place,
                        uint32_t k, struct msccl_content content)
{
    if (!is_inside(run, tb, place, k))
        return;
    uint64_t cell = msccl_cell(&run->memory, run->program->tbs[tb].gpu, place, k);
    uint32_t other = 0, first = run->program->tbs[tb].first_step;
    uint32_t other_tb = msccl_order_write(&run->order, tb, step - first, cell, &other);
    if (other_tb != MSCCL_NONE)
        report_race(run, tb, step, place, k, true, other_tb, run->program->tbs[other_tb].first_step + other);
    run->memory.contents[cell] = content;
}

/* ----------------------------------------------------------------- messages */

static uint32_t find_connection(struct msccl_execution *run, int32_t from, int32_t to, int32_t channel)
{
    uint32_t *slot = hashmap_slot(&run->by_key, msccl_connection_key(from, to, channel));
    if (*slot == 0) {
        run->connections =
            mem_grow(run->connections, &run->connection_capacity, run->connection_count + 1, "connections");
        run->connections[run->connection_count++] =
            (struct msccl_connection){.sender = MSCCL_NONE, .receiver = MSCCL_NONE};
        *slot = (uint32_t)run->connection_count;
    }
    return *slot - 1;
}

static void make_ready(struct msccl_execution *run, uint32_t tb)
{
    if (run->states[tb].is_queued)
        return;
    run->states[tb].is_queued = true;
    run->queue[(run->queue_head + run->queue_count++) % run->program->tb_count] = tb;
}

static bool send_message(struct msccl_execution *run, uint32_t tb, uint32_t step, size_t first)
{
    struct msccl_run *made = run->run;
    struct msccl_connection *to = &run->connections[run->states[tb].to];
    made->messages = mem_grow(made->messages, &made->message_capacity, made->message_count + 1, "messages");
    run->next = mem_grow(run->next, &run->next_capacity, made->message_count + 1, "messages");
    uint32_t number = (uint32_t)made->message_count++;
    made->messages[number] = (struct msccl_message){.send = step,
                                                    .recv = MSCCL_NONE,
                                                    .tb = tb,
                                                    .round = made->rounds[step] + 1,
                                                    .clock = msccl_order_keep(&run->order, tb),
                                                    .first = first,
                                                    .count = (uint32_t)run->program->steps[step].count};
    run->next[number] = 0;
    made->sent[step] = number + 1;
    if (to->tail)
        run->next[to->tail - 1] = number + 1;
    else
        to->head = number + 1;
    to->tail = number + 1;
    if (to->is_awaited) {
        to->is_awaited = false;
        make_ready(run, to->receiver);
    }
    return run->order.kept_count < MSCCL_KEPT_MAX;
}

/* The message that the step receives, or NULL: it has not been sent yet. */
static struct msccl_message *receive(struct msccl_execution *run, uint32_t tb, uint32_t step)
{
    struct msccl_connection *from = &run->connections[run->states[tb].from];
    if (from->head == 0) {
        from->is_awaited = true;
        return NULL;
    }
    uint32_t number = from->head - 1;
    struct msccl_message *message = &run->run->messages[number];
    from->head = run->next[number];
    if (from->head == 0)
        from->tail = 0;
    message->recv = step;
    run->run->received[step] = number + 1;
    msccl_order_join(&run->order, tb, message->clock);
    msccl_order_drop(&run->order, message->clock);
    return message;
}

/* -------------------------------------------------------------------- steps */

static void advance(uint32_t *value, uint32_t other)
{
    if (*value < other)
        *value = other;
}

/* The round and the level of a step that nothing keeps waiting. */
static void place_step(struct msccl_execution *run, uint32_t tb, uint32_t step,
                       const struct msccl_message *message)
{
    struct msccl_run *made = run->run;
    uint32_t round = 0, level = 0, waits_for = run->program->steps[step].waits_for;
    if (step > run->program->tbs[tb].first_step) {
        round = made->rounds[step - 1];
        level = made->levels[step - 1];
    }
    if (waits_for != MSCCL_NONE) {
        advance(&round, made->rounds[waits_for]);
        advance(&level, made->levels[waits_for]);
    }
    if (message) {
        advance(&round, message->round);
        advance(&level, made->levels[message->send]);
    }
    made->rounds[step] = round;
    made->levels[step] = level + 1;
    if (round > run->proof->rounds)
        run->proof->rounds = round;
}

/* What the step yields for each of its chunks: at the end of the contents. */
static size_t compute(struct msccl_execution *run, uint32_t tb, uint32_t step,
                      const struct msccl_message *message)
{
    const struct msccl_step *content = &run->program->steps[step];
    const struct msccl_kind *kind = &msccl_kinds[content->type];
    struct msccl_run *made = run->run;
    size_t first = made->content_count;
    const struct msccl_content undefined = {.set = RANK_SET_NONE, .index = MSCCL_UNDEFINED};
    made->contents = mem_grow(made->contents, &made->content_capacity, first + (size_t)content->count,
                              "contents of messages");
    for (uint32_t k = 0; k < (uint32_t)content->count; k++) {
        struct msccl_content value = undefined;
        if (kind->reads)
            value = read_chunk(run, tb, step, content->source, k);
        if (content->type == MSCCL_REDUCE)
            value = msccl_add(&run->memory, value, read_chunk(run, tb, step, content->destination, k));
        struct msccl_content got = undefined;
        if (message && k < message->count)
            got = made->contents[message->first + k];
        if (kind->receives)
            value = kind->adds ? msccl_add(&run->memory, value, got) : got;
        made->contents[first + k] = value;
    }
    if (kind->writes)
        for (uint32_t k = 0; k < (uint32_t)content->count; k++)
            write_chunk(run, tb, step, content->destination, k, made->contents[first + k]);
    if (kind->adds)
        run->proof->reductions += (uint64_t)content->count;
    else if (content->type == MSCCL_COPY)
        run->proof->copies += (uint64_t)content->count;
    return first;
}

/* What the awaited step has done comes before what this threadblock does now. */
static void join_awaited(struct msccl_execution *run, uint32_t tb, uint32_t awaited)
{
    msccl_order_join(&run->order, tb, run->kept[awaited] - 1);
    if (--run->awaited[awaited] > 0)
        return;
    msccl_order_drop(&run->order, run->kept[awaited] - 1);
    run->kept[awaited] = 0;
}

/* The threadblock does its next step. False: the step has to wait. */
static bool do_step(struct msccl_execution *run, uint32_t tb)
{
    struct state *state = &run->states[tb];
    uint32_t step = run->program->tbs[tb].first_step + state->done;
    const struct msccl_step *content = &run->program->steps[step];
    const struct msccl_kind *kind = &msccl_kinds[content->type];
    if (content->waits_for != MSCCL_NONE && run->run->levels[content->waits_for] == 0) {
        state->next_waiting = run->waiting[content->waits_for];
        run->waiting[content->waits_for] = tb + 1;
        return false;
    }
    struct msccl_message *message = NULL;
    if (kind->receives && !(message = receive(run, tb, step)))
        return false;
    if (content->waits_for != MSCCL_NONE)
        join_awaited(run, tb, content->waits_for);
    msccl_order_begin(&run->order, tb, state->done);
    place_step(run, tb, step, message);
    if (message && (int32_t)message->count != content->count)
        step_is_wrong(run, tb, step, COLLFILE_CONNECTION,
                      "receives %d chunks, but %u were sent to it (line %u)", content->count, message->count,
                      run->program->steps[message->send].line);
    size_t first = compute(run, tb, step, message);
    if (kind->sends) {
        run->run->content_count = first + (size_t)content->count;
        run->is_too_large |= !send_message(run, tb, step, first);
    }
    if (run->awaited[step])
        run->kept[step] = msccl_order_keep(&run->order, tb) + 1;
    return true;
}

static void run_threadblock(struct msccl_execution *run, uint32_t tb)
{
    struct state *state = &run->states[tb];
    const struct msccl_tb *found = &run->program->tbs[tb];
    while (state->done < found->step_count && !run->is_too_large && do_step(run, tb)) {
        uint32_t step = found->first_step + state->done++;
        for (uint32_t waiting = run->waiting[step]; waiting; waiting = run->states[waiting - 1].next_waiting)
            make_ready(run, waiting - 1);
        run->waiting[step] = 0;
    }
}

/* ------------------------------------------------------------------ the end */

/* The threadblock for which this one waits; MSCCL_NONE: what it waits for never comes. */
static uint32_t waits_for(const struct msccl_execution *run, uint32_t tb)
{
    uint32_t step = run->program->tbs[tb].first_step + run->states[tb].done;
    uint32_t other = run->program->steps[step].waits_for;
    if (other != MSCCL_NONE && run->run->levels[other] == 0) {
        uint32_t gpu = run->program->tbs[tb].gpu, at = run->program->gpus[gpu].first_tb;
        while (other >= run->program->tbs[at].first_step + run->program->tbs[at].step_count)
            at++;
        return at;
    }
    uint32_t sender = run->connections[run->states[tb].from].sender;
    if (sender == MSCCL_NONE || run->states[sender].done == run->program->tbs[sender].step_count)
        return MSCCL_NONE;
    return sender;
}

static void report_deadlock(struct msccl_execution *run, uint32_t tb)
{
    uint32_t left = (uint32_t)run->program->tb_count, at = tb;
    while (left-- && waits_for(run, at) != MSCCL_NONE)
        at = waits_for(run, at);
    uint32_t step = run->program->tbs[at].first_step + run->states[at].done, other = waits_for(run, at);
    const struct msccl_tb *found = &run->program->tbs[at];
    if (other == MSCCL_NONE)
        step_is_wrong(run, at, step, COLLFILE_DEADLOCK,
                      "waits for ever, a deadlock: gpu %d sends nothing more on channel %d", found->recv,
                      found->channel);
    else
        step_is_wrong(run, at, step, COLLFILE_DEADLOCK,
                      "waits for ever, a deadlock: it and step %u of gpu %d, threadblock %d wait in a loop",
                      run->states[other].done, run->program->gpus[run->program->tbs[other].gpu].id,
                      run->program->tbs[other].id);
}

static void check_threadblocks(struct msccl_execution *run)
{
    uint64_t before = run->proof->problems[COLLFILE_DEADLOCK], blocked = 0;
    for (uint32_t tb = 0; tb < run->program->tb_count; tb++)
        if (run->states[tb].done < run->program->tbs[tb].step_count && blocked++ == 0)
            report_deadlock(run, tb);
    run->proof->problems[COLLFILE_DEADLOCK] = before + blocked;
}

static void check_messages(struct msccl_execution *run)
{
    for (size_t i = 0; i < run->run->message_count; i++) {
        const struct msccl_message *message = &run->run->messages[i];
        if (message->recv != MSCCL_NONE)
            continue;
        const struct msccl_tb *tb = &run->program->tbs[message->tb];
        step_is_wrong(run, message->tb, message->send, COLLFILE_MESSAGE_LEFT,
                      "sends a message to gpu %d on channel %d that is never received", tb->send,
                      tb->channel);
    }
}

/* "written by step 3 of threadblock 1" into the buffer; *line becomes that of the step. */
static void name_writer(const struct msccl_execution *run, uint64_t cell, char *buffer, size_t size,
                        uint32_t *line)
{
    const struct msccl_access *access = &run->order.accesses[cell];
    if (access->writer == 0) {
        snprintf(buffer, size, "which no step writes");
        return;
    }
    const struct msccl_tb *tb = &run->program->tbs[access->writer - 1];
    *line = run->program->steps[tb->first_step + access->step - 1].line;
    snprintf(buffer, size, "written by threadblock %d, step %u", tb->id, access->step - 1);
}

static void check_result(struct msccl_execution *run, uint32_t id)
{
    uint32_t gpu = run->program->gpu_of[id];
    char has[128], wants[128], writer[64];
    for (uint64_t k = 0; k < run->memory.output; k++) {
        uint64_t cell =
            msccl_cell(&run->memory, gpu, (struct msccl_place){.buffer = MSCCL_OUTPUT}, (uint32_t)k);
        struct msccl_content found = run->memory.contents[cell], wanted = msccl_expected(&run->memory, id, k);
        uint32_t line = run->program->gpus[gpu].line;
        if (found.set == wanted.set && found.index == wanted.index)
            continue;
        name_writer(run, cell, writer, sizeof writer, &line);
        collfile_wrong(run->text, run->proof, COLLFILE_WRONG_CHUNK, line,
                       "gpu %u ends with a wrong chunk %llu of its output: %s, %s; %s is right", id,
                       (unsigned long long)k, msccl_describe(&run->memory, found, has, sizeof has), writer,
                       msccl_describe(&run->memory, wanted, wants, sizeof wants));
    }
}

/* ---------------------------------------------------------------- beginning */

static void copy_before(struct msccl_execution *run)
{
    for (size_t i = 0; i < run->program->copy_count; i++) {
        const struct msccl_copy *copy = &run->program->copies[i];
        struct msccl_place from = {.buffer = MSCCL_INPUT, .offset = copy->from};
        struct msccl_place to = {.buffer = MSCCL_OUTPUT, .offset = copy->to};
        run->memory.contents[msccl_cell(&run->memory, copy->gpu, to, 0)] =
            run->memory.contents[msccl_cell(&run->memory, copy->gpu, from, 0)];
    }
}

static void connect(struct msccl_execution *run)
{
    for (uint32_t tb = 0; tb < run->program->tb_count; tb++) {
        const struct msccl_tb *found = &run->program->tbs[tb];
        int32_t own = run->program->gpus[found->gpu].id;
        bool sends = false, receives = false;
        for (uint32_t i = 0; i < found->step_count; i++) {
            const struct msccl_step *step = &run->program->steps[found->first_step + i];
            sends |= msccl_kinds[step->type].sends;
            receives |= msccl_kinds[step->type].receives;
            if (step->waits_for != MSCCL_NONE)
                run->awaited[step->waits_for]++;
        }
        run->states[tb].to = sends ? find_connection(run, own, found->send, found->channel) : MSCCL_NONE;
        run->states[tb].from = receives ? find_connection(run, found->recv, own, found->channel) : MSCCL_NONE;
        if (sends)
            run->connections[run->states[tb].to].sender = tb;
        if (receives)
            run->connections[run->states[tb].from].receiver = tb;
        make_ready(run, tb);
    }
}

static void open_execution(struct msccl_execution *run)
{
    size_t steps = run->program->step_count + 1, tbs = run->program->tb_count + 1;
    msccl_memory_init(&run->memory, run->program);
    msccl_order_init(&run->order, run->program, run->memory.first[run->program->gpu_count]);
    run->states = mem_alloc(tbs, sizeof *run->states, "threadblocks");
    run->queue = mem_alloc(tbs, sizeof *run->queue, "threadblocks");
    run->waiting = mem_alloc(steps, sizeof *run->waiting, "steps");
    run->kept = mem_alloc(steps, sizeof *run->kept, "steps");
    run->awaited = mem_alloc(steps, sizeof *run->awaited, "steps");
    run->run->sent = mem_alloc(steps, sizeof *run->run->sent, "steps");
    run->run->received = mem_alloc(steps, sizeof *run->run->received, "steps");
    run->run->rounds = mem_alloc(steps, sizeof *run->run->rounds, "steps");
    run->run->levels = mem_alloc(steps, sizeof *run->run->levels, "steps");
    copy_before(run);
    connect(run);
}

/* Clocks that nobody has taken, after a deadlock or of messages that are left. */
static void drop_clocks(struct msccl_execution *run)
{
    for (size_t i = 0; i < run->run->message_count; i++)
        if (run->run->messages[i].recv == MSCCL_NONE)
            msccl_order_drop(&run->order, run->run->messages[i].clock);
    for (size_t step = 0; step < run->program->step_count; step++)
        if (run->kept[step])
            msccl_order_drop(&run->order, run->kept[step] - 1);
}

static void close_execution(struct msccl_execution *run)
{
    drop_clocks(run);
    msccl_memory_free(&run->memory);
    msccl_order_free(&run->order);
    hashmap_free(&run->by_key);
    free(run->states);
    free(run->queue);
    free(run->connections);
    free(run->next);
    free(run->waiting);
    free(run->kept);
    free(run->awaited);
}

/* Memory and time stay within what the limits allow. */
static bool is_too_large(const struct msccl_program *program)
{
    uint64_t cells = 0, moved = 0;
    for (size_t i = 0; i < program->gpu_count; i++)
        for (int buffer = 0; buffer < MSCCL_BUFFERS; buffer++)
            cells += msccl_buffer_chunks(program, (uint32_t)i, (enum msccl_buffer)buffer);
    for (size_t i = 0; i < program->step_count; i++)
        moved += (uint64_t)program->steps[i].count;
    return cells > MSCCL_CELLS_MAX || moved > MSCCL_CELLS_MAX;
}

static enum status refuse_size(const struct collfile_text *text, const struct msccl_program *program)
{
    return collfile_refuse(
        text, 0, 0, "too large to be proven: %zu GPUs, %zu threadblocks, %zu steps, %llu chunks per loop",
        program->gpu_count, program->tb_count, program->step_count, (unsigned long long)program->loop);
}

enum status msccl_execute(const struct collfile_text *text, const struct msccl_program *program,
                          struct collfile_proof *proof, struct msccl_run *made)
{
    if (is_too_large(program))
        return refuse_size(text, program);
    struct msccl_execution run = {.text = text, .program = program, .proof = proof, .run = made};
    open_execution(&run);
    while (run.queue_count && !run.is_too_large) {
        uint32_t tb = run.queue[run.queue_head];
        run.queue_head = (run.queue_head + 1) % program->tb_count;
        run.queue_count--;
        run.states[tb].is_queued = false;
        run_threadblock(&run, tb);
    }
    if (!run.is_too_large) {
        check_threadblocks(&run);
        check_messages(&run);
        for (uint32_t id = 0; id < program->ranks; id++)
            check_result(&run, id);
    }
    close_execution(&run);
    return run.is_too_large ? refuse_size(text, program) : STATUS_OK;
}

void msccl_run_free(struct msccl_run *run)
{
    free(run->messages);
    free(run->contents);
    free(run->sent);
    free(run->received);
    free(run->rounds);
    free(run->levels);
    *run = (struct msccl_run){.message_count = 0};
}
