#ifndef HELIO_ENGINE_SIMPLECOMM_INI_H
#define HELIO_ENGINE_SIMPLECOMM_INI_H

#include <stddef.h>

#include "base/config.h"
#include "base/status.h"

/* SimpleComm's configuration file (Listing 2 of the FMU paper; configFiles/template.ini of SimpleComm) into
 * our parameters, with compat=simplecomm. Numbers are bare and in its units: seconds, bytes per second,
 * bytes, operations per second. Beside its own words the paper's are taken (InfiniBand, INCREMENTAL, LEAST_S,
 * LEAST_SR), and comments that begin with two slashes, which only the listing has.
 *
 * What the file leaves out: names take SimpleComm's defaults; numbers keep ours, the paper's Table 3, and a
 * note says so, since SimpleComm's own are placeholders such as 10 s. Unknown, repeated and misplaced keys
 * and wrong values are reported with file, line and column, up to the twentieth. */
enum status simplecomm_read_ini(struct config *config, const char *path);
enum status simplecomm_read_ini_text(struct config *config, const char *name, const char *text,
                                     size_t length);

#endif
