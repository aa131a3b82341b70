#define XXH_INLINE_ALL
#include "trace/dumpi/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "base/progress.h"
#include "trace/image/format.h"

enum reader_phase { BEFORE_INIT, RUNNING, FINALIZED };
enum { HANDLES = 1 << 16 };

void dumpi_reader_init(struct dumpi_reader *reader, struct dumpi_comms *comms)
{
    *reader = (struct dumpi_reader){.comms = comms};
    pool_init(&reader->requests, sizeof(struct dumpi_request), "requests of a rank");
    reader->bound = mem_grow(reader->bound, &reader->bound_capacity, HANDLES, "communicators of a rank");
    reader->bound_below = HANDLES;
}

void dumpi_reader_free(struct dumpi_reader *reader)
{
    hashmap_free(&reader->tokens);
    hashmap_free(&reader->handles);
    hashmap_free(&reader->keys);
    dumpi_types_free(&reader->types);
    image_slots_free(&reader->slots);
    pool_free(&reader->requests);
    free(reader->about);
    free(reader->bound);
    free(reader->done);
    free(reader->vector);
}

bool dumpi_fail(struct dumpi_reader *reader, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    image_writer_error(
        reader->writer,
        &(struct diag_place){.file = reader->writer->rank_file, .line = reader->record.at | DIAG_BYTE},
        "%s: %s", dumpi_name(reader->record.function), text);
    return false;
}

/* ------------------------------------------------------------------- tokens */

static uint32_t new_token(struct dumpi_reader *reader, const struct call *call, uint32_t key,
                          enum call_doubt doubt)
{
    char text[256], description[200];
    struct image_writer *writer = reader->writer;
    const struct image_limits limits = {.groups = writer->comms.groups,
                                        .group_count = writer->comms.count,
                                        .ranks = writer->rank_count,
                                        .counts = writer->counts.count};
    const char *fault = image_call_fault(call, &limits), *name = dumpi_name(reader->record.function);
    if (fault) {
        dumpi_fail(reader, "%s", fault);
        return TOKEN_BLANK;
    }
    int length = call->op == CALL_NOTHING ? snprintf(text, sizeof text, "%s", name)
                                          : snprintf(text, sizeof text, "%s: %s", name,
                                                     call_describe(call, description, sizeof description));
    uint32_t start = image_writer_text(writer, text, (size_t)length);
    if (start == IMAGE_NO_TEXT || writer->rank->count >= TOKEN_COMPUTE - 1) {
        dumpi_fail(reader, "the rank has too many different calls for one trace");
        return TOKEN_BLANK;
    }
    uint32_t token = image_writer_call(writer, call, start, key, doubt);
    reader->about = mem_grow(reader->about, &reader->about_capacity, (size_t)token + 1, "distinct calls");
    reader->about[token] =
        (struct dumpi_token){.function = reader->record.function, .doubt = (uint8_t)doubt, .key = key};
    return token;
}

uint32_t dumpi_token_of(struct dumpi_reader *reader, const struct call *call, uint32_t key,
                        enum call_doubt doubt)
{
    uint64_t hash = XXH3_64bits(call, sizeof *call) ^
                    hash_key((uint64_t)key << 32 | (uint64_t)doubt << 16 | reader->record.function);
    for (;; hash++) {
        uint32_t *known = hashmap_slot(&reader->tokens, hash);
        if (!*known) {
            *known = new_token(reader, call, key, doubt) + 1;
            return *known - 1;
        }
        uint32_t token = *known - 1;
        if (token == TOKEN_BLANK)
            return token; /* refused before */
        const struct dumpi_token *about = &reader->about[token];
        if (about->function == reader->record.function && about->key == key && about->doubt == doubt &&
            !memcmp(&reader->writer->rank->calls[token], call, sizeof *call))
            return token;
    }
}

size_t dumpi_emit(struct dumpi_reader *reader, const struct call *call, uint32_t key, enum call_doubt doubt)
{
    /* The operations of a nanosecond at 12 Gflop/s, the default of compute.rate and of helio capture. */
    const double operations_per_ns = 12;
    struct image_writer *writer = reader->writer;
    uint64_t line = reader->record.at | DIAG_BYTE;
    if (reader->computed_ns)
        image_writer_append_at(
            writer, image_writer_amount(writer, (double)reader->computed_ns * operations_per_ns), line);
    reader->computed_ns = 0;
    image_writer_append_at(writer, dumpi_token_of(reader, call, key, doubt), line);
    return writer->token_count - 1;
}

