#ifndef HELIO_CAPTURE_SESSION_H
#define HELIO_CAPTURE_SESSION_H

void capture_open(void); /* after MPI_Init */
/* Before MPI_Finalize, which is called where capture_enter says (process.h). */
void capture_close(const void *caller, const void *frame);

#endif
