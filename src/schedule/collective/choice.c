#include "schedule/collective/choice.h"

#include "base/mem.h"

static ps_t time_of(const struct collective_space *space, uint32_t step, uint32_t configuration)
{
    return space->times_ps[(size_t)step * space->count + configuration];
}

struct collective_way collective_kept(const struct collective_space *space)
{
    struct collective_way way = {.time_ps = PS_NEVER};
    for (uint32_t start = 0; start < space->starts; start++) {
        ps_t time_ps = 0;
        for (uint32_t step = 0; step < space->steps; step++)
            time_ps = ps_add(time_ps, time_of(space, step, start));
        way.time_ps = time_ps < way.time_ps ? time_ps : way.time_ps;
    }
    return way;
}

struct collective_way collective_every(const struct collective_space *space, ps_t switching_ps)
{
    struct collective_way way = {0, 0};
    uint32_t up = space->own[0] < space->starts ? space->own[0] : 0;
    for (uint32_t step = 0; step < space->steps; step++) {
        way.changes += space->own[step] != up;
        up = space->own[step];
        way.time_ps = ps_add(way.time_ps, time_of(space, step, up));
    }
    way.time_ps = ps_add(way.time_ps, ps_times(switching_ps, way.changes));
    return way;
}

/* A way to have a configuration up after a step. */
struct reached {
    ps_t time_ps;
    uint32_t changes;
};

static bool is_before(struct reached a, struct reached b)
{
    return a.time_ps != b.time_ps ? a.time_ps < b.time_ps : a.changes < b.changes;
}

static uint32_t first_of(const struct reached *reached, uint32_t count)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < count; i++)
        if (is_before(reached[i], reached[first]))
            first = i;
    return first;
}

/* from[step][i]: the configuration that was up before the step, where i is up in it. */
static void advance(const struct collective_space *space, ps_t switching_ps, uint32_t step,
                    struct reached *reached, uint32_t *from)
{
    uint32_t first = first_of(reached, space->count);
    struct reached changed = {ps_add(reached[first].time_ps, switching_ps), reached[first].changes + 1};
    for (uint32_t i = 0; i < space->count; i++) {
        from[i] = i;
        if (is_before(changed, reached[i])) {
            reached[i] = changed;
            from[i] = first;
        }
        reached[i].time_ps = ps_add(reached[i].time_ps, time_of(space, step, i));
    }
}

struct collective_way collective_choose(const struct collective_space *space, ps_t switching_ps, uint32_t *up)
{
    struct reached *reached = mem_alloc(space->count, sizeof *reached, "ways to configurations");
    uint32_t *from = mem_alloc((size_t)space->steps * space->count, sizeof *from, "ways to configurations");
    for (uint32_t i = space->starts; i < space->count; i++)
        reached[i].time_ps = PS_NEVER;
    for (uint32_t step = 0; step < space->steps; step++)
        advance(space, switching_ps, step, reached, from + (size_t)step * space->count);
    uint32_t last = first_of(reached, space->count);
    struct collective_way way = {reached[last].time_ps, reached[last].changes};
    for (uint32_t step = space->steps; step-- > 0;) {
        up[step] = last;
        last = from[(size_t)step * space->count + last];
    }
    free(from);
    free(reached);
    return way;
}