/* Takes no time, so that the computation before it can stay with that behind it. */
static void emit_silently(struct dumpi_reader *reader, enum call_doubt doubt)
{
    const struct call call = {.op = CALL_NOTHING, .flags = doubt == DOUBT_LOST ? CALL_LOST : 0};
    uint32_t token = dumpi_token_of(reader, &call, KEY_NONE, doubt);
    image_writer_append_at(reader->writer, token, reader->record.at | DIAG_BYTE);
}

void dumpi_emit_nothing(struct dumpi_reader *reader)
{
    emit_silently(reader, DOUBT_NONE);
}

void dumpi_emit_lost(struct dumpi_reader *reader)
{
    emit_silently(reader, DOUBT_LOST);
}

/* -------------------------------------------------------------------- times */

/* The seconds are 16 bits of a counter, and wrap. */
static int64_t ns_between(struct dumpi_time first, struct dumpi_time second)
{
    int16_t seconds = (int16_t)(uint16_t)(second.seconds - first.seconds);
    return seconds * INT64_C(1000000000) + second.ns - (int64_t)first.ns;
}

/* The program computes from the end of one call to the beginning of the next; where several threads are in
 * MPI at once, from the latest end. */
static void take_time(struct dumpi_reader *reader)
{
    const struct dumpi_record *record = &reader->record;
    if (!(record->mask & (DUMPI_HAS_CPU | DUMPI_HAS_WALL)))
        return;
    int64_t computed = reader->has_time ? ns_between(reader->last, record->begin) : 0;
    if (computed > 0)
        reader->computed_ns += (uint64_t)computed;
    if (!reader->has_time || ns_between(reader->last, record->end) > 0)
        reader->last = record->end;
    reader->has_time = true;
}

/* ------------------------------------------------------------ communicators */

static void bind(struct dumpi_reader *reader, uint16_t handle, uint32_t number)
{
    struct dumpi_bound bound = {.comm = number};
    if (number != DUMPI_NO_COMM) {
        const struct dumpi_comm *comm = &reader->comms->comms[number];
        bound.mine = bound.peers = comm->local;
        if (comm->remote) {
            bound.peers = comm->remote;
            if (dumpi_my_place(reader, &bound) == dumpi_lists_count(&reader->comms->lists, comm->local)) {
                bound.mine = comm->remote;
                bound.peers = comm->local;
            }
        }
    }
    if (handle >= reader->bound_below)
        reader->bound_below = handle + UINT32_C(1);
    reader->bound[handle] = bound;
}

/* MPI_COMM_SELF becomes a communicator of the compiled trace where a rank uses it. */
static void bind_self(struct dumpi_reader *reader)
{
    struct comms *image = &reader->writer->comms;
    char *name = mem_format("self%u", reader->rank);
    uint32_t self =
        dumpi_new_comm(reader->comms, dumpi_lists_add(&reader->comms->lists, &reader->rank, 1), 0, 0);
    reader->comms->comms[self].image = comms_add(image, name, strlen(name), &reader->rank, 1);
    free(name);
    bind(reader, DUMPI_COMM_SELF, self);
}

const struct dumpi_bound *dumpi_bound_of(struct dumpi_reader *reader, uint16_t handle)
{
    struct dumpi_bound *bound = &reader->bound[handle];
    if (bound->comm == DUMPI_NO_COMM && handle == DUMPI_COMM_SELF)
        bind_self(reader);
    if (bound->comm == DUMPI_NO_COMM && handle > DUMPI_COMM_SELF)
        bind(reader, handle, DUMPI_OUTSIDE);
    if (bound->comm != DUMPI_NO_COMM)
        return bound;
    dumpi_fail(reader, "its communicator is MPI_COMM_NULL");
    return NULL;
}

const struct dumpi_bound *dumpi_bound_used(struct dumpi_reader *reader, uint16_t handle)
{
    const struct dumpi_bound *bound = dumpi_bound_of(reader, handle);
    if (bound)
        reader->comms->comms[bound->comm].is_used = true;
    return bound;
}

/* A program that asks for its neighbours sends to them itself. */
static void take_question(struct dumpi_reader *reader)
{
    const struct dumpi_record *record = &reader->record;
    bool counts_first = record->function == DUMPI_CART_RANK || record->function == DUMPI_GRAPH_NEIGHBORS;
    uint16_t handle = (uint16_t)record->values[counts_first];
    if (!counts_first && record->function != DUMPI_CART_SHIFT)
        return;
    if (reader->bound[handle].comm != DUMPI_NO_COMM)
        reader->comms->comms[reader->bound[handle].comm].is_used = true;
}

