#include "papers/fmu/fmu.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct fmu_way fmu_ways[FMU_WAYS] = {
    [FMU_CORRECT] = {.name = "correct", .settings = ""},
    [FMU_SIMPLECOMM] = {.name = "simplecomm", .settings = "compat=simplecomm", .simplecomm = true},
    [FMU_CORRECT_FITTED] = {.name = "correct-fitted", .settings = "", .fitted = true},
    [FMU_SIMPLECOMM_FITTED] = {.name = "simplecomm-fitted",
                               .settings = "compat=simplecomm",
                               .simplecomm = true,
                               .fitted = true},
};

const char *const fmu_programs[FMU_PROGRAMS] = {"lu", "cg", "ft", "is"};

void fmu_item(struct reproduction *reproduction, const struct fmu_way *way, double ours, const char *format,
              ...)
{
    char item[160];
    va_list args;
    va_start(args, format);
    vsnprintf(item, sizeof item, format, args);
    va_end(args);
    reproduction_item(reproduction, item, way->name, ours);
}

const char *fmu_npb(char buffer[static FMU_WORKLOAD_TEXT], const char *program, char class, int ranks)
{
    snprintf(buffer, FMU_WORKLOAD_TEXT, "npb:%s:class=%c,ranks=%d", program, class, ranks);
    return buffer;
}

int fmu_most_ranks(const struct reproduction *reproduction, const char *program)
{
    return reproduction_is_quick(reproduction) && strcmp(program, "lu") == 0 ? 16 : 64;
}

/* " compute.rate=..." for an NPB workload; "" for others; false while the rate is not known. */
static bool put_rate(struct reproduction *reproduction, const struct fmu_way *way, const char *workload,
                     char *buffer, size_t size)
{
    char program[8] = "";
    *buffer = '\0';
    if (!way->fitted || sscanf(workload, "npb:%7[a-z]:", program) != 1)
        return true;
    const struct fmu_way *fitted = &fmu_ways[way->simplecomm ? FMU_SIMPLECOMM : FMU_CORRECT];
    double rate = fmu_fitted_rate(reproduction, fitted, program);
    snprintf(buffer, size, " compute.rate=%.0fflop/s", rate);
    return !isnan(rate);
}

static const struct run_facts *run_set(struct reproduction *reproduction, const struct fmu_way *way,
                                       const char *fabric, const char *workload, const char *settings)
{
    char rate[64], all[400];
    if (!put_rate(reproduction, way, workload, rate, sizeof rate))
        return &run_unknown;
    snprintf(all, sizeof all, "%s%s%s%s", way->settings, rate, *settings ? " " : "", settings);
    return reproduction_run(reproduction, fabric, workload, all);
}

const struct run_facts *fmu_run(struct reproduction *reproduction, const struct fmu_way *way,
                                const char *fabric, const char *workload)
{
    return run_set(reproduction, way, fabric, workload, "");
}

const struct run_facts *fmu_run_with(struct reproduction *reproduction, const struct fmu_way *way,
                                     const char *fabric, const char *workload, const char *format, ...)
{
    char settings[256];
    va_list args;
    va_start(args, format);
    vsnprintf(settings, sizeof settings, format, args);
    va_end(args);
    return run_set(reproduction, way, fabric, workload, settings);
}

static void reproduce(struct reproduction *reproduction)
{
    fmu_conclusions(reproduction);
    fmu_tables(reproduction);
    fmu_characterization(reproduction);
    fmu_messages(reproduction);
    fmu_rings(reproduction);
    fmu_npb_speedups(reproduction);
    fmu_fit(reproduction);
    fmu_mapping_study(reproduction);
    fmu_within_node(reproduction);
    fmu_beyond(reproduction);
}

PAPER(fmu, "Inter-Node Message Passing Through Optical Reconfigurable Memory Channel", reproduce);
