#ifndef HELIO_CAPTURE_SESSION_H
#define HELIO_CAPTURE_SESSION_H

void capture_open(void);  /* after MPI_Init */
void capture_close(void); /* before MPI_Finalize */

#endif
