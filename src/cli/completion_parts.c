#include "cli/completion_parts.h"

#include <string.h>

#include "cli/group.h"
#include "coll/coll.h"
#include "fabric/list.h"
#include "machine/machine.h"
#include "reproduce/reproduce.h"
#include "sim/components.h"
#include "topo/families.h"
#include "workload/workload.h"

static const char *fabric_at(size_t index)
{
    return fabrics[index] ? fabrics[index]->name : NULL;
}

/* A collective whose ranks have no lengths of their own. */
static const char *equal_blocks_at(size_t index)
{
    for (enum coll_kind kind = 0; kind < COLL_KINDS; kind++) {
        const char *name = coll_kind_name(kind);
        if (name[strlen(name) - 1] != 'v' && index-- == 0)
            return name;
    }
    return NULL;
}

static bool is_any(const struct param *param)
{
    return param->name;
}

static bool is_quantity(const struct param *param)
{
    return param->type == PARAM_TIME || param->type == PARAM_RATE;
}

static const char *parameter_at(bool (*is_meant)(const struct param *param), size_t index)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < tables[i]->count; k++) {
            const struct param *param = &tables[i]->params[k];
            if (is_meant(param) && index-- == 0)
                return param->name;
        }
    return NULL;
}

/* A column of helio export with numbers, without those that only some fabrics have. */
static const char *column_at(size_t index)
{
    static const char *const columns[] = {
        "makespan_s",     "speedup",          "idle_fraction",         "messages",
        "bytes",          "mean_bytes",       "bandwidth_bytes_per_s", "message_rate_per_s",
        "mean_latency_s", "largest_latency_s"};
    return index < sizeof columns / sizeof *columns ? columns[index] : NULL;
}

/* Of a title that lists what may stand there, such as "down|up"; valid until the next call. NULL: there is
 * none. */
static const char *alternative_at(const char *title, size_t index)
{
    static char text[32];
    if (!strchr(title, '|') || title[strspn(title, "abcdefghijklmnopqrstuvwxyz-|")])
        return NULL;
    for (; index && title; index--)
        title = (title = strchr(title, '|')) ? title + 1 : NULL;
    if (!title)
        return NULL;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(title, "|"), title);
    return text;
}

const char *completion_name_at(const struct cli_command *of, size_t option, size_t index)
{
    const struct cli_option *at = &of->options[option];
    if (of->name_at && of->name_at(option, 0))
        return of->name_at(option, index);
    if (strcmp(at->name, "--fabric") == 0)
        return fabric_at(index);
    if (strcmp(at->name, "--op") == 0 && strcmp(of->name, "coll circuits") == 0)
        return equal_blocks_at(index);
    if (strcmp(at->name, "--of") == 0 && strcmp(of->name, "tolerance") == 0)
        return parameter_at(is_quantity, index);
    if (strcmp(at->name, "--x") == 0 && strcmp(of->name, "plot") == 0)
        return parameter_at(is_any, index);
    if (strcmp(at->name, "--y") == 0 && strcmp(of->name, "plot") == 0)
        return column_at(index);
    return at->value ? alternative_at(at->value, index) : NULL;
}

const char *completion_word_at(const struct cli_command *of, size_t index)
{
    static const char *const pages[] = {"parameters", "workloads"};
    const struct cli_group *first = cli_group_first();
    if (strcmp(of->words, "PAPER") == 0) {
        size_t count = 0;
        while (papers[count])
            count++;
        return index < count ? paper_name(papers[index]) : index == count ? "all" : NULL;
    }
    if (strcmp(of->words, "[COMMAND...]") != 0)
        return alternative_at(of->words, index);
    if (index < first->count)
        return first->commands[index].name;
    index -= first->count;
    return index < sizeof pages / sizeof *pages ? pages[index] : NULL;
}

enum completion_value completion_value_of(const struct cli_command *of, size_t option)
{
    const char *value = of->options[option].value;
    if (!value)
        return COMPLETE_NOTHING;
    if (strcmp(value, "NAME[:PARAMETER=VALUE,...]") == 0)
        return COMPLETE_WORKLOAD;
    if (completion_name_at(of, option, 0))
        return COMPLETE_NAMES;
    if (strcmp(value, "TOPOLOGY") == 0)
        return COMPLETE_TOPOLOGY;
    return strcmp(value, "PARAMETER=VALUE") == 0 ? COMPLETE_SETTING : COMPLETE_FILE;
}

