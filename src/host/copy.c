#include "host/copy.h"

static uint64_t rate_of(const struct system *system, uint64_t working_set)
{
    if (working_set <= system->copy_l2_bytes)
        return system->copy_l2_bytes_per_s;
    return working_set <= system->copy_llc_bytes ? system->copy_llc_bytes_per_s
                                                 : system->copy_dram_bytes_per_s;
}

ps_t host_copy_time(const struct host *host, uint64_t bytes, uint64_t working_set, bool continues)
{
    ps_t piece = continues ? 0 : host->system.times[TIME_COPY_PIECE].time_ps;
    return ps_add(piece, service_ps(bytes, rate_of(&host->system, working_set)));
}

bool host_copy_is_shared(const struct host *host, uint64_t working_set)
{
    return host->system.copy_node_bytes_per_s > 0 && working_set > host->system.copy_llc_bytes;
}
