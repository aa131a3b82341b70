#include "trace/image/compiled.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/diag.h"
#include "base/mem.h"
#include "trace/image/format.h"
#include "trace/image/number.h"

/* -------------------------------------------------------------- the program */

static const struct call *compiled_next(struct program *program, uint32_t rank, struct call *scratch)
{
    struct compiled_trace *compiled = compiled_of(program);
    uint32_t token = *compiled->cursors[rank];
    if (token & TOKEN_COMPUTE) {
        if (token == TOKEN_END)
            return NULL;
        compiled->cursors[rank]++;
        *scratch = (struct call){.op = CALL_COMPUTE,
                                 .amount = compiled_amounts(compiled, rank)[token & ~TOKEN_COMPUTE]};
        return scratch;
    }
    compiled->cursors[rank]++;
    return &compiled_calls(compiled, rank)[token];
}

static const struct call *compiled_read(const struct program *program, uint32_t rank,
                                        struct program_cursor *cursor, struct call *scratch)
{
    const struct compiled_trace *compiled = (const struct compiled_trace *)program;
    uint32_t token = compiled_tokens(compiled, rank)[cursor->number];
    if (token == TOKEN_END)
        return NULL;
    cursor->number++;
    if (!(token & TOKEN_COMPUTE))
        return &compiled_calls(compiled, rank)[token];
    *scratch =
        (struct call){.op = CALL_COMPUTE, .amount = compiled_amounts(compiled, rank)[token & ~TOKEN_COMPUTE]};
    return scratch;
}

static uint32_t compiled_slots(const struct program *program, uint32_t rank)
{
    return ((const struct compiled_trace *)program)->ranks[rank].slots;
}

/* The line of a rank's token, by its number from 1; 0 for 0. */
static uint64_t line_of(const struct compiled_trace *compiled, uint32_t rank, uint64_t token)
{
    if (!token || !(compiled->header->flags & IMAGE_HAS_LINES))
        return token;
    struct image_part lines = image_lines(&compiled->ranks[rank]);
    return ((const uint64_t *)(const void *)(compiled->image + lines.at))[token - 1];
}

static struct call_place compiled_place(const struct program *program, uint32_t rank)
{
    const struct compiled_trace *compiled = (const struct compiled_trace *)program;
    return (struct call_place){
        .file = compiled->files[rank],
        .line =
            line_of(compiled, rank, (uint64_t)(compiled->cursors[rank] - compiled_tokens(compiled, rank))),
    };
}

static void compiled_rewind(struct program *program)
{
    struct compiled_trace *compiled = compiled_of(program);
    for (uint32_t rank = 0; rank < program->ranks; rank++)
        compiled->cursors[rank] = compiled_tokens(compiled, rank);
}

static void compiled_close(struct program *program)
{
    struct compiled_trace *compiled = compiled_of(program);
    for (uint32_t rank = 0; compiled->owned_files && rank < program->ranks; rank++)
        free(compiled->owned_files[rank]);
    munmap((void *)(uintptr_t)compiled->image, compiled->image_bytes);
    for (uint32_t site = 1; site < compiled->sites.count; site++)
        free((char *)(uintptr_t)compiled->site_names[site]);
    free(compiled->site_names);
    free(compiled->owned_files);
    free(compiled->files);
    free(compiled->burst_places);
    free(compiled->cursors);
    free(compiled->groups);
    free(compiled->name);
    free(compiled);
}

static const struct program_ops compiled_ops = {
    .next = compiled_next,
    .slots = compiled_slots,
    .place = compiled_place,
    .rewind = compiled_rewind,
    .read = compiled_read,
    .close = compiled_close,
};

/* ------------------------------------------------------------------ mapping */

/* The input's own names of its files, if it knows them: the image may have been made from equal files
 * elsewhere. */
static void name_files(struct compiled_trace *compiled, const struct trace_input *input)
{
    const char *names = (const char *)compiled->image + compiled->header->names.at;
    uint32_t ranks = compiled->program.ranks;
    bool own = input->format->rank_file && input->ranks == ranks;
    compiled->files = mem_alloc(ranks, sizeof *compiled->files, "the names of files");
    if (own)
        compiled->owned_files = mem_alloc(ranks, sizeof *compiled->owned_files, "the names of files");
    for (uint32_t rank = 0; rank < ranks; rank++) {
        const char *name = own ? input->format->rank_file(input, rank) : NULL;
        compiled->files[rank] =
            name ? (compiled->owned_files[rank] = mem_text(name)) : names + compiled->ranks[rank].name;
    }
}

