#include "papers/tdm/tdm.h"

/* Runs first: while some are missing, this is called again, and the schedules need not be made. What is
 * beyond the paper does not depend on configurations. */
static void reproduce(struct reproduction *reproduction)
{
    bool is_drawn_too = reproduction_is_first(reproduction) && reproduction_draws(reproduction);
    bool known = tdm_programs(reproduction);
    if (is_drawn_too)
        known = tdm_gap(reproduction) && known;
    if (!known)
        return;
    tdm_tables(reproduction);
    tdm_regular(reproduction);
    if (is_drawn_too)
        tdm_beyond(reproduction);
}

PAPER(tdm, "Compiled Communication for All-optical TDM Networks", "longest", reproduce);
