#include "base/file_kind.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "base/mem.h"

struct file_head {
    const char *bytes;
    size_t size;
};

static bool begins_with(struct file_head head, const char *bytes, size_t length)
{
    return head.size >= length && memcmp(head.bytes, bytes, length) == 0;
}

static bool contains(struct file_head head, const char *text)
{
    return memmem(head.bytes, head.size, text, strlen(text)) != NULL;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The head from its first line on that is neither blank nor a comment. */
static struct file_head first_line(struct file_head head)
{
    while (head.size) {
        const char *newline = memchr(head.bytes, '\n', head.size);
        size_t length = newline ? (size_t)(newline - head.bytes) + 1 : head.size, blanks = 0;
        while (blanks < length && is_blank(head.bytes[blanks]))
            blanks++;
        if (blanks < length && head.bytes[blanks] != '#')
            break;
        head.bytes += length;
        head.size -= length;
    }
    return head;
}

/* ------------------------------------------------------------------- kinds */

/* Global and local definitions and events begin with a chunk header: 3, the byte order, numbers of events. */
static bool is_otf2_part(struct file_head head)
{
    return head.size >= 18 && head.bytes[0] == 3 && (head.bytes[1] == 'B' || head.bytes[1] == '#');
}

static bool is_dumpi_meta(struct file_head head)
{
    return contains(head, "numprocs=") && contains(head, "fileprefix=");
}

static bool is_dumpi_text(struct file_head head)
{
    return begins_with(head, "MPI_", 4) && contains(head, " entering at walltime ");
}

static bool is_platform(struct file_head head)
{
    return head.size && head.bytes[0] == '<' &&
           (contains(head, "<platform") || contains(head, "simgrid.dtd"));
}

static bool is_pcap(struct file_head head)
{
    return begins_with(head, "\xd4\xc3\xb2\xa1", 4) || begins_with(head, "\xa1\xb2\xc3\xd4", 4) ||
           begins_with(head, "\x4d\x3c\xb2\xa1", 4) || begins_with(head, "\xa1\xb2\x3c\x4d", 4) ||
           begins_with(head, "\x0a\x0d\x0d\x0a", 4);
}

static bool is_zip(struct file_head head)
{
    return begins_with(head, "PK\3\4", 4) || begins_with(head, "PK\5\6", 4);
}

bool file_kind_is_archive(const void *head, size_t size)
{
    static const struct {
        size_t at, length;
        const char *bytes;
    } magics[] = {
        {0, 4, "\x28\xb5\x2f\xfd"}, /* zstd */
        {0, 2, "\x1f\x8b"},         /* gzip */
        {0, 5,
         "\xfd"
         "7zXZ"},          /* xz */
        {0, 3, "BZh"},     /* bzip2 */
        {257, 5, "ustar"}, /* tar */
    };
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (size >= magics[i].at + magics[i].length &&
            !memcmp((const char *)head + magics[i].at, magics[i].bytes, magics[i].length))
            return true;
    return false;
}

static bool is_archive(struct file_head head)
{
    return file_kind_is_archive(head.bytes, head.size);
}

/* "[fmu_options]": the first section of a configuration. */
static bool is_ini(struct file_head head)
{
    struct file_head line = first_line(head);
    size_t at = 1;
    while (at < line.size && (is_letter(line.bytes[at]) || is_digit(line.bytes[at])))
        at++;
    return at > 1 && at < line.size && line.bytes[0] == '[' && is_letter(line.bytes[1]) &&
           line.bytes[at] == ']';
}

static bool is_json(struct file_head head)
{
    struct file_head line = first_line(head);
    return (begins_with(line, "{", 1) || begins_with(line, "[", 1)) && !is_ini(head);
}

/* A word that only experiments have at their top. */
static bool is_experiment(struct file_head head)
{
    static const char *const words[] = {"\"workload\"", "\"trace\"", "\"fabric\"", "\"machine\"",
                                        "\"sweep\""};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_json(head) && contains(head, words[i]))
            return true;
    return false;
}

static bool is_result(struct file_head head)
{
    return is_json(head) && contains(head, "\"schema\":") && contains(head, "\"manifest\":");
}

