#ifndef HELIO_FUZZ_FUZZ_CONFIG_H
#define HELIO_FUZZ_FUZZ_CONFIG_H

#include "base/config.h"

/* A config of all components' parameters at their defaults, for the caller to close. It is a copy, since the
 * defaults take longer to read than most inputs. */
struct config *fuzz_config_open(void);

#endif
