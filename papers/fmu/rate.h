#ifndef HELIO_PAPERS_FMU_RATE_H
#define HELIO_PAPERS_FMU_RATE_H

#include "papers/fmu/ways.h"

/* The computation behind Table 5. The paper gives a node's peak rate, and neither the operations that its
 * traces count nor the share of the peak that was reached. So the rate is found from the one column that
 * depends on it: the idleness of the class C rows, taken to be that over InfiniBand. Class D is held out. */

/* Operations per second of a rank at which the class C rows of a program have the idleness of Table 5. The
 * way is one that is not fitted. NaN until the rate is found. */
double fmu_fitted_rate(struct reproduction *reproduction, const struct fmu_way *way, const char *program);

/* The one rate for all four programs. */
double fmu_common_rate(struct reproduction *reproduction, const struct fmu_way *way);

#endif
