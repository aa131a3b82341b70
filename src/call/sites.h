#ifndef HELIO_CALL_SITES_H
#define HELIO_CALL_SITES_H

#include <stdint.h>

struct call;

/* The call sites of a program: where in its source its calls are. They have numbers from 1 on; 0: the place
 * is not known. */
struct program_sites {
    const char *const *names; /* "halo.c:112", "solve+0x1f in program"; names[0] is not used */
    uint32_t count;           /* with number 0 */
    /* The number of a call that the program has returned, itself and not a copy of it. Less than count. */
    uint32_t (*of)(const struct program_sites *sites, uint32_t rank, const struct call *call);
    /* The number of an operation of the program's graph (call/graph.h). NULL: the program has none. */
    uint32_t (*of_operation)(const struct program_sites *sites, uint32_t rank, uint32_t operation);
};

#endif
