#ifndef HELIO_PLUGIN_PLUGIN_H
#define HELIO_PLUGIN_PLUGIN_H

#include <heliograph.h>

#include <stdbool.h>

#include "base/param.h"
#include "base/status.h"
#include "call/call.h"

/* Parts of Heliograph that come from outside, by the types of the public header, heliograph.h: from programs
 * that use the library, and from plug-ins.
 *
 *   load.c        plug-ins: files that are loaded, the functions that they are given
 *   parameters.c  heliograph_parameter as the tables of base/param.h
 *   fabric.c      heliograph_fabric as a fabric
 *   topology.c    heliograph_topology as a family of topologies
 *   collective.c  heliograph_collective as a collective algorithm
 *   call.c        heliograph_call as a call of call/call.h
 *   workload.c    heliograph_workload as a generated program
 *   trace_format.c  heliograph_trace_format as a trace format */

/* Loads the shared object and lets it register its parts, once per file. Errors are reported. From then on
 * the parameters `plugins` and `plugins_hash` are there, so that the manifest of a run names the plug-ins. */
enum status plugin_load(const char *path);

/* Whether the file is loaded as a plug-in. */
bool plugin_is_loaded(const char *path);

/* Sets both parameters to what is loaded: a file may name a part of it, and further plug-ins may have been
 * loaded since. The config has the parameters of all parts. */
struct config;
enum status plugin_note(struct config *config);

/* Loads what stands under `plugins` in the text of an experiment file: a path, or a list of paths. Anything
 * else in it is left to the reading of the parameters. `name` is the file's, for messages. */
enum status plugin_load_from_text(const char *name, const char *text, size_t length);

/* What plug-ins and programs call; errors are reported. */
enum status plugin_register_fabric(const struct heliograph_fabric *fabric);
enum status plugin_register_topology(const struct heliograph_topology *topology);
enum status plugin_register_collective(const struct heliograph_collective *collective);
enum status plugin_register_workload(const struct heliograph_workload *workload);
enum status plugin_register_trace_format(const struct heliograph_trace_format *format);

/* ------------------------------------------------------ for the files here */

/* The hash of the contents of all plug-ins that are loaded; "" while there is none. */
const char *plugin_hash(void);

/* A table of the parameters, to be kept for ever: the value of parameter i is the union i of an array that
 * begins `at` bytes into the component's struct. `prefix` and a dot go before each name; NULL: nothing does.
 * NULL, reported: a parameter is wrong. `component` names their owner; `what` is its line of documentation.
 */
const struct param_table *plugin_parameters(const char *what, const char *component, const char *prefix,
                                            const struct heliograph_parameter *parameters, size_t count,
                                            size_t at);

/* Whether a struct of `size` bytes may be read, and the name and the doc are right; errors are reported.
 * `what` is "a fabric". */
bool plugin_struct_is_valid(const char *what, size_t size, size_t least, const char *name, const char *doc);

/* A copy of a caller's struct, to be kept for ever: `size` bytes of it, the rest 0. */
void *plugin_copy(const void *from, size_t from_size, size_t size);

/* The call of one of `ranks` ranks; its slot is SLOT_FIRST + request. False fills `problem` with what is
 * wrong with it. */
bool plugin_call_convert(const struct heliograph_call *from, uint32_t ranks, struct call *to, char *problem,
                         size_t size);

#endif
