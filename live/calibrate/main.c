#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/calibrate/probe.h"
#include "live/program/end.h"

/* helio-calibrate-MPI ROUNDS LARGEST: rank 0 prints a line for each sample. */

enum { BLOCKS_MAX = 1024, CALLS_MAX = 400 };
static const double block_ns = 1e6, longest_ns = 2.5e8; /* aimed at; a call that takes longer is left out */

static const char *const kind_names[KINDS] = {"half", "send", "receive", "gap", "stream", "copy", "compute"};

static struct block blocks[BLOCKS_MAX];
static int block_count;

static void add(enum kind kind, enum place place, int at_once, long bytes)
{
    if (block_count < BLOCKS_MAX)
        blocks[block_count++] = (struct block){kind, place, at_once, bytes, 0};
}

/* ------------------------------------------------------------------ blocks */

/* Small messages one by one, where they are eager; and large ones of 1, 2, 4 ... all pairs at once. */
static void add_place(const struct world *world, enum place place, long eager, long largest)
{
    static const long small[] = {8, 1024, 8192, 32768};
    long large = largest < 1 << 20 ? largest : 1 << 20;
    add(HALF, place, 1, 0);
    for (long bytes = 8; bytes <= largest; bytes *= 2) {
        add(HALF, place, 1, bytes);
        if (bytes + bytes / 2 <= largest)
            add(HALF, place, 1, bytes + bytes / 2);
    }
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        for (enum kind kind = SEND; kind <= GAP && small[i] <= eager; kind++)
            add(kind, place, 1, small[i]);
    for (int pairs = 1; pairs < world->pairs[place]; pairs *= 2)
        add(STREAM, place, pairs, large);
    add(STREAM, place, world->pairs[place], large);
}

/* One rank of the first node alone, and all of them. */
static void add_node(const struct world *world)
{
    static const long copies[] = {16384, 1 << 18, 1 << 24};
    for (int all = 0; all <= (world->here > 1); all++) {
        int at_once = all ? world->here : 1;
        for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
            add(COPY, WITHIN, at_once, copies[i]);
        add(COMPUTE, WITHIN, at_once, 16384);
        add(COMPUTE, WITHIN, at_once, 1 << 24);
    }
}

/* As many calls as take about a millisecond, with the two that are not timed; a block whose single call takes
 * too long is left out. */
static void find_calls(const struct world *world)
{
    int kept = 0;
    for (int i = 0; i < block_count; i++) {
        struct block block = blocks[i];
        int calls = 0;
        block.calls = 1;
        double began = now_ns();
        bool lost_processor;
        block_run(world, &block, &lost_processor);
        double ns = (now_ns() - began) / 3;
        if (world->rank == 0 && ns <= longest_ns) {
            double wanted = block_ns / (ns > 1 ? ns : 1);
            calls = wanted < 1 ? 1 : wanted > CALLS_MAX ? CALLS_MAX : (int)wanted;
        }
        MPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
        block.calls = calls;
        if (calls)
            blocks[kept++] = block;
    }
    block_count = kept;
}

/* ------------------------------------------------------------------ rounds */

/* The same numbers on all ranks (Knuth's MMIX). */
static unsigned draw(unsigned below)
{
    static uint64_t state = 20261123;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((state >> 33) % below);
}

static void shuffle(int order[BLOCKS_MAX])
{
    for (int i = 0; i < block_count; i++)
        order[i] = i;
    for (int i = block_count - 1; i > 0; i--) {
        int other = (int)draw((unsigned)i + 1), mine = order[i];
        order[i] = order[other];
        order[other] = mine;
    }
}

static void measure(const struct world *world, struct quiet *quiet, int rounds)
{
    static int order[BLOCKS_MAX];
    for (int round = 0; round < rounds; round++) {
        shuffle(order);
        for (int i = 0; i < block_count; i++) {
            const struct block *block = &blocks[order[i]];
            bool lost_processor;
            double ns = block_run(world, block, &lost_processor);
            quiet_count(quiet, lost_processor);
            if (world->rank == 0)
                printf("sample %s %s %d %ld %.2f\n", kind_names[block->kind], place_names[block->place],
                       block->at_once, block->bytes, ns);
        }
    }
}

static void print_world(const struct world *world)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    for (char *at = version; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = *at == '\n' ? '\0' : ' ';
    if (world->rank == 0)
        printf("heliocalibrate 1\nmpi " HELIO_MPI "\nlibrary %.*s\nworld %d %d %d %d\n",
               (int)strcspn(version, ","), version, world->nodes, world->size, world->most,
               world->processors);
}

static void run(int rounds, long largest)
{
    static struct world world;
    struct quiet quiet = {.blocks = 0};
    long room = 1 << 24;
    world_open(&world);
    print_world(&world);
    /* Windows send from different places, as programs do. */
    for (long bytes = 8L * (largest < 1 << 20 ? largest : 1 << 20); room < bytes || room < largest;)
        room *= 2;
    buffers_open(room);
    quiet_begin(&quiet, &world);
    for (enum place place = 0; place < PLACES; place++) {
        if (world.pairs[place] == 0)
            continue;
        long eager = eager_find(&world, place, largest);
        MPI_Bcast(&eager, 1, MPI_LONG, 0, MPI_COMM_WORLD);
        if (world.rank == 0 && eager >= 0)
            printf("eager %s %ld\n", place_names[place], eager);
        add_place(&world, place, eager, largest);
    }
    add_node(&world);
    find_calls(&world);
    measure(&world, &quiet, rounds);
    quiet_print(&quiet, &world);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int rounds = argc == 3 ? atoi(argv[1]) : 0;
    long largest = argc == 3 ? atol(argv[2]) : 0;
    bool is_usable = size >= 2 && rounds >= 1 && largest >= 64 && largest <= 1 << 28;
    if (is_usable)
        run(rounds, largest);
    else if (rank == 0)
        fprintf(stderr, "usage: %s ROUNDS LARGEST_BYTES, on two ranks or more (helio calibrate starts it)\n",
                argv[0]);
    program_end(is_usable ? "end" : NULL, is_usable ? 0 : 2);
}
