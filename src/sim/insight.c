#include "sim/insight.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "call/bursts.h"
#include "output/quote.h"
#include "sim/path_summary.h"
#include "sim/sites.h"

/* docs/models/insight.md states these rules and thresholds. */
static const double no_network_saves =
    0.05;                                   /* of the time on the first fabric: less is not worth a network */
static const double waits_much = 0.10;      /* of the ranks' time, at least, counts as imbalance */
static const double one_rank_time = 0.50;   /* of the time at least, one rank computes ... */
static const double one_rank_others = 0.50; /* ... and the ranks compute at most so much of what it does */
static const double longer_on_rank = 1.10;  /* of the average at least, the rank that computes longest */
static const double link_binds = 0.50;      /* of the time, that a link needs for its bytes: it is named */
static const double switching_binds = 0.50; /* of the time of circuits, that set-ups take: it is said */
static const double one_place = 0.10;       /* of all waiting at least, for one thing: it is named */
static const double bursts_wait = 0.10;     /* of the time of bursts at least, for a processor */
static const double decides = 0.50;         /* of the path at least, by one kind of time */
static const double same_time = 0.01;       /* two times differ by less: they are the same */
static const double nearly_all = 0.05;      /* a share this close to 1 */

const char *insight_rule_name(enum insight_rule rule)
{
    static const char *const names[INSIGHT_RULES] = {[INSIGHT_ONE_NODE] = "one node",
                                                     [INSIGHT_COMPUTATION] = "computation",
                                                     [INSIGHT_IMBALANCE] = "imbalance",
                                                     [INSIGHT_ONE_RANK] = "one rank",
                                                     [INSIGHT_LATENCY] = "latency",
                                                     [INSIGHT_BANDWIDTH] = "bandwidth",
                                                     [INSIGHT_CONTENTION] = "contention",
                                                     [INSIGHT_SETUP] = "setup",
                                                     [INSIGHT_SOFTWARE] = "software",
                                                     [INSIGHT_MIXED] = "mixed",
                                                     [INSIGHT_FASTER] = "faster",
                                                     [INSIGHT_SLOWER] = "slower",
                                                     [INSIGHT_SAME] = "same",
                                                     [INSIGHT_SITE] = "call site",
                                                     [INSIGHT_BURSTS] = "bursts",
                                                     [INSIGHT_LOST] = "lost calls",
                                                     [INSIGHT_NOTHING] = "nothing"};
    return names[rule];
}

/* ---------------------------------------------------------------- sentences */

static struct insight_sentence *add(struct insight *insight, enum insight_rule rule, const char *fabric,
                                    char *text)
{
    if (insight->count == INSIGHT_SENTENCES) {
        free(text);
        return NULL;
    }
    struct insight_sentence *sentence = &insight->sentences[insight->count++];
    *sentence = (struct insight_sentence){.rule = rule, .fabric = fabric, .text = text};
    return sentence;
}

/* "0.6 %", "41 %" */
struct percent {
    char text[16];
};

static struct percent percent_of(double share)
{
    struct percent percent;
    snprintf(percent.text, sizeof percent.text, share < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * share);
    return percent;
}