/* Communicator 0 is the world: rank r is its member r. */
static void use_groups(struct compiled_trace *compiled)
{
    const struct image_header *header = compiled->header;
    const struct image_group *groups =
        (const struct image_group *)(const void *)(compiled->image + header->groups.at);
    const uint32_t *members = (const uint32_t *)(const void *)(compiled->image + header->members.at);
    compiled->groups = mem_alloc(header->groups.count, sizeof *compiled->groups, "communicators");
    for (uint64_t i = 0; i < header->groups.count; i++)
        compiled->groups[i] =
            (struct group){.size = groups[i].size, .world = i ? members + groups[i].first : NULL};
}

/* A compute, or another program's copy of a call, is outside of the image: TOKEN_BLANK. */
static uint32_t number_of(const struct compiled_trace *compiled, uint32_t rank, const struct call *call)
{
    uintptr_t inside = (uintptr_t)call - (uintptr_t)compiled_calls(compiled, rank);
    bool is_inside = inside < compiled->ranks[rank].calls.count * sizeof *call;
    return is_inside ? (uint32_t)(inside / sizeof *call) : TOKEN_BLANK;
}

static uint32_t site_of(const struct program_sites *sites, uint32_t rank, const struct call *call)
{
    const struct compiled_trace *compiled =
        (const void *)((const char *)sites - offsetof(struct compiled_trace, sites));
    if (rank >= compiled->program.ranks || !compiled->ranks[rank].sites)
        return 0;
    uint32_t number = number_of(compiled, rank, call);
    if (number == TOKEN_BLANK)
        return 0;
    return ((const uint32_t *)(const void *)(compiled->image + compiled->ranks[rank].sites))[number];
}

static void use_sites(struct compiled_trace *compiled)
{
    const char *text = (const char *)compiled->image + compiled->header->sites.at;
    const char *end = text + compiled->header->sites.count;
    uint32_t count = 1;
    if (text == end)
        return;
    for (const char *at = text; at < end; at += strlen(at) + 1)
        count++;
    compiled->site_names = mem_alloc(count, sizeof *compiled->site_names, "call sites");
    for (uint32_t site = 1; site < count; site++, text += strlen(text) + 1)
        compiled->site_names[site] = bytes_to_text(text);
    compiled->sites = (struct program_sites){.names = compiled->site_names, .count = count, .of = site_of};
    compiled->program.sites = &compiled->sites;
}

/* Of a trace of text it is the word behind #lost, and otherwise all that the image keeps for the call. */
static const char *lost_name(const struct program_lost *lost, uint32_t rank, const struct call *call,
                             size_t *length)
{
    static const char mark[] = "#lost ";
    const struct compiled_trace *compiled =
        (const void *)((const char *)lost - offsetof(struct compiled_trace, lost));
    uint32_t number = rank < compiled->program.ranks ? number_of(compiled, rank, call) : TOKEN_BLANK;
    if (number == TOKEN_BLANK)
        return NULL;
    const char *text = compiled_text(compiled, rank, number, length), *end = text + *length;
    if (compiled->header->flags & IMAGE_TEXTS_ARE_FREE)
        return *length ? text : NULL;
    const char *name = memmem(text, *length, mark, sizeof mark - 1);
    if (!name)
        return NULL;
    name += sizeof mark - 1;
    const char *blank = memchr(name, ' ', (size_t)(end - name));
    *length = (size_t)((blank ? blank : end) - name);
    return name;
}

static void use_lost(struct compiled_trace *compiled)
{
    const struct image_note *notes =
        (const struct image_note *)(const void *)(compiled->image + compiled->header->notes.at);
    compiled->lost.name = lost_name;
    for (uint64_t i = 0; i < compiled->header->notes.count; i++)
        if (notes[i].kind == NOTE_LOST)
            compiled->lost.calls += notes[i].count;
    compiled->program.lost = &compiled->lost;
}

