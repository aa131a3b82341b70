#include "cli/print.h"

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
    (void)json_write(object, digits, stdout); /* standard_flush reports a failure */
    json_decref(object);
    return standard_flush();
}
