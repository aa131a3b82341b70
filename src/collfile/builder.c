#include "collfile/builder.h"

#include "base/mem.h"

void builder_begin(struct collfile_schedule *schedule, uint32_t ranks)
{
    uint64_t chunks = schedule->chunks;
    collfile_schedule_free(schedule);
    schedule->ranks = ranks;
    schedule->chunks = chunks;
    schedule->first_action = mem_alloc((size_t)ranks + 1, sizeof *schedule->first_action, "a schedule");
}

uint32_t builder_message(struct collfile_schedule *schedule, uint32_t from, uint32_t to, uint32_t round)
{
    schedule->messages =
        mem_grow(schedule->messages, &schedule->message_capacity, schedule->message_count + 1, "messages");
    schedule->messages[schedule->message_count] =
        (struct collfile_message){.from = from, .to = to, .round = round, .first_part = schedule->part_count};
    return (uint32_t)schedule->message_count++;
}

void builder_part(struct collfile_schedule *schedule, uint32_t chunk, double volume)
{
    schedule->parts =
        mem_grow(schedule->parts, &schedule->part_capacity, schedule->part_count + 1, "parts of messages");
    schedule->parts[schedule->part_count++] = (struct collfile_part){.chunk = chunk, .volume = volume};
    schedule->messages[schedule->message_count - 1].part_count++;
}

void builder_do(struct collfile_schedule *schedule, enum collfile_action action, uint32_t message)
{
    schedule->actions =
        mem_grow(schedule->actions, &schedule->action_capacity, schedule->action_count + 1, "a schedule");
    schedule->actions[schedule->action_count++] = (struct collfile_do){.action = action, .message = message};
}

void builder_end_rank(struct collfile_schedule *schedule, uint32_t rank)
{
    schedule->first_action[rank + 1] = schedule->action_count;
}
