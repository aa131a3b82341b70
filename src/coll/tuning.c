#include "coll/tuning.h"

#include "coll/blocks.h"
#include "coll/steps.h"

static uint64_t measured_bytes(enum coll_tuning_measure measure, const struct coll_call *call)
{
    if (measure == COLL_TUNING_BYTES)
        return call->bytes;
    bool known = call->kind == COLL_ALLGATHERV || call->kind == COLL_REDUCE_SCATTER;
    struct blocks blocks = blocks_given(call->size, known ? call->recv_bytes : NULL, call->bytes, true);
    uint64_t total = blocks_bytes(&blocks, 0, call->size);
    return measure == COLL_TUNING_MEAN ? total / call->size : total;
}

static bool holds(enum coll_tuning_condition condition, const struct coll_call *call)
{
    uint64_t elements = call->bytes / call->element;
    uint32_t power = UINT32_C(1) << log2_floor(call->size);
    switch (condition) {
    case COLL_TUNING_ALWAYS:
        return true;
    case COLL_TUNING_POWER_OF_TWO:
        return call->size == power;
    case COLL_TUNING_NO_POWER_OF_TWO:
        return call->size != power;
    case COLL_TUNING_ELEMENTS_BELOW_RANKS:
        return elements < call->size;
    case COLL_TUNING_ELEMENTS_BELOW_POWER:
        return elements < power;
    }
    return false;
}

static bool fits(const struct coll_tuning_row *row, const struct coll_call *call, uint64_t bytes)
{
    return (row->ranks_below == COLL_TUNING_ANY_RANKS || call->size < row->ranks_below) &&
           (row->bytes_below == COLL_TUNING_ANY_BYTES || bytes < row->bytes_below) && holds(row->only, call);
}

const struct coll_tuning_kind *coll_tuning_kind(const struct coll_tuning *tuning,
                                                const struct coll_call *call)
{
    bool is_block = call->kind == COLL_REDUCE_SCATTER && !call->recv_bytes;
    return is_block ? &tuning->reduce_scatter_block : &tuning->kinds[call->kind];
}

const struct coll_algorithm *coll_tuned(const struct coll_tuning *tuning, const struct coll_call *call)
{
    const struct coll_tuning_kind *kind = coll_tuning_kind(tuning, call);
    uint64_t bytes = kind->count > 1 ? measured_bytes(kind->measure, call) : 0;
    const struct coll_tuning_row *row = kind->rows;
    while (!fits(row, call, bytes))
        row++;
    const struct coll_algorithm *algorithm = row->algorithm;
    for (size_t i = 0; i < kind->exception_count; i++)
        if (kind->exceptions[i].from == algorithm && holds(kind->exceptions[i].condition, call))
            return kind->exceptions[i].to;
    return algorithm;
}
