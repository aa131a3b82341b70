#include "collfile/msccl.h"

#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "collfile/builder.h"
#include "collfile/format.h"
#include "xml/xml.h"

const struct msccl_kind msccl_kinds[MSCCL_TYPES] = {
    [MSCCL_NOP] = {.name = "nop"},
    [MSCCL_SEND] = {.name = "s", .sends = true, .reads = true},
    [MSCCL_RECV] = {.name = "r", .receives = true, .writes = true},
    [MSCCL_COPY] = {.name = "cpy", .reads = true, .writes = true},
    [MSCCL_REDUCE] = {.name = "re", .reads = true, .adds = true, .writes = true},
    [MSCCL_RECV_COPY_SEND] = {.name = "rcs", .receives = true, .sends = true, .writes = true},
    [MSCCL_RECV_REDUCE_COPY] = {.name = "rrc", .receives = true, .reads = true, .adds = true, .writes = true},
    [MSCCL_RECV_REDUCE_SEND] = {.name = "rrs", .receives = true, .sends = true, .reads = true, .adds = true},
    [MSCCL_RECV_REDUCE_COPY_SEND] =
        {.name = "rrcs", .receives = true, .sends = true, .reads = true, .adds = true, .writes = true},
};

struct msccl_reader {
    struct xml_reader base;
    struct msccl_program *program;
    struct collfile_proof *proof;
    bool has_loop;
};

/* --------------------------------------------------------------- attributes */

static bool read_op(struct xml_reader *reader, const struct xml_element *element, enum collfile_op *op)
{
    static const char *const spellings[] = {"allreduce", "allgather", "alltoall", "reduce_scatter",
                                            "reducescatter"};
    static const enum collfile_op ops[] = {COLLFILE_ALLREDUCE, COLLFILE_ALLGATHER, COLLFILE_ALLTOALL,
                                           COLLFILE_REDUCE_SCATTER, COLLFILE_REDUCE_SCATTER};
    const char *name = xml_needed(reader, element, "coll");
    for (size_t i = 0; name && i < sizeof ops / sizeof *ops; i++)
        if (strcmp(name, spellings[i]) == 0) {
            *op = ops[i];
            return true;
        }
    if (name)
        collfile_refuse(
            reader->text, element->line, element->column,
            "coll=\"%.40s\": the file does not say what this collective has to do, so nothing can be "
            "proven; allreduce, allgather, alltoall and reduce_scatter can",
            name);
    return false;
}

static bool read_type(struct xml_reader *reader, const struct xml_element *element, uint8_t *type)
{
    static const char *const words[MSCCL_TYPES] = {
        [MSCCL_SEND] = "send", [MSCCL_RECV] = "recv", [MSCCL_COPY] = "copy", [MSCCL_REDUCE] = "reduce"};
    const char *name = xml_needed(reader, element, "type");
    for (int i = 0; name && i < MSCCL_TYPES; i++)
        if (strcmp(name, msccl_kinds[i].name) == 0 || (words[i] && strcmp(name, words[i]) == 0)) {
            *type = (uint8_t)i;
            return true;
        }
    if (name)
        collfile_refuse(reader->text, element->line, element->column,
                        "type=\"%.40s\" is no step; s, r, rcs, rrc, rrs, rrcs, cpy, re or nop is expected",
                        name);
    return false;
}

/* A place as srcbuf and srcoff, or as buf and off. */
static bool read_place(struct xml_reader *reader, const struct xml_element *element,
                       const char *const names[2], bool is_needed, struct msccl_place *place)
{
    static const char *const letters = "ios";
    bool is_long = xml_attribute(element, names[0]) || xml_attribute(element, names[1]);
    const char *buffer_name = is_long ? names[0] : "buf", *offset_name = is_long ? names[1] : "off";
    int64_t offset = -1;
    *place = (struct msccl_place){.offset = -1};
    if (!is_needed)
        return true;
    const char *buffer = xml_attribute(element, buffer_name);
    if (!buffer || !xml_attribute(element, offset_name)) {
        collfile_refuse(reader->text, element->line, element->column,
                        "a step of type %.8s needs the attributes %s and %s", xml_attribute(element, "type"),
                        names[0], names[1]);
        return false;
    }
    if (!*buffer || buffer[1] || !strchr(letters, *buffer)) {
        collfile_refuse(reader->text, element->line, element->column,
                        "%s=\"%.40s\" is no buffer; i, o or s is expected", buffer_name, buffer);
        return false;
    }
    place->buffer = (uint8_t)(strchr(letters, *buffer) - letters);
    if (!xml_number(reader, element, offset_name, INT32_MIN, INT32_MAX, &offset))
        return false;
    place->offset = (int32_t)offset;
    return true;
}

