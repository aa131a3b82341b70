#ifndef HELIO_FABRIC_MACHINE_H
#define HELIO_FABRIC_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/config.h"
#include "base/status.h"
#include "base/time.h"

/* The machine that all fabrics of an experiment are compared on: NICs, wires, switches, and the software of
 * both ends. Each fabric derives its own parameters from it, so that a node sends at the same rate and light
 * takes the same time on all of them. docs/machines.md */
struct machine_config {
    uint64_t nic_rate_bytes_per_s; /* 0: not given */
    uint64_t nic_count;
    ps_t nic_latency_ps;
    ps_t wire_latency_ps, switch_latency_ps;
    ps_t send_ps, receive_ps;
};

extern const struct param_table machine_params; /* struct machine_config */

/* The value of the parameter `machine` without a machine: each fabric has the numbers that were published. */
#define MACHINE_AS_PUBLISHED "as-published"

/* What all NICs of a node send in a second, each way: nic.rate x nic.count, at most UINT64_MAX. */
uint64_t machine_node_rate(const struct machine_config *machine);

/* -------------------------------------------- what a fabric derives from it */

/* A parameter that a fabric derives, and the formula as text. */
struct derived {
    const char *param, *value, *formula;
    const char *origin; /* what set the value: the derivation, or whatever was there before */
};

struct derivation {
    struct config *config; /* has the machine's values */
    const struct machine_config *machine;
    uint64_t node_rate_bytes_per_s; /* 0: not given; then no rate is derived */
    const char *origin;             /* of the values that are derived: "machine infiniband-ndr" */
    void (*tell)(void *self, const struct derived *derived); /* NULL: nobody asks */
    void *self;
    enum status status; /* of the first value that was refused, which has been reported */
};

/* For fabric_ops.derive: set a parameter that still has its default. Other values stay. */
void derive_time(struct derivation *derivation, const char *param, ps_t value, const char *formula);
void derive_rate(struct derivation *derivation, const char *param, uint64_t value, const char *formula);
void derive_size(struct derivation *derivation, const char *param, uint64_t value, const char *formula);
/* Tells only: with the machine the parameter has no effect, and why. One that is set keeps its effect. */
void derive_nothing(struct derivation *derivation, const char *param, const char *why);
/* Whether the parameter has its default, or a value that has been derived. */
bool derivation_may_set(const struct derivation *derivation, const char *param);

/* The time between two nodes through one switch: 2 wire.latency + switch.latency. */
ps_t derivation_one_switch(const struct derivation *derivation);

/* --------------------------------------------- what a fabric says of itself */

enum { DESCRIPTION_TEXTS = 24, DESCRIPTION_TEXT = 112, DESCRIPTION_UNUSED = 16 };

struct description_texts {
    char text[DESCRIPTION_TEXTS][DESCRIPTION_TEXT];
    size_t count;
};

/* A network with nothing else on it, between its nodes 0 and 1. Hosts are not part of it. */
struct fabric_description {
    uint64_t rate_bytes_per_s;         /* of all messages that a node sends; 0: no limit */
    uint64_t message_rate_bytes_per_s; /* of one large message alone; 0: no limit */
    ps_t latency_ps;                   /* of a message of no bytes; the mean where it is random */
    /* What the latency stands for beside what the fabric itself adds. The latencies of two fabrics compare
     * only if these texts are the same. */
    char basis[DESCRIPTION_TEXT];
    struct description_texts includes;      /* the parts of the latency */
    struct description_texts notes;         /* what else a reader must know */
    const char *unused[DESCRIPTION_UNUSED]; /* parameters that others leave without effect; NULL: no more */
    bool ignores_topology;
    bool has_no_contention; /* what a message takes does not depend on other messages */
    bool has_channels;      /* its links have channels, which can be lost */
    bool includes_hosts;    /* the latency includes what hosts do; their parameters have no effect */
    bool has_no_nic;        /* empty messages pass no NIC, as on fabrics of the CPUs (HOST_PATH_CPU) */
};

/* What a latency includes that was measured from end to end. */
#define FABRIC_END_TO_END "measured from end to end, with hosts"

/* A time with up to six digits: "137.405 ns". Returns buffer, for which DESCRIPTION_TIME bytes are enough. */
enum { DESCRIPTION_TIME = 32 };
const char *description_time(ps_t time, char buffer[static DESCRIPTION_TIME]);
void description_add(struct description_texts *texts, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* If `is_unused`, this parameter has no effect beside the values of others. */
void description_unused(struct fabric_description *description, bool is_unused, const char *param);
/* The basis of a latency that the parameter `param` gives, `value`: with a machine, the same as derived from
 * it; none; the published one (`published` says what it contains, NULL: none is published, and the parameter
 * is a part of the latency); or another. Only values count, and not what has set them, so that a run that is
 * repeated says the same. */
void description_base(struct fabric_description *description, const struct config *config, const char *param,
                      ps_t value, ps_t derived, const char *published);
/* The same for a latency of one switch, as derivation_one_switch; adds its parts too. */
void description_base_one_switch(struct fabric_description *description, const struct config *config,
                                 const char *param, ps_t value);
/* Adds the part of further switches, each with its wire. With a machine they are of the basis too, if they
 * are not the machine's. */
void description_add_hops(struct fabric_description *description, const struct config *config, uint32_t hops,
                          ps_t each);
/* "2 wires of 15 ns": adds this part if neither is 0. */
void description_add_times(struct fabric_description *description, uint64_t count, const char *one,
                           const char *many, ps_t each);

#endif
