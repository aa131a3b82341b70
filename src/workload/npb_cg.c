#include "workload/list.h"
#include "workload/npb.h"

/* CG: the largest eigenvalue of a sparse matrix by inverse power iteration; each iteration has 25 steps of
 * conjugate gradients. The matrix is spread over a grid of ranks, with as many columns as rows, or twice as
 * many. The ranks of a row sum their products by recursive halving of distances. The result goes to the rank
 * that needs it transposed. */

struct cg {
    struct npb npb;
    uint64_t iterations;    /* of the method; 0 in the text: those of the class */
    uint32_t columns, rows; /* of ranks */
    uint32_t column_bits;
};

PARAM_TABLE(cg_params, "npb:cg", struct cg, "CG of the NAS Parallel Benchmarks",
            NPB_PARAMS(struct cg, npb_classes), NPB_ITERATIONS(struct cg, iterations));

static const struct {
    uint32_t size, nonzeros,
        iterations; /* the matrix is size x size; nonzeros of a row's generating vector */
} classes[NPB_CLASSES] = {
    [NPB_S] = {1400, 7, 15},      [NPB_W] = {7000, 8, 15},    [NPB_A] = {14000, 11, 15},
    [NPB_B] = {75000, 13, 75},    [NPB_C] = {150000, 15, 75}, [NPB_D] = {1500000, 21, 100},
    [NPB_E] = {9000000, 26, 100},
};

enum { STEPS = 25, REQUEST = SLOT_FIRST, TRANSPOSE_TAG = 1, MIN_ROWS = 2 };

static bool cg_fits(const struct npb *npb, uint64_t ranks)
{
    return npb_is_power_of_two(ranks) && classes[npb->class].size >> ((npb_log2(ranks) + 1) / 2) >= MIN_ROWS;
}

static bool cg_prepare(const struct workload *workload, void *config, struct program *program,
                       struct workload_problem *problem)
{
    (void)workload;
    (void)program;
    struct cg *cg = config;
    if (!cg_fits(&cg->npb, cg->npb.ranks))
        return npb_refuse_ranks(&cg->npb, "CG", 1000000, cg_fits, problem);
    if (!cg->iterations)
        cg->iterations = classes[cg->npb.class].iterations;
    int bits = npb_log2(cg->npb.ranks);
    cg->column_bits = (uint32_t)(bits + 1) / 2;
    cg->columns = UINT32_C(1) << cg->column_bits;
    cg->rows = UINT32_C(1) << bits / 2;
    return true;
}

/* ------------------------------------------------------------------- blocks */

static uint32_t share(uint32_t cells, uint32_t parts, uint32_t index)
{
    return cells / parts + (index < cells % parts);
}

struct cg_block {
    uint32_t rank, row, column;
    uint32_t rows;     /* of the matrix */
    uint32_t kept;     /* of these elements, the part of the sum that this rank keeps and sends on */
    uint32_t received; /* elements of the transposed vector that it needs */
    uint32_t transposed;
};

/* If the grid is not square, two neighbouring ranks share the part of a vector that one square has. */
static struct cg_block block_of(const struct cg *cg, uint32_t rank)
{
    uint32_t size = classes[cg->npb.class].size, row = rank / cg->columns, column = rank % cg->columns;
    struct cg_block block = {.rank = rank, .row = row, .column = column, .rows = share(size, cg->rows, row)};
    if (cg->columns == cg->rows) {
        block.kept = block.rows;
        block.received = share(size, cg->columns, column);
        block.transposed = rank % cg->rows * cg->rows + rank / cg->rows;
        return block;
    }
    uint32_t odd = rank % 2, both = share(size, cg->columns / 2, column / 2);
    block.kept = (block.rows + !odd) / 2;
    block.received = size % cg->columns == 0 ? size / cg->columns : (both + !odd) / 2;
    block.transposed = 2 * (rank / 2 % cg->rows * cg->rows + rank / 2 / cg->rows) + odd;
    return block;
}

/* ----------------------------------------------------------------- messages */

/* The partner in round `round` (from 1) within the row of ranks. The first round spans half of the row. */
static uint32_t partner(const struct cg *cg, const struct cg_block *block, uint32_t round)
{
    uint32_t group = cg->columns >> (round - 1), start = block->column / group * group;
    return block->row * cg->columns + (block->column + group / 2) % group + start;
}

