#ifndef HELIO_COLLFILE_BUILDER_H
#define HELIO_COLLFILE_BUILDER_H

#include "collfile/collfile.h"

/* Builds a schedule: first its messages, then what each rank does, rank by rank. */
void builder_begin(struct collfile_schedule *schedule, uint32_t ranks);

/* A message, and a part of the last message. */
uint32_t builder_message(struct collfile_schedule *schedule, uint32_t from, uint32_t to, uint32_t round);
void builder_part(struct collfile_schedule *schedule, uint32_t chunk, double volume);

/* What a rank does next. builder_end_rank ends its list; ranks come in ascending order. */
void builder_do(struct collfile_schedule *schedule, enum collfile_action action, uint32_t message);
void builder_end_rank(struct collfile_schedule *schedule, uint32_t rank);

#endif
