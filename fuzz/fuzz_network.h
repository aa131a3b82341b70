#ifndef HELIO_FUZZ_FUZZ_NETWORK_H
#define HELIO_FUZZ_FUZZ_NETWORK_H

#include "fuzz/fuzz.h"

/* Reads the network file, routes, cuts, draws and writes it, reads it again as the same network, and runs a
 * program on its nodes. The file is read with the network, and again with the experiment. `size` chooses the
 * fabric. False: it is refused, or too large. */
bool fuzz_network(const char *path, size_t size);

#endif
