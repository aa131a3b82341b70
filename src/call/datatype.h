#ifndef HELIO_CALL_DATATYPE_H
#define HELIO_CALL_DATATYPE_H

/* MPI's predefined datatypes under the ids that SimGrid's time-independent traces use. */
enum {
    DATATYPE_DERIVED = -1,
    DATATYPE_DOUBLE = 0,
    DATATYPE_INT = 1,
    DATATYPE_BYTE = 6,
    DATATYPE_LOGICAL = 23, /* Fortran's, which SimGrid maps to UINT32 */
    DATATYPE_DOUBLE_COMPLEX = 43,
    DATATYPE_COUNT_OF = 60
};

/* Bytes of one element. -1 for an id that names no datatype, and for a derived type, whose size the trace
 * does not record. */
int datatype_bytes(int id);
/* The first type with elements of this size; DATATYPE_BYTE if there is none. */
int datatype_of_bytes(int bytes);
const char *datatype_name(int id); /* "DOUBLE", NULL for an id that names no datatype */

#endif