static void exchange(struct phase *phase, uint32_t with, uint32_t tag, uint32_t sent, uint32_t received)
{
    phase_irecv(phase, REQUEST, with, (int32_t)tag, received, DATATYPE_DOUBLE);
    phase_send(phase, with, (int32_t)tag, sent, DATATYPE_DOUBLE);
    phase_wait(phase, REQUEST);
}

/* A few numbers summed over a row of ranks. */
static void sum_numbers(struct phase *phase, const struct cg *cg, const struct cg_block *block,
                        uint32_t numbers)
{
    for (uint32_t round = 1; round <= cg->column_bits; round++)
        exchange(phase, partner(cg, block, round), round, numbers, numbers);
}

/* Sums the rows of the product, nearest ranks first, and transposes it. With twice as many columns as rows,
 * the nearest two ranks give each other the half that the other one keeps. */
static void sum_product(struct phase *phase, const struct cg *cg, const struct cg_block *block)
{
    for (uint32_t round = cg->column_bits; round >= 1; round--) {
        bool gives = cg->columns != cg->rows && round == cg->column_bits;
        exchange(phase, partner(cg, block, round), round, gives ? block->rows - block->kept : block->kept,
                 block->kept);
    }
    if (cg->column_bits)
        exchange(phase, block->transposed, TRANSPOSE_TAG, block->kept, block->received);
}

/* -------------------------------------------------------------- the program */

/* One term of the operations of one iteration, on this rank. The benchmark counts 2 n (3 + z + 25 (5 + z) +
 * 3), where z = nonzeros (nonzeros + 1) is the number of nonzeros in a row of the matrix. */
static void compute(struct phase *phase, const struct cg *cg, uint32_t per_row)
{
    phase_compute(phase, npb_whole(2.0 * classes[cg->npb.class].size * per_row / (double)cg->npb.ranks));
}

static uint32_t row_nonzeros(const struct cg *cg)
{
    return classes[cg->npb.class].nonzeros * (classes[cg->npb.class].nonzeros + 1);
}

static void step(struct phase *phase, const struct cg *cg, const struct cg_block *block)
{
    compute(phase, cg, row_nonzeros(cg));
    sum_product(phase, cg, block);
    compute(phase, cg, 1);
    sum_numbers(phase, cg, block, 1);
    compute(phase, cg, 3);
    sum_numbers(phase, cg, block, 1);
    compute(phase, cg, 1);
}

/* One iteration. Its residual is a product without a step, its norms are two numbers. */
enum { ITERATION_PHASES = 1 + STEPS + 1 };

static void iterate(struct phase *phase, const struct cg *cg, const struct cg_block *block, uint64_t number)
{
    if (number == 0) {
        compute(phase, cg, 3);
        sum_numbers(phase, cg, block, 1);
    } else if (number <= STEPS) {
        step(phase, cg, block);
    } else {
        compute(phase, cg, row_nonzeros(cg));
        sum_product(phase, cg, block);
        sum_numbers(phase, cg, block, 1);
        compute(phase, cg, 3);
        sum_numbers(phase, cg, block, 2);
    }
}

static bool cg_calls(const void *config, uint32_t rank, uint64_t number, struct phase *phase)
{
    const struct cg *cg = config;
    struct cg_block block = block_of(cg, rank);
    if (phase_within(&number, 1)) {
        npb_begin(phase, &cg->npb);
        phase_collective(phase, CALL_BCAST, 1, DATATYPE_LOGICAL); /* timers? */
    } else if (phase_within(&number, ITERATION_PHASES)) { /* touches all memory before the timed ones start */
        iterate(phase, cg, &block, number);
    } else if (phase_within(&number, 1)) {
        phase_plain(phase, CALL_BARRIER);
    } else if (phase_within(&number, ITERATION_PHASES * cg->iterations)) {
        iterate(phase, cg, &block, number % ITERATION_PHASES);
    } else if (phase_within(&number, 1)) {
        phase_collective(phase, CALL_REDUCE, 1, DATATYPE_DOUBLE); /* the slowest rank's time */
        phase_plain(phase, CALL_FINALIZE);
    } else {
        return false;
    }
    return true;
}

static bool cg_phase(const void *config, uint32_t rank, uint64_t number, struct phase *phase)
{
    return npb_interrupt(config, rank, number, phase, cg_calls(config, rank, number, phase));
}

const struct workload npb_cg_workload = {
    .name = "npb:cg",
    .doc = "CG, exchanges of parts of vectors: npb:cg:class=D,ranks=64",
    .params = &cg_params,
    .prepare = cg_prepare,
    .ranks = npb_ranks,
    .phase = cg_phase,
    .slots = REQUEST + 1,
};
