#ifndef HELIO_LIVE_BENCH_BENCH_H
#define HELIO_LIVE_BENCH_BENCH_H

#include <mpi.h>
#include <stdbool.h>

/* helio-coll-bench-MPI, the program that `helio coll bench` and `helio coll tune` start in all ranks.
 *
 *   operation.c  the collectives, and the MPI's own algorithms for them
 *   data.c       blocks, what is in them, and whether it has arrived
 *   call.c       the calls
 *   limit.c      how long an algorithm may take
 *   main.c       candidates, samples, turns */

enum { ALGORITHMS_MAX = 32, SIZES_MAX = 64, NAME_MAX_LENGTH = 40 };

struct bench_candidate {
    char name[NAME_MAX_LENGTH];
    MPI_Comm comm;
    int forced;     /* the number of one of the MPI's own algorithms; -1: none is forced */
    double spent_s; /* in calls of the present size */
    bool is_left;   /* an algorithm of the library whose calls of this size the library leaves to the MPI */
};

struct bench {
    const struct operation *operation;
    int rank, size, samples;
    int limit_s; /* of an algorithm and size */
    struct bench_candidate candidates[ALGORITHMS_MAX];
    int candidate_count;
    long sizes[SIZES_MAX];
    int size_count;
    unsigned char *send, *recv;
    /* Of a vector collective: the elements of blocks and where they begin, for each rank. */
    int *send_counts, *recv_counts, *places;
    MPI_Datatype *types; /* bytes, for each rank */
};

/* ------------------------------------------------------------- operation.c */

/* A collective that can be measured. */
enum { OWN_MAX = 10 };
struct operation {
    const char *name;    /* as the command line has it */
    const char *setting; /* the environment variable of the library */
    int sends_all, receives_all, reduces, is_vector;
    /* The control variable of the MPI that forces an algorithm, and the names of the algorithms by their
     * numbers. Open MPI reads the variable when it makes a communicator, MPICH at every call. NULL: it has
     * one algorithm. */
    const char *variable;
    const char *own_names[OWN_MAX];
};

/* Ends all ranks with a message. */
_Noreturn void bench_abort(const char *what, const char *name);

/* Ends all ranks, since what is asked for is wrong. Rank 0 says so to helio. Collective. */
_Noreturn void bench_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The collective of this name. */
const struct operation *operation_of(const char *name);

/* The number of one of the MPI's own algorithms. Collective. */
int operation_own_number(const struct operation *operation, const char *name);

/* Lets the MPI use its algorithm of this number; 0: the one that it chooses. */
void operation_force(const char *variable, int number);

/* ------------------------------------------------------------------ data.c */

/* Room for calls of `largest` bytes. */
void blocks_open(struct bench *bench, long largest);

/* Where block `block` begins: there are gaps between blocks of different lengths. */
long block_place(const struct bench *bench, long bytes, int block);

/* The bytes of the longest block of a vector collective with one block for each rank; 0: it is none. */
long blocks_longest(const struct bench *bench, long bytes);

/* Sets the arguments of a vector collective. In gatherv and scatterv they are right for the root, and block 0
 * of the others. */
void blocks_lay_out(struct bench *bench, long bytes);

/* Bytes of an element: only sums have elements that are no bytes. Blocks of different lengths have at least
 * two in the mean. */
long data_element(const struct bench *bench, long bytes);

/* Writes what this rank sends. */
void data_fill(struct bench *bench, long bytes);

/* Ends all ranks if this one has not received what it should have. */
void data_check(const struct bench *bench, const struct bench_candidate *candidate, long bytes);

/* ------------------------------------------------------------------ call.c */

void call_once(struct bench *bench, const struct bench_candidate *candidate, long bytes);

/* ----------------------------------------------------------------- limit.c */

/* Until limit_end, all ranks end if the candidate has taken the limit, with a line that says so. */
void limit_begin(const struct bench *bench, const struct bench_candidate *candidate, long bytes);
void limit_end(void);

/* True on all ranks: a candidate has taken the limit for this size, which rank 0 says. Collective. */
bool limit_is_reached(const struct bench *bench, long bytes);

#endif
