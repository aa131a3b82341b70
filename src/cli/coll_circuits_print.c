#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "cli/coll_circuits.h"

enum { TEXT = 64, SHOWN_DIGITS = 4 };

static double in_seconds(ps_t time_ps)
{
    return (double)time_ps / (double)PS_PER_S;
}

static double ratio(ps_t over, ps_t under)
{
    return under ? (double)over / (double)under : 1;
}

static const struct collective_plan *best_of(const struct collective_answer *answer, size_t time)
{
    return collective_plan_at(answer, answer->best[time], time);
}

/* The plan with the best time on the packet network; of all switching times alike. */
static const struct collective_plan *packet_of(const struct collective_answer *answer)
{
    return collective_plan_at(answer, answer->packet_best, 0);
}

const char *coll_circuits_title(const struct coll_circuits *run, char *buffer, size_t size)
{
    uint32_t switches = run->network.switches;
    char number[TEXT];
    snprintf(number, sizeof number, "%" PRIu32 " circuit switches", switches);
    snprintf(buffer, size, "%s, %" PRIu32 " ranks, %s", coll_kind_name(run->collective.kind),
             run->collective.ranks, switches == 1 ? "1 circuit switch" : number);
    return buffer;
}

static void print_head(const struct coll_circuits *run)
{
    char title[128], rate[TEXT], latency[TEXT];
    const struct collective_network *network = &run->network;
    printf("collective      %s\n", coll_circuits_title(run, title, sizeof title));
    printf("circuits        %s, %s for each on the way; a ring is up before the first step\n",
           units_print_rate(network->rate_bytes_per_s, rate, sizeof rate),
           units_print_time(network->latency_ps, latency, sizeof latency));
    printf("packet network  %s, %s for each round\n",
           units_print_rate(network->packet_rate_bytes_per_s, rate, sizeof rate),
           units_print_time(network->packet_latency_ps, latency, sizeof latency));
}

/* -------------------------------------------------------------------- table */

static void print_row(const struct coll_circuits *run, size_t i, size_t time)
{
    char size[TEXT], switching[TEXT], took[TEXT], packet[TEXT];
    const struct collective_answer *answer = &run->answers[i];
    const struct collective_plan *best = best_of(answer, time);
    ps_t packet_ps = packet_of(answer)->packet_ps;
    struct units_speed speed = units_speed_of(ratio(packet_ps, best->best.time_ps));
    printf("%9s %9s  %-20s %8" PRIu32 " %10s %7.3f  %10s  %s\n",
           units_print_size(run->bytes[i], size, sizeof size),
           units_print_time(run->switching_ps[time], switching, sizeof switching), best->algorithm->name,
           best->best.changes, units_show_time(best->best.time_ps, SHOWN_DIGITS, took, sizeof took),
           ratio(best->best.time_ps, answer->bound_ps[time]),
           units_show_time(packet_ps, SHOWN_DIGITS, packet, sizeof packet), speed.text);
}

/* Where circuits gain most, and in how many rows they change. */
static void print_summary(const struct coll_circuits *run)
{
    size_t rows = run->sizes * run->times, changing = 0, faster = 0, most_i = 0, most_time = 0;
    double most = 0;
    for (size_t i = 0; i < run->sizes; i++)
        for (size_t time = 0; time < run->times; time++) {
            const struct collective_plan *best = best_of(&run->answers[i], time);
            double gain = ratio(packet_of(&run->answers[i])->packet_ps, best->best.time_ps);
            changing += best->best.changes > 0;
            faster += gain > 1;
            if (gain > most) {
                most = gain;
                most_i = i;
                most_time = time;
            }
        }
    char size[TEXT], switching[TEXT];
    struct units_speed speed = units_speed_of(most);
    printf("\nCircuits change in %zu of %zu rows; in the others the starting ones stay up.\n", changing,
           rows);
    if (!faster) {
        printf("The packet network is at least as fast in all rows.\n");
        return;
    }
    printf("Circuits beat the packet network in %zu of %zu rows, most at %s and %s: %s.\n", faster, rows,
           units_print_size(run->bytes[most_i], size, sizeof size),
           units_print_time(run->switching_ps[most_time], switching, sizeof switching), speed.text);
}

