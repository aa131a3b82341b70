#ifndef HELIO_ENGINE_SIMPLECOMM_INI_H
#define HELIO_ENGINE_SIMPLECOMM_INI_H

#include <stddef.h>

#include "base/config.h"
#include "base/status.h"

/* Turns SimpleComm's configuration file (Listing 2 of the FMU paper; configFiles/template.ini of SimpleComm)
 * into our parameters, and sets compat=simplecomm. Numbers are bare and in SimpleComm's units: seconds, bytes
 * per second, bytes, operations per second. The words of the paper are read as well as those of SimpleComm
 * (InfiniBand, INCREMENTAL, LEAST_S, LEAST_SR), and so are comments that begin with two slashes, which only
 * the listing has.
 *
 * Names that the file leaves out have SimpleComm's defaults. Numbers that it leaves out keep ours, those of
 * the paper's Table 3, since SimpleComm's own are placeholders such as 10 s; a note says so. Unknown,
 * repeated and misplaced keys and wrong values are reported with file, line and column, the first twenty of
 * them. */
enum status simplecomm_read_ini(struct config *config, const char *path);
enum status simplecomm_read_ini_text(struct config *config, const char *name, const char *text,
                                     size_t length);

#endif
