#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/choices/point.h"
#include "live/program/end.h"

/* helio-choices-MPI LARGEST: rank 0 prints the lines that src/calibrate/choices.h reads. */

enum {
    NAMES_MAX = 32, /* algorithms of a collective */
    SIZES_MAX = 512,
    SEARCH_MAX = 1000 /* sizes that are tried to find where the algorithm of a collective changes */
};

/* The algorithms of the collective, by their places in `names`. */
struct choice_search {
    const struct point_group *group;
    struct point point;
    const struct coll_algorithm *names[NAMES_MAX];
    size_t count;
    unsigned tries; /* left */
};

/* What a call shows: which algorithms send the same, a bit for each, and whether that of our table does. */
struct choice_seen {
    uint32_t fits;
    bool as_tuned;
};

/* ------------------------------------------------------------------ a call */

static bool is_same(const struct point_group *group, const struct sent *theirs, const struct sent *ours)
{
    for (int a = 0; a < group->size; a++)
        for (int b = 0; b < group->size; b++)
            if (theirs[a].messages[b] != ours[a].messages[b] || theirs[a].bytes[b] != ours[a].bytes[b])
                return false;
    return true;
}

static struct choice_seen judge(const struct choice_search *search, const struct point *point,
                                const struct sent *theirs)
{
    static struct sent ours[SENT_RANKS_MAX];
    struct choice_seen seen = {.fits = 0};
    const struct coll_algorithm *tuned = point_tuned(point, search->group);
    for (size_t i = 0; i < search->count; i++) {
        point_count(point, search->group, search->names[i], ours);
        if (!is_same(search->group, theirs, ours))
            continue;
        seen.fits |= UINT32_C(1) << i;
        seen.as_tuned |= search->names[i] == tuned;
    }
    return seen;
}

/* Collective over the group: makes the call, and gathers on rank 0 what each rank has sent. */
static const struct sent *make_call(const struct point *point, const struct point_group *group)
{
    static struct sent mine, all[SENT_RANKS_MAX];
    sent_begin(&mine);
    point_call(point, group);
    sent_end();
    MPI_Gather(&mine, (int)sizeof mine, MPI_BYTE, all, (int)sizeof mine, MPI_BYTE, 0, group->comm);
    return all;
}

/* On rank 0. The others are in follow(). Rooted collectives are called with the first and the last root. */
static struct choice_seen look(const struct choice_search *search, uint64_t bytes)
{
    struct point point = search->point;
    struct choice_seen both = {.fits = UINT32_MAX, .as_tuned = true};
    point.bytes = bytes;
    for (point.root = 0; point.root < search->group->size; point.root += search->group->size - 1) {
        MPI_Bcast(&point, (int)sizeof point, MPI_BYTE, 0, search->group->comm);
        struct choice_seen seen = judge(search, &point, make_call(&point, search->group));
        both.fits &= seen.fits;
        both.as_tuned &= seen.as_tuned;
        if (!point_has_root(point.kind))
            break;
    }
    return both;
}

/* Makes the calls that rank 0 asks for. */
static void follow(const struct point_group *group)
{
    struct point point;
    for (;;) {
        MPI_Bcast(&point, (int)sizeof point, MPI_BYTE, 0, group->comm);
        if (point.kind == COLL_KINDS)
            return;
        make_call(&point, group);
    }
}

static void dismiss(const struct point_group *group)
{
    struct point point = {.kind = COLL_KINDS};
    MPI_Bcast(&point, (int)sizeof point, MPI_BYTE, 0, group->comm);
}

/* ------------------------------------------------------------------- sizes */

/* Sizes are multiples of it: reductions are of floats. */
static uint64_t step_of(const struct choice_search *search)
{
    return point_is_reduction(search->point.kind) ? sizeof(float) : 1;
}