enum completion_value completion_word_of(const struct cli_command *of)
{
    if (strncmp(of->words, "WORKLOAD", strlen("WORKLOAD")) == 0)
        return COMPLETE_WORKLOAD;
    if (completion_word_at(of, 0))
        return COMPLETE_NAMES;
    return strncmp(of->words, "TOPOLOGY", strlen("TOPOLOGY")) == 0 ? COMPLETE_TOPOLOGY : COMPLETE_FILE;
}

const char *completion_path(const char *title)
{
    const char *blank = strchr(title, ' ');
    return blank ? blank + 1 : "";
}

/* ------------------------------------------------------------------ values */

static const char *algorithm_at(const char *parameter, size_t index)
{
    if (strncmp(parameter, "mpi.", 4) != 0)
        return NULL;
    for (size_t i = 0; coll_algorithms[i]; i++)
        if (strcmp(coll_kind_name(coll_algorithms[i]->kind), parameter + 4) == 0 && index-- == 0)
            return coll_algorithms[i]->name;
    return NULL;
}

static bool is_first_of_name(size_t algorithm)
{
    bool is_first = true;
    for (size_t i = 0; is_first && i < algorithm; i++)
        is_first = strcmp(coll_algorithms[i]->name, coll_algorithms[algorithm]->name) != 0;
    return is_first;
}

/* Of all collectives: a shell does not know which op stands before. */
static const char *any_algorithm_at(size_t index)
{
    for (size_t i = 0; coll_algorithms[i]; i++)
        if (is_first_of_name(i) && index-- == 0)
            return coll_algorithms[i]->name;
    return NULL;
}

/* "torus:"; valid until the next call. */
static const char *topology_at(size_t index)
{
    static char text[64];
    const struct topo_ops *family;
    for (size_t i = 0; (family = topo_family_at(i)); i++)
        for (const struct topo_form *form = family->forms; form->name; form++)
            if (index-- == 0) {
                snprintf(text, sizeof text, "%s:", form->name);
                return text;
            }
    return NULL;
}

static const char *machine_at(size_t index)
{
    return machine_presets[index].name;
}

static const char *choice_at(const char *const *choices, size_t index)
{
    size_t count = 0;
    while (choices[count])
        count++;
    return index < count ? choices[index] : NULL;
}

const char *completion_value_at(const struct param *param, size_t index)
{
    static const char *const truth[] = {"true", "false", NULL};
    if (param->choices)
        return choice_at(param->choices, index);
    if (param->type == PARAM_BOOL)
        return choice_at(truth, index);
    if (strcmp(param->name, "fabric") == 0)
        return fabric_at(index);
    if (strcmp(param->name, "machine") == 0)
        return machine_at(index);
    if (strcmp(param->name, "topology") == 0)
        return topology_at(index);
    if (strcmp(param->name, "algorithm") == 0)
        return any_algorithm_at(index);
    return algorithm_at(param->name, index);
}

/* ---------------------------------------------------------------- printing */

void completion_each_table(void *self,
                           void (*visit)(void *self, const char *workload, const struct param_table *table))
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    for (size_t i = 0; i < count; i++)
        visit(self, NULL, tables[i]);
    for (size_t i = 0; workloads[i]; i++)
        visit(self, workloads[i]->name, workloads[i]->params);
}

void completion_print_values(FILE *out, const char *before_each, const struct param *param)
{
    for (size_t i = 0; completion_value_at(param, i); i++)
        fprintf(out, "%s%s%s", i ? " " : "", before_each, completion_value_at(param, i));
}

void completion_print_names(FILE *out, const struct param_table *table, const char *after_each)
{
    for (size_t i = 0; i < table->count; i++)
        fprintf(out, "%s%s%s", i ? " " : "", table->params[i].name, after_each);
}

void completion_print_parameters(FILE *out, const char *after_each)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    for (size_t i = 0; i < count; i++) {
        fputs(i && tables[i]->count ? " " : "", out);
        completion_print_names(out, tables[i], after_each);
    }
}

void completion_print_workloads(FILE *out)
{
    for (size_t i = 0; workloads[i]; i++)
        fprintf(out, "%s%s", i ? " " : "", workloads[i]->name);
}

void completion_print_topologies(FILE *out)
{
    for (size_t i = 0; topology_at(i); i++)
        fprintf(out, "%s%s", i ? " " : "", topology_at(i));
}

void completion_print_doc(FILE *out, const char *doc, const char *special, const char *quote)
{
    for (; *doc && *doc != '\n'; doc++) {
        if (*doc == '\'')
            fputs(quote, out);
        else
            fprintf(out, "%s%c", strchr(special, *doc) ? "\\" : "", *doc);
    }
}
