/* Any bytes as the table of the preloaded collectives: refused, or every line has an algorithm that exists. A
 * first line of "HELIO_...=value;..." sets the other variables that the library reads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "coll/coll.h"
#include "fuzz/fuzz.h"
#include "live/coll/settings.h"

static const char *const variables[] = {
    "HELIO_ALLTOALL",         "HELIO_ALLTOALLV", "HELIO_RANKS_PER_NODE", "HELIO_RANKS_PER_SOCKET",
    "HELIO_ALLTOALL_LEADERS", "HELIO_VERBOSE",   "HELIO_COLL",           "HELIO_ALLREDUCE"};
enum { VARIABLES = sizeof variables / sizeof *variables };

/* One value for each variable, separated by semicolons. */
static void set_variables(struct fuzz_piece values)
{
    for (size_t i = 0; i < VARIABLES; i++) {
        struct fuzz_piece value = fuzz_cut(&values, ";");
        char *text = mem_format("%.*s", (int)value.size, value.bytes);
        setenv(variables[i], text, 1);
        free(text);
    }
}

static bool is_known(uint32_t kind, const char *algorithm)
{
    bool is_vector = kind == COLL_ALLTOALLV || kind == COLL_GATHERV || kind == COLL_SCATTERV;
    return strcmp(algorithm, "mpi") == 0 || strcmp(algorithm, "auto") == 0 ||
           (is_vector && strcmp(algorithm, "leaders") == 0) || coll_find(kind, algorithm) != NULL;
}

/* The kind whose algorithms a line of the table names. */
static uint32_t kind_of(uint32_t call)
{
    fuzz_must(call < SETTINGS_CALLS, "there are no calls %u", call);
    if (call == SETTINGS_ALLTOALLW)
        return COLL_ALLTOALLV;
    if (call == SETTINGS_REDUCE_SCATTERV)
        return COLL_REDUCE_SCATTER;
    return call == COLL_ALLGATHERV ? COLL_ALLGATHER : call;
}

/* The library reports to standard error itself. */
static void read_silently(struct live_settings *settings)
{
    static FILE *nowhere;
    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    FILE *kept = stderr;
    stderr = nowhere;
    live_settings_read(settings);
    stderr = kept;
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct fuzz_piece rest = {(const char *)data, size};
    struct live_settings settings;
    set_variables(fuzz_cut(&rest, "\n"));
    int file = fuzz_file(rest.bytes, rest.size);
    char *path = mem_format("/proc/self/fd/%d", file);
    setenv("HELIO_ALLTOALL_TABLE", path, 1);
    read_silently(&settings);
    fuzz_must(settings.choice_count <= SETTINGS_CHOICES, "there are too many choices");
    for (uint32_t kind = 0; settings.valid && kind < COLL_KINDS; kind++)
        fuzz_must(is_known(kind, settings.algorithms[kind]), "there is no algorithm %s",
                  settings.algorithms[kind]);
    for (uint32_t i = 0; settings.valid && i < settings.choice_count; i++)
        fuzz_must(is_known(kind_of(settings.choices[i].call), settings.choices[i].algorithm),
                  "there is no algorithm %s", settings.choices[i].algorithm);
    free(path);
    close(file);
    return settings.valid;
}
