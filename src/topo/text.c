#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "topo/shapes.h"

/* Topologies as short texts: KIND:NUMBERxNUMBER...[,order=first|last][,tie=parity|plus|either]. */

enum { NUMBERS = TOPO_DIMENSIONS };

static const struct form {
    const char *name;
    enum topo_kind kind;
    uint32_t least, most; /* how many numbers */
    uint32_t smallest;    /* each of them */
    const char *example;
} forms[] = {
    {"crossbar", TOPO_CROSSBAR, 1, 1, 1, "crossbar:64, its nodes"},
    {"dragonfly", TOPO_DRAGONFLY, 3, 4, 1,
     "dragonfly:2x4x2, nodes and global links of a router around the routers of a group: p x a x h; and x g, "
     "the groups, if not all a h + 1"},
    {"fattree", TOPO_TREE, 2, 2, 1, "fattree:12x3, half a switch's ports and the levels: k x n"},
    {"linear", TOPO_MESH, 1, 1, 1, "linear:8, its nodes"},
    {"mesh", TOPO_MESH, 1, NUMBERS, 1, "mesh:4x4, its dimensions"},
    {"ring", TOPO_TORUS, 1, 1, 1, "ring:8, its nodes"},
    {"torus", TOPO_TORUS, 1, NUMBERS, 1, "torus:12x12x12, its dimensions"},
};

enum { FORMS = sizeof forms / sizeof *forms };

static const char *const order_names[] = {"first", "last", NULL};
static const char *const tie_names[] = {"parity", "plus", "either", NULL};

static const struct rule {
    const char *name;
    const char *const *values;
} rules[] = {{"order", order_names}, {"tie", tie_names}};

/* What is being read. */
struct reader {
    const char *text;
    size_t at;
    struct param_problem *problem;
};

static bool fail(const struct reader *reader, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool fail(const struct reader *reader, size_t at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->problem->text, sizeof reader->problem->text, format, arguments);
    va_end(arguments);
    reader->problem->at = (uint32_t)at;
    return false;
}

static const char *form_name_at(const void *list, size_t index)
{
    return ((const struct form *)list)[index].name;
}

static const struct form *read_form(struct reader *reader)
{
    size_t length = strcspn(reader->text, ":,");
    for (size_t i = 0; i < FORMS; i++) {
        if (strlen(forms[i].name) != length || strncmp(forms[i].name, reader->text, length) != 0)
            continue;
        reader->at = length;
        if (reader->text[length] == ':') {
            reader->at++;
            return &forms[i];
        }
        fail(reader, length, "'%s' needs its size; for example %s", forms[i].name, forms[i].example);
        return NULL;
    }
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), reader->text);
    const char *guess = diag_nearest(name, forms, FORMS, form_name_at);
    fail(reader, 0, "there is no topology '%s'%s", name,
         guess ? diag_did_you_mean(guess)
               : "; there are crossbar, dragonfly, fattree, linear, mesh, ring and torus");
    return NULL;
}

/* Digits alone; up to TOPO_NODES_LIMIT. */
static bool read_number(struct reader *reader, const struct form *form, uint32_t *number)
{
    size_t digits = strspn(reader->text + reader->at, "0123456789");
    uint64_t value = 0;
    if (digits == 0)
        return fail(reader, reader->at, "a number is expected here, as in %s", form->example);
    for (size_t i = 0; i < digits && value <= TOPO_NODES_LIMIT; i++)
        value = value * 10 + (uint64_t)(reader->text[reader->at + i] - '0');
    if (value < form->smallest)
        return fail(reader, reader->at, "%s: at least %u", form->name, form->smallest);
    if (value > TOPO_NODES_LIMIT)
        return fail(reader, reader->at, "more than %u", TOPO_NODES_LIMIT);
    *number = (uint32_t)value;
    reader->at += digits;
    return true;
}

