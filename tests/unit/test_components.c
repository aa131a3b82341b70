/* The parameter tables of all components: errors that the test of a single table would miss. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/time.h"
#include "sim/components.h"

/* Calls visit(table, param) for every parameter. */
static void each(void (*visit)(const struct param_table *table, const struct param *param))
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < tables[i]->count; j++)
            visit(tables[i], &tables[i]->params[j]);
}

/* If two parameters had one name, a setting would change the first alone. A parameter whose name is also a
 * map could not be written as a map. */
static const char *wanted_name;
static size_t found_names;

static void compare_name(const struct param_table *table, const struct param *param)
{
    (void)table;
    size_t length = strlen(wanted_name);
    found_names += strcmp(param->name, wanted_name) == 0;
    if (strncmp(param->name, wanted_name, length) == 0 && param->name[length] == '.')
        fail_msg("%s is a parameter, and also the map of %s", wanted_name, param->name);
}

static void check_name(const struct param_table *table, const struct param *param)
{
    (void)table;
    wanted_name = param->name;
    found_names = 0;
    each(compare_name);
    if (found_names != 1)
        fail_msg("%zu parameters are named %s", found_names, param->name);
    bool is_symbol = strncmp(param->name, "loggops.", 8) == 0; /* L, G, O and S of the paper */
    const char *letters =
        is_symbol ? "abcdefghijklmnopqrstuvwxyz.LGOS" : "abcdefghijklmnopqrstuvwxyz0123456789_.";
    if (param->name[strspn(param->name, letters)])
        fail_msg("%s: names are lower case letters, digits, _ and dots", param->name);
}

static void names_are_unique(void **state)
{
    (void)state;
    each(check_name);
}

/* ------------------------------------------------------------------ fields */

/* Bytes of the field. 0: only parse() knows. */
static size_t field_bytes(enum param_type type)
{
    static const size_t bytes[] = {
        [PARAM_TIME] = sizeof(ps_t),      [PARAM_RATE] = sizeof(uint64_t),
        [PARAM_FLOPS] = sizeof(uint64_t), [PARAM_SIZE] = sizeof(uint64_t),
        [PARAM_COUNT] = sizeof(uint64_t), [PARAM_NUMBER] = sizeof(double),
        [PARAM_BOOL] = sizeof(bool),      [PARAM_CHOICE] = sizeof(int),
        [PARAM_TEXT] = sizeof(char *),    [PARAM_CUSTOM] = 0,
    };
    return bytes[type];
}

/* A copied table entry whose field was not changed fills its neighbour's field. */
static void check_field(const struct param_table *table, const struct param *param)
{
    size_t end = param->offset + field_bytes(param->type);
    if (param->offset >= table->size || end > table->size)
        fail_msg("%s lies outside of its struct of %zu bytes", param->name, table->size);
    for (const struct param *other = table->params; other < table->params + table->count; other++)
        if (other != param && other->offset >= param->offset &&
            (other->offset == param->offset || other->offset < end))
            fail_msg("%s and %s share a field", param->name, other->name);
}

static void every_parameter_fills_a_field_of_its_own(void **state)
{
    (void)state;
    each(check_field);
}

/* --------------------------------------------------------- what users read */

static void check_line(const struct param *param, const char *text)
{
    if (!text || !*text || strpbrk(text, "\n\t") || text[strlen(text) - 1] == '.')
        fail_msg("%s is explained in one line, without a full stop", param->name);
}

static void check_doc(const struct param_table *table, const struct param *param)
{
    check_line(param, param->doc);
    check_line(param, table->doc);
    check_line(param, table->component);
    if (param->type == PARAM_CHOICE)
        assert_non_null(param->choices);
    if (param->type == PARAM_CUSTOM)
        assert_non_null(param->parse);
}

static void everything_is_explained(void **state)
{
    (void)state;
    each(check_doc);
}

/* ------------------------------------------------------------------ bounds */

/* A bound that cannot be read has no effect. So bounds are read here as values without bounds. */
static void check_bound(const struct param *param, const char *bound)
{
    struct param unbounded = *param;
    union {
        uint64_t whole;
        double number;
    } field;
    struct param_problem problem;
    unbounded.min = unbounded.max = NULL;
    assert_true(param->type <= PARAM_NUMBER);
    if (!param_parse(&unbounded, bound, &field, NULL, &problem))
        fail_msg("a bound of %s: %s", param->name, problem.text);
    if (!param_parse(param, bound, &field, NULL, &problem))
        fail_msg("no value of %s is within its bounds: %s", param->name, problem.text);
}

static void check_bounds(const struct param_table *table, const struct param *param)
{
    (void)table;
    if (param->min)
        check_bound(param, param->min);
    if (param->max)
        check_bound(param, param->max);
}

static void bounds_can_be_met(void **state)
{
    (void)state;
    each(check_bounds);
}

static void defaults_are_valid(void **state)
{
    (void)state;
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    for (size_t i = 0; i < count; i++) {
        struct arena texts = {0};
        struct param_problem problem;
        void *config = mem_alloc(1, tables[i]->size, "a component's parameters");
        if (!param_defaults(tables[i], config, &texts, &problem))
            fail_msg("%s: %s", tables[i]->component, problem.text);
        free(config);
        arena_free(&texts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique),        cmocka_unit_test(every_parameter_fills_a_field_of_its_own),
        cmocka_unit_test(everything_is_explained), cmocka_unit_test(bounds_can_be_met),
        cmocka_unit_test(defaults_are_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
