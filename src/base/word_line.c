#include "base/word_line.h"

#include <string.h>

#include "base/diag.h"

char *word_take(char **text)
{
    char *word = *text + strspn(*text, " ");
    size_t length = strcspn(word, " ");
    *text = word + length;
    if (**text)
        *(*text)++ = '\0';
    return word;
}

enum status word_fail(const struct word_line *line, const char *at, const char *what)
{
    struct diag_place place = {.file = line->name,
                               .line = line->number,
                               .column = (uint32_t)(at - line->text) + 1,
                               .span = (uint32_t)strcspn(at, " \n")};
    diag_report(DIAG_ERROR, &place, "%s", what);
    return STATUS_BAD_INPUT;
}
