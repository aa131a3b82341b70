#ifndef HELIO_TRACE_OTF2_GRIDS_H
#define HELIO_TRACE_OTF2_GRIDS_H

#include "trace/otf2/definitions.h"

/* The grids that MPI_Cart_create has made, as the definitions of an archive have them. OTF2 has no record for
 * the graphs of MPI_Graph_create and MPI_Dist_graph_create. */

struct otf2_grid {
    uint32_t dimensions;
    const uint32_t *sizes; /* of each dimension */
    const bool *wraps;
};

/* While definitions are read. */
struct otf2_grids {
    struct otf2_definitions *definitions;
    struct hashmap index;         /* of dimensions by their numbers */
    struct otf2_dimension *known; /* dimensions */
    size_t known_count, known_capacity;
    struct otf2_raw_grid *list; /* grids whose communicators are not looked up yet */
    size_t count, capacity;
};

/* The fields of a record. False: this dimension has been defined before. A damaged record sets
 * fields->failed.
 */
bool otf2_grids_dimension(struct otf2_grids *grids, struct otf2_bytes *fields);
void otf2_grids_grid(struct otf2_grids *grids, struct otf2_bytes *fields);

/* Gives each communicator its grid, and each rank the communicator of the one grid that its neighbours can be
 * in (definitions->grid_of). NULL, or what is wrong. */
const char *otf2_grids_resolve(struct otf2_grids *grids);
void otf2_grids_free(struct otf2_grids *grids);

/* The neighbours of a rank of the grid in the order of MPI 3.1, section 7.6: for each dimension the one below
 * and the one above; OTF2_NONE: there is none. `neighbours` has room for two for each dimension. */
void otf2_grid_neighbours(const struct otf2_grid *grid, uint32_t rank, uint32_t *neighbours);

#endif
