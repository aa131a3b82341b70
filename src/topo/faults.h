#ifndef HELIO_TOPO_FAULTS_H
#define HELIO_TOPO_FAULTS_H

#include "topo/topo.h"

/* Links and switches that have failed, and links that are slow (docs/faults.md).
 *
 *     faults.c          which ones: shares that are drawn; slow links
 *     fault_names.c     lists of names, and what happens to the links and switches in them
 *     fault_routes.c    the routes that are left, as a table; platform_faults.c: those of a platform
 *     fault_cuts.c      what is cut off, in words
 *
 * A topology with faults is a copy of the topology with `faults` set; its numbers of nodes, switches and
 * links stay. A link between switches fails in both directions. A switch fails with all its links. */

enum fault_kind { FAULT_LINKS, FAULT_SWITCHES, FAULT_SLOW_LINKS, FAULT_KINDS, FAULT_EVENTS };

/* What happens to the links and switches with these names: text[begin .. end). */
enum fault_action { FAULT_FAIL, FAULT_SLOW_DOWN, FAULT_REPAIR };
struct fault_event {
    enum fault_action action;
    size_t begin, end;
};

/* `names`: those with these names, separated by commas; NULL: none. `share`: in addition, so many of all,
 * from 0 to 1. Links are links between switches there; a name may also be that of a node's link. */
struct fault_request {
    struct {
        const char *names;
        double share;
    } of[FAULT_KINDS];
    double slow_rate;     /* what slow links have of their rate, above 0 and at most 1 */
    uint32_t channels;    /* of each direction of a link between switches; 0: it has none */
    double channel_share; /* so many of all channels are lost; a link that has none left fails */
    uint64_t seed;        /* of the shares */
    const char *event_text;
    const struct fault_event *events; /* what happens after all that, in this order */
    size_t event_count;
};

/* What cannot be done: with `kind` FAULT_KINDS it concerns no list, else the byte problem.at of its names, or
 * of the text of events. */
struct fault_problem {
    enum fault_kind kind;
    struct param_problem problem;
};

/* The topology with faults. `base` has none. With no fault it is *base. False fills *problem. The tables are
 * kept until topo_forget(), or until some others have been made and nobody holds them. */
bool faults_add(const struct topo *base, const struct fault_request *request, struct topo *topo,
                struct fault_problem *problem);

/* Whether the names are of links and switches of the topology. False fills *problem. */
bool faults_check_names(const struct topo *base, const struct fault_request *request,
                        struct fault_problem *problem);

/* Who keeps a topology while others may be made holds it, and gives it up later. */
void faults_hold(const struct topo *topo);
void faults_release(const struct topo *topo);
void faults_forget(void);

/* Counts of a topology with faults, of links with both directions as one. */
struct fault_counts {
    uint32_t links; /* between switches that have failed, also with a switch */
    uint32_t node_links;
    uint32_t switches;   /* that are devices */
    uint32_t ports;      /* the others, each the ports of a node with several links */
    uint32_t slow_links; /* that have not failed */
    uint32_t channels;   /* that are lost, both directions counted */
};

struct fault_counts faults_count(const struct topo *topo);

/* The same of links between switches, failed or not; and how many of them, both directions counted, have
 * channels. */
uint32_t faults_links_of(const struct topo *topo);
uint32_t faults_switches_of(const struct topo *topo); /* that are devices */
uint32_t faults_links_with_channels(const struct topo *topo);

/* The names of the failed links between switches, or of the slow ones, a few of many; the caller frees it. */
char *faults_list_links(const struct topo *topo, bool are_slow);

/* Of a link. */
bool faults_has_failed(const struct topo *topo, uint32_t link);
bool faults_is_slow(const struct topo *topo, uint32_t link);
uint32_t faults_channels_lost(const struct topo *topo, uint32_t link);
bool faults_has_failed_switch(const struct topo *topo, uint32_t at);

/* Why there is no way between two nodes that do not reach each other, which the caller frees. */
char *faults_describe_pair(const struct topo *topo, uint32_t source, uint32_t destination);

/* Whether each of the first `nodes` nodes has a way to each other. If not, a text that says which do not, and
 * the failed links between them, which the caller frees; else NULL. */
char *faults_describe_cut(const struct topo *topo, uint32_t nodes);

/* --------------------------------------------- for topo.h and the two files */

enum { FAULT_FAILED = 1, FAULT_SLOW = 2, FAULT_CHANNELS_LIMIT = 1 << 26 };
#define FAULT_WHOLE UINT64_C(1000000000) /* parts of a rate */

struct fault_routes;
struct platform_detours;
struct topo_faults;

/* fault_names.c. Both directions of the link. */
void fault_mark_link(struct topo_faults *faults, uint32_t link, enum fault_action action);
/* What the lists name; what happens in the events. False fills *problem. */
bool fault_names_mark(struct topo_faults *faults, const struct fault_request *request,
                      struct fault_problem *problem);
bool fault_names_happen(struct topo_faults *faults, const struct fault_request *request,
                        struct fault_problem *problem);

struct topo_faults {
    char *key;
    struct topo base;
    uint8_t *links;    /* [links] FAULT_FAILED, FAULT_SLOW */
    uint8_t *switches; /* [switches] FAULT_FAILED */
    uint32_t *lost;    /* [links] channels; NULL: none */
    uint64_t slow_parts;
    struct fault_counts counts;
    struct fault_routes *routes; /* NULL: no link between switches has failed, so all are those of base */
    struct topo_updown *updown;  /* where base has such routes, in place of `routes` */
    struct platform_detours *detours; /* of a platform, in place of both */
    uint32_t holders;
    struct topo_faults *next; /* of those that are kept, the latest first */
};

/* fault_routes.c. Whether messages of others come through the switch: not through the ports of a node, but
 * for rails, where GPUs relay; nor through one that a network file calls an end. */
bool faults_passes(const struct topo *topo, uint32_t at);

/* NULL: the table is too large. */
struct fault_routes *fault_routes_make(const struct topo_faults *faults);
void fault_routes_free(struct fault_routes *routes);
uint32_t fault_routes_diameter(const struct fault_routes *routes);

#endif