/* A copy and a local sum have two places; the short spelling has only one. */
static bool check_short(struct xml_reader *reader, const struct xml_element *element, uint8_t type)
{
    if ((type != MSCCL_COPY && type != MSCCL_REDUCE) || xml_attribute(element, "srcbuf"))
        return true;
    collfile_refuse(
        reader->text, element->line, element->column,
        "a step of type %s needs srcbuf, srcoff, dstbuf and dstoff: buf and off do not say both places",
        msccl_kinds[type].name);
    return false;
}

/* ----------------------------------------------------------------- elements */

static bool begin_algo(struct msccl_reader *reader, const struct xml_element *element)
{
    struct xml_reader *xml = &reader->base;
    struct msccl_program *program = reader->program;
    int64_t ranks, loop = 0, in_place = 0;
    if (strcmp(element->name, "algo") != 0)
        return xml_unexpected(xml, element, "<algo> is");
    if (!read_op(xml, element, &program->op) ||
        !xml_number(xml, element, "ngpus", 1, MSCCL_GPUS_MAX, &ranks) ||
        !xml_optional(xml, element, "nchunksperloop", 1, MSCCL_LOOP_MAX, &loop) ||
        !xml_optional(xml, element, "inplace", 0, 1, &in_place))
        return false;
    const char *name = xml_attribute(element, "name");
    snprintf(reader->proof->name, sizeof reader->proof->name, "%s", name ? name : "");
    program->ranks = (uint32_t)ranks;
    program->loop = (uint64_t)loop;
    reader->has_loop = loop > 0;
    program->in_place = in_place;
    program->gpu_of = mem_alloc(program->ranks, sizeof *program->gpu_of, "a schedule");
    memset(program->gpu_of, 0xff, program->ranks * sizeof *program->gpu_of);
    return true;
}

static bool begin_gpu(struct msccl_reader *reader, const struct xml_element *element)
{
    struct xml_reader *xml = &reader->base;
    struct msccl_program *program = reader->program;
    struct msccl_gpu gpu = {
        .first_tb = (uint32_t)program->tb_count, .is_numbered = true, .line = (uint32_t)element->line};
    int64_t id;
    if (strcmp(element->name, "gpu") != 0)
        return xml_unexpected(xml, element, "<gpu> is");
    if (!xml_number(xml, element, "id", 0, program->ranks - 1, &id) ||
        !xml_optional(xml, element, "i_chunks", 0, MSCCL_LOOP_MAX, &gpu.chunks[MSCCL_INPUT]) ||
        !xml_optional(xml, element, "o_chunks", 0, MSCCL_LOOP_MAX, &gpu.chunks[MSCCL_OUTPUT]) ||
        !xml_optional(xml, element, "s_chunks", 0, MSCCL_LOOP_MAX, &gpu.chunks[MSCCL_SCRATCH]))
        return false;
    if (program->gpu_of[id] != MSCCL_NONE) {
        collfile_refuse(xml->text, element->line, element->column, "there are two GPUs with id %lld",
                        (long long)id);
        return false;
    }
    gpu.id = (int32_t)id;
    program->gpu_of[id] = (uint32_t)program->gpu_count;
    program->gpus =
        mem_grow(program->gpus, &program->gpu_capacity, program->gpu_count + 1, "GPUs of a schedule");
    program->gpus[program->gpu_count++] = gpu;
    return true;
}