static bool read_numbers(struct reader *reader, const struct form *form, uint32_t *numbers, uint32_t *count)
{
    for (*count = 0;; reader->at++) {
        if (*count == form->most)
            return fail(reader, reader->at, "one number too many; for example %s", form->example);
        if (!read_number(reader, form, &numbers[(*count)++]))
            return false;
        if (reader->text[reader->at] != 'x')
            break;
    }
    if (reader->text[reader->at] && reader->text[reader->at] != ',')
        return fail(reader, reader->at, "'%c' is not expected here; for example %s", reader->text[reader->at],
                    form->example);
    if (*count < form->least)
        return fail(reader, reader->at, "%u numbers are too few; for example %s", *count, form->example);
    return true;
}

/* The index of the value behind "name=", or -1. */
static int read_value(struct reader *reader, const struct rule *rule)
{
    size_t length = strcspn(reader->text + reader->at, ",");
    for (int i = 0; rule->values[i]; i++)
        if (strlen(rule->values[i]) == length &&
            strncmp(rule->values[i], reader->text + reader->at, length) == 0) {
            reader->at += length;
            return i;
        }
    fail(reader, reader->at, "%s is one of %s, %s%s%s", rule->name, rule->values[0], rule->values[1],
         rule->values[2] ? ", " : "", rule->values[2] ? rule->values[2] : "");
    return -1;
}

static bool read_rule(struct reader *reader, const struct form *form, struct topo *topo)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        size_t length = strlen(rules[i].name);
        if (strncmp(reader->text + reader->at, rules[i].name, length) != 0 ||
            reader->text[reader->at + length] != '=')
            continue;
        if (topo->kind != TOPO_TORUS && (topo->kind != TOPO_MESH || i == 1))
            return fail(reader, reader->at, "%s has no '%s'", form->name, rules[i].name);
        reader->at += length + 1;
        int value = read_value(reader, &rules[i]);
        if (value < 0)
            return false;
        if (i == 0)
            topo->order = (enum topo_order)value;
        else
            topo->tie = (enum topo_tie)value;
        return true;
    }
    return fail(reader, reader->at, "order=first|last or tie=parity|plus|either is expected here");
}

/* -------------------------------------------------------------------------------------------- sizes */

static bool is_too_large(const struct reader *reader, const struct form *form, uint64_t nodes, uint64_t links)
{
    if (nodes <= TOPO_NODES_LIMIT && links <= TOPO_LINKS_LIMIT)
        return false;
    fail(reader, strlen(form->name) + 1, "too large: at most %u nodes, as many switches, and %u links",
         TOPO_NODES_LIMIT, TOPO_LINKS_LIMIT);
    return true;
}

static bool size_grid(const struct reader *reader, const struct form *form, const uint32_t *numbers,
                      uint32_t count, struct topo *topo)
{
    uint64_t nodes = 1;
    for (uint32_t d = 0; d < count; d++) {
        nodes *= numbers[d];
        if (is_too_large(reader, form, nodes, nodes * 2 * (d + 2)))
            return false;
        topo->dimension[d].size = numbers[d];
    }
    topo->dimensions = count;
    return true;
}

static bool size_tree(const struct reader *reader, const struct form *form, const uint32_t *numbers,
                      uint32_t count, struct topo *topo)
{
    topo->arity = numbers[0];
    topo->levels = count == 2 ? numbers[1] : 1;
    if (topo->levels > 1 && topo->arity == 1)
        return fail(reader, strlen(form->name) + 1, "a tree of several levels needs an arity of at least 2");
    if (topo->levels > TOPO_LEVELS)
        return fail(reader, reader->at, "at most %d levels", TOPO_LEVELS);
    uint64_t nodes = 1;
    for (uint32_t level = 0; level < topo->levels; level++) {
        nodes *= topo->arity;
        if (is_too_large(reader, form, nodes * topo->levels / topo->arity, nodes * 2 * topo->levels) ||
            is_too_large(reader, form, nodes, 0))
            return false;
    }
    return true;
}

