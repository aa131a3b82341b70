#include "topo/rates.h"

#include <string.h>

#include "base/mem.h"

#define MOST_RATE    UINT64_C(70000000000000) /* as of packet.bandwidth */
#define MOST_LATENCY (100 * PS_PER_S / 1000)  /* as of packet.hop_latency */

static struct topo_by_class *kept;

void by_class_forget(void)
{
    while (kept) {
        struct topo_by_class *next = kept->next;
        free(kept);
        kept = next;
    }
}

static const struct topo_by_class *keep(const struct topo_by_class *by_class)
{
    for (const struct topo_by_class *other = kept; other; other = other->next)
        if (other->type == by_class->type && other->count == by_class->count &&
            memcmp(other->values, by_class->values, sizeof by_class->values) == 0)
            return other;
    struct topo_by_class *copy = mem_alloc(1, sizeof *copy, "rates of links");
    *copy = *by_class;
    copy->next = kept;
    return kept = copy;
}

/* One value of the list; false fills *problem. */
static bool read_value(enum param_type type, const char *text, size_t length, uint64_t *value,
                       struct param_problem *problem)
{
    char *copy = mem_format("%.*s", (int)length, text);
    union param_quantity quantity;
    bool good = param_quantity_read(type, copy, &quantity, problem);
    free(copy);
    if (!good)
        return false;
    if (type == PARAM_TIME) {
        *value = (uint64_t)quantity.time;
        return quantity.time >= 0 && quantity.time <= MOST_LATENCY
                   ? true
                   : param_fail(problem, 0, "a latency from 0 ns to 100 ms is expected here");
    }
    *value = quantity.whole;
    return quantity.whole && quantity.whole <= MOST_RATE
               ? true
               : param_fail(problem, 0, "a rate from 1 B/s to 70 TB/s is expected here");
}

const struct topo_by_class *by_class_read(enum param_type type, const char *text, size_t length,
                                          struct param_problem *problem)
{
    struct topo_by_class by_class = {.type = type};
    for (size_t at = 0;;) {
        size_t span = strcspn(text + at, "+");
        span = at + span < length ? span : length - at;
        if (by_class.count == BY_CLASS_MOST) {
            param_fail(problem, at, "at most %d %s", BY_CLASS_MOST,
                       type == PARAM_TIME ? "latencies" : "rates");
            return NULL;
        }
        if (!read_value(type, text + at, span, &by_class.values[by_class.count++], problem)) {
            problem->at += (uint32_t)at;
            return NULL;
        }
        at += span;
        if (at++ == length)
            return keep(&by_class);
    }
}

void by_class_print(const struct topo_by_class *by_class, char *buffer, size_t size)
{
    char text[64];
    size_t length = 0;
    for (uint32_t i = 0; i < by_class->count; i++) {
        union param_quantity value;
        if (by_class->type == PARAM_TIME)
            value.time = (ps_t)by_class->values[i];
        else
            value.whole = by_class->values[i];
        param_quantity_print(by_class->type, &value, text, sizeof text);
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

uint32_t topo_link_classes(const struct topo *topo)
{
    uint32_t coordinates[TOPO_COORDINATES];
    if (topo->ops->link_class)
        return 1 +
               (topo->ops->link_classes ? topo->ops->link_classes : topo_coordinates(topo, 0, coordinates));
    if (topo->levels)
        return topo->levels;
    return topo->links > 2 * topo->nodes ? 2 : 1;
}

uint64_t topo_of_class(const struct topo *topo, const struct topo_by_class *by_class, uint32_t link)
{
    uint32_t class = topo_link_class(topo, link), last = by_class->count - 1;
    return by_class->values[class < last ? class : last];
}
