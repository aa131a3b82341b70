#ifndef HELIO_FABRIC_TDM_REGISTERS_H
#define HELIO_FABRIC_TDM_REGISTERS_H

#include "base/status.h"
#include "schedule/method.h"

/* A scheduled pattern, as the switches' registers hold it: which of the K slots each connection has. */
struct tdm_registers {
    uint32_t degree;
    size_t count;
    struct tdm_request *pairs; /* ascending by (source, destination) */
    uint32_t *slot;            /* [count] */
    size_t *first;             /* [nodes + 1]: the pairs of each source */
};

/* Schedules the pattern, which need not be sorted and is sorted here. On failure, which has been reported,
 * nothing is left to free. */
enum status tdm_registers_init(struct tdm_registers *registers, const struct topo *topo,
                               struct tdm_pattern *pattern, const struct tdm_method *method);
void tdm_registers_free(struct tdm_registers *registers);

/* The index of the connection; registers->count when there is none. */
size_t tdm_registers_find(const struct tdm_registers *registers, uint32_t source, uint32_t destination);

size_t tdm_registers_bytes(const struct tdm_registers *registers, uint32_t nodes);

#endif
