#ifndef HELIO_BREAKDOWN_PCIE_H
#define HELIO_BREAKDOWN_PCIE_H

#include <stdio.h>

#include "breakdown/system.h"

/* Traces of a PCIe analyzer, and the times that "Breaking Band" (section 4) takes from them.
 * docs/models/breakdown.md describes the files, and what can go wrong in reading them. */

enum pcie_direction { PCIE_DOWN /* root complex to NIC */, PCIE_UP };

enum pcie_type { PCIE_MWR, PCIE_MRD, PCIE_CPLD, PCIE_ACK, PCIE_NAK, PCIE_UPDATE_FC, PCIE_OTHER };

enum { PCIE_SEQUENCES = 4096 }; /* a TLP's sequence number has 12 bits */

#define PCIE_UNKNOWN UINT64_MAX

struct pcie_packet {
    ps_t at;
    uint64_t address;  /* PCIE_UNKNOWN: not in the trace */
    uint64_t number;   /* the analyzer's number of this packet, or PCIE_UNKNOWN */
    uint64_t acked_by; /* of a TLP: number of its ACK; of an ACK: number of the TLP that it acknowledges */
    uint32_t bytes;    /* of payload */
    uint16_t sequence; /* of a TLP; of an ACK: the sequence of the newest TLP that it acknowledges */
    uint8_t direction, type;
    bool has_sequence;
};

enum pcie_place { PCIE_NEXT_TO_NIC, PCIE_NEXT_TO_RC };

enum pcie_field {
    PCIE_TIME,
    PCIE_DIRECTION,
    PCIE_TYPE,
    PCIE_LENGTH,
    PCIE_SEQUENCE,
    PCIE_ADDRESS,
    PCIE_PACKET,
    PCIE_ACK_OF,
    PCIE_ACKED_BY,
    PCIE_FIELDS
};

/* How to read a trace. What the caller gives wins over what the file says, and that over the usual. */
struct pcie_reading {
    const char *columns[PCIE_FIELDS]; /* the name of a field's column; NULL = the usual names */
    int only_direction; /* the direction of all packets if there is no such column; -1 = not known */
};

struct pcie_trace {
    struct pcie_packet *packets;
    size_t count, capacity;
    enum pcie_place place;
    bool place_known;
    char test[16];       /* "put_bw", "am_lat", or empty */
    uint64_t ignored;    /* packets of other types */
    bool coarse;         /* no time stamp has a digit below 0.1 ns */
    bool has_directions; /* there is a column of directions */
};

/* Reads a trace. Errors are reported with their place; nothing is to be freed then. */
enum status pcie_read(const char *path, const struct pcie_reading *reading, struct pcie_trace *trace);
enum status pcie_read_stream(FILE *file, const char *name, const struct pcie_reading *reading,
                             struct pcie_trace *trace);
void pcie_free(struct pcie_trace *trace);

/* The field of that name, "time", "dir" ...; PCIE_FIELDS where there is none. */
enum pcie_field pcie_field_of(const char *name);

/* Addresses from `first` to `last`. */
struct pcie_range {
    uint64_t first, last;
    bool given;
};

struct pcie_question {
    const struct pcie_trace *trace;
    const struct system *system;             /* its LLP_post and LLP_prog are subtracted to get RC-to-MEM */
    uint32_t block_bytes;                    /* of a post and of a completion: 64 */
    struct pcie_range completions, receives; /* where not given, they are told apart by page */
    ps_t loop_extra_ps; /* time of the benchmark's loop between a pong and the next ping */
};

/* The statistics of one quantity. */
struct pcie_quantity {
    uint64_t count;
    const char *absent; /* the reason if count is 0 */
    ps_t mean_ps, median_ps, p95_ps, p99_ps, least_ps;
};

struct pcie_answer {
    struct pcie_quantity inj_overhead, pcie, network, rc_to_mem;
    uint64_t coalesced;      /* TLPs that the ACK of a later one acknowledges; they give no sample */
    uint64_t unmatched;      /* ACKs that match no outstanding TLP */
    uint64_t naks;           /* each leads to a replay; samples near it are dropped */
    bool pong_is_completion; /* there is no write to a receive buffer: the completion contains the payload */
};

void pcie_answer(const struct pcie_question *question, struct pcie_answer *answer);

/* The time of a switch: the network with it less the network without it. Only means and medians can be
 * subtracted. False: one of the two was not measured. */
bool pcie_switch(const struct pcie_quantity *with, const struct pcie_quantity *without, ps_t *mean_ps,
                 ps_t *median_ps);

#endif
