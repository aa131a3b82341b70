#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "topo/families.h"
#include "topo/network_file.h"
#include "topo/rates.h"
#include "topo/updown.h"

/* Topologies as short texts: NAME:NUMBERxNUMBER..., then rules of routing: ,NAME=VALUE. */

static const char *const order_names[] = {"first", "last", NULL};
static const char *const tie_names[] = {"parity", "plus", "either", "reverse", NULL};
static const char *const relay_names[] = {"nvlink", "spine", "either", NULL};

static const struct topo_rule_text {
    const char *name;
    enum topo_rule rule;
    const char *const *values; /* NULL: a number */
    const char *shown;
} rules[] = {{"order", TOPO_RULE_ORDER, order_names, "order=first|last"},
             {"tie", TOPO_RULE_TIE, tie_names, "tie=parity|plus|either|reverse"},
             {"routing", TOPO_RULE_ROUTING, topo_routing_names, "routing=d-mod-k|lowest|hash"},
             {"seed", TOPO_RULE_ROUTING, NULL, "seed=1"},
             {"rates", TOPO_RULE_RATES, NULL, "rates=10GB/s+20GB/s"},
             {"latencies", TOPO_RULE_RATES, NULL, "latencies=0ns+100ns"},
             {"planes", TOPO_RULE_PLANES, NULL, "planes=2"},
             {"relay", TOPO_RULE_RELAY, relay_names, "relay=nvlink|spine|either"},
             {"routes", TOPO_RULE_ROUTES, topo_routes_names, "routes=own|updown"}};

enum { ORDER, TIE, ROUTING, SEED, RATES, LATENCIES, PLANES, RELAY, ROUTES, RULES };
enum { PLANES_MOST = 64 };
_Static_assert(RULES == sizeof rules / sizeof *rules, "each rule has its line");

/* Whether topologies of the family have the rule. */
static bool has_rule(const struct topo_ops *ops, size_t rule)
{
    return (ops->rules | TOPO_RULE_ROUTES) & rules[rule].rule;
}

static uint64_t rule_value(const struct topo *topo, size_t rule)
{
    const uint64_t values[RULES] = {
        [ORDER] = topo->order,
        [TIE] = topo->tie,
        [ROUTING] = topo->routing,
        [SEED] = topo->seed,
        [RATES] = topo->rates != NULL,
        [LATENCIES] = topo->latencies != NULL,
        [PLANES] = topo->planes > 1 ? topo->planes : 0,
        [RELAY] = topo->relay,
        [ROUTES] = topo->routes,
    };
    return values[rule];
}

static void set_rule(struct topo *topo, size_t rule, uint64_t value)
{
    switch (rule) {
    case ORDER:
        topo->order = (enum topo_order)value;
        break;
    case TIE:
        topo->tie = (enum topo_tie)value;
        break;
    case ROUTING:
        topo->routing = (enum topo_routing)value;
        break;
    case PLANES:
        topo->planes = (uint32_t)value;
        break;
    case RELAY:
        topo->relay = (enum topo_relay)value;
        break;
    case ROUTES:
        topo->routes = (enum topo_routes)value;
        break;
    default:
        topo->seed = value;
    }
}

/* What is being read. */
struct topo_reader {
    const char *text;
    size_t at;
    size_t number_at[TOPO_NUMBERS];
    size_t rule_at[RULES]; /* 0: it is not given */
    struct topo_word word;
    struct topo topo;
    struct param_problem *problem;
};

static bool fail(const struct topo_reader *reader, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool fail(const struct topo_reader *reader, size_t at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->problem->text, sizeof reader->problem->text, format, arguments);
    va_end(arguments);
    reader->problem->at = (uint32_t)at;
    return false;
}

static bool read_name(struct topo_reader *reader)
{
    size_t length = strcspn(reader->text, ":,");
    if (topo_word_find(reader->text, length, &reader->word)) {
        const struct topo_form *form = reader->word.form;
        if (reader->text[length] != ':')
            return fail(reader, length, "'%s' needs its size; for example %s", form->name, form->example);
        reader->at = length + 1;
        reader->topo.ops = reader->word.ops;
        return true;
    }
    char name[64], suggestion[256];
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), reader->text);
    topo_word_suggest(name, suggestion, sizeof suggestion);
    return fail(reader, 0, "there is no topology '%s'%s%s", name, suggestion,
                strncmp(suggestion, "; did", 5) == 0 ? ""
                                                     : "; the path of a network file has a slash, as ./FILE");
}

