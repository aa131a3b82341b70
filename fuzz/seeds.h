#ifndef HELIO_FUZZ_SEEDS_H
#define HELIO_FUZZ_SEEDS_H

#include <stdbool.h>
#include <stddef.h>

/* seeds_store.c: writes a file of results with some of three runs. */
void seed_store(const char *path, size_t count, bool has_metadata);

#endif
