#include "trace/otf2/otf2.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "trace/otf2/calls.h"

#define ENDING ".otf2"

struct otf2_trace {
    struct otf2_source source;
    char *definitions_path;
    struct otf2_anchor anchor;
    struct otf2_definitions definitions;
    struct otf2_calls calls;
    uint64_t keys[2][2];      /* of anchor and definitions */
    char **paths;             /* of the ranks' events */
    struct content_hash hash; /* of the files while they are compiled */
};

static struct otf2_trace *trace_of(const struct trace_input *input)
{
    return input->state;
}

/* -------------------------------------------------------------------- probe */

static bool has_ending(const char *name)
{
    size_t length = strlen(name), ending = strlen(ENDING);
    return length > ending && strcmp(name + length - ending, ENDING) == 0;
}

/* The anchor file of a folder, to be freed. NULL: it has none, or *several. */
static char *anchor_in(const char *path, bool *several)
{
    DIR *folder = opendir(path);
    char *found = NULL;
    *several = false;
    if (!folder)
        return NULL;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (!has_ending(entry->d_name))
            continue;
        *several = found != NULL;
        if (*several)
            break;
        found = mem_format("%s/%s", path, entry->d_name);
    }
    closedir(folder);
    if (*several) {
        free(found);
        found = NULL;
    }
    return found;
}

static enum trace_claim probe(const struct trace_format *format, const struct trace_probe *probe)
{
    static const char little[] = "\003BOTF2", big[] = "\003#OTF2";
    (void)format;
    if (probe->is_folder) {
        bool several;
        char *anchor = anchor_in(probe->path, &several);
        bool found = anchor || several;
        free(anchor);
        return found ? TRACE_CLAIM_LIKELY : TRACE_CLAIM_NONE;
    }
    bool fits = probe->head_size >= sizeof little &&
                (!memcmp(probe->head, little, sizeof little) || !memcmp(probe->head, big, sizeof big));
    return fits ? TRACE_CLAIM_CERTAIN : TRACE_CLAIM_NONE;
}

/* ------------------------------------------------------------------ opening */

static enum status report(const char *path, const char *what)
{
    diag_report(DIAG_ERROR, &(struct diag_place){.file = path}, "%s", what);
    return STATUS_BAD_INPUT;
}

/* "traces" of the anchor "traces.otf2", which the archive's other files are named after. */
static enum status find_stem(struct otf2_trace *trace, const struct trace_probe *probe, const char *path)
{
    bool several = false;
    char *anchor = probe && probe->is_folder ? anchor_in(path, &several) : mem_text(path);
    if (!anchor)
        return report(path, several ? "the folder has several archives of OTF2; give the one that is meant, "
                                      "by its file that ends in .otf2"
                                    : "there is no file that ends in .otf2 any more");
    if (!has_ending(anchor)) {
        free(anchor);
        return report(path, "the anchor file of an OTF2 archive has to end in .otf2, since the other files "
                            "are named after it");
    }
    anchor[strlen(anchor) - strlen(ENDING)] = '\0';
    trace->source.stem = anchor;
    return STATUS_OK;
}

static enum status read_anchor(struct otf2_trace *trace)
{
    struct content_window window;
    struct otf2_bytes bytes;
    char *path = otf2_source_path(&trace->source, ENDING);
    enum status status = otf2_source_open(&trace->source, path, &window, trace->keys[0]);
    if (status == STATUS_OK) {
        status = otf2_source_all(&window, &bytes);
        if (status == STATUS_OK)
            status = otf2_anchor_read(path, bytes, &trace->anchor);
        content_window_close(&window);
    }
    free(path);
    return status;
}

static enum status read_definitions(struct otf2_trace *trace)
{
    struct content_window window;
    struct otf2_bytes bytes;
    trace->definitions_path = otf2_source_path(&trace->source, ".def");
    enum status status = otf2_source_open(&trace->source, trace->definitions_path, &window, trace->keys[1]);
    if (status != STATUS_OK)
        return status;
    status = otf2_source_all(&window, &bytes);
    if (status == STATUS_OK)
        status = otf2_definitions_read(&trace->definitions, trace->definitions_path, bytes);
    content_window_close(&window);
    return status;
}

static enum status begin_hash(struct otf2_trace *trace)
{
    static const char name[] = "otf2 2";
    if (!content_hash_begin(&trace->hash)) {
        diag_error("out of memory for a checksum");
        return STATUS_FAILED;
    }
    content_hash_add(&trace->hash, name, sizeof name);
    content_hash_add(&trace->hash, (const char *)trace->keys, sizeof trace->keys);
    return STATUS_OK;
}

static void add_key(struct otf2_trace *trace, const uint64_t key[2])
{
    content_hash_add(&trace->hash, (const char *)key, 2 * sizeof *key);
}

