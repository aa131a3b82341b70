#ifndef HELIO_BASE_STATUS_H
#define HELIO_BASE_STATUS_H

/* What a function that can fail returns, and what the process exits with. Whoever finds the cause reports it
 * (base/diag.h); everyone above only passes the status on. Outputs are set on STATUS_OK only. */
enum status {
    STATUS_OK = 0,
    STATUS_FAILED = 1,    /* the run could not go on: deadlock, full disk, time overflow, no memory */
    STATUS_BAD_INPUT = 2, /* wrong usage or wrong input: file:line:column has been reported */
    STATUS_CANCELLED = 3, /* a program that uses the library ended the run: nothing is wrong */
};

#endif
