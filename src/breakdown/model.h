#ifndef HELIO_BREAKDOWN_MODEL_H
#define HELIO_BREAKDOWN_MODEL_H

#include "breakdown/system.h"

/* The analytical models of "Breaking Band" (sections 4 and 6) for one message of a given size: its time in
 * each component, and the sums that the paper draws. Times are whole picoseconds, so that parts sum exactly
 * to their total (docs/models/breakdown.md).
 *
 *     system.h      the times of a system, from a system file or by name
 *     model.h       one message on a system; picture.c draws its bars
 *     totals.h      the paper's totals, beside what was observed
 *     whatif.h      what a change of a component gains
 *     measure.h     what probes measure on a machine; measure_read.c reads what they print
 *     pcie.h        component times from the trace of a PCIe analyzer; pcie_read.c reads such a trace */
enum component {
    PART_MD_SETUP,
    PART_MD_BARRIER,
    PART_DBC_BARRIER,
    PART_PIO_COPY, /* all blocks, or the doorbell */
    PART_LLP_POST_MISC,
    PART_LLP_PROG,
    PART_LLP_TX_PROG, /* LLP_prog / c */
    PART_BUSY_POST,
    PART_MEASUREMENT_UPDATE,
    PART_TX_PCIE,
    PART_DMA_MD,      /* the NIC fetches the descriptor: 0 with PIO */
    PART_DMA_PAYLOAD, /* the NIC fetches the payload: 0 if it is inlined */
    PART_WIRE,
    PART_SWITCH,
    PART_RX_PCIE,
    PART_RC_TO_MEM,
    PART_HLP_POST_MPI,
    PART_HLP_POST_UCP,
    PART_HLP_TX_PROG,
    PART_MISC,
    PART_CALLBACK_MPI,
    PART_CALLBACK_UCP,
    PART_AFTER_PROGRESS_MPI,
    PART_WAIT_MPI,
    PART_WAIT_UCP,
    PARTS
};

/* "TX PCIe": the name of a component by itself. */
const char *model_part_name(enum component part);

/* Sets of components: bits 1 << component. */
#define PART_BIT(part) (UINT32_C(1) << (part))

enum {
    LLP_POST = PART_BIT(PART_MD_SETUP) | PART_BIT(PART_MD_BARRIER) | PART_BIT(PART_DBC_BARRIER) |
               PART_BIT(PART_PIO_COPY) | PART_BIT(PART_LLP_POST_MISC),
    HLP_POST = PART_BIT(PART_HLP_POST_MPI) | PART_BIT(PART_HLP_POST_UCP),
    HLP_RX_PROG =
        PART_BIT(PART_CALLBACK_MPI) | PART_BIT(PART_CALLBACK_UCP) | PART_BIT(PART_AFTER_PROGRESS_MPI),
    POST_PROG = PART_BIT(PART_LLP_TX_PROG) | PART_BIT(PART_HLP_TX_PROG),
    LLP_MISC = PART_BIT(PART_BUSY_POST) | PART_BIT(PART_MEASUREMENT_UPDATE),
    DMA_READS = PART_BIT(PART_DMA_MD) | PART_BIT(PART_DMA_PAYLOAD),
    TX_IO = PART_BIT(PART_TX_PCIE) | DMA_READS,
    RX_IO = PART_BIT(PART_RX_PCIE) | PART_BIT(PART_RC_TO_MEM),
    NETWORK = PART_BIT(PART_WIRE) | PART_BIT(PART_SWITCH),

    INJ_OVERHEAD = LLP_POST | PART_BIT(PART_LLP_PROG) | LLP_MISC,               /* Eq. 1 */
    LLP_LATENCY = LLP_POST | TX_IO | NETWORK | RX_IO | PART_BIT(PART_LLP_PROG), /* section 4.3 */
    OVERALL_INJECTION = HLP_POST | LLP_POST | POST_PROG | PART_BIT(PART_MISC),  /* Eq. 2 */
    END_TO_END_LATENCY = HLP_POST | LLP_LATENCY | HLP_RX_PROG,                  /* section 6 */
};

struct model {
    const struct system *system;
    uint64_t bytes;
    bool inlined;
    uint64_t blocks; /* of the descriptor and the inlined payload */
    ps_t time_ps[PARTS];
};

/* The system must outlive the model. */
void model_init(struct model *model, const struct system *system, uint64_t bytes);

ps_t model_sum(const struct model *model, uint32_t parts);

/* Msg_inj_overhead = CPU_time + PCIe, with CPU_time of Eq. 1: the time until a single message is at the NIC.
 */
ps_t model_message_injection(const struct model *model);

/* gen_completion = 2 x (PCIe + Network) + RC-to-MEM(64B) for a message of the paper's size. For a larger one
 * the additional time on its way is added. */
ps_t model_gen_completion(const struct model *model);

/* The least number of posts between polls, p, with which a poll never waits: gen_completion / LLP_post,
 * rounded up. */
uint64_t model_least_p(const struct model *model);

/* The time in which the slowest channel passes one message on. On average no injection is faster, whatever
 * the CPU does. 0 up to one block, whose bytes the component times include. */
ps_t model_channel_time(const struct model *model);

/* One stacked bar of a figure. */
enum { BAR_PARTS = 10 };

struct bar_part {
    const char *name;
    uint32_t parts; /* a set of components */
    ps_t time_ps;
};

struct bar {
    const char *figure; /* "Figure 13" */
    const char *name;   /* "End-to-end latency" */
    ps_t total_ps;
    size_t count;
    struct bar_part parts[BAR_PARTS];
};

/* The bars of Figures 4, 8 and 10 to 16, in that order: how many there are, and one of them. A bar has DMA
 * reads only where the message has any. */
size_t model_bar_count(void);
void model_bar(const struct model *model, size_t index, struct bar *bar);

/* part / total in hundredths of a percent, rounded to the nearest; 0 where the total is 0. */
uint64_t model_share(ps_t part_ps, ps_t total_ps);

/* "1387.02": nanoseconds with two decimals, or three if the third is not 0. */
const char *model_ns(ps_t time_ps, char *buffer, size_t size);

/* Writes the bars as one SVG picture. */
enum status model_picture(const struct model *model, const char *path);

#endif