static bool is_chrome_timeline(struct file_head head)
{
    return is_json(head) && (contains(head, "\"traceEvents\"") || contains(head, "\"schemaVersion\""));
}

/* "0 init": the number of a rank and an action. */
static bool is_rank_text(struct file_head head)
{
    struct file_head line = first_line(head);
    size_t at = 0;
    while (at < line.size && is_digit(line.bytes[at]))
        at++;
    return at > 0 && at + 1 < line.size && line.bytes[at] == ' ' && is_letter(line.bytes[at + 1]);
}

/* "fabric: packet": a key of YAML, with a blank or nothing behind its colon. */
static bool is_yaml(struct file_head head)
{
    struct file_head line = first_line(head);
    size_t at = 0;
    if (begins_with(line, "---", 3))
        return true;
    while (at < line.size && (is_letter(line.bytes[at]) || is_digit(line.bytes[at]) || line.bytes[at] == '.'))
        at++;
    return at > 0 && is_letter(line.bytes[0]) && at + 1 < line.size && line.bytes[at] == ':' &&
           is_blank(line.bytes[at + 1]);
}

enum protobuf_line { PROTOBUF_NONE, PROTOBUF_FIELD, PROTOBUF_MESSAGE };

/* "7: 1" and "id: 1" are fields, "10 {" and "attr {" begin a message. */
static enum protobuf_line protobuf_line(struct file_head line, bool *has_number)
{
    size_t at = 0;
    *has_number = line.size && is_digit(line.bytes[0]);
    while (at < line.size && (is_digit(line.bytes[at]) || (!*has_number && (is_letter(line.bytes[at])))))
        at++;
    if (!at || at + 1 >= line.size)
        return PROTOBUF_NONE;
    if (line.bytes[at] == ':' && line.bytes[at + 1] == ' ')
        return PROTOBUF_FIELD;
    return at + 2 < line.size && memcmp(line.bytes + at, " {\n", 3) == 0 ? PROTOBUF_MESSAGE : PROTOBUF_NONE;
}

/* What protoc prints of messages, with the numbers of fields or with their names. With names the fields
 * before the first message within can be those of YAML. */
static bool is_protobuf_text(struct file_head head)
{
    for (struct file_head line = first_line(head); line.size; line = first_line(line)) {
        bool has_number;
        const enum protobuf_line kind = protobuf_line(line, &has_number);
        if (kind == PROTOBUF_NONE || kind == PROTOBUF_MESSAGE || has_number)
            return kind != PROTOBUF_NONE;
        const char *newline = memchr(line.bytes, '\n', line.size);
        const size_t length = newline ? (size_t)(newline - line.bytes) + 1 : line.size;
        line.bytes += length;
        line.size -= length;
    }
    return false;
}

#define CAPTURE "record the program with helio capture instead"