static void print_table(const struct coll_circuits *run)
{
    print_head(run);
    printf("\n%9s %9s  %-20s %8s %10s %7s  %10s  %s\n", "size", "switching", "algorithm", "changes", "time",
           "/ bound", "packet", "circuits are");
    for (size_t i = 0; i < run->sizes; i++)
        for (size_t time = 0; time < run->times; time++)
            print_row(run, i, time);
    print_summary(run);
}

/* --------------------------------------------------------------------- plan */

static void print_stretches(const struct collective_plan *plan)
{
    printf("\n%-11s %-22s %-7s %6s  %10s\n", "steps", "circuits", "changed", "hops", "time");
    for (uint32_t i = 0; i < plan->stretch_count; i++) {
        const struct collective_stretch *stretch = &plan->stretches[i];
        char steps[TEXT], took[TEXT];
        if (stretch->first == stretch->last)
            snprintf(steps, sizeof steps, "%" PRIu32, stretch->first + 1);
        else
            snprintf(steps, sizeof steps, "%" PRIu32 "-%" PRIu32, stretch->first + 1, stretch->last + 1);
        printf("%-11s %-22s %-7s %6" PRIu32 "  %10s\n", steps, stretch->circuits,
               stretch->is_changed ? "yes" : "no", stretch->hops,
               units_show_time(stretch->time_ps, SHOWN_DIGITS, took, sizeof took));
    }
}

static void print_algorithms(const struct collective_answer *answer)
{
    printf("\n%-24s %6s %10s %11s %10s %8s  %10s\n", "algorithm", "steps", "no change", "every step", "best",
           "changes", "packet");
    for (size_t i = 0; i < answer->algorithms; i++) {
        char kept[TEXT], every[TEXT], best[TEXT], packet[TEXT];
        const struct collective_plan *plan = collective_plan_at(answer, i, 0);
        printf("%-24s %6" PRIu32 " %10s %11s %10s %8" PRIu32 "  %10s\n", plan->algorithm->name, plan->steps,
               units_show_time(plan->kept.time_ps, SHOWN_DIGITS, kept, sizeof kept),
               units_show_time(plan->every.time_ps, SHOWN_DIGITS, every, sizeof every),
               units_show_time(plan->best.time_ps, SHOWN_DIGITS, best, sizeof best), plan->best.changes,
               units_show_time(plan->packet_ps, SHOWN_DIGITS, packet, sizeof packet));
    }
}

static void print_plan(const struct coll_circuits *run)
{
    char size[TEXT], time[TEXT];
    const struct collective_answer *answer = &run->answers[0];
    const struct collective_plan *best = best_of(answer, 0), *packet = packet_of(answer);
    struct units_speed speed = units_speed_of(ratio(packet->packet_ps, best->best.time_ps));
    print_head(run);
    printf("size            %s\n", units_print_size(run->bytes[0], size, sizeof size));
    printf("switching       %s\n", units_print_time(run->switching_ps[0], time, sizeof time));
    printf("\nbest            %s, circuits change %" PRIu32 " time%s\n", best->algorithm->name,
           best->best.changes, best->best.changes == 1 ? "" : "s");
    bool is_optimal = best->best.time_ps == answer->bound_ps[0];
    printf("time            %s", units_show_time(best->best.time_ps, SHOWN_DIGITS, time, sizeof time));
    if (is_optimal)
        printf(", proven optimal: the lower bound\n");
    else
        printf(", %.3f of the lower bound of %s\n", ratio(best->best.time_ps, answer->bound_ps[0]),
               units_show_time(answer->bound_ps[0], SHOWN_DIGITS, time, sizeof time));
    printf("packet network  %s with %s", units_show_time(packet->packet_ps, SHOWN_DIGITS, time, sizeof time),
           packet->algorithm->name);
    printf("; circuits are %s\n", speed.text);
    if (!best->best.changes && run->switching_ps[0])
        printf("note            no change of circuits saves more than the switching time: static circuits "
               "suit this call\n");
    if (packet->packet_ps < best->best.time_ps)
        printf("note            a packet network of this rate and latency suits this call better\n");
    print_stretches(best);
    print_algorithms(answer);
}

void coll_circuits_print(const struct coll_circuits *run)
{
    (run->sizes * run->times == 1 ? print_plan : print_table)(run);
}

/* ---------------------------------------------------------------- CSV, JSON */

