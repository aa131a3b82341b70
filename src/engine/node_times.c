#include "engine/node_times.h"

#include <string.h>

#include "base/units.h"

/* A size or a time, with blanks around it, of `length` bytes from `at` on. */
static bool take(const char *text, size_t at, size_t length, char word[64], size_t *word_at)
{
    while (length > 0 && text[at] == ' ')
        at++, length--;
    while (length > 0 && text[at + length - 1] == ' ')
        length--;
    *word_at = at;
    if (length >= 64)
        return false;
    memcpy(word, text + at, length);
    word[length] = '\0';
    return true;
}

/* "4KiB:2139ns" */
static bool read_point(const char *text, size_t at, size_t length, struct node_times *times,
                       struct param_problem *problem)
{
    struct units_problem wrong = {.at = 0};
    const char *colon = memchr(text + at, ':', length);
    const size_t size = colon ? (size_t)(colon - text) - at : length;
    const uint32_t i = times->count;
    char word[64];
    size_t word_at;
    if (i == NODE_TIMES)
        return param_fail(problem, at, "there are more than %d sizes", NODE_TIMES);
    if (!colon || !take(text, at, size, word, &word_at))
        return param_fail(problem, at, "a size and its time are expected here, such as 4KiB:2139ns");
    if (!units_size(word, &times->bytes[i], &wrong))
        return param_fail(problem, word_at + wrong.at, "%s", wrong.text);
    if (i > 0 && times->bytes[i] <= times->bytes[i - 1])
        return param_fail(problem, word_at, "sizes must rise, and %s is not above the one before it", word);
    if (!take(text, at + size + 1, length - size - 1, word, &word_at))
        return param_fail(problem, at + size + 1, "this is too long for a time such as 2139ns");
    if (!units_time(word, &times->time_ps[i], &wrong))
        return param_fail(problem, word_at + wrong.at, "%s", wrong.text);
    if (times->time_ps[i] < times->time_ps[0])
        return param_fail(problem, word_at,
                          "no message is faster than the smallest one, and %s is below its time", word);
    times->count++;
    return true;
}

bool node_times_parse(const struct param *self, const char *text, void *field, struct param_problem *problem)
{
    struct node_times times = {.count = 0};
    (void)self;
    for (size_t at = 0;;) {
        size_t length = strcspn(text + at, ",");
        if (!read_point(text, at, length, &times, problem))
            return false;
        if (!text[at + length])
            break;
        at += length + 1;
    }
    *(struct node_times *)field = times;
    return true;
}

ps_t node_times_of(const struct node_times *times, uint64_t bytes)
{
    uint32_t to = 0;
    while (to < times->count && times->bytes[to] < bytes)
        to++;
    if (to == 0)
        return times->time_ps[0];
    if (to == times->count)
        to--;
    if (to == 0)
        return times->time_ps[0];
    const uint64_t across = times->bytes[to] - times->bytes[to - 1], along = bytes - times->bytes[to - 1];
    const __int128 rise = times->time_ps[to] - times->time_ps[to - 1];
    const __int128 half = rise < 0 ? -(__int128)(across / 2) : (__int128)(across / 2);
    const __int128 time = times->time_ps[to - 1] + (rise * along + half) / across;
    return time > INT64_MAX           ? INT64_MAX
           : time < times->time_ps[0] ? times->time_ps[0] /* behind the last point */
                                      : (ps_t)time;
}
