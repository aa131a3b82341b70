#ifndef HELIO_BREAKDOWN_SYSTEM_H
#define HELIO_BREAKDOWN_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/embedded.h"
#include "base/status.h"
#include "base/time.h"

/* The times of a system in sending a small message, component by component, as in Table 1 of Zambre et al.,
 * "Breaking Band: A Breakdown of High-performance Communication" (ICPP 2019). docs/models/breakdown.md */
enum system_time {
    TIME_MD_SETUP,    /* LLP_post: message descriptor setup */
    TIME_MD_BARRIER,  /* LLP_post: barrier for the message descriptor */
    TIME_DBC_BARRIER, /* LLP_post: barrier for the DoorBell counter */
    TIME_PIO_COPY,    /* LLP_post: the CPU writes one block to the NIC */
    TIME_LLP_POST_MISC,
    TIME_LLP_PROG,           /* takes one entry from the completion queue */
    TIME_BUSY_POST,          /* a post that finds the transmit queue full */
    TIME_MEASUREMENT_UPDATE, /* the injection benchmark's own time per message */
    TIME_PCIE,               /* one block between root complex and NIC */
    TIME_WIRE,
    TIME_SWITCH,
    TIME_RC_TO_MEM_8B,  /* the root complex writes a payload to memory */
    TIME_RC_TO_MEM_64B, /* the same for a completion; where it is not known, the time of 8 B */
    TIME_MEM_READ,      /* the root complex reads memory for the NIC */
    TIME_COPY_PIECE,    /* a copy within a node, for each piece that does not continue the one before */
    TIME_BARRIER,       /* among the ranks of a node, for each of them */
    TIME_FLAG,          /* raising or awaiting a flag in the memory of a node */
    TIME_NIC_GAP,       /* between two messages of a NIC: 1 / its message rate */
    TIME_DOORBELL,      /* the 8-byte write that replaces the PIO copy */
    TIME_HLP_POST_MPI,  /* MPI_Isend without what it calls */
    TIME_HLP_POST_UCP,
    TIME_HLP_TX_PROG, /* Post_prog without its share of LLP_prog */
    TIME_MISC,        /* busy posts, per message of MPI (Eq. 2) */
    TIME_CALLBACK_MPI,
    TIME_CALLBACK_UCP,
    TIME_AFTER_PROGRESS_MPI, /* MPI_Wait once progress has returned */
    TIME_WAIT_MPI,           /* a successful MPI_Wait, only in Figure 11 */
    TIME_WAIT_UCP,
    SYSTEM_TIMES
};

enum { SYSTEM_SOURCE_TEXT = 160 };

/* A time and its source. */
struct system_value {
    ps_t time_ps;
    bool given;
    char source[SYSTEM_SOURCE_TEXT];
};

enum system_observation {
    OBSERVED_INJ_OVERHEAD,      /* at the NIC, without MPI */
    OBSERVED_LLP_LATENCY,       /* half a round trip without MPI, as the benchmark reports it */
    OBSERVED_LLP_DEDUCTION,     /* the part of it that is the benchmark's own */
    OBSERVED_OVERALL_INJECTION, /* with MPI */
    OBSERVED_LATENCY,           /* with MPI */
    SYSTEM_OBSERVATIONS
};

enum system_post { SYSTEM_PIO, SYSTEM_DOORBELL };

/* The values of a system file, as the model uses them. */
struct system {
    const char *name;
    struct system_value times[SYSTEM_TIMES];
    struct system_value post_prog;
    struct system_value observed[SYSTEM_OBSERVATIONS];
    uint64_t signal_period;    /* c: a completion for every c sends */
    uint64_t completion_batch; /* b: polls of the injection benchmark at a time */
    uint64_t queue_depth;      /* of the transmit queue */
    uint64_t receive_depth;    /* of the receive queue: messages in memory that have not been polled */
    uint64_t credits;          /* writes under way on PCIe, each way; 0 = no limit */
    int post;                  /* enum system_post */
    uint64_t block_bytes;      /* of one PIO copy, of one PCIe time and of one descriptor */
    uint64_t header_bytes;     /* of a descriptor, before an inlined payload */
    uint64_t inline_bytes;     /* the largest payload that is inlined */
    uint64_t packet_bytes;     /* the bytes that each part of the way passes on as a whole */
    /* Copies within a node: sizes of caches, and rates of copies that fit into them; 0 = not known. */
    uint64_t copy_l2_bytes, copy_llc_bytes, copy_nic_bytes;
    uint64_t copy_llc_count; /* caches of all cores in a node: one for each processor */
    uint64_t copy_l2_bytes_per_s, copy_llc_bytes_per_s, copy_dram_bytes_per_s;
    uint64_t copy_node_bytes_per_s; /* of all cores of a node from and to memory; 0 = no limit */
    uint64_t pcie_bytes_per_s, wire_bytes_per_s, memory_bytes_per_s;
};

/* A system file, a machine file with the section `system` (machine/machine.h), or a system by name:
 * thunderx2, of "Breaking Band" (NULL names it too); ohio-a, ohio-b and ohio-local, the clusters of "OHIO".
 * To be closed when STATUS_OK; else every error is reported with its place. */
struct system_file {
    struct system system;
    struct config *config; /* holds the texts */
    const char *path;      /* from the caller; NULL = a system in the program */
};
enum status system_init(struct system_file *file, const char *path);
/* Whether the text has a system in that section. */
#define SYSTEM_SECTION "system"
bool system_is_section(const char *name, const char *text, size_t length);
enum status system_init_text(struct system_file *file, const char *name, const char *text, size_t length);
void system_free(struct system_file *file);

/* LLP_tx_prog: LLP_prog divided among the c sends of a completion, to the nearest picosecond. */
ps_t system_llp_tx_prog(const struct system *system);

/* The systems in the program, papers/PAPER/systems/NAME.yaml; system_named() is NULL where NAME is none. */
extern const struct embedded_file system_files[];
const struct embedded_file *system_named(const char *name);

/* The key of a time in a system file: "LLP_post.PIO_copy". */
const char *system_time_name(enum system_time time);

#endif