/* The first that fits counts. */
static const struct known_kind {
    const char *magic; /* the first bytes, `length` of them; NULL: is() knows them */
    size_t length;
    bool (*is)(struct file_head head);
    struct file_kind kind;
} kinds[] = {
    {"\3BOTF2", 6, NULL, {"an OTF2 trace", "helio run FILE reads it", false}},
    {"\3#OTF2", 6, NULL, {"an OTF2 trace", "helio run FILE reads it", false}},
    {NULL, 0, is_otf2_part, {"a part of an OTF2 trace", "give its anchor file, NAME.otf2", false}},
    {"\xff\xaa\xdd"
     "DUMPI",
     8,
     NULL,
     {"one rank of a DUMPI trace", "give the file .meta beside it, or the folder that holds both", false}},
    {NULL, 0, is_dumpi_meta, {"a DUMPI trace", "helio run FILE reads it", false}},
    {NULL,
     0,
     is_dumpi_text,
     {"a DUMPI trace as text", "give the file .meta of the trace that it was made from", false}},
    {"#Paraver (", 10, NULL, {"a Paraver trace, which Heliograph does not read", CAPTURE, false}},
    {"%EventDef", 9, NULL, {"a Paje timeline, which has no program in it", CAPTURE, false}},
    {NULL,
     0,
     is_chrome_timeline,
     {"a timeline in Chrome's format, as PyTorch's profiler writes, which has no program in it", CAPTURE,
      false}},
    {NULL,
     0,
     is_platform,
     {"a SimGrid platform, a network and no program",
      "give it beside a program, as --fabric packet --topology FILE.xml (docs/platforms.md)", false}},
    {"\x89HDF\r\n\x1a\n", 8, NULL, {"an HDF5 file, and no trace that Heliograph reads", CAPTURE, false}},
    {"SQLite format 3",
     16,
     NULL,
     {"a results database of helio sweep", "helio export and helio plot read it", false}},
    {"\x7f"
     "ELF",
     4,
     NULL,
     {"a program or a library",
      "helio capture records what an MPI program sends; --plugin loads a plug-in of Heliograph", false}},
    {NULL, 0, is_zip, {"a zip archive", "unpack it and give the folder with its rank-<k>.txt", false}},
    {NULL, 0, is_pcap, {"a capture of network packets, which has no MPI calls in it", CAPTURE, false}},
    {NULL,
     0,
     is_result,
     {"the result of helio run --json", "helio rerun repeats it, helio compare compares two", false}},
    {NULL, 0, is_archive, {"an archive", "helio run FILE reads the archive of a trace", false}},
    {"HELIOTI\n", 8, NULL, {"a compiled trace", "helio run FILE reads it", false}},
    {NULL,
     0,
     is_rank_text,
     {"the text of one rank", "give the folder that holds it, or an index with one path per line", false}},
    {NULL,
     0,
     is_protobuf_text,
     {"a text of protobuf messages, as protoc prints them",
      "give the file that it was made from: a Chakra trace is NAME.NUMBER.et", false}},
    {NULL, 0, is_ini, {"a configuration of SimpleComm's", "helio run --ini FILE reads it", true}},
    {NULL, 0, is_experiment, {"an experiment file in JSON", "helio run FILE reads it", true}},
    {NULL,
     0,
     is_json,
     {"JSON of another program, and no trace", "an experiment file has a key such as \"workload\"", true}},
    {NULL, 0, is_yaml, {"an experiment file", "helio run FILE reads it", true}},
};

static bool is_of_kind(const struct known_kind *known, struct file_head head)
{
    return known->magic ? begins_with(head, known->magic, known->length) : known->is(head);
}

const struct file_kind *file_kind_of(const char *head, size_t size)
{
    struct file_head looked_at = {head, size < FILE_KIND_BYTES ? size : FILE_KIND_BYTES};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_of_kind(&kinds[i], looked_at))
            return &kinds[i].kind;
    return NULL;
}

void file_kind_report(const char *path, const struct file_kind *kind)
{
    diag_report(DIAG_ERROR, &(struct diag_place){.file = path}, "this is %s; %s", kind->what, kind->advice);
}

/* ----------------------------------------------------------------- folders */

static const struct file_kind *kind_of_file(const char *folder, const char *name)
{
    char head[FILE_KIND_BYTES];
    char *path = mem_format("%s/%s", folder, name);
    FILE *file = file_open_regular(path);
    free(path);
    if (!file)
        return NULL;
    size_t size = fread(head, 1, sizeof head, file);
    fclose(file);
    return file_kind_of(head, size);
}

const struct file_kind *file_kind_in_folder(const char *path, char **name)
{
    enum { MOST_FILES = 1000 };
    const struct file_kind *first = NULL;
    DIR *folder = opendir(path);
    int files = 0;
    *name = NULL;
    for (struct dirent *entry; folder && files < MOST_FILES && (entry = readdir(folder)); files++) {
        const struct file_kind *kind = kind_of_file(path, entry->d_name);
        if (!kind || kind->is_experiment)
            continue;
        bool is_earlier = !first || kind < first || (kind == first && strcmp(entry->d_name, *name) < 0);
        if (!is_earlier)
            continue;
        free(*name);
        *name = mem_text(entry->d_name);
        first = kind;
    }
    if (folder)
        closedir(folder);
    return first;
}
