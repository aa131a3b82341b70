#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "live/bench/bench.h"

/* ------------------------------------------------------------------ blocks */

/* The bytes of block `block` of those that rank `of` sends or receives. In a vector collective they differ,
 * by up to half, from rank to rank; two neighbours have twice the mean together. */
static long block_bytes(const struct bench *bench, long bytes, int of, int block)
{
    long element = data_element(bench, bytes);
    long apart = (13 + 31L * (block / 2) + 17L * of) % (bytes / element / 2 + 1) * element;
    if (!bench->operation->is_vector || (block == bench->size - 1 && block % 2 == 0))
        return bytes;
    return block % 2 == 0 ? bytes + apart : bytes - apart;
}

/* In a reduce_scatterv there are no gaps. */
long block_place(const struct bench *bench, long bytes, int block)
{
    long place = 0;
    if (!bench->operation->is_vector || !bench->operation->reduces)
        return block * (bench->operation->is_vector ? bytes + bytes / 2 : bytes);
    for (int before = 0; before < block; before++)
        place += block_bytes(bench, bytes, 0, before);
    return place;
}

/* What rank `from` sends to rank `to`. In a gatherv or scatterv one of them is the root; what a rank sends in
 * an allgatherv is the same for all, and what it receives in a reduce_scatterv is the same from all. */
static long bytes_between(const struct bench *bench, long bytes, int from, int to)
{
    if (bench->operation->reduces)
        return block_bytes(bench, bytes, 0, to);
    return bench->operation->sends_all ? block_bytes(bench, bytes, from, to)
                                       : block_bytes(bench, bytes, 0, from);
}

long blocks_longest(const struct bench *bench, long bytes)
{
    long longest = 0;
    const struct operation *operation = bench->operation;
    if (!operation->is_vector || operation->sends_all == operation->receives_all)
        return 0;
    for (int block = 0; block < bench->size; block++)
        if (block_bytes(bench, bytes, 0, block) > longest)
            longest = block_bytes(bench, bytes, 0, block);
    return longest;
}

void blocks_lay_out(struct bench *bench, long bytes)
{
    long element = data_element(bench, bytes);
    for (int peer = 0; bench->operation->is_vector && peer < bench->size; peer++) {
        bench->send_counts[peer] = (int)(bytes_between(bench, bytes, bench->rank, peer) / element);
        bench->recv_counts[peer] = (int)(bytes_between(bench, bytes, peer, bench->rank) / element);
        bench->places[peer] = (int)block_place(bench, bytes, peer);
        bench->types[peer] = MPI_BYTE;
    }
}

void blocks_open(struct bench *bench, long largest)
{
    size_t bytes = (size_t)block_place(bench, largest, bench->size),
           counts = (size_t)bench->size * sizeof(int);
    if (bench->operation->is_vector && bytes > INT_MAX)
        bench_abort("these blocks of all ranks together have more bytes than the counts of an ", "int");
    bench->send = malloc(bytes);
    bench->recv = malloc(bytes);
    bench->send_counts = malloc(counts);
    bench->recv_counts = malloc(counts);
    bench->places = malloc(counts);
    bench->types = malloc((size_t)bench->size * sizeof *bench->types);
    if (!bench->send || !bench->recv || !bench->send_counts || !bench->recv_counts || !bench->places ||
        !bench->types || bench->candidate_count == 0)
        bench_abort("no memory, or no algorithm", "");
}

/* -------------------------------------------------------------------- data */

static unsigned char byte_of(int from, int to, long i)
{
    return (unsigned char)(from * 31 + to * 7 + i);
}

long data_element(const struct bench *bench, long bytes)
{
    const long whole = (long)sizeof(double), least = bench->operation->is_vector ? 2 * whole : whole;
    return bench->operation->reduces && bytes >= least && bytes % whole == 0 ? whole : 1;
}

/* Element i of block `to` of what rank `from` sends. */
static void put_element(unsigned char *at, long element, unsigned char value)
{
    double number = value;
    if (element > 1)
        memcpy(at, &number, sizeof number);
    else
        *at = value;
}

void data_fill(struct bench *bench, long bytes)
{
    long element = data_element(bench, bytes);
    int blocks = bench->operation->sends_all ? bench->size : 1;
    blocks_lay_out(bench, bytes);
    for (int to = 0; to < blocks; to++) {
        unsigned char *block = bench->send + block_place(bench, bytes, to);
        for (long i = 0; i < bytes_between(bench, bytes, bench->rank, to) / element; i++)
            put_element(block + i * element, element, byte_of(bench->rank, to, i));
    }
}

/* Element i of block `block` of what this rank receives. */
static void expect_element(const struct bench *bench, int block, long i, long element,
                           unsigned char *expected)
{
    const struct operation *operation = bench->operation;
    int to = operation->sends_all ? bench->rank : 0;
    double sum = 0;
    for (int from = 0; operation->reduces && from < bench->size; from++)
        sum += byte_of(from, to, i);
    if (!operation->reduces)
        put_element(expected, element, byte_of(operation->receives_all ? block : 0, to, i));
    else if (element > 1)
        memcpy(expected, &sum, sizeof sum);
    else
        *expected = (unsigned char)(long)sum;
}

void data_check(const struct bench *bench, const struct bench_candidate *candidate, long bytes)
{
    const struct operation *operation = bench->operation;
    const char *name = operation->name;
    int is_root = bench->rank == 0, blocks = operation->receives_all ? bench->size : 1;
    int only_root =
        strcmp(name, "gather") == 0 || strcmp(name, "gatherv") == 0 || strcmp(name, "reduce") == 0;
    long element = data_element(bench, bytes);
    unsigned char expected[sizeof(double)];
    if (strcmp(name, "barrier") == 0 || (only_root && !is_root) || (strcmp(name, "bcast") == 0 && is_root))
        return;
    for (int block = 0; block < blocks; block++) {
        const unsigned char *received = bench->recv + block_place(bench, bytes, block);
        for (long i = 0; i < bytes_between(bench, bytes, block, bench->rank) / element; i++) {
            expect_element(bench, block, i, element, expected);
            if (memcmp(received + i * element, expected, (size_t)element) != 0)
                bench_abort("wrong data from ", candidate->name);
        }
    }
}
