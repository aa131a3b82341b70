#include "live/coll/settings.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "coll/coll.h"
#include "live/coll/digits.h"

static void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line of standard error. The values in it do not control the terminal: control characters appear as \xNN.
 */
static void complain(const char *format, ...)
{
    char line[2048];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    fputs("helio coll: ", stderr);
    for (size_t at = 0, bytes, length = strlen(line); at < length; at += bytes ? bytes : 1) {
        bytes = utf8_shown_bytes(line + at, length - at);
        if (bytes)
            fwrite(line + at, 1, bytes, stderr);
        else
            fprintf(stderr, "\\x%02x", (unsigned char)line[at]);
    }
    fputc('\n', stderr);
}

/* The environment has a shorter name for one algorithm of coll. */
static const char *coll_name(const char *name)
{
    return strcmp(name, "scatter") == 0 ? "scatter-destination" : name;
}

static bool read_number(const char *name, uint32_t *number)
{
    const char *text = getenv(name), *end = text;
    uint64_t value;
    if (!text || !*text)
        return true;
    if (!digits_read(&end, UINT32_MAX, &value) || *end) {
        complain("%s=%.1000s is not a number; the MPI's own alltoall is used", name, text);
        return false;
    }
    *number = (uint32_t)value;
    return true;
}

/* A number, or `socket`, which becomes 0. */
static bool read_leaders(uint32_t *leaders)
{
    const char *text = getenv("HELIO_ALLTOALL_LEADERS");
    *leaders = text && strcmp(text, "socket") == 0 ? 0 : 1;
    if (*leaders == 0)
        return true;
    bool valid = read_number("HELIO_ALLTOALL_LEADERS", leaders);
    if (*leaders == 0)
        *leaders = 1;
    return valid;
}

static bool read_algorithm(char *algorithm)
{
    const char *text = getenv("HELIO_ALLTOALL");
    if (!text || !*text)
        text = "auto";
    if (strcmp(text, "auto") != 0 && strcmp(text, "mpi") != 0 && !coll_find(COLL_ALLTOALL, coll_name(text))) {
        char names[512] = "";
        for (size_t i = 0, used = 0; coll_algorithms[i]; i++)
            if (coll_algorithms[i]->kind == COLL_ALLTOALL && used < sizeof names)
                used += (size_t)snprintf(names + used, sizeof names - used, ", %s", coll_algorithms[i]->name);
        complain("HELIO_ALLTOALL=%.1000s: it must be auto, mpi%s or scatter; the MPI's own is used", text,
                 names);
        return false;
    }
    snprintf(algorithm, SETTINGS_NAME, "%s", coll_name(text));
    return true;
}

/* If MPI_Alltoall is left to the MPI, vector alltoalls are left to it too, unless HELIO_ALLTOALLV is set. */
static bool read_vectors(const char *algorithm, char *vectors)
{
    const char *text = getenv("HELIO_ALLTOALLV");
    if (!text || !*text)
        text = strcmp(algorithm, "mpi") == 0 ? "mpi" : "auto";
    if (strcmp(text, "auto") != 0 && strcmp(text, "mpi") != 0 && strcmp(text, "leaders") != 0) {
        complain("HELIO_ALLTOALLV=%.1000s: it must be auto, mpi or leaders; the MPI's own is used", text);
        return false;
    }
    snprintf(vectors, SETTINGS_NAME, "%s", text);
    return true;
}

/* "nodes ranks bytes algorithm", separated by blanks; a comment may follow. */
static bool read_choice(const char *line, struct live_settings_choice *choice)
{
    static const char blanks[] = " \t\r\n";
    const uint64_t most[] = {UINT32_MAX, UINT32_MAX, UINT64_MAX};
    uint64_t numbers[3];
    for (size_t i = 0; i < 3; i++) {
        line += strspn(line, blanks);
        if (!digits_read(&line, most[i], &numbers[i]) || !*line || !strchr(blanks, *line))
            return false;
    }
    line += strspn(line, blanks);
    size_t length = strcspn(line, blanks);
    const char *rest = line + length + strspn(line + length, blanks);
    char name[SETTINGS_NAME];
    if (length >= sizeof name || (*rest && *rest != '#'))
        return false;
    snprintf(name, sizeof name, "%.*s", (int)length, line);
    *choice = (struct live_settings_choice){
        .nodes = (uint32_t)numbers[0], .most_here = (uint32_t)numbers[1], .bytes = numbers[2]};
    snprintf(choice->algorithm, sizeof choice->algorithm, "%s", coll_name(name));
    return strcmp(name, "mpi") == 0 || coll_find(COLL_ALLTOALL, choice->algorithm);
}

/* The number of the first line that is wrong; 0: there is none. A comment may be longer than a line. */
static unsigned read_lines(FILE *file, struct live_settings *settings)
{
    char line[256];
    unsigned number = 0;
    bool begins = true, is_comment = false;
    while (fgets(line, sizeof line, file)) {
        bool ends = strchr(line, '\n') || feof(file);
        number += begins;
        is_comment = begins ? *line == '#' : is_comment;
        if (!is_comment && *line != '\n' &&
            (!begins || !ends || settings->choice_count == SETTINGS_CHOICES ||
             !read_choice(line, &settings->choices[settings->choice_count++])))
            return number;
        begins = ends;
    }
    return 0;
}

static bool read_table(struct live_settings *settings)
{
    const char *path = getenv("HELIO_ALLTOALL_TABLE");
    if (!path || !*path)
        return true;
    errno = 0;
    FILE *file = fopen(path, "re");
    unsigned wrong = file ? read_lines(file, settings) : 0;
    bool was_read = file && !ferror(file); /* a folder can be opened, but not read */
    int cause = errno;
    if (file)
        fclose(file);
    if (!was_read)
        complain("HELIO_ALLTOALL_TABLE: cannot read %.1000s: %s; the MPI's own alltoall is used", path,
                 strerror(cause));
    else if (wrong)
        complain("%.1000s:%u: error: nodes, ranks of the largest node, bytes and an algorithm are expected, "
                 "on at most "
                 "%d lines; the MPI's own alltoall is used",
                 path, wrong, SETTINGS_CHOICES);
    return was_read && !wrong;
}

void live_settings_read(struct live_settings *settings)
{
    *settings = (struct live_settings){0};
    bool valid = read_algorithm(settings->algorithm);
    valid &= read_vectors(settings->algorithm, settings->vectors);
    valid &= read_number("HELIO_RANKS_PER_NODE", &settings->ranks_per_node);
    valid &= read_number("HELIO_RANKS_PER_SOCKET", &settings->ranks_per_socket);
    valid &= read_leaders(&settings->leaders);
    valid &= read_number("HELIO_VERBOSE", &settings->verbose);
    valid &= read_table(settings);
    settings->valid = valid;
}
