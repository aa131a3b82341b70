#include <math.h>

#include "cost/cost.h"

static const double bits_per_byte = 8, pico = 1e-12, giga = 1e9;

const char *cost_part_counted(enum cost_part part, uint64_t count)
{
    static const char *const singular[] = {
        [COST_NICS] = "NIC",
        [COST_SWITCHES] = "packet switch",
        [COST_OPTICAL_SWITCHES] = "optical switch",
        [COST_COPPER] = "copper cable",
        [COST_FIBER] = "fiber",
        [COST_TRANSCEIVERS] = "transceiver",
        [COST_MEMORIES] = "memory unit",
    };
    return count == 1 ? singular[part] : cost_part_name(part);
}

const char *cost_part_name(enum cost_part part)
{
    static const char *const names[] = {
        [COST_NICS] = "NICs",
        [COST_SWITCHES] = "packet switches",
        [COST_OPTICAL_SWITCHES] = "optical switches",
        [COST_COPPER] = "copper cables",
        [COST_FIBER] = "fibers",
        [COST_TRANSCEIVERS] = "transceivers",
        [COST_MEMORIES] = "memory units",
    };
    return names[part];
}

bool cost_has_price(const struct cost_config *prices, enum cost_part part)
{
    switch (part) {
    case COST_NICS:
        return prices->nic > 0 || prices->nic_per_gbps > 0;
    case COST_SWITCHES:
        return prices->switch_port > 0;
    case COST_OPTICAL_SWITCHES:
        return prices->optical_port > 0 || prices->optical_chassis > 0;
    case COST_COPPER:
        return prices->copper > 0 || prices->copper_metre > 0;
    case COST_FIBER:
        return prices->fiber_metre > 0;
    case COST_TRANSCEIVERS:
        return prices->transceiver > 0;
    case COST_MEMORIES:
        return prices->memory > 0;
    case COST_PARTS:
        break;
    }
    return false;
}

static void price(struct cost_line lines[COST_PARTS], const struct cost_config *prices)
{
    struct cost_line *line = &lines[COST_NICS];
    double per_port_gbps =
        prices->switch_port / ((double)prices->switch_rate_bytes_per_s * bits_per_byte / giga);
    line->money = prices->nic > 0 ? prices->nic * (double)line->count : prices->nic_per_gbps * line->gbps;
    line->watts = prices->nic_watts > 0 ? prices->nic_watts * (double)line->count
                                        : prices->nic_pj_per_bit * pico * giga * line->gbps;
    line = &lines[COST_SWITCHES];
    line->money = prices->switch_chassis * (double)line->count + per_port_gbps * line->gbps;
    line->watts = prices->switch_pj_per_bit * pico * giga * line->gbps;
    line = &lines[COST_OPTICAL_SWITCHES];
    line->money = prices->optical_chassis * (double)line->count + prices->optical_port * (double)line->ports;
    line->watts = prices->optical_port_watts * (double)line->ports;
    line = &lines[COST_COPPER];
    line->money = prices->copper * line->gbps + prices->copper_metre * line->gbps_metres;
    line = &lines[COST_FIBER];
    line->money = prices->fiber_metre * line->metres;
    line = &lines[COST_TRANSCEIVERS];
    line->money = prices->transceiver * line->gbps;
    line->watts = prices->transceiver_pj_per_bit * pico * giga * line->gbps;
    line = &lines[COST_MEMORIES];
    line->money = prices->memory * (double)line->count;
    line->watts = prices->memory_watts * (double)line->count;
}

void cost_of(const struct hardware *hardware, const struct cost_config *prices, struct cost_bill *bill)
{
    cost_count(hardware, prices, bill);
    price(bill->lines, prices);
    for (enum cost_part part = 0; part < COST_PARTS; part++) {
        bill->money += bill->lines[part].money;
        bill->watts += bill->lines[part].watts;
    }
}

/* What one amount takes; an amount that is not known matters only if it has a price. */
static double taken(double amount, double each)
{
    return each == 0 ? 0 : amount < 0 ? -1 : amount * each;
}

struct cost_energy cost_energy(const struct cost_bill *bill, const struct cost_config *prices, double seconds,
                               double bytes, const struct hardware_use *use)
{
    double switched = taken(use->switched_bytes, prices->switched_pj_per_bit * pico * bits_per_byte);
    double converted = taken(2 * bytes, prices->converted_pj_per_bit * pico * bits_per_byte);
    return (struct cost_energy){.standing = bill->watts * seconds,
                                .moving = switched < 0 ? -1 : switched + converted,
                                .switching = taken(use->setups, prices->setup_joules)};
}

double cost_energy_total(const struct cost_energy *energy)
{
    if (energy->moving < 0 || energy->switching < 0)
        return -1;
    return energy->standing + energy->moving + energy->switching;
}

static bool beats(const struct cost_point *a, const struct cost_point *b)
{
    return a->money <= b->money && a->seconds <= b->seconds &&
           (a->money < b->money || a->seconds < b->seconds);
}

void cost_find_front(struct cost_point *points, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        points[i].is_front = true;
        for (size_t k = 0; k < count; k++)
            points[i].is_front = points[i].is_front && !beats(&points[k], &points[i]);
    }
}
