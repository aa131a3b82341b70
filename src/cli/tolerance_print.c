#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "cli/tolerance.h"
#include "output/quote.h"

enum { DIGITS = 6, VALUE_TEXT = 64, EXACT_TEXT = 80 };

/* ------------------------------------------------------------------ values */

/* A fraction of ns, or of ps: of a byte, and where the denominator would be too large. */
const char *tolerance_exact_text(enum tolerance_kind kind, struct tolerance_at x, char *buffer, size_t size)
{
    const char *unit = kind == TOLERANCE_TIME ? "ns" : "ps/B";
    struct tolerance_at shown = x;
    if (kind == TOLERANCE_TIME && x.denominator <= INT64_MAX / PS_PER_NS)
        shown = tolerance_ratio(x.numerator, (__int128)x.denominator * PS_PER_NS);
    else if (kind == TOLERANCE_TIME)
        unit = "ps";
    if (shown.denominator == 1)
        snprintf(buffer, size, "%" PRId64 " %s", shown.numerator, unit);
    else
        snprintf(buffer, size, "%" PRId64 "/%" PRId64 " %s", shown.numerator, shown.denominator, unit);
    return buffer;
}

static const char *show_time(double seconds, char *buffer, size_t size)
{
    return units_show_time((ps_t)(seconds * (double)PS_PER_S + 0.5), DIGITS, buffer, size);
}

const char *tolerance_value_text(enum tolerance_kind kind, double value, char *buffer, size_t size)
{
    if (kind == TOLERANCE_RATE && isinf(value))
        snprintf(buffer, size, "without end");
    else if (kind == TOLERANCE_RATE)
        units_show_rate(value, DIGITS, buffer, size);
    else if (kind == TOLERANCE_TIME)
        show_time(value, buffer, size);
    else
        snprintf(buffer, size, "%.*g ps/B", DIGITS, value * (double)PS_PER_S);
    return buffer;
}

const char *tolerance_size_text(uint32_t size_class, char *buffer, size_t size)
{
    char low[VALUE_TEXT], high[VALUE_TEXT];
    if (size_class < 2)
        snprintf(buffer, size, "%u B", size_class);
    else if (size_class == TOLERANCE_SIZES - 1)
        snprintf(buffer, size, "from %s", units_print_size(UINT64_C(1) << (size_class - 1), low, sizeof low));
    else
        snprintf(buffer, size, "%s to %s", units_print_size(UINT64_C(1) << (size_class - 1), low, sizeof low),
                 units_print_size(UINT64_C(1) << size_class, high, sizeof high));
    return buffer;
}

/* ------------------------------------------------------------------ pieces */

/* Of many pieces those around the value: all are in the JSON. */
enum { SHOWN_BEFORE = 4, SHOWN = 9 };

static const char *counted(const struct tolerance_answer *answer, int64_t count)
{
    if (answer->kind != TOLERANCE_TIME)
        return count == 1 ? "byte" : "bytes";
    if (strcmp(answer->param->name, "loggops.o") == 0)
        return count == 1 ? "overhead" : "overheads";
    return count == 1 ? "message" : "messages";
}

static void print_pieces(const struct tolerance_answer *answer)
{
    const struct tolerance *pieces = &answer->pieces;
    size_t here = (size_t)(tolerance_piece_at(pieces, answer->base_x) - pieces->pieces);
    size_t first = here > SHOWN_BEFORE ? here - SHOWN_BEFORE : 0, end = first + SHOWN;
    char value[VALUE_TEXT], exact[EXACT_TEXT];
    if (end > pieces->count)
        end = pieces->count;
    printf("  %-16s%-26s%s on the longest path\n", answer->kind == TOLERANCE_RATE ? "down from" : "from",
           "exactly", counted(answer, 0));
    for (size_t i = first; i < end; i++) {
        const struct tolerance_piece *piece = &pieces->pieces[i];
        printf("  %-16s%-26s%" PRId64 "%s\n",
               tolerance_value_text(answer->kind, tolerance_value_of(answer->kind, piece->from), value,
                                    sizeof value),
               tolerance_exact_text(answer->kind, piece->from, exact, sizeof exact), piece->line.k,
               i == here ? "  <- here" : "");
    }
    if (end - first < pieces->count)
        printf("  %zu of %zu pieces; --json has all\n", end - first, pieces->count);
}

/* ------------------------------------------------------------ longest path */

enum { SHARES_SHOWN = 5 };

/* A path, and the exact answer that it is of; NULL: it is the critical path of a run. */
struct shown_path {
    const struct tolerance_shares *shares;
    const struct tolerance_answer *answer;
};

