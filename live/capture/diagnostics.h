#ifndef HELIO_CAPTURE_DIAGNOSTICS_H
#define HELIO_CAPTURE_DIAGNOSTICS_H

/* The rank of this process in MPI_COMM_WORLD; 0 until it is set. */
void capture_set_rank(int rank);
int capture_rank(void);

/* Writes a message with the rank to standard error. */
void capture_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
