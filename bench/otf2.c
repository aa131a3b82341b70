/* The time of an archive of OTF2: to read its records and compile them, in memory.
 *
 *   bench_otf2 [ROUNDS]       200,000 rounds of six messages, the best of five */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "trace/compile.h"
#include "trace/input.h"
#include "trace/otf2/events.h"
#include "trace/otf2/otf2.h"

enum { NEIGHBOURS = 3, WORLD = 0, LOCATION = 0, CHUNK_BYTES = 1 << 20, MOST_RECORD_BYTES = 64 };
enum {
    DEFINE_CLOCK = 5,
    DEFINE_STRING = 10,
    DEFINE_LOCATION = 14,
    DEFINE_REGION = 15,
    DEFINE_GROUP = 18,
    DEFINE_COMM = 22
};
enum { INIT = 1, FINALIZE, IRECV, ISEND, WAITALL, ALLREDUCE, NAMES };

static const char *const names[NAMES] = {"MPI_COMM_WORLD", "MPI_Init",    "MPI_Finalize", "MPI_Irecv",
                                         "MPI_Isend",      "MPI_Waitall", "MPI_Allreduce"};

struct bytes {
    unsigned char *at;
    size_t count, capacity;
    uint64_t records;
};

static void put(struct bytes *bytes, const void *from, size_t count)
{
    bytes->at = mem_grow(bytes->at, &bytes->capacity, bytes->count + count, "an archive");
    memcpy(bytes->at + bytes->count, from, count);
    bytes->count += count;
}

static void put_byte(struct bytes *bytes, unsigned value)
{
    put(bytes, &(unsigned char){(unsigned char)value}, 1);
}

static void put_64(struct bytes *bytes, uint64_t value)
{
    put(bytes, &value, sizeof value);
}

static void put_number(struct bytes *bytes, uint64_t value)
{
    unsigned size = 0;
    while (size < 8 && value >> 8 * size)
        size++;
    put_byte(bytes, value == UINT64_MAX ? UINT8_MAX : size);
    if (value != UINT64_MAX)
        put(bytes, &value, size);
}

static void put_header(struct bytes *bytes)
{
    put_byte(bytes, OTF2_CHUNK);
    put_byte(bytes, OTF2_LITTLE);
    put_64(bytes, 0);
    put_64(bytes, 0);
}

/* A record of numbers; a letter of `form` for each: n a number, b a byte. */
static void put_record(struct bytes *bytes, unsigned kind, const char *form, const uint64_t *values)
{
    struct bytes fields = {0};
    for (size_t i = 0; form[i]; i++)
        if (form[i] == 'b')
            put_byte(&fields, (unsigned)values[i]);
        else
            put_number(&fields, values[i]);
    put_byte(bytes, kind);
    put_byte(bytes, (unsigned)fields.count);
    put(bytes, fields.at, fields.count);
    free(fields.at);
}
#define RECORD(bytes, kind, form, ...) put_record(bytes, kind, form, (const uint64_t[]){__VA_ARGS__})

/* ------------------------------------------------------------------ archive */

static void write_anchor(struct bytes *anchor)
{
    put_byte(anchor, OTF2_CHUNK);
    put_byte(anchor, OTF2_LITTLE);
    put(anchor, "OTF2", 5);
    put(anchor, "\3\3\3\0\0", 5); /* versions of the anchor, the archive and the library */
    put_64(anchor, CHUNK_BYTES);
    put_64(anchor, CHUNK_BYTES);
    put(anchor, "\1\1", 2); /* plain files, not compressed */
    put_64(anchor, 1);
    put_64(anchor, 0);
}

static void write_definitions(struct bytes *definitions)
{
    put_header(definitions);
    RECORD(definitions, DEFINE_CLOCK, "nnn", 1000000000, 0, 0);
    for (unsigned id = 0; id < NAMES; id++) {
        const size_t length = strlen(names[id]) + 1;
        put_byte(definitions, DEFINE_STRING);
        put_byte(definitions, (unsigned)length + (id ? 2 : 1));
        put_number(definitions, id);
        put(definitions, names[id], length);
    }
    for (uint64_t id = INIT; id < NAMES; id++)
        RECORD(definitions, DEFINE_REGION, "nnnnbnnnnbbn", id, id, id, id, 0, 0, 0, 0, 0, 0, 4, 0);
    RECORD(definitions, DEFINE_LOCATION, "nnbnn", LOCATION, 0, 1, 0, 0);
    RECORD(definitions, DEFINE_GROUP, "nnbnnbbn", 0, 0, 0, 1, LOCATION, 4, 4, 0);
    RECORD(definitions, DEFINE_GROUP, "nnbnnbbn", 1, 0, 0, 1, 0, 5, 4, 0);
    RECORD(definitions, DEFINE_COMM, "nnnnn", WORLD, 0, 1, UINT64_MAX, 0);
    put_byte(definitions, OTF2_END_OF_FILE);
}

