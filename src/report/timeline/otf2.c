#include <dirent.h>
#include <errno.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "call/recorded.h"
#include "output/unfinished.h"
#include "report/timeline/internal.h"
#include "report/timeline/otf2_calls.h"

/* OTF2 ("Open Trace Format Version 2", score-p.org), which Vampir reads, written with its own library. A run
 * is a system tree node, a rank is a process with one location, its states are regions, and messages are MPI
 * sends and receives. A tick is a picosecond. Calls of ranks are regions of MPI with their records
 * (otf2_calls.h).
 *
 * An archive NAME.otf2 consists of this anchor file, NAME.def and the folder NAME. It is written in a folder
 * of its own and moved to its place at the end, the anchor last, so an incomplete archive never has the name.
 */

enum { EVENT_CHUNK_BYTES = 256 * 1024, DEFINITION_CHUNK_BYTES = 4 * 1024 * 1024 };

enum { COMM_P2P, COMM_COLLECTIVES, COMMS }; /* messages of collectives have tags of their own */
enum { GROUP_LOCATIONS, GROUP_MESSAGES, GROUP_RANKS, GROUPS };
_Static_assert((int)COMMS == (int)OTF2_CALL_COMMS, "the communicators of calls follow");

struct otf2 {
    char *stem, *name;         /* "out/run", "run" */
    struct unfinished *folder; /* in which it is written */
    OTF2_Archive *archive;
    OTF2_EvtWriter **writers; /* per rank */
    struct otf2_call_writer *calls;
    OTF2_AttributeList *recorded; /* of a computation, for the record that ends it; NULL: none so far */
    OTF2_GlobalDefWriter *definitions;
    OTF2_StringRef strings; /* used so far */
    ps_t last;
    OTF2_ErrorCode failed; /* the first error; OTF2_SUCCESS = none */
};

static void note(struct otf2 *otf2, OTF2_ErrorCode code)
{
    if (otf2->failed == OTF2_SUCCESS)
        otf2->failed = code;
}

/* The library calls this function instead of writing to standard error, also where its caller learns of no
 * error, as when the anchor file cannot be written. Warnings are negative. The first error is reported once,
 * at the end. */
static OTF2_ErrorCode on_error(void *self, const char *file, uint64_t line, const char *function,
                               OTF2_ErrorCode code, const char *format, va_list arguments)
{
    (void)file, (void)line, (void)function, (void)format, (void)arguments;
    if (code > OTF2_SUCCESS || code == OTF2_ABORT)
        note(self, code);
    return code;
}

static OTF2_FlushType flush(void *self, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool is_final)
{
    (void)self, (void)type, (void)location, (void)caller, (void)is_final;
    return OTF2_FLUSH;
}

/* The library keeps up to 128 MiB of each rank in memory before it writes any. Here a rank has one chunk:
 * that there is no second one makes the library write the first. Other files are small. */
struct memory_chunk {
    struct memory_chunk *next;
    char bytes[];
};

static void *take_memory(void *self, OTF2_FileType type, OTF2_LocationRef location, void **chunks,
                         uint64_t size)
{
    (void)self, (void)location;
    if (type == OTF2_FILETYPE_EVENTS && *chunks)
        return NULL;
    struct memory_chunk *chunk = mem_alloc(1, sizeof *chunk + size, "a timeline");
    chunk->next = *chunks;
    *chunks = chunk;
    return chunk->bytes;
}

