#ifndef HELIO_LIVE_PROGRAM_END_H
#define HELIO_LIVE_PROGRAM_END_H

/* What the programs share that helio starts as the ranks of an MPI. */

/* Ends the program with this status. Rank 0 first prints the line `last`, if it is not NULL, once all ranks
 * are here. Collective over MPI_COMM_WORLD. */
_Noreturn void program_end(const char *last, int status);

#endif
