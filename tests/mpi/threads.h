#ifndef HELIO_TESTS_MPI_THREADS_H
#define HELIO_TESTS_MPI_THREADS_H

#include <mpi.h>
#include <pthread.h>

/* Runs `call` in two threads of each rank, each with a copy of MPI_COMM_WORLD, which it gets a pointer to.
 * Does nothing without MPI_THREAD_MULTIPLE. */
static inline void call_in_two_threads(void *(*call)(void *comm))
{
    MPI_Comm comms[2];
    pthread_t threads[2];
    int provided;
    MPI_Query_thread(&provided);
    if (provided < MPI_THREAD_MULTIPLE)
        return;
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, call, &comms[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++)
        MPI_Comm_free(&comms[i]);
}

#endif
