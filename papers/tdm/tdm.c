#include "papers/tdm/tdm.h"

/* Runs first: while some are missing, this is called again, and the schedules need not be made. */
static void reproduce(struct reproduction *reproduction)
{
    if (!tdm_programs(reproduction))
        return;
    tdm_tables(reproduction);
    tdm_beyond(reproduction);
}

PAPER(tdm, "Compiled Communication for All-optical TDM Networks", reproduce);
