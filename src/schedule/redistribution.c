#include "base/mem.h"
#include "schedule/pattern.h"

/* Along one dimension: whether processor a of the first distribution holds an element that processor b of the
 * second one gets, at [a * to + b]. The caller frees it. */
static unsigned char *meetings(uint32_t elements, uint32_t from, uint32_t from_block, uint32_t to,
                               uint32_t to_block)
{
    unsigned char *meets = mem_alloc((size_t)from * to, 1, "a redistribution");
    for (uint32_t element = 0; element < elements; element++)
        meets[element / from_block % from * to + element / to_block % to] = 1;
    return meets;
}

/* Two processors exchange elements if they do so along every dimension. */
static void meet(unsigned char *const meets[3], const struct tdm_distribution *from,
                 const struct tdm_distribution *to, const uint32_t number[2], struct tdm_pattern *pattern)
{
    uint32_t source = number[0], destination = number[1];
    for (int d = 2; d >= 0; d--) {
        uint32_t a = source % from->processors[d], b = destination % to->processors[d];
        if (!meets[d][a * to->processors[d] + b])
            return;
        source /= from->processors[d];
        destination /= to->processors[d];
    }
    tdm_pattern_add(pattern, number[0], number[1]);
}

void tdm_pattern_redistribute(const uint32_t elements[3], const struct tdm_distribution *from,
                              const struct tdm_distribution *to, struct tdm_pattern *pattern)
{
    unsigned char *meets[3];
    uint32_t sources = 1, destinations = 1;
    for (int d = 0; d < 3; d++) {
        meets[d] =
            meetings(elements[d], from->processors[d], from->block[d], to->processors[d], to->block[d]);
        sources *= from->processors[d];
        destinations *= to->processors[d];
    }
    for (uint32_t source = 0; source < sources; source++)
        for (uint32_t destination = 0; destination < destinations; destination++)
            if (source != destination)
                meet(meets, from, to, (const uint32_t[2]){source, destination}, pattern);
    for (int d = 0; d < 3; d++)
        free(meets[d]);
}
