#include "reproduce/list.h"

#include "reproduce/reproduce.h"

const struct paper *const papers[] = {&alltoall_paper, &breakdown_paper, &fmu_paper,
                                      &segment_paper,  &tdm_paper,       NULL};
