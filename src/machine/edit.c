#include <string.h>

#include "base/diag.h"
#include "base/memory_stream.h"
#include "breakdown/system.h"
#include "machine/machine.h"
#include "output/quote.h"

/* Changes a machine file line by line, so that all other lines stay as somebody has written them. */

struct line_edit {
    const struct machine_change *changes;
    size_t count;
    FILE *out;
    bool in_sources, has_sources;
    bool drops; /* the lines up to the next key at this depth or above */
    size_t drop_depth;
};

static size_t depth_of(const char *line)
{
    return strspn(line, " ");
}

static bool is_key(const char *line, const char *key)
{
    size_t length = strlen(key);
    return strncmp(line, key, length) == 0 && line[length] == ':';
}

/* Whether a map of a line each begins. All on one line it is another layout, which stays and is refused. */
static bool begins_sources(const char *line)
{
    static const char key[] = "sources:";
    const size_t length = sizeof key - 1;
    return strncmp(line, key, length) == 0 && strchr("\r\n#", line[length + strspn(line + length, " ")]);
}

static bool is_changed(const struct line_edit *edit, const char *line, bool sources)
{
    for (size_t i = 0; i < edit->count; i++)
        if (is_key(line, edit->changes[i].param) && (sources || edit->changes[i].value))
            return true;
    return false;
}

static void put_values(const struct line_edit *edit)
{
    for (size_t i = 0; i < edit->count; i++)
        if (edit->changes[i].value)
            fprintf(edit->out, "%s: %s\n", edit->changes[i].param, edit->changes[i].value);
}

static void put_sources(struct line_edit *edit)
{
    fputs("sources:\n", edit->out);
    for (size_t i = 0; i < edit->count; i++) {
        fprintf(edit->out, "  %s: ", edit->changes[i].param);
        quote_yaml(edit->out, edit->changes[i].source);
        fputc('\n', edit->out);
    }
    edit->has_sources = true;
}

/* A line that is not empty and no comment. */
static void edit_line(struct line_edit *edit, const char *line, size_t length)
{
    size_t depth = depth_of(line);
    if (edit->drops && depth > edit->drop_depth)
        return;
    edit->drops = false;
    if (depth == 0) {
        edit->in_sources = begins_sources(line);
        edit->drops = is_key(line, SYSTEM_SECTION) || is_changed(edit, line, false);
        edit->drop_depth = 0;
        if (edit->in_sources) {
            put_values(edit);
            put_sources(edit);
            return;
        }
    } else if (edit->in_sources && is_changed(edit, line + depth, true)) {
        edit->drops = true;
        edit->drop_depth = depth;
    }
    if (!edit->drops)
        fwrite(line, 1, length, edit->out);
}

/* A line that is empty or a comment. Those inside of what is dropped go with it; a comment that does not
 * stand deeper than its key is of what follows. */
static void pass_blank(const struct line_edit *edit, const char *line, size_t length)
{
    size_t depth = depth_of(line);
    if (!edit->drops || (line[depth] == '#' && depth <= edit->drop_depth))
        fwrite(line, 1, length, edit->out);
}

static void put_system(const char *system, FILE *out)
{
    fputs(SYSTEM_SECTION ":\n", out);
    while (*system) {
        size_t length = strcspn(system, "\n");
        if (length)
            fprintf(out, "  %.*s", (int)length, system);
        fputc('\n', out);
        system += length + (system[length] == '\n');
    }
}

char *machine_edit(const char *text, const struct machine_change *changes, size_t count, const char *system,
                   size_t *edited_length)
{
    char *edited;
    struct line_edit edit = {
        .changes = changes, .count = count, .out = memory_stream_open(&edited, edited_length)};
    while (*text) {
        size_t length = strcspn(text, "\n"), first = depth_of(text);
        length += text[length] == '\n';
        bool is_blank = strchr("\r\n#", text[first]) != NULL; /* or the end */
        if (!is_blank)
            edit_line(&edit, text, length);
        else
            pass_blank(&edit, text, length);
        if (text[length - 1] != '\n')
            fputc('\n', edit.out);
        text += length;
    }
    if (!edit.has_sources) {
        put_values(&edit);
        put_sources(&edit);
    }
    put_system(system, edit.out);
    fclose(edit.out);
    return edited;
}

/* Whether the machine has the value, in whatever form it is written. */
static bool has_value(const struct machine *machine, const struct config *like,
                      const struct machine_change *change)
{
    struct config *config = config_open_like(like);
    struct param_problem problem;
    bool is_same = false;
    if (config && config_try(config, change->param, change->value, "", &problem)) {
        const char *wanted = config_text(config, change->param),
                   *found = config_text(machine->config, change->param);
        is_same = found && wanted && strcmp(found, wanted) == 0;
    }
    if (config)
        config_close(config);
    return is_same;
}

enum status machine_verify(const char *name, const char *text, size_t length,
                           const struct machine_change *changes, size_t count, const struct config *like)
{
    struct machine machine;
    enum status status = machine_open_text(&machine, name, text, length, like);
    if (status == STATUS_OK) {
        for (size_t i = 0; i < count && status == STATUS_OK; i++)
            if ((changes[i].value && !has_value(&machine, like, &changes[i])) ||
                !machine_source_of(&machine, changes[i].param))
                status = STATUS_BAD_INPUT;
        if (!machine.system_origin)
            status = STATUS_BAD_INPUT;
        machine_close(&machine);
    }
    if (status != STATUS_OK)
        diag_error(
            "%s cannot be changed line by line, and stays as it is; write its values as helio calibrate "
            "does, each on a line of its own with its full name, and so sources",
            name);
    return status;
}