static struct compiled_trace *use_image(const unsigned char *image, uint64_t size,
                                        const struct trace_input *input)
{
    struct compiled_trace *compiled = mem_alloc(1, sizeof *compiled, "a trace");
    compiled->image = image;
    compiled->image_bytes = size;
    compiled->header = (const struct image_header *)(const void *)image;
    compiled->ranks = (const struct image_rank *)(const void *)(image + compiled->header->ranks.at);
    compiled->name = bytes_to_text(input->name);
    use_groups(compiled);
    compiled->program = (struct program){
        .ops = &compiled_ops,
        .name = compiled->name,
        .ranks = (uint32_t)compiled->header->ranks.count,
        .channels = compiled->header->channels,
        .groups = compiled->groups,
        .group_count = (uint32_t)compiled->header->groups.count,
        .counts = (const uint64_t *)(const void *)(image + compiled->header->counts.at),
        .total_calls = compiled->header->lines,
        .bytes_mapped = size,
        .key = {compiled->header->key[0], compiled->header->key[1]},
    };
    compiled->cursors =
        mem_alloc(compiled->program.ranks, sizeof *compiled->cursors, "the cursors of a trace");
    use_lost(compiled);
    use_sites(compiled);
    compiled_use_bursts(compiled);
    name_files(compiled, input);
    compiled_rewind(&compiled->program);
    return compiled;
}

/* The size of a file that can be mapped. 0: it is empty, or is no regular file. */
static size_t size_of(int file)
{
    struct stat about;
    return fstat(file, &about) || !S_ISREG(about.st_mode) || about.st_size < 0 ? 0 : (size_t)about.st_size;
}

static struct compiled_trace *use_memory(void *image, size_t size, const struct trace_input *input,
                                         const char **fault)
{
    *fault = image_fault(image, size);
    if (*fault) {
        munmap(image, size);
        return NULL;
    }
    return use_image(image, size, input);
}

struct compiled_trace *compiled_map(int file, const struct trace_input *input, const char **fault)
{
    size_t size = size_of(file);
    void *image = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    *fault = "it cannot be mapped";
    return image == MAP_FAILED ? NULL : use_memory(image, size, input, fault);
}

static bool read_whole(int file, char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t got = pread(file, bytes + at, size - at, (off_t)at);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        at += got > 0 ? (size_t)got : 0;
    }
    return true;
}

struct compiled_trace *compiled_copy(int file, const struct trace_input *input, const char **fault)
{
    size_t size = size_of(file);
    *fault = "it is empty";
    if (!size)
        return NULL;
    void *image = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *fault = "there is no memory for it";
    if (image == MAP_FAILED)
        return NULL;
    *fault = "it cannot be read as a whole";
    if (!read_whole(file, image, size) || mprotect(image, size, PROT_READ)) {
        munmap(image, size);
        return NULL;
    }
    return use_memory(image, size, input, fault);
}

/* --------------------------------------------------------------------- text */

const char *compiled_text(const struct compiled_trace *compiled, uint32_t rank, uint32_t call, size_t *length)
{
    const struct image_rank *about = &compiled->ranks[rank];
    const uint32_t *starts = (const uint32_t *)(const void *)(compiled->image + about->starts);
    const char *texts = (const char *)compiled->image + about->texts.at;
    const char *text = texts + starts[call];
    const char *end = memchr(text, '\n', about->texts.count - starts[call]);
    *length = (size_t)(end - text);
    return text;
}

size_t compiled_line(const struct compiled_trace *compiled, uint32_t rank, uint64_t number, char *buffer,
                     size_t size)
{
    uint32_t token = compiled_tokens(compiled, rank)[number - 1];
    char prefix[16] = "", words[128];
    const char *text = words;
    size_t length;
    if (!(compiled->header->flags & IMAGE_TEXTS_ARE_FREE))
        snprintf(prefix, sizeof prefix, "%u ", rank);
    if (token & TOKEN_COMPUTE) {
        char amount[NUMBER_TEXT];
        number_print(compiled_amounts(compiled, rank)[token & ~TOKEN_COMPUTE], amount);
        length = (size_t)snprintf(words, sizeof words, "compute %s", amount);
    } else {
        text = compiled_text(compiled, rank, token, &length);
    }
    if (!length && token != TOKEN_BLANK) {
        text = call_describe(&compiled_calls(compiled, rank)[token], words, sizeof words);
        length = strlen(text);
    }
    if (!length)
        return 0;
    int written = snprintf(buffer, size, "%s%.*s", prefix, (int)(length < size ? length : size), text);
    return (size_t)written < size ? (size_t)written : size - 1;
}

