#include "reproduce/fmu.h"

#include <stdarg.h>
#include <stdio.h>

#include "reproduce/list.h"

const struct fmu_way fmu_ways[FMU_WAYS] = {
    [FMU_CORRECT] = {.name = "correct", .settings = ""},
    [FMU_SIMPLECOMM] = {.name = "simplecomm", .settings = "compat=simplecomm", .finalize_counts = true},
};

const char *fmu_way_is_closed(const struct fmu_way *way)
{
    if (!*way->settings || reproduction_has_parameter("compat"))
        return NULL;
    return "this version has no parameter 'compat'";
}

void fmu_item(struct reproduction *reproduction, const struct fmu_way *way, double ours, const char *format,
              ...)
{
    char item[160];
    va_list args;
    va_start(args, format);
    vsnprintf(item, sizeof item, format, args);
    va_end(args);
    const char *closed = fmu_way_is_closed(way);
    if (closed)
        reproduction_skip(reproduction, item, way->name, closed);
    else
        reproduction_item(reproduction, item, way->name, ours);
}

const struct run_facts *fmu_run(struct reproduction *reproduction, const struct fmu_way *way,
                                const char *fabric, const char *workload, const char *settings)
{
    char all[320];
    if (fmu_way_is_closed(way))
        return &run_unknown;
    snprintf(all, sizeof all, "%s%s%s", way->settings, *way->settings && *settings ? " " : "", settings);
    return reproduction_run(reproduction, fabric, workload, all);
}

static void reproduce(struct reproduction *reproduction)
{
    fmu_tables(reproduction);
}

const struct paper fmu_paper = {
    .name = "fmu",
    .folder = "fmu",
    .title = "Inter-Node Message Passing Through Optical Reconfigurable Memory Channel",
    .reproduce = reproduce,
};