/* At `time`. A record is in one chunk. */
static void put_event(struct bytes *events, uint64_t time, unsigned kind)
{
    size_t used = events->count % CHUNK_BYTES;
    if (CHUNK_BYTES - used < MOST_RECORD_BYTES) {
        static const unsigned char zeros[MOST_RECORD_BYTES];
        put(events, zeros, CHUNK_BYTES - used);
        put_header(events);
    }
    put_byte(events, OTF2_TIME);
    put_64(events, time);
    put_byte(events, kind);
    events->records++;
}

static void put_lone(struct bytes *events, uint64_t time, unsigned kind, uint64_t value)
{
    put_event(events, time, kind);
    put_number(events, value);
}

/* A message to or from the rank itself. */
static void put_message(struct bytes *events, uint64_t time, unsigned kind, uint64_t tag, uint64_t request)
{
    const uint64_t fields[] = {0, WORLD, tag, 800, request};
    unsigned size = 0;
    put_event(events, time, kind);
    size_t length_at = events->count;
    put_byte(events, 0);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        put_number(events, fields[i]);
    size = (unsigned)(events->count - length_at - 1);
    events->at[length_at] = (unsigned char)size;
}

static void put_call(struct bytes *events, uint64_t *time, unsigned region)
{
    put_lone(events, *time, OTF2_ENTER, region);
    *time += 100;
}

static void end_call(struct bytes *events, uint64_t *time, unsigned region)
{
    *time += 400;
    put_lone(events, *time, OTF2_LEAVE, region);
}

/* The rank exchanges blocks with its neighbours, all of which it is itself, and reduces every fourth time.
 * Its computations differ. */
static void write_round(struct bytes *events, uint64_t *time, unsigned round)
{
    for (unsigned i = 0; i < NEIGHBOURS; i++) {
        put_call(events, time, IRECV);
        put_lone(events, *time, OTF2_IRECV_REQUEST, 2 * i);
        end_call(events, time, IRECV);
        put_call(events, time, ISEND);
        put_message(events, *time, OTF2_ISEND, i, 2 * i + 1);
        end_call(events, time, ISEND);
    }
    put_call(events, time, WAITALL);
    for (unsigned i = 0; i < NEIGHBOURS; i++) {
        put_message(events, *time, OTF2_IRECV, i, 2 * i);
        put_lone(events, *time, OTF2_ISEND_COMPLETE, 2 * i + 1);
    }
    end_call(events, time, WAITALL);
    if (round % 4)
        return;
    put_call(events, time, ALLREDUCE);
    put_event(events, *time, OTF2_COLLECTIVE_END);
    put_byte(events, 1 + 1 + 1 + 2 + 2); /* the bytes that follow */
    put_byte(events, 11);                /* allreduce */
    put_number(events, WORLD);
    put_byte(events, UINT8_MAX); /* no root */
    put_number(events, 8);
    put_number(events, 8);
    end_call(events, time, ALLREDUCE);
}

static void write_events(struct bytes *events, unsigned rounds)
{
    uint64_t random = 1, time = 0;
    put_header(events);
    put_call(events, &time, INIT);
    end_call(events, &time, INIT);
    for (unsigned round = 0; round < rounds; round++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        time += 1000 + (random >> 50);
        write_round(events, &time, round);
    }
    put_call(events, &time, FINALIZE);
    end_call(events, &time, FINALIZE);
    put_byte(events, OTF2_END_OF_FILE);
}

/* Seconds of processor time; negative: it could not be compiled. */
static double compile(const struct otf2_memory *files, size_t count)
{
    struct trace_input input;
    int error;
    FILE *out = fopen("/dev/shm/bench-otf2", "w+b");
    if (!out)
        return -1;
    remove("/dev/shm/bench-otf2");
    clock_t start = clock();
    enum status status = otf2_input_of_files(&input, "bench.otf2", files, count);
    if (status == STATUS_OK) {
        status = trace_compile(&input, out, &error);
        trace_input_close(&input);
    }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    fclose(out);
    return status == STATUS_OK ? seconds : -1;
}

int main(int argc, char **argv)
{
    struct bytes anchor = {0}, definitions = {0}, local = {0}, events = {0};
    write_anchor(&anchor);
    write_definitions(&definitions);
    put_header(&local);
    put_byte(&local, OTF2_END_OF_FILE);
    write_events(&events, argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 200000);
    const struct otf2_memory files[] = {{".otf2", anchor.at, anchor.count},
                                        {".def", definitions.at, definitions.count},
                                        {"/0.def", local.at, local.count},
                                        {"/0.evt", events.at, events.count}};
    double least = 0;
    for (int round = 0; least >= 0 && round < 5; round++) {
        double seconds = compile(files, sizeof files / sizeof *files);
        least = round == 0 || seconds < least ? seconds : least;
    }
    const double records = (double)events.records;
    if (least > 0)
        printf("%.0f records of %.1f bytes: %.1f ns each, %.1f M/s\n", records,
               (double)events.count / records, least * 1e9 / records, records / least / 1e6);
    free(anchor.at);
    free(definitions.at);
    free(local.at);
    free(events.at);
    return least > 0 ? STATUS_OK : STATUS_FAILED;
}
