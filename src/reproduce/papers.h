#ifndef HELIO_REPRODUCE_PAPERS_H
#define HELIO_REPRODUCE_PAPERS_H

#include "base/embedded.h"

/* The CSV files and the experiments of papers/NAME/, which the build puts into the program. */
extern const struct embedded_file paper_files[];

#endif