static bool begin_tb(struct msccl_reader *reader, const struct xml_element *element)
{
    struct xml_reader *xml = &reader->base;
    struct msccl_program *program = reader->program;
    struct msccl_gpu *gpu = &program->gpus[program->gpu_count - 1];
    int64_t id, send, recv, channel = 0;
    if (!xml_number(xml, element, "id", 0, INT32_MAX, &id) ||
        !xml_number(xml, element, "send", INT32_MIN, INT32_MAX, &send) ||
        !xml_number(xml, element, "recv", INT32_MIN, INT32_MAX, &recv) ||
        !xml_optional(xml, element, "chan", INT32_MIN, INT32_MAX, &channel))
        return false;
    if (gpu->tb_count >= MSCCL_TBS_MAX) {
        collfile_refuse(xml->text, element->line, element->column,
                        "gpu %d has more than %d threadblocks, the limit of a schedule", gpu->id,
                        MSCCL_TBS_MAX);
        return false;
    }
    gpu->is_numbered &= id == gpu->tb_count;
    for (uint32_t i = gpu->first_tb; i < program->tb_count && !gpu->is_numbered; i++)
        if (program->tbs[i].id == id) {
            collfile_refuse(xml->text, element->line, element->column,
                            "gpu %d has two threadblocks with id %lld", gpu->id, (long long)id);
            return false;
        }
    program->tbs = mem_grow(program->tbs, &program->tb_capacity, program->tb_count + 1, "threadblocks");
    program->tbs[program->tb_count++] = (struct msccl_tb){.gpu = (uint32_t)(program->gpu_count - 1),
                                                          .id = (int32_t)id,
                                                          .send = (int32_t)send,
                                                          .recv = (int32_t)recv,
                                                          .channel = (int32_t)channel,
                                                          .first_step = (uint32_t)program->step_count,
                                                          .line = (uint32_t)element->line};
    gpu->tb_count++;
    return true;
}

static bool begin_copy(struct msccl_reader *reader, const struct xml_element *element)
{
    struct msccl_program *program = reader->program;
    int64_t from, to;
    if (!xml_number(&reader->base, element, "i_off", 0, INT32_MAX, &from) ||
        !xml_number(&reader->base, element, "o_off", 0, INT32_MAX, &to))
        return false;
    program->copies = mem_grow(program->copies, &program->copy_capacity, program->copy_count + 1, "copies");
    program->copies[program->copy_count++] = (struct msccl_copy){.gpu = (uint32_t)(program->gpu_count - 1),
                                                                 .from = (int32_t)from,
                                                                 .to = (int32_t)to,
                                                                 .line = (uint32_t)element->line};
    return true;
}

static bool read_step(struct xml_reader *xml, const struct xml_element *element, struct msccl_step *step)
{
    static const char *const source[] = {"srcbuf", "srcoff"}, *const destination[] = {"dstbuf", "dstoff"};
    int64_t number, count = 1, wait_tb = -1, wait_step = -1, has_dependent = 0;
    const char *number_name = xml_attribute(element, "s") ? "s" : "step";
    if (!read_type(xml, element, &step->type) || !check_short(xml, element, step->type))
        return false;
    const struct msccl_kind *kind = &msccl_kinds[step->type];
    if (!xml_number(xml, element, number_name, 0, INT32_MAX, &number) ||
        !xml_optional(xml, element, "cnt", 0, MSCCL_LOOP_MAX, &count) ||
        !xml_optional(xml, element, "depid", -1, INT32_MAX, &wait_tb) ||
        !xml_optional(xml, element, "deps", -1, INT32_MAX, &wait_step) ||
        !xml_optional(xml, element, "hasdep", 0, 1, &has_dependent) ||
        !read_place(xml, element, source, kind->reads, &step->source) ||
        !read_place(xml, element, destination, kind->writes, &step->destination))
        return false;
    step->number = (int32_t)number;
    step->count = step->type == MSCCL_NOP ? 0 : (int32_t)count;
    step->wait_tb = (int32_t)wait_tb;
    step->wait_step = (int32_t)wait_step;
    step->has_dependent = has_dependent;
    return true;
}

static bool begin_step(struct msccl_reader *reader, const struct xml_element *element)
{
    struct msccl_program *program = reader->program;
    struct msccl_step step = {.waits_for = MSCCL_NONE, .line = (uint32_t)element->line};
    if (strcmp(element->name, "step") != 0 && strcmp(element->name, "op") != 0)
        return xml_unexpected(&reader->base, element, "<step> is");
    if (program->step_count >= MSCCL_STEPS_MAX) {
        collfile_refuse(reader->base.text, element->line, element->column,
                        "there are more than %d steps, the limit of a schedule", MSCCL_STEPS_MAX);
        return false;
    }
    if (!read_step(&reader->base, element, &step))
        return false;
    program->steps = mem_grow(program->steps, &program->step_capacity, program->step_count + 1, "steps");
    program->steps[program->step_count++] = step;
    program->tbs[program->tb_count - 1].step_count++;
    return true;
}

