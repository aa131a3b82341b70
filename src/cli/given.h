#ifndef HELIO_CLI_GIVEN_H
#define HELIO_CLI_GIVEN_H

#include "base/config.h"

/* The parameters of an experiment at their defaults, with those of the file and the trace; NULL: not given.
 * Plug-ins that the file names are loaded first. The caller closes *config, also after an error; it is NULL
 * if there is none. */
enum status given_open(const char *file, const char *trace, struct config **config);

#endif
