/* Any bytes as the trace of a PCIe analyzer: read or refused. If it was read, least <= median <= p95 <=
 * p99. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "breakdown/pcie.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void say_nothing(void *self, enum diag_level level, const char *message)
{
    (void)self;
    (void)level;
    (void)message;
}

static void check(const struct pcie_quantity *quantity)
{
    if (!quantity->count
            ? !quantity->absent
            : quantity->least_ps > quantity->median_ps || quantity->median_ps > quantity->p95_ps ||
                  quantity->p95_ps > quantity->p99_ps || quantity->mean_ps < quantity->least_ps) {
        fprintf(stderr, "broken: a quantity's values are out of order\n");
        abort();
    }
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct pcie_reading reading = {.only_direction = size % 2 ? -1 : PCIE_DOWN};
    struct pcie_trace trace;
    struct system_file file;
    if (!size)
        return 0;
    diag_set_sink(say_nothing, NULL);
    FILE *stream = fmemopen((void *)data, size, "r");
    if (!stream || system_init(&file, NULL) != STATUS_OK)
        abort();
    if (pcie_read_stream(stream, "fuzz.csv", &reading, &trace) == STATUS_OK) {
        ask(&trace, &file.system, PCIE_NEXT_TO_NIC);
        ask(&trace, &file.system, PCIE_NEXT_TO_RC);
        pcie_free(&trace);
    }
    system_free(&file);
    fclose(stream);
    return 0;
}
