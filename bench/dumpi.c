/* The time of a DUMPI trace: to read its records and compile them, in memory.
 *
 *   bench_dumpi [ROUNDS]       200,000 rounds of six messages, the best of five */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "support/dumpi.h"
#include "trace/compile.h"
#include "trace/dumpi/dumpi.h"
#include "trace/input.h"

enum { WORLD = 2, DOUBLE = 14, NEIGHBOURS = 3 };

/* A rank exchanges blocks with its neighbours, all of which it is itself, and reduces every fourth time. Its
 * computations differ. */
static uint64_t write_rank(struct dumpi_text *text, unsigned rounds)
{
    static const int requests[] = {2, 3, 4, 10, 11, 12};
    uint64_t random = 1, records = 0;
    dumpi_text_begin(text);
    dumpi_text_put(text, DUMPI_INIT);
    for (unsigned round = 0; round < rounds; round++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        text->gap_ns = 1000 + (random >> 50);
        for (int i = 0; i < NEIGHBOURS; i++) {
            dumpi_text_put(text, DUMPI_IRECV, 100, DOUBLE, 0, i, WORLD, 2 + i);
            dumpi_text_put(text, DUMPI_ISEND, 100, DOUBLE, 0, i, WORLD, 10 + i);
        }
        dumpi_text_put(text, DUMPI_WAITALL, 6, 6, requests, 0, (const int *)NULL);
        if (round % 4 == 0)
            dumpi_text_put(text, DUMPI_ALLREDUCE, 1, DOUBLE, 3, WORLD);
    }
    dumpi_text_put(text, DUMPI_FINALIZE);
    for (int i = 0; i < DUMPI_FUNCTIONS; i++)
        records += text->calls[i];
    dumpi_text_end(text);
    return records;
}

/* Seconds of processor time; negative: it could not be compiled. */
static double compile(const struct dumpi_text *text)
{
    struct trace_input input;
    const char *bytes = (const char *)text->bytes;
    int error;
    FILE *out = fopen("/dev/shm/bench-dumpi", "w+b");
    if (!out)
        return -1;
    remove("/dev/shm/bench-dumpi");
    dumpi_input_of_bytes(&input, "bench", &bytes, &text->count, 1);
    clock_t start = clock();
    enum status status = trace_compile(&input, out, &error);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    trace_input_close(&input);
    fclose(out);
    return status == STATUS_OK ? seconds : -1;
}

int main(int argc, char **argv)
{
    struct dumpi_text text;
    uint64_t records = write_rank(&text, argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 200000);
    double least = compile(&text);
    for (int round = 1; least > 0 && round < 5; round++) {
        double seconds = compile(&text);
        least = seconds < least ? seconds : least;
    }
    if (least > 0)
        printf("%.0f records of %.1f bytes: %.1f ns each, %.1f M/s\n", (double)records,
               (double)text.count / (double)records, least * 1e9 / (double)records,
               (double)records / least / 1e6);
    dumpi_text_free(&text);
    return least > 0 ? STATUS_OK : STATUS_FAILED;
}
