#include "cli/values.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"

bool cli_value_count(const char *option, const char *text, uint64_t *count)
{
    struct units_problem problem;
    if (units_count(text, count, &problem))
        return true;
    diag_error("%s: %s", option, problem.text);
    return false;
}

bool cli_value_bytes(const char *option, const char *text, uint64_t *bytes)
{
    struct units_problem problem;
    if (units_count(text, bytes, &problem) || units_size(text, bytes, &problem))
        return true;
    diag_error("%s: %s", option, problem.text);
    return false;
}

bool cli_value_jobs(const char *text, unsigned *jobs)
{
    enum { JOBS_AT_MOST = 1024 };
    struct units_problem problem;
    uint64_t number;
    if (!units_count(text, &number, &problem) || number < 1 || number > JOBS_AT_MOST) {
        diag_error("--jobs is a number from 1 to %d, not '%s'", JOBS_AT_MOST, text);
        return false;
    }
    *jobs = (unsigned)number;
    return true;
}

/* "a, b or c" */
static char *names_text(const char *const *names, size_t count)
{
    char *list = mem_text("");
    for (size_t i = 0; i < count; i++) {
        const char *before = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        char *longer = mem_format("%s%s%s", list, before, names[i]);
        free(list);
        list = longer;
    }
    return list;
}

bool cli_value_choice(const char *option, const char *text, const char *const *names, size_t count,
                      int *index)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(text, names[i]) == 0) {
            *index = (int)i;
            return true;
        }
    char *list = names_text(names, count);
    diag_error("%s is %s, not '%s'%s", option, list, text,
               diag_did_you_mean(diag_nearest_of(text, names, count)));
    free(list);
    return false;
}

enum status cli_assign_machine(struct config *config, const char *machine, const char *option)
{
    static const char of_machine[] = "--machine", of_papers[] = "--as-published";
    const char *other = strcmp(option, of_machine) == 0 ? of_papers : of_machine;
    if (strcmp(config_origin(config, "machine"), other) != 0)
        return config_assign(config, "machine", machine, option);
    diag_error("%s and %s exclude each other", of_machine, of_papers);
    return STATUS_BAD_INPUT;
}

bool cli_ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), ending_length = strlen(ending);
    return length >= ending_length && strcmp(name + length - ending_length, ending) == 0;
}
