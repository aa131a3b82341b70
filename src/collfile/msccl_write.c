#include "collfile/msccl_write.h"

#include <string.h>

#include "base/mem.h"
#include "collfile/msccl.h"

struct written_step {
    uint8_t type; /* enum msccl_type */
    struct msccl_place source, destination;
    uint32_t count, tb, index; /* index among the steps of its threadblock, those for waiting included */
    uint32_t first_wait, wait_count;
    bool has_dependent;
};

struct written_tb {
    int32_t send, recv;
    uint32_t steps;        /* so far, those for waiting included */
    uint32_t last, before; /* step + 1: its last one, and the last one of earlier phases; 0: none */
    uint32_t *known; /* of each threadblock: so many of its steps are done before the next step of this one */
    size_t known_capacity;
};

/* Who has touched a chunk: the last step that has written it, and those that have read it since. */
struct touched {
    uint32_t writer; /* step + 1; 0: none */
    uint32_t *readers;
    size_t reader_count, reader_capacity;
};

/* The steps of one rank. One byte of the call is one chunk. */
struct writer {
    struct coll_sink sink;
    struct coll_call call;
    uint64_t sizes[MSCCL_BUFFERS];
    struct touched *chunks[MSCCL_BUFFERS];
    struct written_step *steps;
    struct written_tb *tbs;
    uint32_t *waits; /* of steps: for which steps */
    size_t step_count, step_capacity, tb_count, tb_capacity, wait_count, wait_capacity;
    const char *problem;
    bool keep_phases;
};

/* ---------------------------------------------------------------- steps */

static uint32_t find_tb(struct writer *writer, int32_t send, int32_t recv)
{
    for (uint32_t tb = 0; tb < writer->tb_count; tb++)
        if (writer->tbs[tb].send == send && writer->tbs[tb].recv == recv)
            return tb;
    writer->tbs = mem_grow(writer->tbs, &writer->tb_capacity, writer->tb_count + 1, "threadblocks");
    writer->tbs[writer->tb_count] = (struct written_tb){.send = send, .recv = recv};
    return (uint32_t)writer->tb_count++;
}

/* How many steps of the other threadblock this one knows to be done. */
static uint32_t *known(struct writer *writer, uint32_t tb, uint32_t other)
{
    struct written_tb *found = &writer->tbs[tb];
    size_t before = found->known_capacity;
    found->known = mem_grow(found->known, &found->known_capacity, (size_t)other + 1, "threadblocks");
    memset(found->known + before, 0, (found->known_capacity - before) * sizeof *found->known);
    return &found->known[other];
}

/* The last step waits for an earlier one, unless its threadblock knows that that one is done. */
static void wait_for(struct writer *writer, uint32_t other)
{
    struct written_step *step = &writer->steps[writer->step_count - 1], *earlier = &writer->steps[other];
    if (earlier->tb == step->tb || earlier == step)
        return;
    uint32_t *done = known(writer, step->tb, earlier->tb);
    if (*done > earlier->index)
        return;
    *done = earlier->index + 1;
    earlier->has_dependent = true;
    writer->waits = mem_grow(writer->waits, &writer->wait_capacity, writer->wait_count + 1, "a schedule");
    writer->waits[writer->wait_count++] = other;
    step->wait_count++;
}

static void touch(struct writer *writer, struct msccl_place place, uint32_t count, bool is_write)
{
    uint32_t number = (uint32_t)writer->step_count - 1;
    for (uint32_t k = 0; k < count; k++) {
        struct touched *chunk = &writer->chunks[place.buffer][(uint32_t)place.offset + k];
        if (chunk->writer)
            wait_for(writer, chunk->writer - 1);
        if (is_write) {
            for (size_t i = 0; i < chunk->reader_count; i++)
                wait_for(writer, chunk->readers[i]);
            chunk->reader_count = 0;
            chunk->writer = number + 1;
        } else {
            chunk->readers =
                mem_grow(chunk->readers, &chunk->reader_capacity, chunk->reader_count + 1, "a schedule");
            chunk->readers[chunk->reader_count++] = number;
        }
    }
}

static bool is_written(struct writer *writer, struct coll_span span, struct msccl_place *place)
{
    static const uint8_t buffers[] = {
        [COLL_SEND_BUFFER] = MSCCL_INPUT, [COLL_RECV_BUFFER] = MSCCL_OUTPUT, [COLL_SCRATCH] = MSCCL_SCRATCH};
    if (span.buffer > COLL_SCRATCH) {
        writer->problem = "it needs memory that ranks share, or messages without data";
        return false;
    }
    *place = (struct msccl_place){.buffer = buffers[span.buffer], .offset = (int32_t)span.offset};
    return span.bytes > 0;
}

/* The last step waits for all steps of earlier phases. */
static void wait_for_phases(struct writer *writer)
{
    for (size_t tb = 0; tb < writer->tb_count; tb++)
        if (writer->tbs[tb].before)
            wait_for(writer, writer->tbs[tb].before - 1);
}