static int compare_sizes(const void *a, const void *b)
{
    const uint64_t *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

/* Powers of two, and the sizes around the limits of our table, in rising order; returns how many. */
static size_t list_sizes(const struct choice_search *search, uint64_t largest, uint64_t sizes[SIZES_MAX])
{
    uint64_t limits[POINT_LIMITS_MAX], step = step_of(search), all[SIZES_MAX];
    size_t count = 0, kept = 0, limit_count = point_limits(&search->point, search->group, limits);
    if (search->point.kind == COLL_BARRIER) {
        sizes[0] = 0;
        return 1;
    }
    for (uint64_t bytes = step; bytes <= largest; bytes *= 2)
        all[count++] = bytes;
    for (size_t i = 0; i < limit_count; i++) {
        uint64_t at = limits[i] / step * step;
        for (uint64_t bytes = at > step ? at - step : step; bytes <= at + step; bytes += step)
            all[count++] = bytes;
    }
    qsort(all, count, sizeof *all, compare_sizes);
    for (size_t i = 0; i < count; i++)
        if (all[i] <= largest && (kept == 0 || all[i] != sizes[kept - 1]))
            sizes[kept++] = all[i];
    return kept;
}

/* ------------------------------------------------------------------ ranges */

/* Sizes whose calls the same algorithms explain; `fits` is 0 where none of ours does. */
struct choice_sizes {
    uint64_t first, last;
    uint32_t fits;
};

/* Whether the size belongs to the range, which it then extends. */
static bool extend(struct choice_sizes *range, uint64_t bytes, uint32_t fits)
{
    if (range->fits ? !(range->fits & fits) : fits != 0)
        return false;
    range->fits &= fits;
    range->last = bytes;
    return true;
}

static void print_range(const struct choice_search *search, const char *call,
                        const struct choice_sizes *range)
{
    printf("choice %d %s %llu %llu ", search->group->size, call, (unsigned long long)range->first,
           (unsigned long long)range->last);
    const char *between = "";
    for (size_t i = 0; i < search->count; i++)
        if (range->fits >> i & 1) {
            printf("%s%s", between, search->names[i]->name);
            between = ",";
        }
    puts(range->fits ? "" : "-");
}

/* The range ends between its last size and `bytes`: finds where, prints it, and returns the next range, which
 * begins there. */
static struct choice_sizes end_range(struct choice_search *search, const char *call,
                                     struct choice_sizes *range, uint64_t bytes, uint32_t fits)
{
    uint64_t step = step_of(search);
    struct choice_sizes next = {bytes, bytes, fits};
    while (next.first - range->last > step && search->tries > 0) {
        uint64_t middle = range->last + (next.first - range->last) / step / 2 * step;
        uint32_t there = look(search, middle).fits;
        search->tries--;
        if (!extend(range, middle, there))
            next = (struct choice_sizes){middle, middle, there};
    }
    print_range(search, call, range);
    return next;
}

static void explore(struct choice_search *search, const char *call, uint64_t largest)
{
    uint64_t sizes[SIZES_MAX];
    size_t count = list_sizes(search, largest, sizes), agree = 0;
    struct choice_sizes range = {.fits = 0};
    for (size_t i = 0; i < count; i++) {
        struct choice_seen seen = look(search, sizes[i]);
        agree += seen.as_tuned;
        if (i == 0)
            range = (struct choice_sizes){sizes[0], sizes[0], seen.fits};
        while (!extend(&range, sizes[i], seen.fits))
            range = end_range(search, call, &range, sizes[i], seen.fits);
    }
    print_range(search, call, &range);
    printf("table %d %s %zu %zu\n", search->group->size, call, count, agree);
    fflush(stdout);
}

/* --------------------------------------------------------------------- all */

/* Algorithms that share memory are left out: what passes through it is not counted. */
static void explore_call(const struct point_group *group, enum coll_kind kind, bool block, uint64_t largest)
{
    struct choice_search search = {
        .group = group, .point = {.kind = kind, .block = block}, .tries = SEARCH_MAX};
    uint64_t most = POINT_BYTES / (uint64_t)group->size;
    char call[64];
    for (size_t i = 0; coll_algorithms[i]; i++)
        if (coll_algorithms[i]->kind == kind && !coll_algorithms[i]->shared && !coll_algorithms[i]->flags &&
            search.count < NAMES_MAX)
            search.names[search.count++] = coll_algorithms[i];
    snprintf(call, sizeof call, "%s%s", coll_kind_name(kind), block ? "_block" : "");
    explore(&search, call, largest < most ? largest : most);
}

/* Ranks that have no part wait without spinning on a core that another rank may need. */
static void wait_for_all(void)
{
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int done = 0; !done; MPI_Test(&request, &done, MPI_STATUS_IGNORE))
        usleep(1000);
}

/* With the first `size` ranks. */
static void explore_ranks(int rank, int size, uint64_t largest)
{
    static struct point_group group;
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, rank < size ? 0 : MPI_UNDEFINED, rank, &comm);
    if (comm != MPI_COMM_NULL)
        point_group_open(&group, comm);
    if (rank == 0) {
        for (enum coll_kind kind = 0; kind < COLL_KINDS; kind++)
            explore_call(&group, kind, false, largest);
        explore_call(&group, COLL_REDUCE_SCATTER, true, largest);
        dismiss(&group);
    } else if (comm != MPI_COMM_NULL) {
        follow(&group);
    }
    wait_for_all();
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

static void print_head(int rank, int size)
{
    static struct point_group all;
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    point_group_open(&all, MPI_COMM_WORLD);
    MPI_Get_library_version(version, &length);
    for (char *at = version; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = *at == '\n' ? '\0' : ' ';
    if (rank == 0)
        printf("heliochoices 1\nmpi " HELIO_MPI "\nlibrary %.*s\nworld %u %d\n", (int)strcspn(version, ","),
               version, all.nodes.count, size);
}

static void run(int rank, int size, uint64_t largest)
{
    const char *why;
    int can_count = sent_open(&why);
    MPI_Allreduce(MPI_IN_PLACE, &can_count, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    print_head(rank, size);
    if (!can_count) {
        if (rank == 0)
            printf("uncounted %s\n", why);
        return;
    }
    point_open();
    for (int ranks = size; ranks >= 2;) {
        int below = 1;
        explore_ranks(rank, ranks, largest);
        while (2 * below < ranks)
            below *= 2;
        ranks = below;
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    sent_prepare();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long largest = argc == 2 ? atol(argv[1]) : 0;
    bool is_usable = size >= 2 && size <= SENT_RANKS_MAX && largest >= 64 && largest <= 1 << 28;
    if (is_usable)
        run(rank, size, (uint64_t)largest);
    else if (rank == 0)
        fprintf(stderr, "usage: %s LARGEST_BYTES, on 2 to %d ranks (helio calibrate starts it)\n", argv[0],
                SENT_RANKS_MAX);
    program_end(is_usable ? "end" : NULL, is_usable ? 0 : 2);
}
