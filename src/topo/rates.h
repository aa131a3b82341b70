#ifndef HELIO_TOPO_RATES_H
#define HELIO_TOPO_RATES_H

#include "topo/topo.h"

/* Rates and latencies by class of link, the rules `rates` and `latencies`: "12.5GB/s+25GB/s" is 12.5 GB/s for
 * the links of nodes, which are class 0, and 25 GB/s for those of class 1 and of all further classes. */
enum { BY_CLASS_MOST = 6 };

struct topo_by_class {
    enum param_type type; /* PARAM_RATE or PARAM_TIME */
    uint32_t count;
    uint64_t values[BY_CLASS_MOST]; /* bytes a second, or ps */
    struct topo_by_class *next;     /* of those that are kept */
};

/* From `length` bytes of text; kept until topo_forget(). NULL fills *problem, whose place is in the text. */
const struct topo_by_class *by_class_read(enum param_type type, const char *text, size_t length,
                                          struct param_problem *problem);
void by_class_print(const struct topo_by_class *by_class, char *buffer, size_t size);
void by_class_forget(void);

/* For the family's link_class: by the first coordinate in which the ends of the link differ. */
uint32_t rates_class_by_dimension(const struct topo *topo, uint32_t link);

#endif