static char *location_path(const struct otf2_trace *trace, uint32_t rank, const char *ending)
{
    return mem_format("%s/%" PRIu64 "%s", trace->source.stem, trace->definitions.locations[rank], ending);
}

static enum status hash_file(struct otf2_trace *trace, const char *path)
{
    struct content_window window;
    uint64_t key[2];
    enum status status = otf2_source_open(&trace->source, path, &window, key);
    if (status != STATUS_OK)
        return status;
    content_window_close(&window);
    add_key(trace, key);
    return STATUS_OK;
}

static enum status hash_ranks(struct otf2_trace *trace, uint64_t key[2])
{
    enum status status = begin_hash(trace);
    uint32_t ranks = trace->definitions.ranks;
    trace->paths = mem_alloc(ranks, sizeof *trace->paths, "the files of an archive");
    progress_begin("reading the trace", ranks);
    for (uint32_t rank = 0; status == STATUS_OK && rank < ranks; rank++) {
        progress_tell(rank);
        char *definitions = location_path(trace, rank, ".def");
        trace->paths[rank] = location_path(trace, rank, ".evt");
        status = hash_file(trace, definitions);
        if (status == STATUS_OK)
            status = hash_file(trace, trace->paths[rank]);
        free(definitions);
    }
    progress_end();
    content_hash_end(&trace->hash, key);
    return status;
}

static void close_input(struct trace_input *input)
{
    struct otf2_trace *trace = trace_of(input);
    uint64_t unused[2];
    if (trace->hash.state)
        content_hash_end(&trace->hash, unused);
    for (uint32_t rank = 0; trace->paths && rank < trace->definitions.ranks; rank++)
        free(trace->paths[rank]);
    free(trace->paths);
    otf2_calls_free(&trace->calls);
    otf2_definitions_free(&trace->definitions);
    free(trace->definitions_path);
    free(trace->source.stem);
    free(trace);
    input->state = NULL;
}

static enum status open_trace(struct trace_input *input, const struct trace_probe *probe)
{
    struct otf2_trace *trace = trace_of(input);
    enum status status = find_stem(trace, probe, input->path);
    if (status == STATUS_OK)
        status = read_anchor(trace);
    if (status == STATUS_OK)
        status = read_definitions(trace);
    if (status == STATUS_OK)
        status = hash_ranks(trace, input->key);
    if (status == STATUS_OK) {
        otf2_calls_init(&trace->calls, &trace->definitions);
        input->ranks = trace->definitions.ranks;
    } else {
        close_input(input);
    }
    return status;
}

static enum status open_input(struct trace_input *input, const struct trace_probe *probe)
{
    input->state = mem_alloc(1, sizeof(struct otf2_trace), "a trace");
    return open_trace(input, probe);
}

/* ------------------------------------------------------------------ reading */

static enum status load_local(struct otf2_trace *trace, uint32_t rank, struct otf2_local *local,
                              uint64_t key[2])
{
    struct content_window window;
    struct otf2_bytes bytes;
    char *path = location_path(trace, rank, ".def");
    enum status status = otf2_source_open(&trace->source, path, &window, key);
    if (status == STATUS_OK) {
        status = otf2_source_all(&window, &bytes);
        if (status == STATUS_OK)
            status = otf2_local_read(local, path, bytes);
        content_window_close(&window);
    }
    free(path);
    return status;
}

static bool makes_graph(const struct otf2_definitions *definitions, const struct otf2_local *local,
                        const struct otf2_event *event)
{
    struct otf2_bytes fields = event->fields;
    uint32_t id = otf2_map(&local->maps[OTF2_MAP_REGIONS], otf2_number32(&fields));
    const struct otf2_region *region = otf2_region_at(definitions, id);
    return !fields.failed && region && region->kind == OTF2_GRAPH;
}

/* Where a rank's events are damaged is found when its calls are read. */
static enum status scan_rank(struct otf2_trace *trace, uint32_t rank, struct otf2_vectors *vectors,
                             struct otf2_vector_numbers *numbers, struct otf2_local *local)
{
    struct content_window window;
    struct otf2_events events;
    struct otf2_event event;
    uint64_t key[2];
    enum status status = load_local(trace, rank, local, key);
    if (status == STATUS_OK)
        status = otf2_source_open(&trace->source, trace->paths[rank], &window, key);
    if (status != STATUS_OK)
        return status;
    otf2_vectors_begin(vectors, numbers);
    otf2_events_begin(&events, &window, trace->anchor.chunk_bytes);
    while (otf2_events_next(&events, &event))
        if (event.kind == OTF2_COLLECTIVE_END || event.kind == OTF2_COLLECTIVE_COMPLETE)
            otf2_vectors_take(vectors, numbers, local, rank, &event);
        else if (event.kind == OTF2_ENTER)
            vectors->has_graphs |= makes_graph(&trace->definitions, local, &event);
    content_window_close(&window);
    return events.status;
}

