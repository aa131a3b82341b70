#include "papers/segment/segment.h"

static void reproduce(struct reproduction *reproduction)
{
    segment_items(reproduction);
    if (!reproduction_draws(reproduction))
        return;
    if (reproduction_chooses(reproduction, "used", "granted")) /* no figure depends on it */
        segment_figures(reproduction);
    if (reproduction_is_first(reproduction))
        segment_beyond(reproduction);
}

PAPER(segment, "Segment Switching: A New Switching Strategy for Optical HPC Networks", "by-event", reproduce);