/* If messages are not what counts, their part of what counts too. */
static void print_share(const struct shown_path *path, const struct tolerance_share *share, bool is_first,
                        const char *what, const char *name)
{
    const struct tolerance_answer *answer = path->answer;
    const uint64_t messages = path->shares->messages;
    printf("  %-14s%-24s%" PRIu64 " (%.1f %%)", is_first ? what : "", name, share->messages,
           messages ? 100.0 * (double)share->messages / (double)messages : 0);
    if (answer && (uint64_t)answer->slope != messages && answer->slope > 0)
        printf(", %.1f %% of the %s", 100.0 * (double)share->slope / answer->slope, counted(answer, 0));
}

static void print_rest(size_t count)
{
    if (count > SHARES_SHOWN)
        printf("  %-14sand %zu others\n", "", count - SHARES_SHOWN);
}

static void print_sites(const struct shown_path *path)
{
    const struct tolerance_shares *shares = path->shares;
    for (size_t i = 0; i < shares->sites && i < SHARES_SHOWN; i++) {
        const char *name = shares->by_site[i].site_name;
        char *shown = name ? quote_terminal_text(name) : NULL;
        print_share(path, &shares->by_site[i], i == 0, "at call site", shown ? shown : "(not known)");
        putchar('\n');
        free(shown);
    }
    print_rest(shares->sites);
}

static void print_shares(const struct shown_path *path)
{
    const struct tolerance_shares *shares = path->shares;
    char name[2 * VALUE_TEXT], since[VALUE_TEXT];
    if (!shares->messages)
        return;
    printf("the %s has %" PRIu64 " message%s%s", path->answer ? "longest path" : "critical path of a run",
           shares->messages, shares->messages == 1 ? "" : "s",
           shares->is_between_nodes ? " between nodes" : "");
    if (shares->listed_since)
        printf(" from %s on", units_show_time(shares->listed_since, DIGITS, since, sizeof since));
    putchar('\n');
    print_sites(path);
    for (size_t i = 0; i < shares->ranks && i < SHARES_SHOWN; i++) {
        snprintf(name, sizeof name, "%u", shares->by_rank[i].rank);
        print_share(path, &shares->by_rank[i], i == 0, "from rank", name);
        putchar('\n');
    }
    print_rest(shares->ranks);
    for (size_t i = 0; i < shares->calls && i < SHARES_SHOWN; i++) {
        const struct tolerance_share *share = &shares->by_call[i];
        print_share(path, share, i == 0, "in call", call_op_name(share->call));
        if (share->place.line) {
            printf(", first ");
            quote_terminal(stdout, share->place.file);
            printf(":%" PRIu64, share->place.line);
        }
        putchar('\n');
    }
    print_rest(shares->calls);
    for (size_t i = 0; i < shares->sizes && i < SHARES_SHOWN; i++) {
        print_share(path, &shares->by_size[i], i == 0, "of size",
                    tolerance_size_text(shares->by_size[i].size_class, name, sizeof name));
        putchar('\n');
    }
    print_rest(shares->sizes);
}

/* ------------------------------------------------------------------ answer */

static void print_gain(const struct tolerance_answer *answer)
{
    char value[VALUE_TEXT], time[VALUE_TEXT];
    const char *direction = answer->kind == TOLERANCE_RATE ? "above" : "below";
    show_time(answer->best_s, time, sizeof time);
    if (!answer->depends)
        printf("  the time does not depend on it\n");
    else if (answer->is_fastest)
        printf("  fastest of the runs with %s: %s\n",
               tolerance_value_text(answer->kind, answer->gain_end.value, value, sizeof value), time);
    else if (answer->gain_end.exists && answer->gain_end.value > 0)
        printf("  no gain %s %s: %s\n", direction,
               tolerance_value_text(answer->kind, answer->gain_end.value, value, sizeof value), time);
    else
        printf("  each better value gains, down to %s\n", time);
}

/* The longest path leaves out that cores and NICs are busy. */
static void print_differing_runs(const struct tolerance_answer *answer)
{
    char value[VALUE_TEXT], time[VALUE_TEXT];
    for (size_t i = 0; i < answer->beside_count; i++) {
        const struct tolerance_run_beside *run = &answer->beside[i];
        double share = run->run_s / run->path_s - 1;
        double percent = 100 * fabs(share);
        printf("  with %s a run takes %s, %.*f %% %s than the longest path\n",
               tolerance_value_text(answer->kind, run->value, value, sizeof value),
               show_time(run->run_s, time, sizeof time),
               percent < 1    ? 3
               : percent < 10 ? 1
                              : 0,
               percent, share < 0 ? "less" : "more");
    }
    if (answer->beside_count)
        printf("  because the longest path leaves out when cores and NICs are busy; --runs brackets runs\n");
}

static void print_exact(const struct tolerance_answer *answer)
{
    double each_s = answer->kind == TOLERANCE_RATE ? 1 / answer->base : answer->base;
    printf("  exact%s: %.0f %s%s, for which %s takes %.2f %% of the time\n",
           answer->beside_count ? " for the longest path" : "", answer->slope,
           counted(answer, (int64_t)answer->slope), answer->beside_count ? "" : " on the longest path",
           answer->param->name, 100 * answer->slope * each_s / answer->makespan_s);
    print_differing_runs(answer);
    print_pieces(answer);
}

