#ifndef HELIO_FABRIC_HYBRID_HYBRID_H
#define HELIO_FABRIC_HYBRID_HYBRID_H

#include "fabric/fabric.h"

/* Small messages take the packet network, large ones another fabric: FMUs (FMU paper, sections IV-C and
 * VI-C), optical circuit switches, or switches that rotate. docs/models/fmu.md, docs/models/ocs.md
 *
 *   hybrid.h    what both files share: this file
 *   pivot.c     parameters, and which sizes are large
 *   hybrid.c    the fabric
 */
enum hybrid_large { HYBRID_FMU, HYBRID_OCS, HYBRID_ROTOR, HYBRID_LARGE_KINDS };

/* The fabric that large messages take, by its name in the list, and in sentences. */
struct hybrid_way {
    const char *fabric;
    const char *messages_metric; /* how many messages took it */
    const char *take;            /* "an FMU", as in "take an FMU" */
    const char *go;              /* "through FMUs", as in "go through FMUs" */
    const char *costs;           /* what a message pays before its bytes */
    const char *rate;            /* the rate that counts */
};

extern const struct hybrid_way hybrid_ways[HYBRID_LARGE_KINDS];
extern const struct param_table hybrid_params;

/* The large way takes sizes in [from, below). */
struct hybrid_sizes {
    uint64_t from, below;
};

enum { HYBRID_NOTE = 256 };

enum hybrid_large hybrid_large_of(const struct config *config);
/* Without the fabric of the large way in the program, no message takes it. Where Eq. 7 leaves no choice,
 * `note`, which has HYBRID_NOTE bytes, says so; else it is "". */
struct hybrid_sizes hybrid_sizes_of(const struct config *config, uint32_t nodes, char *note);

#endif