void compiled_report(const struct compiled_trace *compiled, enum diag_level level, uint32_t rank,
                     uint64_t number, const char *format, ...)
{
    char text[1024], source[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct diag_place place = {.file = compiled->files[rank], .line = line_of(compiled, rank, number)};
    if (number) {
        place.source = source;
        place.source_length = compiled_line(compiled, rank, number, source, sizeof source);
    }
    diag_report(level, &place, "%s", text);
}

static const char *const note_texts[NOTE_KINDS] = {
    [NOTE_ANY_SOURCE] =
        "a receive from MPI_ANY_SOURCE or MPI_PROC_NULL, which the trace does not tell apart: "
        "taken for the first",
    [NOTE_NULL_SOURCE] =
        "a receive from MPI_ANY_SOURCE or MPI_PROC_NULL, which the trace does not tell apart: "
        "taken for the second, since no message is left for it",
    [NOTE_ZERO_COUNTS] =
        "reducescatter without counts, as SimGrid prints MPI_Reduce_scatter_block: nothing is "
        "sent",
    [NOTE_WAITALL] =
        "waitall for fewer requests than are outstanding: the trace does not name them, so all are "
        "waited for",
    [NOTE_TEST] = "a test of a request that is not outstanding: skipped",
    [NOTE_NOT_RECEIVED] = "a message that is never received; `helio trace validate` shows more",
    [NOTE_NOT_SENT] =
        "a receive that never gets a message, so the run will not end; `helio trace validate` shows "
        "more",
    [NOTE_ORDER] =
        "this rank calls other collectives than rank 0, or in another order; `helio trace validate` "
        "shows where",
    [NOTE_LOST] = "a call that was not captured: what it moved is missing from this trace",
    [NOTE_SHARED] =
        "an alltoallv of which the trace has only what each rank sends and receives in all: shares "
        "in proportion to what each rank receives",
    [NOTE_CANCELLED] = "a request that was cancelled: it does nothing",
    [NOTE_OTHERS] = "an event of a thread, a device or a metric, which is no rank of MPI: left out",
    [NOTE_NO_SIZES] = "a neighbourhood collective on a grid, and the trace does not have its size for each "
                      "neighbour: equal "
                      "shares of what it has, or empty messages to and from the neighbours",
    [NOTE_UNUSED_GRID] =
        "a grid or graph of ranks that no recorded message uses: DUMPI records no neighbourhood collectives, "
        "so they may be missing",
};

void compiled_report_notes(const struct compiled_trace *compiled, uint32_t kinds)
{
    const struct image_note *notes =
        (const struct image_note *)(const void *)(compiled->image + compiled->header->notes.at);
    for (uint64_t i = 0; i < compiled->header->notes.count; i++) {
        char more[48] = "";
        if (!(kinds >> notes[i].kind & 1))
            continue;
        if (notes[i].count > 1)
            snprintf(more, sizeof more, " (the first of %llu)", (unsigned long long)notes[i].count);
        compiled_report(compiled, DIAG_WARNING, notes[i].rank, notes[i].line, "%s%s",
                        note_texts[notes[i].kind], more);
    }
}

bool compiled_next_collective(const struct compiled_trace *compiled, uint32_t rank, uint32_t group,
                              uint64_t *number, const struct call **call)
{
    const uint32_t *tokens = compiled_tokens(compiled, rank);
    const struct call *calls = compiled_calls(compiled, rank);
    while (*number < compiled_lines(compiled, rank)) {
        uint32_t token = tokens[(*number)++];
        if (!(token & TOKEN_COMPUTE) && call_is_collective(&calls[token]) && calls[token].group == group) {
            *call = &calls[token];
            return true;
        }
    }
    return false;
}

/* -------------------------------------------------- compiled files as input */

static enum trace_claim probe(const struct trace_format *format, const struct trace_probe *probe)
{
    (void)format;
    size_t length = strlen(IMAGE_MAGIC);
    return probe->head_size >= length && !memcmp(probe->head, IMAGE_MAGIC, length) ? TRACE_CLAIM_CERTAIN
                                                                                   : TRACE_CLAIM_NONE;
}

const struct trace_format compiled_trace_format = {
    .name = "compiled",
    .doc = "a file that `helio trace convert --to compiled` has written",
    .probe = probe,
};
