#include "papers/fmu/ways.h"

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

const char *fmu_npb_text(char buffer[static FMU_WORKLOAD_TEXT], const char *program, char class, int ranks)
{
    snprintf(buffer, FMU_WORKLOAD_TEXT, "npb:%s:class=%c,ranks=%d", program, class, ranks);
    return buffer;
}

const char *fmu_classes(const struct reproduction *reproduction)
{
    return reproduction_is_quick(reproduction) ? "C" : "CD";
}

int fmu_most_ranks(const struct reproduction *reproduction, const char *program)
{
    return reproduction_is_quick(reproduction) && strcmp(program, "lu") == 0 ? 16 : 64;
}

void fmu_figure(struct reproduction *reproduction, const struct fmu_way *way, const struct figure *figure)
{
    struct figure of_way = *figure;
    char id[64], title[128];
    snprintf(id, sizeof id, "%s-%s", figure->id, way->name);
    snprintf(title, sizeof title, "%s (%s)", figure->title, way->name);
    of_way.id = id;
    of_way.title = title;
    reproduction_figure(reproduction, &of_way);
}

const struct run_facts *fmu_run_unfitted(struct reproduction *reproduction, const struct fmu_way *way,
                                         const char *fabric, const char *workload, const char *settings)
{
    char all[400];
    snprintf(all, sizeof all, "%s%s%s", way->settings, *settings ? " " : "", settings);
    return reproduction_run(reproduction, fabric, workload, all);
}
