#include <inttypes.h>

#include "base/diag.h"
#include "base/units.h"
#include "fabric/fmu/fmu.h"

/* Q_data and Q_header of an FMU (FMU paper, section III-D): two rings in one memory, with the same number of
 * entries in the same order. Room is reserved in the order of the writes and freed from the head only: a
 * message that is not read keeps the room of all messages behind it. */

/* "8B blocks for indexing", section VII-B. */
enum { HEADER_ENTRY_BYTES = 8 };

uint64_t fmu_entry_bytes(uint64_t message_bytes)
{
    return message_bytes + HEADER_ENTRY_BYTES;
}

static uint64_t used_bytes(const struct fmu_unit *unit)
{
    return unit->q_data_bytes + unit->q_header_entries * HEADER_ENTRY_BYTES;
}

bool fmu_reserve(struct fmu *fmu, uint32_t index)
{
    struct fmu_transfer *transfer = fmu_transfer_at(fmu, index);
    struct fmu_unit *unit = &fmu->units[transfer->fmu];
    if (fmu_entry_bytes(transfer->bytes) > fmu->config->capacity_bytes - used_bytes(unit))
        return false;
    unit->q_data_bytes += transfer->bytes;
    unit->q_header_entries++;
    struct fmu_statistics *statistics = &fmu->statistics;
    statistics->q_data_in_bytes += transfer->bytes;
    if (unit->q_data_bytes > statistics->peak_q_data_bytes)
        statistics->peak_q_data_bytes = unit->q_data_bytes;
    if (unit->q_header_entries > statistics->peak_q_header_entries)
        statistics->peak_q_header_entries = unit->q_header_entries;

    queue_append(&unit->ring, QUEUE_LINKS(fmu->transfers.records, struct fmu_transfer, next), index);
    return true;
}

void fmu_consume(struct fmu *fmu, uint32_t index)
{
    struct fmu_unit *unit = &fmu->units[fmu_transfer_at(fmu, index)->fmu];
    fmu_transfer_at(fmu, index)->read = true;
    struct queue_links links = QUEUE_LINKS(fmu->transfers.records, struct fmu_transfer, next);
    while (!queue_is_empty(&unit->ring) && fmu_transfer_at(fmu, unit->ring.head)->read) {
        uint32_t head = queue_take(&unit->ring, links);
        const struct fmu_transfer *gone = fmu_transfer_at(fmu, head);
        unit->q_data_bytes -= gone->bytes;
        unit->q_header_entries--;
        fmu->statistics.q_data_out_bytes += gone->bytes;
        pool_give(&fmu->transfers, head);
    }
}

void fmu_explain(const struct fabric *fabric)
{
    const struct fmu *fmu = (const struct fmu *)fabric;
    char used[32], capacity[32], wanted[32];
    for (uint32_t i = 0; i < fmu->unit_count; i++) {
        const struct fmu_unit *unit = &fmu->units[i];
        if (queue_is_empty(&unit->parked) || queue_is_empty(&unit->ring))
            continue;
        const struct fmu_transfer *head = fmu_transfer_at(fmu, unit->ring.head);
        const struct fmu_transfer *waiting =
            fmu_transfer_at(fmu, fmu_access_at(fmu, unit->parked.head)->transfer);
        diag_note(
            "FMU %" PRIu32 " is full: %s of %s are taken, and a write of %s from rank %" PRIu32
            " to rank %" PRIu32 " waits for room; at the head of its rings is a message from rank %" PRIu32
            " to rank %" PRIu32
            " that has not been read; the messages behind it stay until it is (fmu.capacity, fmu.count)",
            i, units_print_size(used_bytes(unit), used, sizeof used),
            units_print_size(fmu->config->capacity_bytes, capacity, sizeof capacity),
            units_print_size(waiting->bytes, wanted, sizeof wanted), waiting->source, waiting->destination,
            head->source, head->destination);
    }
}
