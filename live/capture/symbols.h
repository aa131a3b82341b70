#ifndef HELIO_CAPTURE_SYMBOLS_H
#define HELIO_CAPTURE_SYMBOLS_H

#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>

/* The library is not linked with the MPI, so that launchers and shells can preload it too. It finds functions
 * and objects of the MPI by name, when they are first used: a program may load its MPI late. */

/* The address of `name`, searched from `where` (RTLD_NEXT, RTLD_DEFAULT). If the program's MPI does not have
 * it, the process ends: there is nothing to which the call could be passed on. */
void *capture_find(void *where, const char *name);

/* The same, found once in each place of use, with the type of `type`. */
#define FOUND(type, where, name)                                                                             \
    (__extension__({                                                                                         \
        static __typeof__(type) found_;                                                                      \
        if (!found_)                                                                                         \
            found_ = (__typeof__(type))capture_find(where, name);                                            \
        found_;                                                                                              \
    }))

/* The MPI's own function, which a wrapper calls. */
#define REAL(name) FOUND(&MPI_##name, RTLD_NEXT, "PMPI_" #name)

/* Handles of Open MPI are addresses of objects in it. They are not known when this library is loaded, and a
 * program may have copied such an object into its own memory. */
#ifdef OPEN_MPI
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) FOUND(type, RTLD_DEFAULT, #global)
#endif

/* True: `caller` is an address in the MPI's library of Fortran functions. */
bool capture_is_fortran(const void *caller);

#endif
