#include "papers/segment/segment.h"

static void reproduce(struct reproduction *reproduction)
{
    segment_items(reproduction);
    segment_figures(reproduction);
    segment_beyond(reproduction);
}

PAPER(segment, "Segment Switching: A New Switching Strategy for Optical HPC Networks", reproduce);
