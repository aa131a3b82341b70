#ifndef HELIO_LIVE_COLL_TYPES_H
#define HELIO_LIVE_COLL_TYPES_H

#include <mpi.h>
#include <stdbool.h>

/* True: the bytes of an element are its data, and elements follow one another without gaps. Derived types may
 * have gaps or another order of their bytes, which size and extent do not show; they are never plain. */
bool live_type_is_plain(MPI_Datatype type);

/* True: an element is as long as its data, which begin where it begins. So elements may be copied as bytes in
 * their own layout; the order of the data within may be any. */
bool live_type_is_dense(MPI_Datatype type);

/* False: the MPI refuses to send the type, which the program has not committed. `comm` returns errors. */
bool live_type_is_committed(MPI_Datatype type, MPI_Comm comm);

/* True: `buffer` is MPI_BOTTOM (a null pointer), and the type has no addresses of its own. So there can be no
 * data. */
bool live_has_no_data(const void *buffer, MPI_Datatype type);

/* Pack elements of any type, also at MPI_BOTTOM, into contiguous bytes, and unpack them. Return MPI error
 * codes. */
int live_pack(const void *from, int count, MPI_Datatype type, void *into, int bytes, MPI_Comm comm);
int live_unpack(const void *from, int bytes, void *into, int count, MPI_Datatype type, MPI_Comm comm);

#endif
