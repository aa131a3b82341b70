#include "breakdown/pcie.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"

/* ------------------------------------------------------------------ samples */

struct pcie_samples {
    ps_t *values;
    size_t count, capacity;
};

static void add_sample(struct pcie_samples *samples, ps_t value)
{
    samples->values = mem_grow(samples->values, &samples->capacity, samples->count + 1, "samples");
    samples->values[samples->count++] = value;
}

static ps_t divided(__int128 sum, uint64_t divisor)
{
    return (ps_t)((sum + (__int128)(divisor / 2)) / (__int128)divisor);
}

static ps_t percentile(const struct pcie_samples *samples, unsigned percent)
{
    return samples->values[stats_nearest_rank(samples->count, percent)];
}

/* The quantity of sample / divisor - less_ps. Sorts and frees the samples. Without samples, `absent` is the
 * reason. */
static struct pcie_quantity quantity_of(struct pcie_samples *samples, unsigned divisor, ps_t less_ps,
                                        const char *absent)
{
    struct pcie_quantity quantity = {.count = samples->count, .absent = absent};
    size_t count = samples->count;
    if (count) {
        __int128 sum = 0;
        stats_sort_int64(samples->values, count);
        for (size_t i = 0; i < count; i++)
            sum += samples->values[i];
        __int128 middle = (__int128)samples->values[(count - 1) / 2] + samples->values[count / 2];
        quantity.absent = NULL;
        quantity.mean_ps = divided(sum, count * divisor) - less_ps;
        quantity.median_ps = divided(middle, 2 * divisor) - less_ps;
        quantity.p95_ps = divided(percentile(samples, 95), divisor) - less_ps;
        quantity.p99_ps = divided(percentile(samples, 99), divisor) - less_ps;
        quantity.least_ps = divided(samples->values[0], divisor) - less_ps;
    }
    free(samples->values);
    *samples = (struct pcie_samples){0};
    return quantity;
}

/* ------------------------------------------------------------- acknowledged */

/* TLPs of one direction without an ACK so far, the oldest first. */
struct pcie_outstanding {
    uint32_t packets[PCIE_SEQUENCES];
    uint32_t first, count;
};

static uint32_t *outstanding_at(struct pcie_outstanding *outstanding, uint32_t index)
{
    return &outstanding->packets[(outstanding->first + index) % PCIE_SEQUENCES];
}

static void drop_oldest(struct pcie_outstanding *outstanding, uint32_t count)
{
    outstanding->first = (outstanding->first + count) % PCIE_SEQUENCES;
    outstanding->count -= count;
}

static void push_tlp(struct pcie_outstanding *outstanding, uint32_t packet)
{
    if (outstanding->count == PCIE_SEQUENCES) /* its ACK is not in the trace */
        drop_oldest(outstanding, 1);
    *outstanding_at(outstanding, outstanding->count++) = packet;
}

/* Whether `ack` names this TLP: by packet numbers, or by sequence numbers where the trace has no packet
 * numbers. */
static bool acknowledges(const struct pcie_packet *ack, const struct pcie_packet *tlp)
{
    if (ack->acked_by != PCIE_UNKNOWN)
        return tlp->number == ack->acked_by;
    if (tlp->acked_by != PCIE_UNKNOWN && ack->number != PCIE_UNKNOWN)
        return tlp->acked_by == ack->number;
    return ack->has_sequence && tlp->has_sequence && ack->sequence == tlp->sequence;
}

/* An ACK is for a TLP and for all before it. Only the newest gives a sample, since the others may have
 * waited. Sequence numbers wrap, so the ACK is for the newest TLP of that number. */
static void take_ack(const struct pcie_question *question, struct pcie_outstanding *outstanding,
                     const struct pcie_packet *ack, struct pcie_samples *samples, struct pcie_answer *answer)
{
    for (uint32_t i = outstanding->count; i-- > 0;) {
        const struct pcie_packet *tlp = &question->trace->packets[*outstanding_at(outstanding, i)];
        if (!acknowledges(ack, tlp))
            continue;
        if (ack->type == PCIE_ACK) {
            answer->coalesced += i;
            if (tlp->type == PCIE_MWR && tlp->bytes == question->block_bytes)
                add_sample(samples, ack->at - tlp->at);
        }
        drop_oldest(outstanding, i + 1);
        return;
    }
    answer->unmatched += ack->type == PCIE_ACK;
}

/* PCIe: half the time from a posted write to its ACK, both at the analyzer (section 4.3). The writer is the
 * NIC or the root complex, whichever is beside the analyzer. */
