#ifndef HELIO_SWEEP_METADATA_H
#define HELIO_SWEEP_METADATA_H

#include "output/json.h"
#include "sweep/store.h"

/* The metadata of a store as JSON. The caller frees it; where the store has none, it is empty.
 * STATUS_BAD_INPUT, reported: another program has changed it to something else. */
enum status metadata_read_varied(struct store *store, json_t **names);        /* a list of texts */
enum status metadata_read_baseline(struct store *store, json_t **parameters); /* an object of texts */

/* Frees the JSON. */
enum status metadata_write(struct store *store, const char *name, json_t *json);

#endif
