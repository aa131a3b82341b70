#include "papers/fmu/ways.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const fmu_programs[FMU_PROGRAMS] = {"lu", "cg", "ft", "is"};

struct fmu_way fmu_way_chosen(struct reproduction *reproduction)
{
    struct fmu_way way = {.settings = "", .rate_settings = "", .rate = FMU_RATE_PEAK};
    way.simplecomm = reproduction_chooses(reproduction, "compat", "simplecomm");
    if (reproduction_chooses(reproduction, "rate", "program"))
        way.rate = FMU_RATE_PROGRAM;
    if (reproduction_chooses(reproduction, "rate", "all"))
        way.rate = FMU_RATE_ALL;
    return way;
}

bool fmu_rate_is_fitted(struct reproduction *reproduction)
{
    return fmu_way_chosen(reproduction).rate != FMU_RATE_PEAK;
}

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

double fmu_holds(double known, bool claim)
{
    return isnan(known) ? NAN : claim;
}

const struct run_facts *fmu_run_at_peak(struct reproduction *reproduction, const char *fabric,
                                        const char *workload, const char *first, const char *second)
{
    char all[400];
    snprintf(all, sizeof all, "%s%s%s", first, *first && *second ? " " : "", second);
    return reproduction_run(reproduction, fabric, workload, all);
}
