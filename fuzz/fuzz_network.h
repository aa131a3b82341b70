#ifndef HELIO_FUZZ_FUZZ_NETWORK_H
#define HELIO_FUZZ_FUZZ_NETWORK_H

#include "fuzz/fuzz.h"
#include "topo/topo.h"

/* Reads the network file, routes, cuts, draws and writes it, reads it again as the same network, and runs a
 * program on its nodes. The file is read with the network, and again with the experiment. `size` chooses the
 * fabric. False: it is refused, or too large. */
bool fuzz_network(const char *path, size_t size);

/* With some failed links, routes between nodes that reach each other have none of them. */
void fuzz_network_faults(const struct topo *topo, size_t size);

/* Draws the network, and runs a program on its nodes and this fabric, with settings that end with NULL.
 * `path` is read again. */
bool fuzz_network_use(const struct topo *topo, const char *path, const char *fabric,
                      const char *const *settings);

/* Gives the bytes as a file to `use`, with their number, unless `is_large` says that they may stand for too
 * much. */
bool fuzz_network_file(const uint8_t *data, size_t size, bool (*is_large)(const char *text),
                       bool (*use)(const char *path, size_t size));

#endif
