/* Any text as the tries that a search has kept: read or refused. What was read is judged, and written it is
 * read again as the same. The paper is made up: its files take the place of those in the program. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory_stream.h"
#include "fuzz/fuzz.h"
#include "reproduce/attempts.h"
#include "reproduce/papers.h"

#define FILE_OF(path, text)                                                                                  \
    {                                                                                                        \
        path, text, sizeof(text) - 1                                                                         \
    }

static const char published[] = "item,published,unit,tolerance_percent,source\n"
                                "a,1,,10,Table 1\nb,2,,10,Table 1\nc,0,,0,Table 1\nd,-4,,1,Table 1\n";

const struct embedded_file paper_files[] = {
    FILE_OF("papers/small/notes.csv", "item,note,experiment\n"),
    FILE_OF("papers/small/published.csv", published),
    FILE_OF("papers/small/roles.csv", "item,role,why\n*,searched,all\n"),
    FILE_OF("papers/small/unknowns.csv",
            "unknown,values,says\nslope,1 2,no\npacket.latency,default 3us,no\n"),
    {0}};

static void must_be_same(const struct attempts *a, const struct attempts *b)
{
    fuzz_must(a->count == b->count, "%zu tries are %zu when they are read again", a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        fuzz_must(a->list[i].met == b->list[i].met && a->list[i].predicted == b->list[i].predicted &&
                      (a->list[i].distance == b->list[i].distance) &&
                      strcmp(a->list[i].configuration.settings, b->list[i].configuration.settings) == 0,
                  "try %zu differs when it is read again", i);
}

/* The input with the version in the place of each V that begins a line; to be freed. */
static char *with_version(const uint8_t *data, size_t size, size_t *length)
{
    char *text;
    FILE *out = memory_stream_open(&text, length);
    for (size_t i = 0; i < size; i++)
        if (data[i] == 'V' && (i == 0 || data[i - 1] == '\n'))
            fputs(HELIO_VERSION, out);
        else
            fputc(data[i], out);
    fclose(out);
    return text;
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    static const struct paper paper = {.name = "small"};
    struct reproduction reproduction = {.paper = &paper};
    struct attempts attempts, again;
    if (published_load(&reproduction.published, "small") != STATUS_OK ||
        configurations_load(&reproduction.configurations, "small") != STATUS_OK ||
        attempts_init(&attempts, &reproduction) != STATUS_OK)
        abort();
    size_t given_length;
    char *given = with_version(data, size, &given_length);
    bool is_read = attempts_read(&attempts, "tries", given, given_length) == STATUS_OK && attempts.count > 0;
    free(given);
    if (is_read) {
        char *text;
        size_t length;
        FILE *out = memory_stream_open(&text, &length);
        attempts_put(out, &attempts);
        fclose(out);
        attempts_init(&again, &reproduction);
        fuzz_must(attempts_read(&again, "again", text, length) == STATUS_OK, "refused:\n%s", text);
        must_be_same(&attempts, &again);
        attempts_close(&again);
        free(text);
    }
    attempts_close(&attempts);
    configurations_free(&reproduction.configurations);
    published_free(&reproduction.published);
    return is_read;
}
