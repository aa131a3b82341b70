#ifndef HELIO_CAPTURE_TYPES_H
#define HELIO_CAPTURE_TYPES_H

#include <mpi.h>
#include <stdint.h>

enum { TYPE_BYTE = 6 };

/* How a trace writes an element of a datatype. */
struct capture_type {
    int id;           /* SimGrid's number of a type; TYPE_BYTE for derived types */
    int64_t elements; /* of that type, for one element of the program's type */
};
struct capture_type type_of(MPI_Datatype handle);

#endif
