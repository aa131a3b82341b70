#include "cli/print.h"

#include <stdio.h>

#include "base/diag.h"

enum status cli_flush(void)
{
    if (!fflush(stdout) && !ferror(stdout))
        return STATUS_OK;
    diag_error("cannot write to standard output");
    return STATUS_FAILED;
}

enum status cli_print_json(json_t *object, int digits)
{
    int failed = !object || json_dumpf(object, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(digits));
    json_decref(object);
    putchar('\n');
    if (!failed)
        return cli_flush();
    diag_error("cannot write JSON to standard output");
    return STATUS_FAILED;
}