static void free_memory(void *self, OTF2_FileType type, OTF2_LocationRef location, void **chunks,
                        bool is_final)
{
    (void)self, (void)type, (void)location, (void)is_final;
    for (struct memory_chunk *chunk = *chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    *chunks = NULL;
}

/* -------------------------------------------------------------------- files */

static bool is_there(const char *stem, const char *suffix)
{
    char *path = mem_format("%s%s", stem, suffix);
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

/* Whether a folder has entries, and all are events or definitions of a location, as 0.evt. A process that was
 * killed while it moved an archive to its place leaves such a folder without an anchor. */
static bool has_only_locations(const char *path)
{
    DIR *folder = opendir(path);
    bool good = folder != NULL, any = false;
    for (const struct dirent *entry; good && (entry = readdir(folder));) {
        const char *name = entry->d_name, *ending = name + strspn(name, "0123456789");
        bool is_part = ending > name && (strcmp(ending, ".evt") == 0 || strcmp(ending, ".def") == 0);
        any = any || is_part;
        good = is_part || strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
    }
    if (folder)
        closedir(folder);
    return good && any;
}

/* The parts of an archive, the anchor last. */
static const char *const parts[] = {"", ".def", ".otf2"};
enum { PARTS = sizeof parts / sizeof *parts };

/* Between its place and the private folder, where its name is `inside`. */
static bool move_part(const struct otf2 *otf2, size_t part, const char *inside, bool out)
{
    char *here = mem_format("%s/%s%s", unfinished_path(otf2->folder), inside, parts[part]);
    char *there = mem_format("%s%s", otf2->stem, parts[part]);
    bool moved = (out ? rename(here, there) : rename(there, here)) == 0;
    free(there);
    free(here);
    return moved;
}

/* Moves an earlier archive of this name into the folder, the anchor first. */
static bool put_aside(const struct otf2 *otf2)
{
    bool good = true;
    for (size_t part = PARTS; good && part-- > 0;)
        good = move_part(otf2, part, "earlier", false) || errno == ENOENT;
    return good;
}

/* False, with errno: the earlier archive is back in its place. */
static bool publish(const struct otf2 *otf2)
{
    if (!unfinished_sync(otf2->folder))
        return false;
    bool good = put_aside(otf2);
    for (size_t part = 0; good && part < PARTS; part++)
        good = move_part(otf2, part, otf2->name, true);
    int error = errno;
    for (size_t part = 0; !good && part < PARTS; part++)
        move_part(otf2, part, otf2->name, false);
    for (size_t part = 0; !good && part < PARTS; part++)
        move_part(otf2, part, "earlier", true);
    errno = error;
    return good;
}

static void forget(struct otf2 *otf2)
{
    if (otf2->folder)
        unfinished_discard(otf2->folder);
    otf2_call_writer_close(otf2->calls);
    if (otf2->recorded)
        OTF2_AttributeList_Delete(otf2->recorded);
    free(otf2->writers);
    free(otf2->name);
    free(otf2->stem);
    free(otf2);
}

static bool open_archive(struct otf2 *otf2)
{
    static const OTF2_FlushCallbacks callbacks = {.otf2_pre_flush = flush};
    static const OTF2_MemoryCallbacks memory = {.otf2_allocate = take_memory, .otf2_free_all = free_memory};
    OTF2_Error_RegisterCallback(on_error, otf2);
    otf2->archive =
        OTF2_Archive_Open(unfinished_path(otf2->folder), otf2->name, OTF2_FILEMODE_WRITE, EVENT_CHUNK_BYTES,
                          DEFINITION_CHUNK_BYTES, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!otf2->archive)
        return false;
    note(otf2, OTF2_Archive_SetFlushCallbacks(otf2->archive, &callbacks, NULL));
    note(otf2, OTF2_Archive_SetMemoryCallbacks(otf2->archive, &memory, NULL));
    note(otf2, OTF2_Archive_SetSerialCollectiveCallbacks(otf2->archive));
    note(otf2, OTF2_Archive_SetCreator(otf2->archive, "Heliograph " HELIO_VERSION));
    note(otf2, OTF2_Archive_OpenEvtFiles(otf2->archive));
    return otf2->failed == OTF2_SUCCESS;
}

static enum status otf2_open(struct timeline *timeline, const char *path)
{
    struct otf2 *otf2 = mem_alloc(1, sizeof *otf2, "the timeline");
    const char *slash = strrchr(path, '/');
    otf2->stem = mem_format("%.*s", (int)(strlen(path) - strlen(".otf2")), path);
    otf2->name = mem_text(otf2->stem + (slash ? slash + 1 - path : 0));
    const char *why = NULL;
    if (!*otf2->name)
        why = "a name is missing before .otf2";
    else if (is_there(otf2->stem, "") && !is_there(otf2->stem, ".otf2") && !has_only_locations(otf2->stem))
        why = "OTF2 keeps events in a folder of that name without .otf2, and there is something else of this "
              "name";
    else if (!(otf2->folder = unfinished_folder(path)))
        why = strerror(errno);
    else if (!open_archive(otf2))
        why = "the OTF2 library could not begin there";
    if (!why) {
        timeline->file = otf2;
        return STATUS_OK;
    }
    diag_error("cannot write %s: %s", path, why);
    forget(otf2);
    return STATUS_FAILED;
}

static enum status otf2_close(struct timeline *timeline, enum status run)
{
    struct otf2 *otf2 = timeline->file;
    note(otf2, OTF2_Archive_Close(otf2->archive));
    const char *why = NULL;
    if (run == STATUS_OK && otf2->failed != OTF2_SUCCESS)
        why = OTF2_Error_GetDescription(otf2->failed);
    else if (run == STATUS_OK && !publish(otf2))
        why = strerror(errno);
    if (why) {
        diag_error("cannot write %s.otf2: %s", otf2->stem, why);
        run = STATUS_FAILED;
    }
    forget(otf2);
    return run;
}

/* ------------------------------------------------------------------- events */

static void otf2_begin_run(struct timeline *timeline)
{
    struct otf2 *otf2 = timeline->file;
    otf2->calls = otf2_call_writer_open(timeline->ranks);
    otf2->writers = mem_alloc(timeline->ranks, sizeof *otf2->writers, "the timeline");
    for (uint32_t rank = 0; rank < timeline->ranks; rank++) {
        otf2->writers[rank] = OTF2_Archive_GetEvtWriter(otf2->archive, rank);
        if (!otf2->writers[rank])
            note(otf2, OTF2_ERROR_MEM_FAULT);
    }
}

static OTF2_EvtWriter *writer_at(struct timeline *timeline, uint32_t rank, ps_t at)
{
    struct otf2 *otf2 = timeline->file;
    otf2->last = at;
    return otf2->writers[rank];
}

static void otf2_enter(struct timeline *timeline, uint32_t rank, uint8_t call, ps_t at)
{
    note(timeline->file, OTF2_EvtWriter_Enter(writer_at(timeline, rank, at), NULL, (OTF2_TimeStamp)at, call));
}

/* The attributes of bursts follow those of calls. */
static OTF2_AttributeRef attribute_of(enum timeline_burst_note kind)
{
    return RECORDED_KINDS + (OTF2_AttributeRef)kind;
}

static void put_number(struct otf2 *otf2, enum timeline_burst_note kind, uint64_t number)
{
    note(otf2, OTF2_AttributeList_AddUint64(otf2->recorded, attribute_of(kind), number));
}

static void put_site(struct otf2 *otf2, enum timeline_burst_note kind, const char *site)
{
    if (site)
        note(otf2, OTF2_AttributeList_AddStringRef(otf2->recorded, attribute_of(kind),
                                                   otf2_call_writer_text(otf2->calls, site)));
}

/* The library empties the list when it has written it. */
static OTF2_AttributeList *recorded_of(struct otf2 *otf2, const struct tap_burst *burst)
{
    if (!otf2->recorded && !(otf2->recorded = OTF2_AttributeList_New())) {
        note(otf2, OTF2_ERROR_MEM_FAULT);
        return NULL;
    }
    put_number(otf2, BURST_RECORDED_NS, burst->lasted_ns);
    put_number(otf2, BURST_PROCESSOR_NS, burst->used_ns);
    if (burst->is_counted)
        put_number(otf2, BURST_INSTRUCTIONS, burst->instructions);
    put_site(otf2, BURST_AFTER, burst->after);
    put_site(otf2, BURST_BEFORE, burst->before);
    return otf2->recorded;
}

static void otf2_leave(struct timeline *timeline, uint32_t rank, const struct timeline_wait *wait)
{
    struct otf2 *otf2 = timeline->file;
    OTF2_EvtWriter *writer = writer_at(timeline, rank, wait->at);
    OTF2_AttributeList *recorded = wait->burst ? recorded_of(otf2, wait->burst) : NULL;
    note(otf2, OTF2_EvtWriter_Leave(writer, recorded, (OTF2_TimeStamp)wait->at, wait->call));
}

static void otf2_end_rank(struct timeline *timeline, uint32_t rank, ps_t at)
{
    struct otf2 *otf2 = timeline->file;
    note(otf2, otf2_call_writer_end(otf2->calls, writer_at(timeline, rank, at), rank, at));
}

static void otf2_call(struct timeline *timeline, const struct program *program, uint32_t rank,
                      const struct call *call, ps_t at)
{
    struct otf2 *otf2 = timeline->file;
    note(otf2, otf2_call_writer_put(otf2->calls, writer_at(timeline, rank, at), program, rank, call, at));
}

/* Messages of calls from rank to rank are in the records of the calls. */
static bool is_in_call(const struct otf2 *otf2, const struct timeline_message *message)
{
    return message->op < CALL_BARRIER && otf2_call_writer_has_calls(otf2->calls);
}

static OTF2_CommRef comm_of(const struct timeline_message *message)
{
    return message->op < CALL_BARRIER ? COMM_P2P : COMM_COLLECTIVES;
}

static void otf2_sent(struct timeline *timeline, const struct timeline_message *message)
{
    if (is_in_call(timeline->file, message))
        return;
    OTF2_EvtWriter *writer = writer_at(timeline, message->source, message->since);
    note(timeline->file,
         OTF2_EvtWriter_MpiSend(writer, NULL, (OTF2_TimeStamp)message->since, message->destination,
                                comm_of(message), (uint32_t)message->tag, message->bytes));
}

static void otf2_received(struct timeline *timeline, const struct timeline_message *message, ps_t at)
{
    struct otf2 *otf2 = timeline->file;
    OTF2_EvtWriter *writer = writer_at(timeline, message->destination, at);
    if (is_in_call(otf2, message)) {
        otf2_call_writer_received(otf2->calls, message);
        return;
    }
    note(timeline->file, OTF2_EvtWriter_MpiRecv(writer, NULL, (OTF2_TimeStamp)at, message->source,
                                                comm_of(message), (uint32_t)message->tag, message->bytes));
}

/* -------------------------------------------------------------- definitions */

static OTF2_StringRef define_string(struct otf2 *otf2, const char *text)
{
    note(otf2, OTF2_GlobalDefWriter_WriteString(otf2->definitions, otf2->strings, text));
    return otf2->strings++;
}

static OTF2_RegionRole role_of(enum call_op op)
{
    switch (op) {
    case CALL_COMPUTE:
        return OTF2_REGION_ROLE_CODE;
    case CALL_BARRIER:
        return OTF2_REGION_ROLE_BARRIER;
    case CALL_BCAST:
    case CALL_SCATTER:
    case CALL_SCATTERV:
        return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case CALL_REDUCE:
    case CALL_GATHER:
    case CALL_GATHERV:
        return OTF2_REGION_ROLE_COLL_ALL2ONE;
    default:
        return op >= CALL_BARRIER ? OTF2_REGION_ROLE_COLL_ALL2ALL : OTF2_REGION_ROLE_POINT2POINT;
    }
}

static void define_regions(struct otf2 *otf2, OTF2_StringRef empty)
{
    for (int op = 0; op < CALL_OPS; op++) {
        OTF2_StringRef name = define_string(otf2, call_op_name((enum call_op)op));
        OTF2_Paradigm paradigm = op == CALL_COMPUTE ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI;
        note(otf2, OTF2_GlobalDefWriter_WriteRegion(otf2->definitions, (OTF2_RegionRef)op, name, name, empty,
                                                    role_of((enum call_op)op), paradigm,
                                                    OTF2_REGION_FLAG_NONE, empty, 0, 0));
    }
}

static void define_recorded(struct otf2 *otf2, OTF2_StringRef empty)
{
    for (enum timeline_burst_note kind = 0; kind < BURST_NOTES; kind++)
        note(otf2, OTF2_GlobalDefWriter_WriteAttribute(
                       otf2->definitions, attribute_of(kind), define_string(otf2, timeline_burst_name(kind)),
                       empty, kind < BURST_AFTER ? OTF2_TYPE_UINT64 : OTF2_TYPE_STRING));
}

static void define_ranks(struct otf2 *otf2, const struct timeline *timeline)
{
    for (uint32_t rank = 0; rank < timeline->ranks; rank++) {
        char name[32];
        uint64_t events = 0;
        snprintf(name, sizeof name, "rank %u", rank);
        OTF2_StringRef string = define_string(otf2, name);
        note(otf2, OTF2_EvtWriter_GetNumberOfEvents(otf2->writers[rank], &events));
        note(otf2, OTF2_GlobalDefWriter_WriteLocationGroup(otf2->definitions, rank, string,
                                                           OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                                           OTF2_UNDEFINED_LOCATION_GROUP));
        note(otf2, OTF2_GlobalDefWriter_WriteLocation(otf2->definitions, rank, string,
                                                      OTF2_LOCATION_TYPE_CPU_THREAD, events, rank));
    }
}

/* Messages that the network sees for collectives and graphs are no calls of MPI: their communicators belong
 * to the simulator, as to a measurement system, so that readers of calls pass over them. */
static void define_comms(struct otf2 *otf2, const struct timeline *timeline, OTF2_StringRef empty)
{
    static const char *const names[COMMS] = {"point to point", "messages of collectives"};
    uint64_t *members = mem_alloc(timeline->ranks, sizeof *members, "the timeline");
    for (uint32_t rank = 0; rank < timeline->ranks; rank++)
        members[rank] = rank;
    for (OTF2_GroupRef group = 0; group < GROUPS; group++)
        note(otf2, OTF2_GlobalDefWriter_WriteGroup(
                       otf2->definitions, group, empty,
                       group == GROUP_RANKS ? OTF2_GROUP_TYPE_COMM_GROUP : OTF2_GROUP_TYPE_COMM_LOCATIONS,
                       group == GROUP_LOCATIONS ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_MEASUREMENT_SYSTEM,
                       OTF2_GROUP_FLAG_NONE, timeline->ranks, members));
    for (OTF2_CommRef comm = 0; comm < COMMS; comm++)
        note(otf2, OTF2_GlobalDefWriter_WriteComm(otf2->definitions, comm, define_string(otf2, names[comm]),
                                                  GROUP_RANKS, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    free(members);
}

/* Readers expect local definitions of each location, although there are none. */
static void close_writers(struct otf2 *otf2, const struct timeline *timeline)
{
    for (uint32_t rank = 0; rank < timeline->ranks; rank++)
        note(otf2, OTF2_Archive_CloseEvtWriter(otf2->archive, otf2->writers[rank]));
    note(otf2, OTF2_Archive_CloseEvtFiles(otf2->archive));
    note(otf2, OTF2_Archive_OpenDefFiles(otf2->archive));
    for (uint32_t rank = 0; rank < timeline->ranks; rank++)
        note(otf2,
             OTF2_Archive_CloseDefWriter(otf2->archive, OTF2_Archive_GetDefWriter(otf2->archive, rank)));
    note(otf2, OTF2_Archive_CloseDefFiles(otf2->archive));
}

static void otf2_end_run(struct timeline *timeline)
{
    struct otf2 *otf2 = timeline->file;
    otf2->definitions = OTF2_Archive_GetGlobalDefWriter(otf2->archive);
    if (!otf2->definitions || otf2->failed != OTF2_SUCCESS) {
        note(otf2, OTF2_ERROR_MEM_FAULT);
        return;
    }
    note(otf2, OTF2_GlobalDefWriter_WriteClockProperties(otf2->definitions, (uint64_t)PS_PER_S, 0,
                                                         (uint64_t)otf2->last + 1, OTF2_UNDEFINED_TIMESTAMP));
    otf2->strings = otf2_call_writer_strings(otf2->calls, otf2->definitions);
    OTF2_StringRef empty = define_string(otf2, ""), mpi = define_string(otf2, "MPI");
    note(otf2, OTF2_GlobalDefWriter_WriteParadigm(otf2->definitions, OTF2_PARADIGM_MPI, mpi,
                                                  OTF2_PARADIGM_CLASS_PROCESS));
    OTF2_StringRef fabric = define_string(otf2, timeline->fabric), network = define_string(otf2, "network");
    note(otf2, OTF2_GlobalDefWriter_WriteSystemTreeNode(otf2->definitions, 0, fabric, network,
                                                        OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    define_regions(otf2, empty);
    define_ranks(otf2, timeline);
    define_comms(otf2, timeline, empty);
    const struct otf2_call_numbers numbers = {.groups = GROUPS, .strings = &otf2->strings, .empty = empty};
    note(otf2, otf2_call_writer_define(otf2->calls, otf2->definitions, &numbers));
    if (otf2->recorded)
        define_recorded(otf2, empty);
    close_writers(otf2, timeline);
}

bool timeline_writes_otf2(void)
{
    return true;
}

const struct timeline_format otf2_format = {
    .shows_bursts = true,
    .open = otf2_open,
    .begin_run = otf2_begin_run,
    .enter = otf2_enter,
    .leave = otf2_leave,
    .end_rank = otf2_end_rank,
    .call = otf2_call,
    .sent = otf2_sent,
    .received = otf2_received,
    .end_run = otf2_end_run,
    .close = otf2_close,
};
