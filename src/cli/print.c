#include "cli/print.h"

#include <stdio.h>

#include "base/diag.h"
#include "output/quote.h"
#include "output/standard.h"

void cli_print_text(const char *before, const char *text)
{
    fputs(before, stdout);
    quote_terminal(stdout, text);
    putchar('\n');
}

enum status cli_print_json(json_t *object, int digits)
{
    int failed = !object || json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(digits));
    json_decref(object);
    putchar('\n');
    if (!failed)
        return standard_flush();
    diag_error("cannot write JSON to standard output");
    return STATUS_FAILED;
}
