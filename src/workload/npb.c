#include "workload/npb.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const npb_classes[] = {"S", "W", "A", "B", "C", "D", "E", NULL};
const char *const npb_classes_to_d[] = {"S", "W", "A", "B", "C", "D", NULL};

uint32_t npb_ranks(const void *config)
{
    return (uint32_t)((const struct npb *)config)->ranks;
}

bool npb_is_power_of_two(uint64_t ranks)
{
    return ranks && !(ranks & (ranks - 1));
}

int npb_log2(uint64_t power_of_two)
{
    return __builtin_ctzll(power_of_two);
}

double npb_whole(double operations)
{
    return operations < 0x1p62 ? (double)(int64_t)(operations + 0.5) : operations;
}

bool npb_refuse_ranks(const struct npb *npb, const char *name, uint64_t most,
                      bool (*fits)(const struct npb *npb, uint64_t ranks), struct workload_problem *problem)
{
    enum { LISTED = 16 };
    problem->param = "ranks";
    size_t size = sizeof problem->text;
    int length = snprintf(problem->text, size, "%s of class %s does not run on %" PRIu64 " ranks, but on",
                          name, npb_classes[npb->class], npb->ranks);
    uint64_t fitting = 0, last = 0;
    for (uint64_t ranks = 1; ranks <= most; ranks++) {
        if (!fits(npb, ranks))
            continue;
        last = ranks;
        if (fitting++ < LISTED)
            length += snprintf(problem->text + length, size - (size_t)length, "%s %" PRIu64,
                               fitting > 1 ? "," : "", ranks);
    }
    if (fitting > LISTED)
        snprintf(problem->text + length, size - (size_t)length, " ... %" PRIu64, last);
    return false;
}