static bool begin(struct xml_reader *xml, const struct xml_element *element)
{
    struct msccl_reader *reader = (struct msccl_reader *)xml;
    switch (element->depth) {
    case 0:
        return begin_algo(reader, element);
    case 1:
        return begin_gpu(reader, element);
    case 2:
        if (strcmp(element->name, "copy") == 0)
            return begin_copy(reader, element);
        if (strcmp(element->name, "tb") == 0)
            return begin_tb(reader, element);
        return xml_unexpected(xml, element, "<tb> or <copy> is");
    case 3:
        if (reader->program->tb_count && reader->program->gpus[reader->program->gpu_count - 1].tb_count)
            return begin_step(reader, element);
        return xml_unexpected(xml, element, "a step belongs in a <tb>");
    default:
        return xml_unexpected(xml, element, "a step has no elements");
    }
}

/* The newer spelling leaves the chunks of a loop out: they are those of the largest buffer. */
static void derive_loop(struct msccl_program *program)
{
    for (size_t i = 0; i < program->gpu_count; i++)
        for (int buffer = MSCCL_INPUT; buffer <= MSCCL_OUTPUT; buffer++)
            if ((uint64_t)program->gpus[i].chunks[buffer] > program->loop)
                program->loop = (uint64_t)program->gpus[i].chunks[buffer];
}

enum status msccl_read(const struct collfile_text *text, struct collfile_proof *proof,
                       struct msccl_program *program)
{
    *program = (struct msccl_program){.ranks = 0};
    struct msccl_reader reader = {.base = {.text = text,
                                           .bytes = text->bytes,
                                           .size = text->size,
                                           .refuse = collfile_refuse_at,
                                           .begin = begin},
                                  .program = program,
                                  .proof = proof};
    enum status status = xml_read(&reader.base);
    if (status == STATUS_OK && !reader.has_loop)
        derive_loop(program);
    if (status == STATUS_OK && program->loop == 0)
        status = collfile_refuse(text, 1, 0, "<algo> needs the attribute 'nchunksperloop'");
    program->block = status == STATUS_OK ? program->loop / program->ranks : 0;
    return status;
}

void msccl_free(struct msccl_program *program)
{
    free(program->gpus);
    free(program->tbs);
    free(program->steps);
    free(program->copies);
    free(program->gpu_of);
    *program = (struct msccl_program){.ranks = 0};
}

/* ------------------------------------------------------------------- format */

static bool probe(const struct collfile_text *text)
{
    char root[32];
    xml_root_name(text->bytes, text->size, root);
    return strcmp(root, "algo") == 0;
}

static enum status prove(const struct collfile_text *text, struct collfile_proof *proof,
                         struct collfile_schedule *schedule)
{
    struct msccl_program program;
    struct msccl_run run = {.message_count = 0};
    enum status status = msccl_read(text, proof, &program);
    if (status == STATUS_OK) {
        proof->op = program.op;
        proof->in_place = program.in_place;
        proof->ranks = program.ranks;
        proof->threadblocks = program.tb_count;
        proof->steps = program.step_count;
        bool is_whole = program.op == COLLFILE_ALLREDUCE || program.op == COLLFILE_REDUCE_SCATTER;
        schedule->ranks = program.ranks;
        schedule->chunks = is_whole || program.block == 0 ? program.loop : program.block;
        if (msccl_check(text, proof, &program))
            status = msccl_execute(text, &program, proof, &run);
        builder_begin(schedule, program.ranks);
        if (status == STATUS_OK)
            msccl_messages(&program, &run, schedule);
        msccl_run_free(&run);
    }
    msccl_free(&program);
    return status;
}

const struct collfile_format msccl_format = {
    .name = "MSCCL XML",
    .doc =
        "<algo> with <gpu>, <tb> and <step>, as msccl-tools, msccl-scheduler, TE-CCL and ForestColl write it",
    .probe = probe,
    .prove = prove,
};
