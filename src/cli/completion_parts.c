#include "cli/completion_parts.h"

#include <string.h>

#include "sim/components.h"

enum completion_value completion_value_of(const struct cli_command *of, size_t option)
{
    const char *value = of->options[option].value;
    if (!value)
        return COMPLETE_NOTHING;
    if (of->name_at && of->name_at(option, 0))
        return COMPLETE_NAMES;
    return strcmp(value, "PARAMETER=VALUE") == 0 ? COMPLETE_SETTING : COMPLETE_FILE;
}

const char *completion_path(const char *title)
{
    const char *blank = strchr(title, ' ');
    return blank ? blank + 1 : "";
}

void completion_print_parameters(FILE *out)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    const char *before = "";
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < tables[i]->count; j++, before = " ")
            fprintf(out, "%s%s", before, tables[i]->params[j].name);
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
