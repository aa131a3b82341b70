/* Conjugate gradients for Poisson's equation on the unit square. Each rank has a strip of rows; a step
 * exchanges a row with each neighbour and has two allreduces of 8 B. Rank 0 prints the steps and the error of
 * the solution, which is known: that of the five-point stencil, so that the order of sums does not show in
 * its digits.
 *
 *   cg SOLUTIONS ROWS    so often, on a grid of so many rows for each rank, and as many columns as rows in
 * all */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct grid {
    int rank, ranks, rows, columns;
    double step; /* between points */
};

static double *vector_of(const struct grid *grid) /* with a row of each neighbour, or of the border */
{
    double *values = calloc((size_t)(grid->rows + 2) * (size_t)(grid->columns + 2), sizeof *values);
    if (!values)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return values;
}

static size_t at(const struct grid *grid, int row, int column)
{
    return (size_t)row * (size_t)(grid->columns + 2) + (size_t)column;
}

static void exchange(const struct grid *grid, double *x)
{
    int above = grid->rank > 0 ? grid->rank - 1 : MPI_PROC_NULL;
    int below = grid->rank + 1 < grid->ranks ? grid->rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(&x[at(grid, 1, 0)], grid->columns + 2, MPI_DOUBLE, above, 0, &x[at(grid, grid->rows + 1, 0)],
                 grid->columns + 2, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&x[at(grid, grid->rows, 0)], grid->columns + 2, MPI_DOUBLE, below, 1, &x[at(grid, 0, 0)],
                 grid->columns + 2, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void apply(const struct grid *grid, double *x, double *y)
{
    exchange(grid, x);
    for (int i = 1; i <= grid->rows; i++)
        for (int j = 1; j <= grid->columns; j++)
            y[at(grid, i, j)] = 4 * x[at(grid, i, j)] - x[at(grid, i - 1, j)] - x[at(grid, i + 1, j)] -
                                x[at(grid, i, j - 1)] - x[at(grid, i, j + 1)];
}

static double dot(const struct grid *grid, const double *x, const double *y)
{
    double own = 0, all;
    for (int i = 1; i <= grid->rows; i++)
        for (int j = 1; j <= grid->columns; j++)
            own += x[at(grid, i, j)] * y[at(grid, i, j)];
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* a = a * factor + b * other */
static void combine(const struct grid *grid, double *a, double factor, const double *b, double other)
{
    for (int i = 1; i <= grid->rows; i++)
        for (int j = 1; j <= grid->columns; j++)
            a[at(grid, i, j)] = a[at(grid, i, j)] * factor + b[at(grid, i, j)] * other;
}

static double solution_at(const struct grid *grid, int row, int column)
{
    double y = grid->step * (grid->rank * grid->rows + row), x = grid->step * column;
    return sin(M_PI * x) * sinh(y) * (1 - y);
}

/* The right side: minus the Laplacian of the solution, times the square of the step. */
static double source_at(const struct grid *grid, int row, int column)
{
    double y = grid->step * (grid->rank * grid->rows + row), x = grid->step * column;
    double bent = (1 - y) * sinh(y) - 2 * cosh(y);
    return grid->step * grid->step * sin(M_PI * x) * (M_PI * M_PI * sinh(y) * (1 - y) - bent);
}

/* Returns the steps. */
static int solve(const struct grid *grid, double *x)
{
    double *rest = vector_of(grid), *way = vector_of(grid), *image = vector_of(grid);
    for (int i = 1; i <= grid->rows; i++)
        for (int j = 1; j <= grid->columns; j++) {
            x[at(grid, i, j)] = 0;
            rest[at(grid, i, j)] = way[at(grid, i, j)] = source_at(grid, i, j);
        }
    double first = dot(grid, rest, rest), now = first;
    int steps = 0;
    while (now > 1e-20 * first) {
        apply(grid, way, image);
        double length = now / dot(grid, way, image), before = now;
        combine(grid, x, 1, way, length);
        combine(grid, rest, 1, image, -length);
        now = dot(grid, rest, rest);
        combine(grid, way, now / before, rest, 1);
        steps++;
    }
    free(rest), free(way), free(image);
    return steps;
}

static double error_of(const struct grid *grid, const double *x)
{
    double own = 0, most;
    for (int i = 1; i <= grid->rows; i++)
        for (int j = 1; j <= grid->columns; j++)
            own = fmax(own, fabs(x[at(grid, i, j)] - solution_at(grid, i, j)));
    MPI_Allreduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

int main(int argc, char **argv)
{
    struct grid grid;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &grid.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &grid.ranks);
    int solutions = argc > 1 ? atoi(argv[1]) : 1, steps = 0;
    grid.rows = argc > 2 ? atoi(argv[2]) : 8;
    grid.columns = grid.rows * grid.ranks;
    grid.step = 1.0 / (grid.columns + 1);
    double *x = vector_of(&grid);
    for (int i = 0; i < solutions; i++)
        steps = solve(&grid, x);
    double error = error_of(&grid, x);
    if (grid.rank == 0)
        printf("cg: about %d steps, error %.6e\n", (steps + 5) / 10 * 10, error);
    free(x);
    MPI_Finalize();
    return 0;
}
