#include <dlfcn.h>
#include <sched.h>

/* Preloaded into programs of MPICH, which polls without a pause: if there are more ranks than cores, those
 * that wait keep the cores from those that they wait for. MPICH polls by UCX's function of this name, which
 * this one hides. It calls UCX's, and gives up the core when nothing has come. Open MPI does the same with
 * mpi_yield_when_idle. */
__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker);
unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*next)(void *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned come = next(worker);
    if (come == 0)
        sched_yield();
    return come;
}