static struct pcie_quantity measure_pcie(const struct pcie_question *question, struct pcie_answer *answer)
{
    const struct pcie_trace *trace = question->trace;
    uint8_t writer = trace->place == PCIE_NEXT_TO_NIC ? PCIE_UP : PCIE_DOWN;
    struct pcie_outstanding *outstanding = mem_alloc(1, sizeof *outstanding, "outstanding packets");
    struct pcie_samples samples = {0};
    uint64_t writes = 0, acks = 0;
    for (size_t i = 0; i < trace->count; i++) {
        const struct pcie_packet *packet = &trace->packets[i];
        if (packet->direction == writer && packet->type <= PCIE_CPLD) {
            push_tlp(outstanding, (uint32_t)i);
            writes += packet->type == PCIE_MWR && packet->bytes == question->block_bytes;
        } else if (packet->direction != writer && (packet->type == PCIE_ACK || packet->type == PCIE_NAK)) {
            answer->naks += packet->type == PCIE_NAK;
            acks++;
            take_ack(question, outstanding, packet, &samples, answer);
        }
    }
    free(outstanding);
    const char *absent = !writes ? "the trace has no 64-byte writes from the analyzer's side of the link"
                         : !acks
                             ? "the trace has no ACKs from the other side: was it filtered to one direction?"
                             : "no ACK names a 64-byte write: sequence or packet numbers are missing";
    return quantity_of(&samples, 2, 0, absent);
}

/* -------------------------------------------------------------- completions */

enum { PAGE_BITS = 12 };

/* Pages with receive buffers. Completions have 64 bytes, so a page with upward writes of other sizes has
 * receive buffers, and the other upward writes are completions. */
struct receive_pages {
    uint64_t *pages;
    size_t count, capacity;
};

