#ifndef HELIO_TOPO_RATES_H
#define HELIO_TOPO_RATES_H

#include "topo/topo.h"

/* Rates by class of link, the rule `rates`: "12.5GB/s+25GB/s" is 12.5 GB/s for the links of nodes, which are
 * class 0, and 25 GB/s for those of class 1 and of all further classes. */
enum { RATES_MOST = 6 };

struct topo_rates {
    uint32_t count;
    uint64_t rate_bytes_per_s[RATES_MOST];
    struct topo_rates *next; /* of those that are kept */
};

/* From `length` bytes of text; kept until topo_forget(). NULL fills *problem, whose place is in the text. */
const struct topo_rates *rates_read(const char *text, size_t length, struct param_problem *problem);
void rates_print(const struct topo_rates *rates, char *buffer, size_t size);
void rates_forget(void);

/* For the family's link_class: by the first coordinate in which the ends of the link differ. */
uint32_t rates_class_by_dimension(const struct topo *topo, uint32_t link);

#endif