static void end_phase(struct writer *writer)
{
    for (size_t tb = 0; tb < writer->tb_count; tb++)
        writer->tbs[tb].before = writer->tbs[tb].last;
}

/* Several waits take steps of their own in front of the step: all but the last. */
static void add_step(struct writer *writer, enum msccl_type type, uint32_t tb, struct msccl_place source,
                     struct msccl_place destination, uint32_t count)
{
    const struct msccl_kind *kind = &msccl_kinds[type];
    writer->steps = mem_grow(writer->steps, &writer->step_capacity, writer->step_count + 1, "steps");
    writer->steps[writer->step_count++] = (struct written_step){.type = (uint8_t)type,
                                                                .source = source,
                                                                .destination = destination,
                                                                .count = count,
                                                                .tb = tb,
                                                                .first_wait = (uint32_t)writer->wait_count};
    if (writer->keep_phases)
        wait_for_phases(writer);
    if (kind->reads)
        touch(writer, source, count, false);
    if (kind->writes)
        touch(writer, destination, count, true);
    struct written_step *step = &writer->steps[writer->step_count - 1];
    writer->tbs[tb].steps += step->wait_count > 1 ? step->wait_count - 1 : 0;
    step->index = writer->tbs[tb].steps++;
    writer->tbs[tb].last = (uint32_t)writer->step_count;
}

static void write_send(struct coll_sink *sink, uint32_t peer, struct coll_span from)
{
    struct writer *writer = (struct writer *)sink;
    struct msccl_place place;
    if (is_written(writer, from, &place))
        add_step(writer, MSCCL_SEND, find_tb(writer, (int32_t)peer, -1), place, place, (uint32_t)from.bytes);
}

static void write_recv(struct coll_sink *sink, uint32_t peer, struct coll_span into)
{
    struct writer *writer = (struct writer *)sink;
    struct msccl_place place;
    if (is_written(writer, into, &place))
        add_step(writer, MSCCL_RECV, find_tb(writer, -1, (int32_t)peer), place, place, (uint32_t)into.bytes);
}

static void write_local(struct coll_sink *sink, enum msccl_type type, struct coll_span from,
                        struct coll_span into)
{
    struct writer *writer = (struct writer *)sink;
    struct msccl_place source, destination;
    if (is_written(writer, from, &source) && is_written(writer, into, &destination))
        add_step(writer, type, find_tb(writer, -1, -1), source, destination, (uint32_t)from.bytes);
}

static void write_copy(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    write_local(sink, MSCCL_COPY, from, into);
}

static void write_reduce(struct coll_sink *sink, struct coll_span from, struct coll_span into)
{
    write_local(sink, MSCCL_REDUCE, from, into);
}

static void refuse(struct coll_sink *sink)
{
    ((struct writer *)sink)->problem = "its ranks meet at barriers and flags";
}

static void refuse_raise(struct coll_sink *sink, uint32_t peer, struct coll_span into, uint32_t flag)
{
    (void)peer, (void)into, (void)flag;
    refuse(sink);
}

static void refuse_flag(struct coll_sink *sink, uint32_t flag)
{
    (void)flag;
    refuse(sink);
}

/* ---------------------------------------------------------------- ranks */

static void open_rank(struct writer *writer, const struct msccl_wish *wish, uint32_t rank)
{
    const struct coll_algorithm *algorithm = wish->algorithm;
    uint32_t ranks = wish->ranks, chunks = wish->chunks;
    uint64_t vector = (uint64_t)ranks * chunks;
    bool is_whole = algorithm->kind == COLL_ALLREDUCE;
    *writer = (struct writer){.sink = {.send = write_send,
                                       .recv = write_recv,
                                       .recv_raise = refuse_raise,
                                       .barrier = refuse,
                                       .raise = refuse_flag,
                                       .await = refuse_flag,
                                       .copy = write_copy,
                                       .reduce = write_reduce,
                                       .local = true},
                              .call = {.kind = algorithm->kind,
                                       .size = ranks,
                                       .rank = rank,
                                       .element = 1,
                                       .bytes = is_whole ? vector : chunks},
                              .keep_phases = wish->keep_phases};
    writer->sizes[MSCCL_INPUT] = algorithm->kind == COLL_ALLGATHER ? chunks : vector;
    writer->sizes[MSCCL_OUTPUT] = algorithm->kind == COLL_REDUCE_SCATTER ? chunks : vector;
    writer->sizes[MSCCL_SCRATCH] = coll_scratch(algorithm, &writer->call);
    for (int i = 0; i < MSCCL_BUFFERS; i++)
        writer->chunks[i] = mem_alloc(writer->sizes[i] + 1, sizeof *writer->chunks[i], "memory of ranks");
}