/* The slope of runs: what 1 ns more costs, or 1 ps more for each byte. */
static void print_bracketed(const struct tolerance_answer *answer)
{
    char time[VALUE_TEXT];
    bool is_time = answer->kind == TOLERANCE_TIME;
    double more_s = answer->slope / (double)(is_time ? PS_PER_S / PS_PER_NS : PS_PER_S);
    printf("  bracketed by %zu runs%s: %s\n", answer->runs,
           answer->is_monotone ? "" : ", in which some worse values were faster", answer->why);
    if (more_s < 0)
        printf("  a run with a value 1 %% worse is faster, so that the time has no slope here\n");
    else
        printf("  %s more takes %s here\n", is_time ? "1 ns" : "1 ps/B",
               show_time(more_s, time, sizeof time));
}

static void print_limit(const struct tolerance_answer *answer, size_t i)
{
    char value[VALUE_TEXT];
    const struct tolerance_point *limit = &answer->limits[i];
    const bool is_rate = answer->kind == TOLERANCE_RATE;
    tolerance_value_text(answer->kind, limit->value, value, sizeof value);
    printf("  %u %% longer: ", tolerance_percents[i]);
    if (limit->exists)
        puts(value);
    else if (limit->value > 0)
        printf("not %s %s, the %s value allowed\n", is_rate ? "down to" : "up to", value,
               is_rate ? "smallest" : "largest");
    else
        puts("never");
}

static void print_answer(const struct tolerance_report *report, const struct tolerance_answer *answer)
{
    char value[VALUE_TEXT], time[VALUE_TEXT];
    quote_terminal(stdout, report->experiment->program->name);
    printf(" on %s, %s = %s: %s\n", report->experiment->fabrics[0]->name, answer->param->name,
           tolerance_value_text(answer->kind, answer->base, value, sizeof value),
           show_time(answer->makespan_s, time, sizeof time));
    if (answer->why)
        print_bracketed(answer);
    else
        print_exact(answer);
    for (size_t i = 0; i < TOLERANCE_LIMITS; i++)
        print_limit(answer, i);
    print_gain(answer);
}

/* ----------------------------------------------------------------- tornado */

static double effect_of(const struct tolerance_answer *answer)
{
    double better = fabs(answer->better_s / answer->makespan_s - 1);
    double worse = fabs(answer->worse_s / answer->makespan_s - 1);
    return better > worse ? better : worse;
}

const struct tolerance_answer **tolerance_by_effect(const struct tolerance_report *report)
{
    const struct tolerance_answer **sorted = mem_alloc(report->count, sizeof *sorted, "parameters");
    for (size_t i = 0; i < report->count; i++) {
        size_t at = i;
        for (; at && effect_of(sorted[at - 1]) < effect_of(&report->answers[i]); at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = &report->answers[i];
    }
    return sorted;
}

/* `change` of the time: faster to the left of the axis, slower to its right. */
static void draw(char *bar, int half, double change, double most)
{
    int length = most > 0 ? (int)(fabs(change) / most * half + 0.5) : 0;
    memset(change < 0 ? bar + half - length : bar + half + 1, '#', (size_t)length);
}

static void print_tornado(const struct tolerance_report *report)
{
    enum { HALF = 20, BAR = 2 * HALF + 1 };
    const struct tolerance_answer **sorted = tolerance_by_effect(report);
    double most = report->count ? effect_of(sorted[0]) : 0;
    printf("%-24s %10s  %-*s %10s\n", "which matters", "better", BAR, "", "worse");
    for (size_t i = 0; i < report->count; i++) {
        const struct tolerance_answer *answer = sorted[i];
        double better = answer->better_s / answer->makespan_s - 1;
        double worse = answer->worse_s / answer->makespan_s - 1;
        char bar[BAR + 1];
        memset(bar, ' ', BAR);
        bar[BAR] = '\0';
        bar[HALF] = '|';
        draw(bar, HALF, better, most);
        draw(bar, HALF, worse, most);
        printf("%-24s %+8.3f %%  %s %+8.3f %%\n", answer->param->name, 100 * better, bar, 100 * worse);
    }
    printf("The time with a value that is %g %% better, and %g %% worse.\n", 100 * report->by,
           100 * report->by);
    free(sorted);
}

void tolerance_print(const struct tolerance_report *report)
{
    const struct tolerance_answer *exact = NULL;
    for (size_t i = 0; i < report->count; i++) {
        print_answer(report, &report->answers[i]);
        if (!exact && !report->answers[i].why)
            exact = &report->answers[i];
    }
    if (exact)
        print_shares(&(struct shown_path){.shares = &exact->shares, .answer = exact});
    else
        print_shares(&(struct shown_path){.shares = report->critical});
    if (report->by > 0 && report->count)
        print_tornado(report);
}
