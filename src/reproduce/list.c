#include "reproduce/list.h"

#include "reproduce/reproduce.h"

const struct paper *const papers[] = {&breakdown_paper, &fmu_paper, &segment_paper, &tdm_paper, NULL};
