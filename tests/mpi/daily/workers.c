/* A coordinator hands a task to each worker and collects the results as they come, in rounds. */
#include "daily.h"

enum { ROUNDS = 10 };

int main(int argc, char **argv)
{
    daily_begin(&argc, &argv);
    double task[500] = {0}, result = 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int worker = 1; worker < ranks && me == 0; worker++)
            MPI_Send(task, 500, MPI_DOUBLE, worker, 1, MPI_COMM_WORLD);
        for (int worker = 1; worker < ranks && me == 0; worker++) {
            MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            result = daily_work(20000, result);
        }
        if (me) {
            MPI_Recv(task, 500, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            result = daily_work(2000000, task[0]);
            MPI_Send(&result, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
        }
    }
    daily_end(result);
    return 0;
}
