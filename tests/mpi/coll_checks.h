/* Test programs of collective calls: checks.h, and cases of coll_case.h within them. */
#ifndef HELIO_TESTS_MPI_COLL_CHECKS_H
#define HELIO_TESTS_MPI_COLL_CHECKS_H

#include "checks.h"
#include "coll_case.h"

/* Ends the program if the call failed or its bytes are not those of `other`. */
static inline void judge(const char *check, const struct coll_case *made, int error)
{
    char text[256];
    long at = error == MPI_SUCCESS ? coll_case_difference(made) : -1;
    if (error == MPI_SUCCESS && at < 0)
        return;
    coll_case_text(made, text, sizeof text);
    fprintf(stderr, "%s: %s\n", check, text);
    fail(check, error == MPI_SUCCESS ? "wrong byte: index" : "error returned", at, error);
}

/* Runs one call and compares it with what is expected by definition. */
static inline void run_case(const char *check, const struct coll_spec *spec)
{
    struct coll_case made;
    coll_case_make(&made, spec);
    coll_case_expect(&made);
    judge(check, &made, coll_case_run(&made));
    coll_case_free(&made);
}

/* A call of any kind with `elements` in a block: reductions add up ints. */
static inline struct coll_spec spec_of(enum coll_kind kind, MPI_Comm comm, int elements, unsigned seed)
{
    int size;
    coll_case_begin();
    MPI_Comm_size(comm, &size);
    struct coll_spec spec = {.kind = kind, .comm = comm, .root = (int)(seed % (unsigned)size), .seed = seed};
    spec.elements = elements;
    spec.base = (enum coll_base)(seed % COLL_BASES);
    spec.plain = seed % 2;
    spec.operation = coll_operation_named("MPI_SUM", seed % 3 ? "MPI_DOUBLE" : "MPI_INT");
    return spec;
}

#endif
