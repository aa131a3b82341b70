#include "reproduce/list.h"

#include "reproduce/reproduce.h"

const struct paper *const papers[] = {&fmu_paper, NULL};
