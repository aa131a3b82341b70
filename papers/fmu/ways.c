#include "papers/fmu/ways.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const fmu_programs[FMU_PROGRAMS] = {"lu", "cg", "ft", "is"};

struct fmu_way fmu_way_chosen(struct reproduction *reproduction)
{
    struct fmu_way way = {.settings = "", .rate_settings = "", .rate = FMU_RATE_PEAK};
    way.simplecomm = reproduction_chooses(reproduction, "compat", "simplecomm");
    if (reproduction_chooses(reproduction, "rate", "program"))
        way.rate = FMU_RATE_PROGRAM;
    if (reproduction_chooses(reproduction, "rate", "all"))
        way.rate = FMU_RATE_ALL;
    if (reproduction_chooses(reproduction, "rate", "is"))
        way.rate = FMU_RATE_IS;
    if (reproduction_chooses(reproduction, "rate", "machine"))
        way.rate = FMU_RATE_MACHINE;
    return way;
}

bool fmu_rates_are_of_programs(struct reproduction *reproduction)
{
    return fmu_way_chosen(reproduction).rate == FMU_RATE_PROGRAM;
}

const char *fmu_npb_text(char buffer[static FMU_WORKLOAD_TEXT], const char *program, char class, int ranks)
{
    snprintf(buffer, FMU_WORKLOAD_TEXT, "npb:%s:class=%c,ranks=%d", program, class, ranks);
    return buffer;
}

bool fmu_programs_are_recorded(struct reproduction *reproduction)
{
    return reproduction_chooses(reproduction, "programs", "recorded");
}

const char *fmu_classes(struct reproduction *reproduction)
{
    return reproduction_is_quick(reproduction) || fmu_programs_are_recorded(reproduction) ? "C" : "CD";
}

double fmu_holds(double known, bool claim)
{
    return isnan(known) ? NAN : claim;
}

bool fmu_is_npb(const char *workload, struct fmu_npb *npb)
{
    return sscanf(workload, "npb:%7[a-z]:class=%c,ranks=%d", npb->program, &npb->class, &npb->ranks) == 3;
}

/* A program whose iterations are alike: how many it has, and two numbers from which the others follow. */
struct fmu_repetition {
    int fewer, more, iterations;
    int text; /* length of the program's text without its iterations */
};

enum { FEWER = 5, MORE = 10 };

static bool is_lu(const char *workload, struct fmu_repetition *repetition)
{
    enum { ITERATIONS_C = 250, ITERATIONS_D = 300 };
    struct fmu_npb npb;
    if (!fmu_is_npb(workload, &npb) || strcmp(npb.program, "lu") != 0)
        return false;
    *repetition = (struct fmu_repetition){.fewer = FEWER,
                                          .more = MORE,
                                          .iterations = npb.class == 'C' ? ITERATIONS_C : ITERATIONS_D,
                                          .text = (int)strlen(workload)};
    return true;
}

static bool is_ring(const char *workload, struct fmu_repetition *repetition)
{
    static const char ring[] = "fmu-", iterations[] = ",iterations=";
    const char *at = strstr(workload, iterations);
    if (strncmp(workload, ring, strlen(ring)) != 0 || !at)
        return false;
    *repetition = (struct fmu_repetition){.fewer = FEWER,
                                          .more = MORE,
                                          .iterations = atoi(at + strlen(iterations)),
                                          .text = (int)(at - workload)};
    return repetition->iterations > MORE;
}

/* The rings of our model repeat themselves to the picosecond. As SimpleComm computes them they do not: how
 * many accesses share a switch, and so the waiting time, changes from one iteration to another. */
static bool is_repeated(struct reproduction *reproduction, const char *workload, const char *settings,
                        struct fmu_repetition *repetition)
{
    static const char simplecomm[] = "simplecomm";
    bool is_ours = !reproduction_chooses(reproduction, "compat", simplecomm) && !strstr(settings, simplecomm);
    return is_lu(workload, repetition) || (is_ours && is_ring(workload, repetition));
}

const struct run_facts *fmu_run_generated(struct reproduction *reproduction, const char *fabric,
                                          const char *workload, const char *settings)
{
    struct fmu_repetition part;
    if (!reproduction_is_quick(reproduction) || !is_repeated(reproduction, workload, settings, &part))
        return reproduction_run(reproduction, fabric, workload, settings);
    char fewer[FMU_LONGEST_WORKLOAD], more[FMU_LONGEST_WORKLOAD];
    snprintf(fewer, sizeof fewer, "%.*s,iterations=%d", part.text, workload, part.fewer);
    snprintf(more, sizeof more, "%.*s,iterations=%d", part.text, workload, part.more);
    return reproduction_run_longer(reproduction, fabric, fewer, more,
                                   (double)(part.iterations - part.more) / (part.more - part.fewer),
                                   settings);
}

/* Writes "trace:recordings/cg.C.16.tar.zst"; false: there is no such recording. */
static bool put_recording(char *buffer, size_t size, const char *program, int ranks)
{
    static const char *const ends[] = {".tar.zst", ""};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(buffer, size, "trace:recordings/%s.C.%d%s", program, ranks, ends[i]);
        if (access(buffer + strlen("trace:"), R_OK) == 0)
            return true;
    }
    return false;
}

const struct run_facts *fmu_run_at_peak(struct reproduction *reproduction, const char *fabric,
                                        const char *workload, const char *first, const char *second)
{
    char all[400], recording[96];
    struct fmu_npb npb;
    snprintf(all, sizeof all, "%s%s%s", first, *first && *second ? " " : "", second);
    if (!fmu_programs_are_recorded(reproduction) || !fmu_is_npb(workload, &npb))
        return fmu_run_generated(reproduction, fabric, workload, all);
    if (npb.class != 'C')
        return reproduction_run_missing(reproduction, "only class C is recorded");
    if (!put_recording(recording, sizeof recording, npb.program, npb.ranks))
        return reproduction_run_missing(reproduction,
                                        "needs a folder recordings of NPB programs (docs/reproduce-fmu.md)");
    return reproduction_run(reproduction, fabric, recording, all);
}