void coll_circuits_print_csv(const struct coll_circuits *run)
{
    puts("bytes,switching_s,algorithm,changes,time_s,lower_bound_s,packet_algorithm,packet_s");
    for (size_t i = 0; i < run->sizes; i++)
        for (size_t time = 0; time < run->times; time++) {
            const struct collective_answer *answer = &run->answers[i];
            const struct collective_plan *best = best_of(answer, time), *packet = packet_of(answer);
            printf("%" PRIu64 ",%.*g,%s,%" PRIu32 ",%.*g,%.*g,%s,%.*g\n", run->bytes[i], COLL_CIRCUITS_DIGITS,
                   in_seconds(run->switching_ps[time]), best->algorithm->name, best->best.changes,
                   COLL_CIRCUITS_DIGITS, in_seconds(best->best.time_ps), COLL_CIRCUITS_DIGITS,
                   in_seconds(answer->bound_ps[time]), packet->algorithm->name, COLL_CIRCUITS_DIGITS,
                   in_seconds(packet->packet_ps));
        }
}

static json_t *stretches_json(const struct collective_plan *plan)
{
    json_t *list = json_make_list();
    for (uint32_t i = 0; i < plan->stretch_count; i++) {
        const struct collective_stretch *stretch = &plan->stretches[i];
        json_t *object = json_make_object();
        json_put_count(object, "first_step", stretch->first + 1);
        json_put_count(object, "last_step", stretch->last + 1);
        json_put_text(object, "circuits", stretch->circuits);
        json_put_flag(object, "changed", stretch->is_changed);
        json_put_count(object, "hops", stretch->hops);
        json_put_number(object, "time_s", in_seconds(stretch->time_ps));
        json_add(list, object);
    }
    return list;
}

static json_t *algorithms_json(const struct collective_answer *answer, size_t time)
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < answer->algorithms; i++) {
        const struct collective_plan *plan = collective_plan_at(answer, i, time);
        json_t *object = json_make_object();
        json_put_text(object, "algorithm", plan->algorithm->name);
        json_put_count(object, "rounds", plan->rounds);
        json_put_count(object, "steps", plan->steps);
        json_put_count(object, "configurations", plan->configurations);
        json_put_number(object, "no_change_s", in_seconds(plan->kept.time_ps));
        json_put_number(object, "every_step_s", in_seconds(plan->every.time_ps));
        json_put_count(object, "every_step_changes", plan->every.changes);
        json_put_number(object, "best_s", in_seconds(plan->best.time_ps));
        json_put_count(object, "changes", plan->best.changes);
        json_put_number(object, "packet_s", in_seconds(plan->packet_ps));
        json_add(list, object);
    }
    return list;
}

static json_t *point_json(const struct coll_circuits *run, size_t i, size_t time)
{
    const struct collective_answer *answer = &run->answers[i];
    const struct collective_plan *best = best_of(answer, time), *packet = packet_of(answer);
    json_t *object = json_make_object();
    json_put_count(object, "bytes", run->bytes[i]);
    json_put_number(object, "switching_s", in_seconds(run->switching_ps[time]));
    json_put_text(object, "algorithm", best->algorithm->name);
    json_put_count(object, "changes", best->best.changes);
    json_put_number(object, "time_s", in_seconds(best->best.time_ps));
    json_put_number(object, "lower_bound_s", in_seconds(answer->bound_ps[time]));
    json_put_text(object, "packet_algorithm", packet->algorithm->name);
    json_put_number(object, "packet_s", in_seconds(packet->packet_ps));
    json_put(object, "plan", stretches_json(best));
    json_put(object, "algorithms", algorithms_json(answer, time));
    return object;
}

json_t *coll_circuits_json(const struct coll_circuits *run)
{
    const struct collective_network *network = &run->network;
    json_t *object = json_make_object(), *points = json_make_list();
    json_put_text(object, "schema", "helio-coll-circuits-1");
    json_put_text(object, "collective", coll_kind_name(run->collective.kind));
    json_put_count(object, "ranks", run->collective.ranks);
    json_put_count(object, "switches", network->switches);
    json_put_count(object, "rate_bytes_per_s", network->rate_bytes_per_s);
    json_put_number(object, "latency_s", in_seconds(network->latency_ps));
    json_put_count(object, "packet_rate_bytes_per_s", network->packet_rate_bytes_per_s);
    json_put_number(object, "packet_latency_s", in_seconds(network->packet_latency_ps));
    for (size_t i = 0; i < run->sizes; i++)
        for (size_t time = 0; time < run->times; time++)
            json_add(points, point_json(run, i, time));
    json_put(object, "points", points);
    return object;
}
