#ifndef HELIO_WORKLOAD_TEXT_H
#define HELIO_WORKLOAD_TEXT_H

#include "workload/workload.h"

/* The text that names a workload, such as "alltoall:ranks=64,bytes=8KiB", taken apart and put together. A
 * parameter of a workload has the full name WORKLOAD.PARAMETER, such as "alltoall.bytes", in a sweep. Texts
 * are bytes, not their text form. */

/* The workload of a full name, or of its beginning: "alltoall", "npb:lu". NULL: there is none. */
const struct workload *workload_of_name(const char *full_name);
/* The workload's parameter of a full name; NULL: it has none. */
const struct param *workload_parameter(const struct workload *workload, const char *full_name);
/* The workload whose name is most similar to that of the full name; NULL: none is similar. */
const struct workload *workload_nearest(const char *full_name);
/* Its nearest parameter, for "did you mean"; NULL: none is similar. */
const char *workload_nearest_parameter(const struct workload *workload, const char *full_name);

/* Whether the text names the workload of the full name. Also true of workloads of plug-ins that are not
 * loaded. */
bool workload_text_is_of(const char *text, const char *full_name);

/* The text with that parameter set: the parameters that it gives, in the order of the workload's table, and
 * quantities in their shortest form. The caller frees it. The text has to be of the full name's workload. */
char *workload_text_with(const char *text, const char *full_name, const char *value);

/* The text without that parameter, and in *value, if it is not NULL, what the text gives or else the default;
 * NULL: neither is known. The caller frees both. */
char *workload_text_without(const char *text, const char *full_name, char **value);

/* The text with the name of its first parameter, where that is left out: "schedule:file=x.xml". The caller
 * frees it. */
char *workload_text_named(const struct workload *workload, const char *text);

/* Where a workload's text has a path: struct param, find_path. */
bool workload_find_path(const char *bytes, size_t from, struct param_path *path);

#endif