void dumpi_reader_note_unused(const struct dumpi_reader *reader, struct image_writer *writer)
{
    for (uint32_t i = 0; i < reader->comms->count; i++) {
        const struct dumpi_comm *comm = &reader->comms->comms[i];
        if (comm->is_topology && !comm->is_used)
            image_notes_add(&writer->notes, NOTE_UNUSED_GRID, comm->made_by, comm->made_at, 1);
    }
}

uint32_t dumpi_my_place(const struct dumpi_reader *reader, const struct dumpi_bound *bound)
{
    const uint32_t *ranks = dumpi_lists_items(&reader->comms->lists, bound->mine);
    uint32_t count = dumpi_lists_count(&reader->comms->lists, bound->mine), place = 0;
    if (reader->rank < count && ranks[reader->rank] == reader->rank)
        return reader->rank; /* the usual case */
    while (place < count && ranks[place] != reader->rank)
        place++;
    return place;
}

static void read_comm(struct dumpi_reader *reader)
{
    const struct dumpi_maker *maker = &reader->comms->makers[reader->rank];
    uint16_t handle = dumpi_made_handle(&reader->record), function = reader->record.function;
    if (reader->made == maker->made_count) {
        dumpi_fail(reader, "the numbers of calls at the end of the file do not have this one");
        return;
    }
    uint32_t made = maker->made[reader->made++];
    if (handle > DUMPI_COMM_SELF)
        bind(reader, handle, made);
    bool is_lost = function == DUMPI_COMM_ACCEPT || function == DUMPI_COMM_CONNECT ||
                   function == DUMPI_COMM_JOIN || function == DUMPI_COMM_SPAWN ||
                   function == DUMPI_COMM_SPAWN_MULTIPLE;
    emit_silently(reader, is_lost ? DOUBT_LOST : DOUBT_NONE);
    bool is_topology = function == DUMPI_CART_CREATE || function == DUMPI_GRAPH_CREATE;
    struct dumpi_comm *comm = made == DUMPI_NO_COMM ? NULL : &reader->comms->comms[made];
    if (!is_topology || !comm || comm->is_topology || comm->is_outside)
        return;
    comm->is_topology = true;
    comm->made_by = reader->rank;
    comm->made_at = reader->writer->token_count;
}

/* What MPI_Comm_rank and MPI_Comm_size have said must be what has been found out. */
static void check_comm(struct dumpi_reader *reader)
{
    const struct dumpi_bound *bound = dumpi_bound_of(reader, (uint16_t)reader->record.values[0]);
    int64_t said = reader->record.values[1];
    if (!bound)
        return;
    bool is_rank = reader->record.function == DUMPI_COMM_RANK;
    int64_t found =
        is_rank ? dumpi_my_place(reader, bound) : dumpi_lists_count(&reader->comms->lists, bound->mine);
    if (dumpi_comm_at(reader, bound)->is_outside || said == found)
        dumpi_emit_nothing(reader);
    else if (bound->comm == DUMPI_WORLD)
        dumpi_fail(reader,
                   is_rank ? "it has said rank %lld, but this is the file of rank %lld"
                           : "it has said %lld ranks, but the .meta file says numprocs=%lld",
                   (long long)said, (long long)found);
    else
        dumpi_fail(reader, "it has said %lld; by the calls that have made this communicator it is %lld",
                   (long long)said, (long long)found);
}

/* -------------------------------------------------------------------- sizes */

bool dumpi_bytes(struct dumpi_reader *reader, int32_t count, uint16_t type, uint64_t *bytes)
{
    uint64_t size = dumpi_types_size(&reader->types, type);
    *bytes = 0;
    if (count == 0)
        return true;
    if (count < 0)
        return dumpi_fail(reader, "its count is %d", count);
    if (size == DUMPI_NO_SIZE)
        return dumpi_fail(reader, "no call makes datatype %u, and the file has no size of it", type);
    if (__builtin_mul_overflow(size, (uint64_t)count, bytes) || *bytes > INT64_MAX)
        return dumpi_fail(reader, "it has 2^63 bytes or more");
    return true;
}

/* ------------------------------------------------------------------ records */