static int by_page(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void find_receive_pages(const struct pcie_question *question, struct receive_pages *found)
{
    const struct pcie_trace *trace = question->trace;
    uint64_t last = PCIE_UNKNOWN;
    for (size_t i = 0; i < trace->count; i++) {
        const struct pcie_packet *packet = &trace->packets[i];
        uint64_t page = packet->address >> PAGE_BITS;
        if (packet->direction != PCIE_UP || packet->type != PCIE_MWR || packet->address == PCIE_UNKNOWN ||
            packet->bytes == question->block_bytes || page == last)
            continue;
        found->pages = mem_grow(found->pages, &found->capacity, found->count + 1, "pages of a trace");
        found->pages[found->count++] = last = page;
    }
    if (found->count)
        qsort(found->pages, found->count, sizeof *found->pages, by_page);
}

static bool in_range(const struct pcie_range *range, uint64_t address)
{
    return range->given && address != PCIE_UNKNOWN && address >= range->first && address <= range->last;
}

static bool is_completion(const struct pcie_question *question, const struct receive_pages *receives,
                          const struct pcie_packet *write)
{
    uint64_t page = write->address >> PAGE_BITS;
    if (write->bytes != question->block_bytes)
        return false;
    if (question->completions.given)
        return in_range(&question->completions, write->address);
    if (in_range(&question->receives, write->address))
        return false;
    return write->address == PCIE_UNKNOWN || !receives->count ||
           !bsearch(&page, receives->pages, receives->count, sizeof page, by_page);
}

/* --------------------------------------------------------------- ping, pong */

/* The upward writes between a ping and the next one. */
struct pcie_exchange {
    ps_t ping_at;
    ps_t completed_at; /* first completion, unless a payload is before it */
    ps_t payload_at;   /* last write to a receive buffer */
    ps_t last_at;      /* last completion */
    uint32_t completions, payloads;
};

struct pcie_pings {
    struct pcie_samples network, inj_overhead;
    struct pcie_samples pong_to_ping; /* from the payload's write */
    /* Of exchanges without a payload that have two completions: from the last one, and the network. */
    struct pcie_samples completion_to_ping, inline_network;
    uint64_t count;
};

static void end_exchange(struct pcie_pings *pings, const struct pcie_exchange *exchange, ps_t next_ping_at)
{
    if (exchange->payloads) {
        if (exchange->completed_at)
            add_sample(&pings->network, exchange->completed_at - exchange->ping_at);
        add_sample(&pings->pong_to_ping, next_ping_at - exchange->payload_at);
    } else if (exchange->completions >= 2) {
        add_sample(&pings->inline_network, exchange->completed_at - exchange->ping_at);
        add_sample(&pings->completion_to_ping, next_ping_at - exchange->last_at);
    }
}

static void take_up(const struct pcie_packet *write, bool completion, struct pcie_exchange *exchange)
{
    if (completion) {
        exchange->last_at = write->at;
        if (!exchange->payloads && !exchange->completions)
            exchange->completed_at = write->at;
        exchange->completions++;
    } else {
        exchange->payload_at = write->at;
        exchange->payloads++;
    }
}

static void follow_pings(const struct pcie_question *question, struct pcie_pings *pings)
{
    const struct pcie_trace *trace = question->trace;
    struct receive_pages receives = {0};
    struct pcie_exchange exchange = {0};
    find_receive_pages(question, &receives);
    for (size_t i = 0; i < trace->count; i++) {
        const struct pcie_packet *packet = &trace->packets[i];
        if (packet->type != PCIE_MWR)
            continue;
        if (packet->direction == PCIE_UP) {
            take_up(packet, is_completion(question, &receives, packet), &exchange);
        } else if (packet->bytes == question->block_bytes) {
            if (pings->count++) {
                add_sample(&pings->inj_overhead, packet->at - exchange.ping_at);
                end_exchange(pings, &exchange, packet->at);
            }
            exchange = (struct pcie_exchange){.ping_at = packet->at};
        }
    }
    free(receives.pages);
}

static void swap_samples(struct pcie_samples *a, struct pcie_samples *b)
{
    struct pcie_samples kept = *a;
    *a = *b;
    *b = kept;
}

void pcie_answer(const struct pcie_question *question, struct pcie_answer *answer)
{
    const struct system *system = question->system;
    bool next_to_nic = question->trace->place == PCIE_NEXT_TO_NIC;
    bool streams = strcmp(question->trace->test, "put_bw") == 0,
         bounces = strcmp(question->trace->test, "am_lat") == 0;
    struct pcie_pings pings = {.count = 0};
    *answer = (struct pcie_answer){0};
    answer->pcie = measure_pcie(question, answer);
    follow_pings(question, &pings);
    /* In a ping-pong most pings have both; in a stream two completions may meet by chance. */
    answer->pong_is_completion =
        !pings.pong_to_ping.count && pings.completion_to_ping.count > pings.count / 2;
    if (answer->pong_is_completion) {
        swap_samples(&pings.network, &pings.inline_network);
        swap_samples(&pings.pong_to_ping, &pings.completion_to_ping);
    }
    if (streams)
        pings.network.count = pings.pong_to_ping.count = 0;
    if (bounces)
        pings.inj_overhead.count = 0;
    ps_t software = system->times[TIME_LLP_PROG].time_ps + question->loop_extra_ps;
    for (enum system_time time = TIME_MD_SETUP; time <= TIME_LLP_POST_MISC; time++)
        software += system->times[time].time_ps;
    const char *needs_pcie = "it takes PCIe, which the trace does not give";
    if (!answer->pcie.count && next_to_nic)
        pings.pong_to_ping.count = 0;
    if (!answer->pcie.count && !next_to_nic)
        pings.network.count = 0;
    answer->inj_overhead =
        quantity_of(&pings.inj_overhead, 1, 0,
                    bounces ? "the trace is of am_lat: the time between pings is a round trip"
                            : "the trace has no two 64-byte writes to the NIC");
    const char *no_pongs = streams ? "the trace is of put_bw; it takes a ping-pong test, am_lat"
                           : !pings.count
                               ? "the trace has no 64-byte writes to the NIC"
                               : "no completion and pong between pings: one direction only, completions "
                                 "not signalled, or not told from pongs (--cq, --rx)";
    answer->network = quantity_of(&pings.network, 2, next_to_nic ? 0 : answer->pcie.mean_ps,
                                  !next_to_nic && !answer->pcie.count ? needs_pcie : no_pongs);
    answer->rc_to_mem =
        quantity_of(&pings.pong_to_ping, 1, software + (next_to_nic ? 2 * answer->pcie.mean_ps : 0),
                    next_to_nic && !answer->pcie.count ? needs_pcie : no_pongs);
    free(pings.inline_network.values);
    free(pings.completion_to_ping.values);
}

bool pcie_switch(const struct pcie_quantity *with, const struct pcie_quantity *without, ps_t *mean_ps,
                 ps_t *median_ps)
{
    *mean_ps = with->mean_ps - without->mean_ps;
    *median_ps = with->median_ps - without->median_ps;
    return with->count && without->count;
}