/* A number of digits alone, from 1 to TOPO_NODES_LIMIT. */
static bool read_number(struct topo_reader *reader, uint32_t *number)
{
    const struct topo_form *form = reader->word.form;
    size_t digits = strspn(reader->text + reader->at, "0123456789");
    uint64_t value = 0;
    if (digits == 0)
        return fail(reader, reader->at, "a number is expected here, as in %s", form->example);
    for (size_t i = 0; i < digits && value <= TOPO_NODES_LIMIT; i++)
        value = value * 10 + (uint64_t)(reader->text[reader->at + i] - '0');
    if (value < 1)
        return fail(reader, reader->at, "%s: at least 1", form->name);
    if (value > TOPO_NODES_LIMIT)
        return fail(reader, reader->at, "at most %u", TOPO_NODES_LIMIT);
    *number = (uint32_t)value;
    reader->at += digits;
    return true;
}

static bool read_numbers(struct topo_reader *reader)
{
    const struct topo_form *form = reader->word.form;
    uint32_t count = 0;
    for (;; reader->at++) {
        if (count == form->most || count == TOPO_NUMBERS)
            return fail(reader, reader->at, "one number too many; for example %s", form->example);
        reader->number_at[count] = reader->at;
        if (!read_number(reader, &reader->topo.numbers[count++]))
            return false;
        if (reader->text[reader->at] != 'x')
            break;
    }
    if (reader->text[reader->at] && reader->text[reader->at] != ',')
        return fail(reader, reader->at, "'%c' is not expected here; for example %s", reader->text[reader->at],
                    form->example);
    if (count < form->least)
        return fail(reader, reader->at,
                    count == 1 ? "%u number is too few; for example %s"
                               : "%u numbers are too few; for example %s",
                    count, form->example);
    reader->topo.number_count = count;
    return true;
}

/* The value behind "name=": the index of its name, or the number. */
static bool read_value(struct topo_reader *reader, const struct topo_rule_text *rule, uint64_t *value)
{
    const char *text = reader->text + reader->at;
    size_t length = strcspn(text, ",");
    char all[TOPO_TEXT] = "";
    for (int i = 0; rule->values && rule->values[i]; i++) {
        if (strlen(rule->values[i]) == length && strncmp(rule->values[i], text, length) == 0) {
            reader->at += length;
            *value = (uint64_t)i;
            return true;
        }
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", rule->values[i]);
    }
    if (rule->values)
        return fail(reader, reader->at, "%s is one of %s", rule->name, all);
    size_t digits = strspn(text, "0123456789");
    if (!digits || digits != length || digits > 9)
        return fail(reader, reader->at, "%s is a number of at most 9 digits", rule->name);
    *value = strtoull(text, NULL, 10);
    reader->at += length;
    return true;
}

static bool read_by_class(struct topo_reader *reader, enum param_type type,
                          const struct topo_by_class **by_class)
{
    const char *text = reader->text + reader->at;
    size_t length = strcspn(text, ",");
    *by_class = by_class_read(type, text, length, reader->problem);
    if (!*by_class) {
        reader->problem->at += (uint32_t)reader->at;
        return false;
    }
    reader->at += length;
    return true;
}

/* What stands behind the numbers of these rules; none: "". */
static void list_rules(const struct topo_ops *ops, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < RULES; i++)
        if (has_rule(ops, i))
            snprintf(text + strlen(text), size - strlen(text), "%s%s", *text ? " or " : "", rules[i].shown);
}

static bool read_rule(struct topo_reader *reader)
{
    char all[TOPO_TEXT];
    for (size_t i = 0; i < RULES; i++) {
        size_t length = strlen(rules[i].name);
        uint64_t value = 0;
        if (strncmp(reader->text + reader->at, rules[i].name, length) != 0 ||
            reader->text[reader->at + length] != '=')
            continue;
        if (!has_rule(reader->word.ops, i))
            return fail(reader, reader->at, "%s has no '%s'", reader->word.form->name, rules[i].name);
        if (reader->rule_at[i])
            return fail(reader, reader->at, "%s is given twice", rules[i].name);
        reader->rule_at[i] = reader->at;
        reader->at += length + 1;
        if (i == RATES)
            return read_by_class(reader, PARAM_RATE, &reader->topo.rates);
        if (i == LATENCIES)
            return read_by_class(reader, PARAM_TIME, &reader->topo.latencies);
        if (!read_value(reader, &rules[i], &value))
            return false;
        if (i == PLANES && (value < 1 || value > PLANES_MOST))
            return fail(reader, reader->at - 1, "planes is a number from 1 to %d", PLANES_MOST);
        set_rule(&reader->topo, i, value);
        return true;
    }
    list_rules(reader->word.ops, all, sizeof all);
    return *all ? fail(reader, reader->at, "%s is expected here", all)
                : fail(reader, reader->at, "nothing is expected behind the numbers of %s",
                       reader->word.form->name);
}

/* -------------------------------------------------------------------- sizes */

