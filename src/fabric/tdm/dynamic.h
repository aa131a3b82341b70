#ifndef HELIO_FABRIC_TDM_DYNAMIC_H
#define HELIO_FABRIC_TDM_DYNAMIC_H

#include "base/param.h"
#include "base/time.h"

/* The parameters of tdm-dynamic. */

enum tdm_control { CONTROL_SHADOW, CONTROL_CHANNEL };
enum tdm_wait { WAIT_ALWAYS, WAIT_FAILURE };
enum tdm_control_links { CONTROL_LINKS_SWITCHES, CONTROL_LINKS_ALL };
enum tdm_pick { PICK_RANDOM, PICK_LOWEST };
enum tdm_release { RELEASE_PACKET, RELEASE_IMMEDIATE };

struct tdm_dynamic_config {
    uint64_t degree;
    int control, wait, control_links, pick, release;
    ps_t transmission_ps, processing_ps;
    uint64_t retry;
};

extern const struct param_table tdm_dynamic_params; /* struct tdm_dynamic_config */

#endif
