#include "workload/npb.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"

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

void npb_begin(struct phase *phase, const struct npb *npb)
{
    phase_plain(phase, CALL_INIT);
    phase_compute(phase, (double)npb->start);
}

/* The operations of all interruptions while a rank computes `operations`. They come independently of each
 * other (a Poisson process), and each takes an exponentially distributed time. The sum of many is normally
 * distributed: its variance is twice its mean times the mean of one. */
static double interruptions(struct rng *rng, const struct npb *npb, double operations)
{
    enum { MANY = 1000, SHARES = 12 };
    double every = (double)npb->noise_every, each = (double)npb->noise, count = operations / every, lost = 0;
    if (count <= MANY) {
        for (double at = rng_exponential(rng, every); at < operations; at += rng_exponential(rng, every))
            lost += rng_exponential(rng, each);
        return lost;
    }
    double normal = -SHARES / 2.0; /* nearly: the sum of twelve shares has the variance 1 */
    for (int i = 0; i < SHARES; i++)
        normal += rng_share(rng);
    return each * fmax(count + normal * sqrt(2 * count), 0);
}

/* A burst has a stream of its own, so it is as long whenever it is asked for. */
bool npb_interrupt(const struct npb *npb, uint32_t rank, uint64_t number, const struct phase *phase,
                   bool more)
{
    if (!npb->noise_every || !npb->noise)
        return more;
    for (uint32_t i = 0; i < phase_kept(phase); i++) {
        struct call *call = &phase->calls[i];
        if (call->op != CALL_COMPUTE)
            continue;
        uint64_t burst = hash_add(hash_add(hash_add(npb->noise_seed, rank), number), phase->wanted + i);
        struct rng rng = rng_init(burst, "npb noise");
        call->amount = npb_whole(call->amount + interruptions(&rng, npb, call->amount));
    }
    return more;
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