bool topo_fits(uint64_t nodes, uint64_t links, struct param_problem *problem)
{
    if (nodes <= TOPO_NODES_LIMIT && links <= TOPO_LINKS_LIMIT)
        return true;
    problem->at = 0;
    snprintf(problem->text, sizeof problem->text,
             "too large: at most %u nodes, as many switches, and %u links", TOPO_NODES_LIMIT,
             TOPO_LINKS_LIMIT);
    return false;
}

static bool build(struct topo_reader *reader)
{
    struct topo *topo = &reader->topo;
    if (!topo->ops->build(topo, reader->problem)) {
        uint32_t number = reader->problem->at;
        reader->problem->at = (uint32_t)reader->number_at[number];
        return false;
    }
    const struct topo_ops *ops = topo->ops;
    topo->diameter = ops->diameter ? ops->diameter(topo) : ops->distances(topo).most;
    return true;
}

/* Whether each value of the list is that of some links. */
static bool check_classes(const struct topo_reader *reader, size_t rule, const struct topo_by_class *by_class)
{
    uint32_t classes = topo_link_classes(&reader->topo);
    if (!by_class || by_class->count <= classes)
        return true;
    return fail(reader, reader->rule_at[rule], "%" PRIu32 " %s, and %s has %" PRIu32 " class%s of links",
                by_class->count, rules[rule].name, reader->word.form->name, classes,
                classes == 1 ? "" : "es");
}

/* Whether all rules have an effect. */
static bool check_rules(const struct topo_reader *reader)
{
    if (reader->rule_at[SEED] && reader->topo.routing != TOPO_ROUTING_HASH)
        return fail(reader, reader->rule_at[SEED], "seed is that of routing=hash, which is not given");
    return check_classes(reader, RATES, reader->topo.rates) &&
           check_classes(reader, LATENCIES, reader->topo.latencies);
}

bool topo_is_path(const char *text)
{
    static const char *const endings[] = {".yaml", ".yml", ".xml", ".topo", ".txt"};
    const char *end = strrchr(text, '.');
    struct topo_word word;
    size_t name = strcspn(text, ":/");
    if (text[name] == ':' && topo_word_find(text, name, &word))
        return false; /* rates have slashes */
    if (strchr(text, '/'))
        return true;
    for (size_t i = 0; end && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(end, endings[i]) == 0)
            return true;
    return false;
}

bool topo_read(const char *text, struct topo *topo, struct param_problem *problem)
{
    struct topo_reader reader = {.text = text, .problem = problem};
    if (topo_is_path(text))
        return network_file_read(text, topo, problem);
    if (!read_name(&reader) || !read_numbers(&reader))
        return false;
    while (text[reader.at] == ',') {
        reader.at++;
        if (!read_rule(&reader))
            return false;
    }
    if (!build(&reader) || !check_rules(&reader) || !updown_take(&reader.topo, problem))
        return false;
    *topo = reader.topo;
    return true;
}

enum status topo_parse(const char *what, const char *text, struct topo *topo)
{
    struct param_problem problem;
    if (topo_read(text, topo, &problem))
        return STATUS_OK;
    if (topo_is_path(text))
        return STATUS_BAD_INPUT; /* reported, with its place in the file */
    diag_report(DIAG_ERROR,
                &(struct diag_place){.file = what,
                                     .line = 1,
                                     .column = problem.at + 1,
                                     .span = 1,
                                     .source = text,
                                     .source_length = strlen(text)},
                "%s", problem.text);
    return STATUS_BAD_INPUT;
}

/* ----------------------------------------------------------------- printing */

const char *topo_print(const struct topo *topo, char *buffer, size_t size)
{
    if (topo->path) {
        size_t length = strlen(topo->path), most = size - 1;
        bool is_long = length > most;
        snprintf(buffer, size, "%s%s", is_long ? "..." : "", topo->path + (is_long ? length - most + 3 : 0));
        return buffer;
    }
    size_t length = (size_t)snprintf(buffer, size, "%s", topo->ops->name);
    for (uint32_t i = 0; i < topo->number_count && length < size; i++)
        length += (size_t)snprintf(buffer + length, size - length, "%c%u", i ? 'x' : ':', topo->numbers[i]);
    for (size_t i = 0; i < RULES && length < size; i++) {
        uint64_t value = rule_value(topo, i);
        if (!has_rule(topo->ops, i) || !value)
            continue;
        if (i == RATES || i == LATENCIES) {
            length += (size_t)snprintf(buffer + length, size - length, ",%s=", rules[i].name);
            if (length < size)
                by_class_print(i == RATES ? topo->rates : topo->latencies, buffer + length, size - length);
            length += length < size ? strlen(buffer + length) : 0;
            continue;
        }
        length += rules[i].values ? (size_t)snprintf(buffer + length, size - length, ",%s=%s", rules[i].name,
                                                     rules[i].values[value])
                                  : (size_t)snprintf(buffer + length, size - length, ",%s=%llu",
                                                     rules[i].name, (unsigned long long)value);
    }
    return buffer;
}