static void close_rank(struct writer *writer)
{
    for (int i = 0; i < MSCCL_BUFFERS; i++) {
        for (uint64_t k = 0; k < writer->sizes[i]; k++)
            free(writer->chunks[i][k].readers);
        free(writer->chunks[i]);
    }
    for (size_t i = 0; i < writer->tb_count; i++)
        free(writer->tbs[i].known);
    free(writer->steps);
    free(writer->tbs);
    free(writer->waits);
}

/* ----------------------------------------------------------------- text */

static void print_wait(const struct writer *writer, const struct written_step *step, uint32_t i, FILE *out)
{
    const struct written_step *other = &writer->steps[writer->waits[step->first_wait + i]];
    fprintf(out, " depid=\"%u\" deps=\"%u\"", other->tb, other->index);
}

static void print_step(const struct writer *writer, const struct written_step *step, FILE *out)
{
    uint32_t nops = step->wait_count > 1 ? step->wait_count - 1 : 0;
    for (uint32_t i = 0; i < nops; i++) {
        fprintf(out,
                "      <step s=\"%u\" type=\"nop\" srcbuf=\"i\" srcoff=\"-1\" dstbuf=\"o\" dstoff=\"-1\" "
                "cnt=\"0\"",
                step->index - nops + i);
        print_wait(writer, step, i, out);
        fputs(" hasdep=\"0\"/>\n", out);
    }
    fprintf(
        out,
        "      <step s=\"%u\" type=\"%s\" srcbuf=\"%s\" srcoff=\"%d\" dstbuf=\"%s\" dstoff=\"%d\" cnt=\"%u\"",
        step->index, msccl_kinds[step->type].name, msccl_buffer_name((enum msccl_buffer)step->source.buffer),
        step->source.offset, msccl_buffer_name((enum msccl_buffer)step->destination.buffer),
        step->destination.offset, step->count);
    if (step->wait_count)
        print_wait(writer, step, nops, out);
    else
        fputs(" depid=\"-1\" deps=\"-1\"", out);
    fprintf(out, " hasdep=\"%d\"/>\n", step->has_dependent);
}

static void print_rank(const struct writer *writer, FILE *out)
{
    fprintf(out, "  <gpu id=\"%u\" i_chunks=\"%llu\" o_chunks=\"%llu\" s_chunks=\"%llu\">\n",
            writer->call.rank, (unsigned long long)writer->sizes[MSCCL_INPUT],
            (unsigned long long)writer->sizes[MSCCL_OUTPUT],
            (unsigned long long)writer->sizes[MSCCL_SCRATCH]);
    for (uint32_t tb = 0; tb < writer->tb_count; tb++) {
        fprintf(out, "    <tb id=\"%u\" send=\"%d\" recv=\"%d\" chan=\"0\">\n", tb, writer->tbs[tb].send,
                writer->tbs[tb].recv);
        for (size_t i = 0; i < writer->step_count; i++)
            if (writer->steps[i].tb == tb)
                print_step(writer, &writer->steps[i], out);
        fputs("    </tb>\n", out);
    }
    fputs("  </gpu>\n", out);
}

static const char *print_ranks(const struct msccl_wish *wish, FILE *out)
{
    const char *problem = NULL;
    for (uint32_t rank = 0; rank < wish->ranks && !problem; rank++) {
        struct writer writer;
        open_rank(&writer, wish, rank);
        for (uint32_t phase = 0;
             !writer.problem && coll_emit(wish->algorithm, &writer.call, phase, &writer.sink); phase++)
            end_phase(&writer);
        problem = writer.problem;
        if (!problem)
            print_rank(&writer, out);
        close_rank(&writer);
    }
    return problem;
}

bool msccl_has_kind(enum coll_kind kind)
{
    return kind == COLL_ALLREDUCE || kind == COLL_ALLGATHER || kind == COLL_ALLTOALL ||
           kind == COLL_REDUCE_SCATTER;
}

char *msccl_write(const struct msccl_wish *wish, size_t *size, const char **problem)
{
    const struct coll_algorithm *algorithm = wish->algorithm;
    char *text = NULL;
    if (algorithm->node_aware) {
        *problem = "it is for nodes of several ranks";
        return NULL;
    }
    FILE *out = open_memstream(&text, size);
    if (!out)
        mem_exhausted("a schedule");
    fprintf(out,
            "<algo name=\"helio_%s_%s\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"%llu\" "
            "ngpus=\"%u\" coll=\"%s\" "
            "inplace=\"0\" outofplace=\"1\" minBytes=\"0\" maxBytes=\"1099511627776\">\n",
            coll_kind_name(algorithm->kind), algorithm->name, (unsigned long long)wish->ranks * wish->chunks,
            wish->ranks, coll_kind_name(algorithm->kind));
    *problem = print_ranks(wish, out);
    fputs("</algo>\n", out);
    if (fclose(out) != 0)
        mem_exhausted("a schedule");
    if (!*problem)
        return text;
    free(text);
    return NULL;
}
