#include "cli/cluster/program.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/units.h"
#include "cli/cluster/ranks.h"
#include "output/interrupt.h"
#include "output/progress_line.h"
#include "output/standard.h"

static const char *name; /* of the program */

/* ---------------------------------------------------------- ended by others */

/* A signal may come while the next words are made, so they are made in the other place. */
static struct {
    char places[2][512];
    const char *volatile now;
} last_words = {.now = ""};

void rank_program_set_last_words(const char *format, ...)
{
    size_t size = sizeof last_words.places[0];
    char *place = last_words.places[last_words.now == last_words.places[0]];
    size_t begun = (size_t)snprintf(place, size, "%s: error: ended by a signal ", name);
    va_list args;
    va_start(args, format);
    vsnprintf(place + begun, size - begun, format, args);
    va_end(args);
    last_words.now = place;
}

void rank_program_expect_the_end(void)
{
    rank_program_set_last_words("before anything was kept\n");
    interrupt_end_with(&last_words.now);
}

/* ---------------------------------------------------------------------- run */

static void be_silent(void *self, enum diag_level level, const char *message)
{
    (void)self;
    (void)level;
    (void)message;
}

/* The launcher of another MPI starts n programs of one rank each, and each would do all the work. */
static bool is_launched_well(int ranks)
{
    static const char *const launchers[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    for (size_t i = 0; ranks == 1 && i < sizeof launchers / sizeof *launchers; i++) {
        const char *size = getenv(launchers[i]);
        struct units_problem problem;
        uint64_t count;
        if (!size || !units_count(size, &count, &problem) || count <= 1)
            continue;
        diag_error("this %s is for " HELIO_MPI ", but it was launched as one of %s by another MPI; "
                   "mpirun.%s launches it, or take the %s.MPI of that MPI",
                   name, size, HELIO_MPI, name);
        return false;
    }
    return true;
}

int rank_program_run(const struct rank_program *program, int argc, char **argv)
{
    int rank, ranks;
    enum status status = STATUS_OK;
    name = program->name;
    standard_open();
    interrupt_install();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    unsigned here = ranks_of_machine();
    if (rank == 0)
        progress_line_start();
    else
        diag_set_sink(be_silent, NULL);
    if (!is_launched_well(ranks))
        status = STATUS_BAD_INPUT;
    else if (rank == 0)
        status = program->run_as_rank_0(argc, argv, ranks);
    else
        program->run_as_another(argc, argv, here);
    progress_line_stop();
    MPI_Finalize();
    status = standard_close(status);
    return status == STATUS_CANCELLED ? interrupt_exit_status(status) : (int)status;
}
