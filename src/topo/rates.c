#include "topo/rates.h"

#include <string.h>

#include "base/mem.h"

#define MOST_RATE UINT64_C(70000000000000) /* as of packet.bandwidth */

static struct topo_rates *kept;

void rates_forget(void)
{
    while (kept) {
        struct topo_rates *next = kept->next;
        free(kept);
        kept = next;
    }
}

static const struct topo_rates *keep(const struct topo_rates *rates)
{
    for (const struct topo_rates *other = kept; other; other = other->next)
        if (other->count == rates->count &&
            memcmp(other->rate_bytes_per_s, rates->rate_bytes_per_s, sizeof rates->rate_bytes_per_s) == 0)
            return other;
    struct topo_rates *copy = mem_alloc(1, sizeof *copy, "rates of links");
    *copy = *rates;
    copy->next = kept;
    return kept = copy;
}

/* One rate of the list; false fills *problem. */
static bool read_rate(const char *text, size_t length, uint64_t *rate, struct param_problem *problem)
{
    char *copy = mem_format("%.*s", (int)length, text);
    union param_quantity value;
    bool good = param_quantity_read(PARAM_RATE, copy, &value, problem);
    free(copy);
    if (!good)
        return false;
    *rate = value.whole;
    if (value.whole && value.whole <= MOST_RATE)
        return true;
    return param_fail(problem, 0, "a rate from 1 B/s to 70 TB/s is expected here");
}

const struct topo_rates *rates_read(const char *text, size_t length, struct param_problem *problem)
{
    struct topo_rates rates = {.count = 0};
    for (size_t at = 0;;) {
        size_t span = strcspn(text + at, "+");
        span = at + span < length ? span : length - at;
        if (rates.count == RATES_MOST) {
            param_fail(problem, at, "at most %d rates", RATES_MOST);
            return NULL;
        }
        if (!read_rate(text + at, span, &rates.rate_bytes_per_s[rates.count++], problem)) {
            problem->at += (uint32_t)at;
            return NULL;
        }
        at += span;
        if (at++ == length)
            return keep(&rates);
    }
}

void rates_print(const struct topo_rates *rates, char *buffer, size_t size)
{
    char text[64];
    size_t length = 0;
    for (uint32_t i = 0; i < rates->count; i++) {
        const union param_quantity rate = {.whole = rates->rate_bytes_per_s[i]};
        param_quantity_print(PARAM_RATE, &rate, text, sizeof text);
        if (i && length + 1 < size)
            buffer[length++] = '+';
        for (const char *at = text; *at && length + 1 < size; at++)
            if (*at != ' ')
                buffer[length++] = *at;
    }
    buffer[length] = '\0';
}

/* ------------------------------------------------------------------ classes */

uint32_t rates_class_by_dimension(const struct topo *topo, uint32_t link)
{
    uint32_t from[TOPO_COORDINATES], to[TOPO_COORDINATES], d = 0;
    struct topo_hop hop = topo->ops->ends(topo, link);
    uint32_t count = topo_coordinates(topo, hop.from, from);
    topo_coordinates(topo, hop.to, to);
    while (d + 1 < count && from[d] == to[d])
        d++;
    return d + 1;
}

uint32_t topo_link_class(const struct topo *topo, uint32_t link)
{
    if (!topo_is_network(topo, link))
        return 0;
    if (topo->ops->link_class)
        return topo->ops->link_class(topo, link);
    if (!topo->levels)
        return 1;
    struct topo_hop hop = topo->ops->ends(topo, link);
    uint32_t a = topo_level(topo, hop.from), b = topo_level(topo, hop.to);
    return (a < b ? a : b) + 1;
}

uint64_t topo_class_rate(const struct topo *topo, uint32_t link)
{
    uint32_t class = topo_link_class(topo, link), last = topo->rates->count - 1;
    return topo->rates->rate_bytes_per_s[class < last ? class : last];
}
