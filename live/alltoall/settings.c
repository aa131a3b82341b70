#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll/coll.h"
#include "live/alltoall/internal.h"

/* The environment has a shorter name for one algorithm of coll. */
static const char *coll_name(const char *name)
{
    return strcmp(name, "scatter") == 0 ? "scatter-destination" : name;
}

static bool read_number(const char *name, uint32_t *number)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text)
        return true;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (*end || errno || *text == '-' || value > UINT32_MAX) {
        fprintf(stderr, "helio alltoall: %s=%s is not a number; the MPI's own alltoall is used\n", name,
                text);
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
        fprintf(stderr, "helio alltoall: HELIO_ALLTOALL=%s: it must be auto, mpi", text);
        for (size_t i = 0; coll_algorithms[i]; i++)
            if (coll_algorithms[i]->kind == COLL_ALLTOALL)
                fprintf(stderr, ", %s", coll_algorithms[i]->name);
        fprintf(stderr, " or scatter; the MPI's own is used\n");
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
        fprintf(
            stderr,
            "helio alltoall: HELIO_ALLTOALLV=%s: it must be auto, mpi or leaders; the MPI's own is used\n",
            text);
        return false;
    }
    snprintf(vectors, SETTINGS_NAME, "%s", text);
    return true;
}

static bool read_choice(const char *line, struct live_settings_choice *choice)
{
    unsigned long long bytes;
    char name[SETTINGS_NAME];
    if (sscanf(line, "%u %u %llu %31s", &choice->nodes, &choice->most_here, &bytes, name) != 4)
        return false;
    choice->bytes = bytes;
    snprintf(choice->algorithm, sizeof choice->algorithm, "%s", coll_name(name));
    return strcmp(name, "mpi") == 0 || coll_find(COLL_ALLTOALL, choice->algorithm);
}

static bool read_table(struct live_settings *settings)
{
    const char *path = getenv("HELIO_ALLTOALL_TABLE");
    char line[256];
    unsigned number = 0;
    bool sound = true;
    if (!path || !*path)
        return true;
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr,
                "helio alltoall: HELIO_ALLTOALL_TABLE: cannot read %s; the MPI's own alltoall is used\n",
                path);
        return false;
    }
    while (sound && fgets(line, sizeof line, file)) {
        number++;
        if (*line == '#' || *line == '\n')
            continue;
        sound = settings->choice_count < SETTINGS_CHOICES &&
                read_choice(line, &settings->choices[settings->choice_count++]);
    }
    fclose(file);
    if (!sound)
        fprintf(stderr,
                "helio alltoall: %s:%u: error: nodes, ranks of the largest node, bytes and an algorithm are "
                "expected, on at most %d lines; the MPI's own alltoall is used\n",
                path, number, SETTINGS_CHOICES);
    return sound;
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
