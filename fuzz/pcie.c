/* Any bytes as the trace of a PCIe analyzer: read or refused. If it was read, least <= median <= p95 <=
 * p99. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "breakdown/pcie.h"
#include "fuzz/fuzz.h"

static void check(const struct pcie_quantity *quantity)
{
    fuzz_must(quantity->count
                  ? quantity->least_ps <= quantity->median_ps && quantity->median_ps <= quantity->p95_ps &&
                        quantity->p95_ps <= quantity->p99_ps && quantity->least_ps <= quantity->mean_ps
                  : quantity->absent != NULL,
              "a quantity's values are out of order");
}

static void ask(struct pcie_trace *trace, const struct system *system, enum pcie_place place)
{
    struct pcie_answer answer;
    trace->place = place;
    pcie_answer(&(struct pcie_question){.trace = trace, .system = system, .block_bytes = 64}, &answer);
    check(&answer.inj_overhead);
    check(&answer.pcie);
    check(&answer.network);
    check(&answer.rc_to_mem);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    const struct pcie_reading reading = {.only_direction = size % 2 ? -1 : PCIE_DOWN};
    struct pcie_trace trace;
    static struct system_file file; /* open for ever */
    if (!size)
        return false;
    FILE *stream = fmemopen((void *)data, size, "r");
    if (!stream || (!file.config && system_init(&file, NULL) != STATUS_OK))
        abort();
    bool is_read = pcie_read_stream(stream, "fuzz.csv", &reading, &trace) == STATUS_OK;
    if (is_read) {
        ask(&trace, &file.system, PCIE_NEXT_TO_NIC);
        ask(&trace, &file.system, PCIE_NEXT_TO_RC);
        pcie_free(&trace);
    }
    fclose(stream);
    return is_read;
}
