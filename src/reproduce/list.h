#ifndef HELIO_REPRODUCE_LIST_H
#define HELIO_REPRODUCE_LIST_H

#include "reproduce/paper.h"

extern const struct paper alltoall_paper;  /* Tran et al. */
extern const struct paper breakdown_paper; /* Zambre et al. */
extern const struct paper tdm_paper;       /* Yuan et al. */
extern const struct paper fmu_paper;       /* Palma et al. */
extern const struct paper segment_paper;   /* Duro et al. */

#endif