static enum status read_vectors(void *self, struct otf2_vectors *vectors)
{
    struct otf2_trace *trace = self;
    struct otf2_vector_numbers numbers = {0};
    struct otf2_local local = {.clock = 0};
    enum status status = STATUS_OK;
    for (uint32_t rank = 0; status == STATUS_OK && rank < trace->definitions.ranks; rank++)
        status = scan_rank(trace, rank, vectors, &numbers, &local);
    otf2_local_free(&local);
    free(numbers.next);
    return status;
}

static enum status read_records(struct otf2_trace *trace, uint32_t rank, struct image_writer *writer,
                                struct content_window *window)
{
    struct otf2_events events;
    struct otf2_event event;
    uint64_t told = 0;
    bool going = true;
    otf2_events_begin(&events, window, trace->anchor.chunk_bytes);
    otf2_calls_begin(&trace->calls, writer, rank);
    while (going && otf2_events_next(&events, &event)) {
        going = otf2_calls_take(&trace->calls, &event);
        if (events.chunk_at != told) {
            told = events.chunk_at;
            progress_tell((uint64_t)rank * TRACE_RANK_PARTS + told * TRACE_RANK_PARTS / window->size);
        }
    }
    if (!going)
        return trace->calls.status; /* an error in the trace has been counted */
    if (events.fault) {
        struct diag_place place = {.file = window->path, .line = events.fault_at | DIAG_BYTE};
        image_writer_error(writer, &place, "%s", events.fault);
    } else if (events.status == STATUS_OK) {
        otf2_calls_end(&trace->calls);
    }
    return events.status;
}

static void note_others(const struct otf2_trace *trace, struct image_writer *writer)
{
    if (trace->definitions.other_locations)
        image_notes_add(&writer->notes, NOTE_OTHERS, 0, 0, trace->definitions.other_events);
}

static enum status read_rank(struct trace_input *input, uint32_t rank, struct image_writer *writer)
{
    struct otf2_trace *trace = trace_of(input);
    struct content_window window;
    uint64_t key[2];
    if (rank == 0 && trace->hash.state)
        content_hash_end(&trace->hash, key);
    enum status status = rank == 0 ? begin_hash(trace) : STATUS_OK;
    if (status == STATUS_OK)
        status = load_local(trace, rank, &trace->calls.local, key);
    if (status != STATUS_OK)
        return status;
    add_key(trace, key);
    status = otf2_source_open(&trace->source, trace->paths[rank], &window, key);
    if (status != STATUS_OK)
        return status;
    add_key(trace, key);
    trace->calls.path = trace->paths[rank];
    trace->calls.read_vectors = read_vectors;
    trace->calls.source = trace;
    if (rank == 0)
        note_others(trace, writer);
    status = read_records(trace, rank, writer, &window);
    content_window_close(&window);
    return status;
}

/* Another process may have written to the files since their key was computed. */
static enum status check_unchanged(struct trace_input *input)
{
    uint64_t key[2];
    content_hash_end(&trace_of(input)->hash, key);
    if (!trace_of(input)->calls.has_calls)
        return report(input->path,
                      "no rank calls MPI in it; a timeline of a graph of operations, or of traffic, has "
                      "messages and no calls");
    if (!memcmp(key, input->key, sizeof key))
        return STATUS_OK;
    return report(input->path,
                  "it was changed while it was read; try again when nothing writes to it any more");
}

static const char *rank_file(const struct trace_input *input, uint32_t rank)
{
    const struct otf2_trace *trace = trace_of(input);
    return rank < trace->definitions.ranks ? trace->paths[rank] : NULL;
}

const struct trace_format otf2_trace_format = {
    .name = "otf2",
    .doc = "the anchor file NAME.otf2 of an archive of OTF2, as Score-P writes, or the folder that it is in",
    .probe = probe,
    .open = open_input,
    .read_rank = read_rank,
    .finish = check_unchanged,
    .rank_file = rank_file,
    .close = close_input,
    .image_flags = IMAGE_HAS_LINES | IMAGE_TEXTS_ARE_FREE,
};

enum status otf2_input_of_files(struct trace_input *input, const char *path, const struct otf2_memory *files,
                                size_t count)
{
    struct otf2_trace *trace = mem_alloc(1, sizeof *trace, "a trace");
    trace->source.memory = files;
    trace->source.memory_count = count;
    *input = (struct trace_input){
        .format = &otf2_trace_format, .path = path, .name = mem_text(path), .state = trace};
    enum status status = open_trace(input, NULL);
    if (status != STATUS_OK)
        free(input->name);
    return status;
}
