#ifndef HELIO_TRACE_OTF2_REGIONS_H
#define HELIO_TRACE_OTF2_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

/* What a region of the program is, by its name: MPI's calls by their names in MPI, whatever the case, since
 * Fortran's are in capitals. */
enum otf2_region_kind {
    OTF2_USER,     /* no call of MPI: it computes */
    OTF2_CALL,     /* a call of MPI; its records say what it moves, and without records it moves nothing */
    OTF2_INIT,     /* MPI_Init, MPI_Init_thread */
    OTF2_FINALIZE, /* MPI_Finalize */
    OTF2_WAITALL,  /* MPI_Waitall */
    OTF2_TEST,     /* MPI_Test, MPI_Testall ... */
    OTF2_GRAPH, /* MPI_Graph_create, MPI_Dist_graph_create ...: ranks with neighbours that no record names */
    OTF2_NEIGHBOURS,      /* MPI_Neighbor_alltoall ... */
    OTF2_LOST_NEIGHBOURS, /* MPI_Ineighbor_alltoall ...: lost without records of messages */
    OTF2_LOST, /* moves something, and no record says what: MPI_Put, MPI_File_write, MPI_Ibcast ... */
};

struct otf2_region {
    const char *name;
    uint8_t kind;  /* enum otf2_region_kind */
    uint8_t flags; /* enum call_flag of its sends */
};

/* `name` stays the caller's. */
struct otf2_region otf2_region_of(const char *name);

#endif
