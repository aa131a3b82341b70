#ifndef HELIO_SCHEDULE_PATTERN_H
#define HELIO_SCHEDULE_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* A pattern of communication: the set R of connection requests (s, d). A pair that is there twice is two
 * requests, with two slots. */
struct tdm_request {
    uint32_t source, destination; /* nodes; never equal */
};

struct tdm_pattern {
    struct tdm_request *requests;
    size_t count, capacity;
};

enum { TDM_MOST_REQUESTS = 1 << 26 };

void tdm_pattern_add(struct tdm_pattern *pattern, uint32_t source, uint32_t destination);
void tdm_pattern_free(struct tdm_pattern *pattern);

/* Sorts by (source, destination) and removes repeated pairs and messages of a node to itself. */
void tdm_pattern_unite(struct tdm_pattern *pattern);

/* Lines `src,dst`: node numbers from 0 to nodes - 1. A first line `src,dst`, empty lines and lines that start
 * with # are left out. Every wrong line is reported with its place, up to ten of them: malformed, a node that
 * does not exist, a node that sends to itself. `text` need not end in 0. */
enum status tdm_pattern_parse(const char *name, const char *text, size_t size, uint32_t nodes,
                              struct tdm_pattern *pattern);
/* The same from a file. */
enum { TDM_FILE_AT_MOST = 512 << 20 };
enum status tdm_pattern_load(const char *path, uint32_t nodes, struct tdm_pattern *pattern);

/* A pattern by name and parameters, "random:connections=400,seed=7": `helio schedule --help` lists them. */
enum status tdm_pattern_named(const char *spec, uint32_t nodes, struct tdm_pattern *pattern);

/* The block-cyclic distribution of an array along one dimension, p:block(s): element i belongs to processor
 * (i / s) mod p. */
struct tdm_distribution {
    uint32_t processors[3], block[3]; /* of the array's dimensions, the first one first */
};

/* The pairs of processors that exchange elements when an array of `elements` is redistributed. Processors are
 * numbered row-major, the last dimension's fastest: section 4.2. Processors of both distributions are nodes
 * 0, 1, ... */
void tdm_pattern_redistribute(const uint32_t elements[3], const struct tdm_distribution *from,
                              const struct tdm_distribution *to, struct tdm_pattern *pattern);

#endif