/* MPI_Init comes first and MPI_Finalize last. Behind it only calls that move nothing are allowed. */
static bool is_in_place(struct dumpi_reader *reader)
{
    unsigned function = reader->record.function;
    bool is_init = function == DUMPI_INIT || function == DUMPI_INIT_THREAD;
    if (is_init && reader->phase != BEFORE_INIT)
        return dumpi_fail(reader, "a second one; each rank has one, before all that communicates");
    if (dumpi_use_of(function) != DUMPI_USE_LOCAL && reader->phase == FINALIZED)
        return dumpi_fail(reader, "a call behind MPI_Finalize");
    if (dumpi_use_of(function) != DUMPI_USE_LOCAL)
        reader->phase = function == DUMPI_FINALIZE ? FINALIZED : RUNNING;
    return true;
}

static void replay(struct dumpi_reader *reader)
{
    switch (reader->record.function) {
    case DUMPI_INIT:
    case DUMPI_INIT_THREAD:
        dumpi_emit(reader, &(struct call){.op = CALL_INIT}, KEY_NONE, DOUBT_NONE);
        break;
    case DUMPI_FINALIZE:
        dumpi_emit(reader, &(struct call){.op = CALL_FINALIZE}, KEY_NONE, DOUBT_NONE);
        break;
    case DUMPI_COMM_RANK:
    case DUMPI_COMM_SIZE:
        check_comm(reader);
        break;
    default:
        if (!dumpi_read_collective(reader))
            dumpi_read_message(reader);
    }
}

static void read_record(struct dumpi_reader *reader)
{
    if (reader->record.function >= DUMPI_FUNCTIONS || !is_in_place(reader))
        return; /* an instrumented function of the program is no call of MPI */
    take_time(reader);
    switch (dumpi_use_of(reader->record.function)) {
    case DUMPI_USE_LOCAL:
        take_question(reader);
        dumpi_emit_nothing(reader);
        break;
    case DUMPI_USE_GROUP:
        dumpi_emit_nothing(reader);
        break;
    case DUMPI_USE_TYPE:
        dumpi_types_make(&reader->types, &reader->record);
        dumpi_emit_nothing(reader);
        break;
    case DUMPI_USE_COMM:
        read_comm(reader);
        break;
    case DUMPI_USE_FREE:
        if (reader->record.values[0] > DUMPI_COMM_SELF)
            bind(reader, (uint16_t)reader->record.values[0], DUMPI_NO_COMM);
        dumpi_emit_nothing(reader);
        break;
    case DUMPI_USE_LOST:
        dumpi_emit_lost(reader);
        break;
    case DUMPI_USE_REPLAY:
        replay(reader);
    }
}

static void begin(struct dumpi_reader *reader)
{
    reader->phase = BEFORE_INIT;
    reader->made = 0;
    reader->has_time = false;
    reader->computed_ns = 0;
    hashmap_clear(&reader->tokens);
    for (uint32_t handle = 0; handle < reader->bound_below; handle++)
        reader->bound[handle].comm = DUMPI_NO_COMM;
    reader->bound_below = 0;
    bind(reader, DUMPI_COMM_WORLD, DUMPI_WORLD);
    reader->bound_below = DUMPI_COMM_SELF + 1;
    dumpi_forget_requests(reader);
}

enum { RECORDS_TO_TELL = 1 << 12 };

static void tell_progress(const struct dumpi_reader *reader)
{
    const struct dumpi_file *file = reader->file;
    double share = (double)(file->at - file->begin) / (double)(file->end - file->begin + 1);
    progress_tell((uint64_t)reader->rank * TRACE_RANK_PARTS + (uint64_t)(share * TRACE_RANK_PARTS));
}

enum status dumpi_reader_read(struct dumpi_reader *reader, struct dumpi_file *file,
                              struct image_writer *writer, uint32_t rank)
{
    const char *fault = NULL;
    reader->file = file;
    reader->writer = writer;
    reader->rank = rank;
    begin(reader);
    if (!dumpi_types_begin(&reader->types, file))
        return STATUS_BAD_INPUT;
    for (uint64_t records = 1; !image_writer_is_done(writer); records++) {
        switch (dumpi_next(file, &reader->record, &fault)) {
        case DUMPI_NEXT_RECORD:
            read_record(reader);
            break;
        case DUMPI_NEXT_END:
            return STATUS_OK;
        case DUMPI_NEXT_BAD:
            image_writer_error(
                writer,
                &(struct diag_place){.file = writer->rank_file, .line = reader->record.at | DIAG_BYTE}, "%s",
                fault);
            return STATUS_OK;
        case DUMPI_NEXT_REPORTED:
            return STATUS_BAD_INPUT;
        }
        if (records % RECORDS_TO_TELL == 0)
            tell_progress(reader);
    }
    return STATUS_OK;
}
