/* Compares what the MPI sends in its collectives with what our choice of algorithms sends (coll/tuning.h):
 * the messages and bytes of each pair of ranks. tuning [ordered|nonblocking] BYTES[,BYTES...] [COLLECTIVE...]
 * prints a line of CSV for each collective, size and root:
 *
 *     collective,ranks,root,bytes,algorithm,result
 *
 * The result is "same", or the first pair that differs. With "ordered", reductions have an operation that
 * does not commute, with "nonblocking" the calls are the non-blocking ones; our choice stays the same. Exit
 * status: 0, 77 if messages cannot be counted. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/choices/point.h"

static int rank, size;
static struct point_group world;

/* All data are zeros, so there is nothing to compute. */
static void do_not_commute(void *a, void *b, int *count, MPI_Datatype *type)
{
    (void)a, (void)b, (void)count, (void)type;
}

/* --------------------------------------------------------------- comparison */

static void print_result(const struct point *point, const struct sent *theirs, const struct sent *ours,
                         const char *algorithm)
{
    printf("%s%s,%d,%d,%" PRIu64 ",%s,", coll_kind_name(point->kind), point->block ? "_block" : "", size,
           point->root, point->bytes, algorithm);
    for (int a = 0; a < size; a++)
        for (int b = 0; b < size; b++) {
            if (theirs[a].messages[b] == ours[a].messages[b] && theirs[a].bytes[b] == ours[a].bytes[b])
                continue;
            printf("%d to %d: the MPI sends %" PRIu64 " messages of %" PRIu64 " B; ours %" PRIu64
                   " of %" PRIu64 " B\n",
                   a, b, theirs[a].messages[b], theirs[a].bytes[b], ours[a].messages[b], ours[a].bytes[b]);
            return;
        }
    puts("same");
}

static void compare(const struct point *point)
{
    static struct sent mine, theirs[SENT_RANKS_MAX], ours[SENT_RANKS_MAX];
    sent_begin(&mine);
    point_call(point, &world);
    sent_end();
    MPI_Gather(&mine, (int)sizeof mine, MPI_BYTE, theirs, (int)sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank != 0)
        return;
    const struct coll_algorithm *algorithm = point_tuned(point, &world);
    point_count(point, &world, algorithm, ours);
    print_result(point, theirs, ours, algorithm->name);
}

static bool is_asked_for(const char *name, char **names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return count == 0;
}

/* Rooted kinds with the first rank and with the last one as root. */
static void compare_roots(struct point *point)
{
    for (point->root = 0; point->root < size; point->root += size - 1) {
        compare(point);
        if (!point_has_root(point->kind))
            break;
    }
}

/* The sizes below, at and above each limit for this number of ranks. */
static void compare_limits(struct point *point)
{
    uint64_t limits[POINT_LIMITS_MAX];
    size_t count = point_limits(point, &world, limits);
    for (size_t i = 0; i < count; i++)
        for (uint64_t bytes = limits[i] - 1; bytes <= limits[i] + 1; bytes++) {
            point->bytes = bytes;
            if (bytes > 0)
                compare_roots(point);
        }
}

/* All sizes; a barrier has none. */
static void compare_kind(enum coll_kind kind, bool block, const char *sizes)
{
    struct point point = {.kind = kind, .block = block};
    if (kind == COLL_BARRIER) {
        compare_roots(&point);
        return;
    }
    for (const char *at = sizes; *at; at += *at == ',') {
        char *end;
        point.bytes = strtoull(at, &end, 10);
        if (end == at) {
            compare_limits(&point);
            return;
        }
        at = end;
        compare_roots(&point);
    }
}

/* "ordered" or "nonblocking"; other words are no way of calling. */
static bool set_calls(const char *word)
{
    bool ordered = strcmp(word, "ordered") == 0;
    if (ordered)
        MPI_Op_create(do_not_commute, false, &point_sum);
    point_nonblocking = strcmp(word, "nonblocking") == 0;
    return ordered || point_nonblocking;
}

int main(int argc, char **argv)
{
    const char *why = "";
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_library_version(version, &length);
    const char *number = strrchr(POINT_TUNING.library, ' ') + 1;
    if (argc > 1 && set_calls(argv[1]))
        argc--, argv++;
    if (argc < 2 || size < 2 || size > SENT_RANKS_MAX)
        why = "usage: tuning [ordered|nonblocking] BYTES[,BYTES...][,limits] [COLLECTIVE...], with 2 to 256 "
              "ranks";
    else if (!strstr(version, number))
        why = "the table is that of another version of this MPI";
    else if (sent_open(&why))
        why = NULL;
    if (why) {
        if (rank == 0)
            printf("skipped: %s\n", why);
        MPI_Finalize();
        return 77;
    }
    point_group_open(&world, MPI_COMM_WORLD);
    point_open();
    for (enum coll_kind kind = 0; kind < COLL_KINDS; kind++)
        if (is_asked_for(coll_kind_name(kind), argv + 2, argc - 2))
            compare_kind(kind, false, argv[1]);
    if (is_asked_for("reduce_scatter_block", argv + 2, argc - 2))
        compare_kind(COLL_REDUCE_SCATTER, true, argv[1]);
    MPI_Finalize();
    return 0;
}
