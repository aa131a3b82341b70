#include "papers/fmu/fmu.h"

static void reproduce(struct reproduction *reproduction)
{
    fmu_conclusions(reproduction);
    fmu_tables(reproduction);
    fmu_characterization(reproduction);
    fmu_messages(reproduction);
    fmu_rings(reproduction);
    fmu_npb(reproduction);
    fmu_fit(reproduction);
    fmu_mapping(reproduction);
    fmu_within(reproduction);
    if (reproduction_is_first(reproduction) && reproduction_draws(reproduction))
        fmu_beyond(reproduction);
}

PAPER(fmu, "Inter-Node Message Passing Through Optical Reconfigurable Memory Channel", "found", reproduce);