static bool size_dragonfly(const struct reader *reader, const struct form *form, const uint32_t *numbers,
                           uint32_t count, struct topo *topo)
{
    uint64_t p = numbers[0], a = numbers[1], h = numbers[2], most = a * h + 1;
    uint64_t g = count == 4 ? numbers[3] : most;
    if (g < 2 || g > most)
        return fail(reader, strlen(form->name) + 1,
                    "%llu groups: there are at least 2, and with %llu global links out of each at most %llu",
                    (unsigned long long)g, (unsigned long long)(a * h), (unsigned long long)most);
    unsigned __int128 nodes = (unsigned __int128)a * g * p;
    unsigned __int128 links = 2 * nodes + (unsigned __int128)a * g * (a + h);
    uint64_t limit = UINT64_MAX;
    if (is_too_large(reader, form, nodes > limit ? limit : (uint64_t)nodes,
                     links > limit ? limit : (uint64_t)links))
        return false;
    topo->terminals = (uint32_t)p;
    topo->routers = (uint32_t)a;
    topo->globals = (uint32_t)h;
    topo->groups = (uint32_t)g;
    return true;
}

static bool size_shape(const struct reader *reader, const struct form *form, const uint32_t *numbers,
                       uint32_t count, struct topo *topo)
{
    switch (form->kind) {
    case TOPO_MESH:
    case TOPO_TORUS:
        return size_grid(reader, form, numbers, count, topo);
    case TOPO_TREE:
    case TOPO_CROSSBAR:
        return size_tree(reader, form, numbers, count, topo);
    case TOPO_DRAGONFLY:
        return size_dragonfly(reader, form, numbers, count, topo);
    }
    return false;
}

bool topo_read(const char *text, struct topo *topo, struct param_problem *problem)
{
    struct reader reader = {.text = text, .problem = problem};
    uint32_t numbers[NUMBERS], count;
    const struct form *form = read_form(&reader);
    if (!form || !read_numbers(&reader, form, numbers, &count))
        return false;
    struct topo read = {.kind = form->kind};
    if (!size_shape(&reader, form, numbers, count, &read))
        return false;
    while (text[reader.at] == ',') {
        reader.at++;
        if (!read_rule(&reader, form, &read))
            return false;
    }
    topo_build(&read);
    *topo = read;
    return true;
}

enum status topo_parse(const char *what, const char *text, struct topo *topo)
{
    struct param_problem problem;
    if (topo_read(text, topo, &problem))
        return STATUS_OK;
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

/* -------------------------------------------------------------------------------------------- printing */

static size_t put_numbers(char *buffer, size_t size, const char *name, const uint32_t *numbers,
                          uint32_t count)
{
    size_t length = (size_t)snprintf(buffer, size, "%s", name);
    for (uint32_t i = 0; i < count && length < size; i++)
        length += (size_t)snprintf(buffer + length, size - length, "%c%u", i ? 'x' : ':', numbers[i]);
    return length < size ? length : size - 1;
}

static const char *print_grid(const struct topo *topo, char *buffer, size_t size)
{
    uint32_t numbers[TOPO_DIMENSIONS];
    for (uint32_t d = 0; d < topo->dimensions; d++)
        numbers[d] = topo->dimension[d].size;
    const char *name = topo->kind == TOPO_MESH ? "mesh" : "torus";
    size_t length = put_numbers(buffer, size, name, numbers, topo->dimensions);
    snprintf(buffer + length, size - length, "%s%s%s%s",
             topo->order == TOPO_ORDER_FIRST ? "" : ",order=", topo->order == TOPO_ORDER_FIRST ? "" : "last",
             topo->tie == TOPO_TIE_PARITY ? "" : ",tie=",
             topo->tie == TOPO_TIE_PARITY ? "" : tie_names[topo->tie]);
    return buffer;
}

const char *topo_print(const struct topo *topo, char *buffer, size_t size)
{
    switch (topo->kind) {
    case TOPO_MESH:
    case TOPO_TORUS:
        return print_grid(topo, buffer, size);
    case TOPO_TREE:
        put_numbers(buffer, size, "fattree", (const uint32_t[]){topo->arity, topo->levels}, 2);
        return buffer;
    case TOPO_CROSSBAR:
        put_numbers(buffer, size, "crossbar", &topo->arity, 1);
        return buffer;
    case TOPO_DRAGONFLY:
        put_numbers(buffer, size, "dragonfly",
                    (const uint32_t[]){topo->terminals, topo->routers, topo->globals, topo->groups}, 4);
        return buffer;
    }
    return buffer;
}
