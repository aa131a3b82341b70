#ifndef HELIO_PAPERS_FMU_RATE_H
#define HELIO_PAPERS_FMU_RATE_H

#include "papers/fmu/ways.h"

/* The computation behind Table 5. The paper gives a node's peak rate, and neither the operations that its
 * traces count nor the share of the peak that was reached. So the rate is found from the one column that
 * depends on it: the idleness of the class C rows. Class D is held out. */

/* Operations per second of a rank in this way. Where it is fitted, the class C rows of the program, of all
 * programs, or of IS have the idleness of Table 5. NaN until it is found. */
double fmu_rate(struct reproduction *reproduction, const struct fmu_way *way, const char *program);

#endif