static double share(ps_t part, ps_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

/* ------------------------------------------------------------------- bounds */

static const struct result *find(const struct result *results, size_t count, bool is_bound)
{
    for (size_t i = 0; i < count; i++)
        if (results[i].network.is_bound == is_bound)
            return &results[i];
    return NULL;
}

/* No network makes the program faster than a bound that was run, or than what one rank computes, or than what
 * is computed along the path: its ranks do that one after another on every network. */
static void find_bound(struct insight *insight, const struct result *results, size_t count,
                       const struct result *first)
{
    const struct result *bound = find(results, count, true);
    ps_t computed = 0;
    for (uint32_t rank = 0; rank < first->ranks; rank++)
        computed = ps_max(computed, first->rows[rank].compute);
    if (first->path)
        computed = ps_max(computed, first->path->kinds[CRITICAL_COMPUTATION]);
    insight->bound = bound ? bound->fabric : NULL;
    insight->bound_ps = bound ? bound->makespan : computed;
    insight->bound_saves = share(first->makespan - insight->bound_ps, first->makespan);
}

/* ------------------------------------------------------------ kinds of time */

static enum critical_kind largest_kind(const ps_t *kinds)
{
    enum critical_kind largest = CRITICAL_COMPUTATION;
    for (int kind = 1; kind < CRITICAL_KINDS; kind++)
        if (kinds[kind] > kinds[largest])
            largest = (enum critical_kind)kind;
    return largest;
}

/* No message leaves its node. */
static bool stays_in_nodes(const struct result *result)
{
    return result->messages && result->in_nodes == result->messages;
}

/* What the time of this kind is. */
static const char *meaning_of(const struct result *result, enum critical_kind kind)
{
    static const char *const meanings[CRITICAL_KINDS] = {
        [CRITICAL_COMPUTATION] = "computation of ranks",
        [CRITICAL_SOFTWARE] = "software: cores, PCIe and NICs handle messages",
        [CRITICAL_SETUP] = "setup: messages request a path and wait until it is set up",
        [CRITICAL_LATENCY] = "latency: the last bytes of messages are on their way",
        [CRITICAL_BANDWIDTH] = "bandwidth: bytes of messages enter the network",
        [CRITICAL_CONTENTION] = "contention: messages wait for other messages",
        [CRITICAL_OTHER] = "in a network that does not say what messages do"};
    if (kind == CRITICAL_OTHER && result->before_ranks > 0)
        return "waiting for jobs to start";
    return kind == CRITICAL_BANDWIDTH && stays_in_nodes(result) ? "bandwidth: messages are copied in memory"
                                                                : meanings[kind];
}

static enum insight_rule rule_of(enum critical_kind kind)
{
    static const enum insight_rule rules[CRITICAL_KINDS] = {[CRITICAL_COMPUTATION] = INSIGHT_COMPUTATION,
                                                            [CRITICAL_SOFTWARE] = INSIGHT_SOFTWARE,
                                                            [CRITICAL_SETUP] = INSIGHT_SETUP,
                                                            [CRITICAL_LATENCY] = INSIGHT_LATENCY,
                                                            [CRITICAL_BANDWIDTH] = INSIGHT_BANDWIDTH,
                                                            [CRITICAL_CONTENTION] = INSIGHT_CONTENTION,
                                                            [CRITICAL_OTHER] = INSIGHT_MIXED};
    return rules[kind];
}

/* --------------------------------------------------------- no network helps */

static double mean_compute(const struct result *result)
{
    double sum = 0;
    for (uint32_t rank = 0; rank < result->ranks; rank++)
        sum += (double)result->rows[rank].compute;
    return result->ranks ? sum / result->ranks : 0;
}

/* The first of several. */
static uint32_t slowest_rank(const struct result *result)
{
    uint32_t slowest = 0;
    for (uint32_t rank = 1; rank < result->ranks; rank++)
        if (result->rows[rank].compute > result->rows[slowest].compute)
            slowest = rank;
    return slowest;
}

/* "rank 3 computes longest, 1.9 times the average". The caller frees it. */
static char *say_slowest(const struct result *result, uint32_t rank)
{
    char factor[32];
    double ratio = (double)result->rows[rank].compute / fmax(1, mean_compute(result));
    if (ratio < longer_on_rank)
        return mem_text("all ranks compute about equally long");
    return mem_format("rank %" PRIu32 " computes longest, %s times the average", rank,
                      units_show_factor(ratio, factor, sizeof factor));
}

static void say_no_network(struct insight *insight, const struct result *first)
{
    const char *form = "No network helps this program: a perfect one saves at most %s of the time; %s.";
    struct percent saves = percent_of(insight->bound_saves);
    uint32_t rank = slowest_rank(first);
    double own = share(first->rows[rank].compute, first->makespan), idle = result_idle_fraction(first);
    double mean = mean_compute(first) / (double)first->makespan;
    enum insight_rule rule = INSIGHT_COMPUTATION;
    char *why;
    if (first->ranks > 1 && own >= one_rank_time && mean <= one_rank_others * own) {
        rule = INSIGHT_ONE_RANK;
        why = mem_format("rank %" PRIu32 " computes %s of the time, the average rank %s", rank,
                         percent_of(own).text, percent_of(mean).text);
    } else if (idle >= waits_much) {
        rule = INSIGHT_IMBALANCE;
        char *slowest = say_slowest(first, rank);
        why = mem_format("its ranks wait for each other %s of their time, and %s", percent_of(idle).text,
                         slowest);
        free(slowest);
    } else if (first->path && largest_kind(first->path->kinds) != CRITICAL_COMPUTATION) {
        enum critical_kind kind = largest_kind(first->path->kinds);
        rule = rule_of(kind);
        why = mem_format("%s of it is %s",
                         percent_of(share(first->path->kinds[kind], first->path->length)).text,
                         meaning_of(first, kind));
    } else {
        why = mem_format("its ranks compute %s of the time", percent_of(mean).text);
    }
    add(insight, rule, first->fabric, mem_format(form, saves.text, why));
    free(why);
}

/* --------------------------------------------------------------- one fabric */

/* "; a message waits longest for its share of the links to node 3 (41 % of all waiting)": where contention
 * is. Of the other kinds nothing. The caller frees it. */
static char *place_of(const struct critical_path *path, enum critical_kind kind)
{
    if (kind != CRITICAL_CONTENTION || !path->longest.what)
        return mem_text("");
    struct percent most = percent_of(path->longest_share);
    if (path->longest_share < one_place)
        return mem_format("; the waiting is spread: no resource has more than %s of it", most.text);
    return mem_format("; a message waits longest for %s %" PRIu32 " (%s of all waiting)", path->longest.what,
                      path->longest.which, most.text);
}

/* What the bytes of the busiest link between switches take, of all time. Fabrics that do not say: 0. */
static double busiest_link_of(const struct result *result)
{
    for (size_t i = 0; result->metrics && i < result->metrics->count; i++) {
        const struct metric *metric = &result->metrics->metrics[i];
        if (metric->type == METRIC_TIME && strcmp(metric->name, "busiest_link_s") == 0)
            return share(*(const ps_t *)((const char *)result->statistics + metric->offset),
                         result->makespan);
    }
    return 0;
}

/* "; the busiest link between switches needs 97 % of the time for its bytes": then the network between
 * switches is too narrow, whatever message waits for whichever node. The caller frees it. */
static char *link_of(const struct result *result, enum critical_kind kind)
{
    const double busiest = busiest_link_of(result);
    if ((kind != CRITICAL_CONTENTION && kind != CRITICAL_BANDWIDTH) || busiest < link_binds)
        return mem_text("");
    return mem_format("; the busiest link between switches needs %s of the time for its bytes",
                      percent_of(busiest).text);
}

/* A sum of times that the fabric counts. Fabrics that do not: 0. */
static double sum_of(const struct result *result, const char *name)
{
    for (size_t i = 0; result->metrics && i < result->metrics->count; i++) {
        const struct metric *metric = &result->metrics->metrics[i];
        if (metric->type == METRIC_TIME_SUM && strcmp(metric->name, name) == 0)
            return (double)*(const sum_t *)((const char *)result->statistics + metric->offset);
    }
    return 0;
}

/* "; the circuits that they wait for spend 88 % of their time on set-ups": what waits for circuits of other
 * messages waits for switches then, above all. The caller frees it. */
static char *switching_of(const struct result *result, enum critical_kind kind)
{
    const double setting = sum_of(result, "setting_up_s"), carrying = sum_of(result, "carrying_s");
    if (kind != CRITICAL_CONTENTION || setting < switching_binds * (setting + carrying) || setting <= 0)
        return mem_text("");
    return mem_format("; the circuits that they wait for spend %s of their time on set-ups",
                      percent_of(setting / (setting + carrying)).text);
}

static void say_mixed(struct insight *insight, const struct result *result, enum critical_kind first)
{
    ps_t rest[CRITICAL_KINDS];
    for (int kind = 0; kind < CRITICAL_KINDS; kind++)
        rest[kind] = kind == (int)first ? 0 : result->path->kinds[kind];
    enum critical_kind second = largest_kind(rest);
    char *link = link_of(result, first), *switching = switching_of(result, first);
    add(insight, INSIGHT_MIXED, result->fabric,
        mem_format("On %s no kind of time has half of it: %s is %s, and %s is %s%s%s.", result->fabric,
                   percent_of(share(result->path->kinds[first], result->path->length)).text,
                   meaning_of(result, first),
                   percent_of(share(result->path->kinds[second], result->path->length)).text,
                   meaning_of(result, second), link, switching));
    free(link);
    free(switching);
}

static void say_fabric(struct insight *insight, const struct result *result)
{
    const struct critical_path *path = result->path;
    if (!path || path->length == 0)
        return;
    enum critical_kind kind = largest_kind(path->kinds);
    if (share(path->kinds[kind], path->length) < decides) {
        say_mixed(insight, result, kind);
        return;
    }
    char *place = place_of(path, kind), *link = link_of(result, kind);
    char *switching = switching_of(result, kind);
    add(insight, rule_of(kind), result->fabric,
        mem_format("On %s, %s of the time is %s%s%s%s.", result->fabric,
                   percent_of(share(path->kinds[kind], path->length)).text, meaning_of(result, kind), place,
                   link, switching));
    free(place);
    free(switching);
    free(link);
}

/* Where in the source ranks wait longest. */
static void say_site(struct insight *insight, const struct result *result)
{
    uint32_t longest;
    const double idle = result_idle_fraction(result);
    if (idle < waits_much || !sites_longest(result, 1, &longest))
        return;
    const struct result_site *site = &result->sites[longest];
    const double of_time = sites_idle_share(result, site);
    if (of_time / idle < one_place)
        return;
    char *name = quote_terminal_text(site->name);
    add(insight, INSIGHT_SITE, result->fabric,
        mem_format("On %s, ranks wait longest at %s: %s of their time (%s of all waiting).", result->fabric,
                   name, percent_of(of_time).text, percent_of(of_time / idle).text));
    free(name);
}

/* A replay computes for the processor time of the bursts, as if each rank had a processor of its own. */
static void say_bursts(struct insight *insight, const struct result *result,
                       const struct bursts_summary *bursts)
{
    if (!bursts || bursts_waiting(&bursts->all) < bursts_wait)
        return;
    const struct percent all = percent_of(bursts_waiting(&bursts->all));
    const struct percent worst = percent_of(bursts_waiting(&bursts->ranks[bursts->worst]));
    add(insight, INSIGHT_BURSTS, result->fabric,
        mem_format("While the trace was recorded, ranks waited %s of the time of their computation for a "
                   "processor, rank %" PRIu32 " most (%s): they shared cores, slept or waited for files.",
                   all.text, bursts->worst, worst.text));
}

static void say_lost(struct insight *insight, const struct result *result, uint64_t lost)
{
    if (lost)
        add(insight, INSIGHT_LOST, result->fabric,
            mem_format("The trace lacks what %" PRIu64
                       " call%s moved, so the times are without it; helio trace "
                       "info names the calls.",
                       lost, lost == 1 ? "" : "s"));
}

/* -------------------------------------------------------------- two fabrics */

static const char *less_of(enum critical_kind kind, bool is_less)
{
    static const char *const texts[CRITICAL_KINDS][2] = {
        [CRITICAL_COMPUTATION] = {"ranks wait longer for others that compute",
                                  "ranks wait less for others that compute"},
        [CRITICAL_SOFTWARE] = {"hosts handle messages longer", "hosts handle messages in less time"},
        [CRITICAL_SETUP] = {"setting up the paths of messages takes longer",
                            "setting up the paths of messages takes less time"},
        [CRITICAL_LATENCY] = {"the latencies of messages add up to more",
                              "the latencies of messages add up to less"},
        [CRITICAL_BANDWIDTH] = {"messages take longer to enter the network",
                                "messages take less time to enter the network"},
        [CRITICAL_CONTENTION] = {"messages wait longer for other messages",
                                 "messages wait less for other messages"},
        [CRITICAL_OTHER] = {"messages take longer in a network that does not say what they do",
                            "messages take less time in a network that does not say what they do"}};
    return texts[kind][is_less];
}

/* A higher rate is a setting, no merit of a way to switch. The caller frees the text. */
static char *settings_of(const struct result *result, const struct result *versus)
{
    struct description_texts reasons;
    char *text = mem_text("");
    network_differs(&versus->network, versus->fabric, &result->network, &reasons);
    for (size_t i = 0; i < reasons.count; i++) {
        char *longer = mem_format("%s%s%s", text, i ? "; " : "; settings differ, too: ", reasons.text[i]);
        free(text);
        text = longer;
    }
    return text;
}

struct insight_cause insight_cause_of(const double times[2], const double *first, const double *second)
{
    struct insight_cause cause = {.share = -INFINITY};
    for (int kind = 0; kind < CRITICAL_KINDS; kind++) {
        double part = (first[kind] - second[kind]) / (times[0] - times[1]);
        if (part > cause.share)
            cause = (struct insight_cause){.kind = (enum critical_kind)kind, .share = part};
    }
    return cause;
}

char *insight_because(const struct insight_cause *cause, bool is_faster)
{
    const char *what = less_of(cause->kind, is_faster);
    if (cause->share > 1 + nearly_all)
        return mem_format(" because %s; all other time together is %s", what,
                          is_faster ? "longer" : "shorter");
    if (cause->share >= 1 - nearly_all)
        return mem_format(" because %s (nearly all of the difference)", what);
    return mem_format(" because %s (%s of the difference)", what, percent_of(cause->share).text);
}

static void fill_kinds(const struct result *result, double *kinds)
{
    for (int kind = 0; kind < CRITICAL_KINDS; kind++)
        kinds[kind] = (double)result->path->kinds[kind];
}

static char *why(const struct result *result, const struct result *versus, struct insight_sentence *sentence)
{
    if (!result->path || !versus->path)
        return mem_text(".");
    const double times[2] = {(double)versus->makespan, (double)result->makespan};
    double kinds[2][CRITICAL_KINDS];
    fill_kinds(versus, kinds[0]);
    fill_kinds(result, kinds[1]);
    struct insight_cause cause = insight_cause_of(times, kinds[0], kinds[1]);
    bool is_faster = times[1] < times[0];
    char *because = insight_because(&cause, is_faster), *settings = settings_of(result, versus);
    const struct result *slower = is_faster ? versus : result;
    char *place = place_of(slower->path, cause.kind), *switching = switching_of(slower, cause.kind);
    char *text = mem_format("%s%s%s%s.", because, place, switching, settings);
    free(because);
    free(place);
    free(switching);
    free(settings);
    sentence->has_cause = true;
    sentence->cause = cause.kind;
    sentence->cause_share = cause.share;
    return text;
}

static void say_difference(struct insight *insight, const struct result *result, const struct result *versus)
{
    struct insight_sentence *sentence = add(insight, INSIGHT_SAME, result->fabric, NULL);
    if (!sentence)
        return;
    sentence->versus = versus->fabric;
    const double ratio = (double)versus->makespan / (double)result->makespan;
    const struct units_speed speed = units_speed_of(ratio);
    if (fabs(ratio - 1) < same_time) {
        sentence->text = speed.is_same ? mem_format("The program takes as long on %s as on %s.",
                                                    result->fabric, versus->fabric)
                                       : mem_format("The program takes about as long on %s as on %s (%s).",
                                                    result->fabric, versus->fabric, speed.text);
        return;
    }
    char *reason = why(result, versus, sentence);
    sentence->rule = ratio > 1 ? INSIGHT_FASTER : INSIGHT_SLOWER;
    sentence->text = mem_format("The program is %s on %s %s on %s%s", speed.text, result->fabric, speed.than,
                                versus->fabric, reason);
    free(reason);
}

/* ---------------------------------------------------------------- the whole */

static const struct result *fastest(const struct result *results, size_t count, const struct result *except)
{
    const struct result *best = NULL;
    for (size_t i = 0; i < count; i++)
        if (!results[i].network.is_bound && &results[i] != except &&
            (!best || results[i].makespan < best->makespan))
            best = &results[i];
    return best;
}

/* The fastest fabric beside the first, or if that is the first itself, the next fastest beside it. The others
 * follow beside the first, and what decides on the first. */
static void say_differences(struct insight *insight, const struct result *results, size_t count,
                            const struct result *first)
{
    const struct result *best = fastest(results, count, first);
    if (best && best->makespan > 0)
        say_difference(insight, best, first);
    for (size_t i = 0; i < count; i++)
        if (!results[i].network.is_bound && &results[i] != first && &results[i] != best &&
            results[i].makespan > 0)
            say_difference(insight, &results[i], first);
}

static void say_networks(struct insight *insight, const struct result *results, size_t count,
                         const struct result *first)
{
    bool helps = insight->bound_saves > no_network_saves;
    if (!helps && !first->network.is_bound)
        say_no_network(insight, first);
    say_differences(insight, results, count, first);
    if (helps || first->network.is_bound)
        say_fabric(insight, first);
}

/* All networks have the same time then, and their rates and latencies say nothing about the program. */
static void say_one_node(struct insight *insight, const struct result *first)
{
    add(insight, INSIGHT_ONE_NODE, first->fabric,
        mem_text("No message of this program takes the network: each is between ranks of one node "
                 "(ranks_per_node, placement)."));
    say_fabric(insight, first);
}

void insight_make(struct insight *insight, const struct result *results, size_t count,
                  const struct bursts_summary *bursts, uint64_t lost)
{
    *insight = (struct insight){.count = 0};
    const struct result *first = find(results, count, false);
    if (!first)
        first = &results[0];
    if (first->makespan <= 0) {
        add(insight, INSIGHT_NOTHING, first->fabric, mem_text("The program takes no time."));
        return;
    }
    find_bound(insight, results, count, first);
    if (stays_in_nodes(first))
        say_one_node(insight, first);
    else
        say_networks(insight, results, count, first);
    say_site(insight, first);
    say_bursts(insight, first, bursts);
    say_lost(insight, first, lost);
}

void insight_free(struct insight *insight)
{
    for (size_t i = 0; i < insight->count; i++)
        free(insight->sentences[i].text);
    *insight = (struct insight){.count = 0};
}

static json_t *sentence_json(const struct insight_sentence *sentence)
{
    json_t *object = json_make_object();
    json_put_text(object, "text", sentence->text);
    json_put_text(object, "rule", insight_rule_name(sentence->rule));
    json_put_text(object, "fabric", sentence->fabric);
    if (sentence->versus)
        json_put_text(object, "versus", sentence->versus);
    if (sentence->has_cause) {
        json_put_text(object, "cause", critical_kind_name(sentence->cause));
        json_put_number(object, "cause_share", sentence->cause_share);
    }
    return object;
}

json_t *insight_json(const struct insight *insight)
{
    json_t *object = json_make_object(), *sentences = json_make_list();
    if (insight->count) {
        json_put_text(object, "sentence", insight->sentences[0].text);
        json_put_text(object, "rule", insight_rule_name(insight->sentences[0].rule));
    }
    if (insight->bound)
        json_put_text(object, "bound", insight->bound);
    json_put_number(object, "bound_s", (double)insight->bound_ps / (double)PS_PER_S);
    json_put_number(object, "bound_saves", insight->bound_saves);
    for (size_t i = 0; i < insight->count; i++)
        json_add(sentences, sentence_json(&insight->sentences[i]));
    json_put(object, "sentences", sentences);
    return object;
}
