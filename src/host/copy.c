#include "host/copy.h"

void host_copy_found(const struct host *host, const struct host_copy *copy, struct host_found *found)
{
    const struct system *system = &host->system;
    enum host_level level = copy->working_set > system->copy_llc_bytes  ? HOST_DRAM
                            : copy->working_set > system->copy_l2_bytes ? HOST_LLC
                                                                        : HOST_L2;
    found->bytes[level] += 2 * copy->bytes;
}

/* The rate of a level is that of a copy within it, so each of the bytes read and written takes half of the
 * time. */
ps_t host_copy_time(const struct host *host, const struct host_copy *copy, const struct host_found *found)
{
    const struct system *system = &host->system;
    const uint64_t rates[] = {[HOST_L2] = system->copy_l2_bytes_per_s,
                              [HOST_LLC] = system->copy_llc_bytes_per_s,
                              [HOST_DRAM] = system->copy_dram_bytes_per_s};
    ps_t time = copy->continues ? 0 : system->times[TIME_COPY_PIECE].time_ps;
    for (enum host_level level = 0; level < HOST_LEVELS; level++)
        time = ps_add(time, service_ps(found->bytes[level], 2 * rates[level]));
    return time;
}

ps_t host_copy_memory_time(const struct host *host, const struct host_found *found)
{
    uint64_t rate = host->system.copy_node_bytes_per_s, bytes = found->bytes[HOST_DRAM];
    return rate > 0 && bytes > 0 ? service_ps(bytes, rate) : 0;
}
