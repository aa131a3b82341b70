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

void cli_print_guard(const char *name, bool passed, const char *reason)
{
    fputs("  guard ", stdout);
    quote_terminal(stdout, name);
    cli_print_text(passed ? ": ok: " : ": FAILED: ", reason);
}

json_t *cli_guard_json(const char *name, bool passed, const char *reason)
{
    json_t *guard = json_make_object();
    json_put_text(guard, "name", name);
    json_put_flag(guard, "passed", passed);
    json_put_text(guard, "reason", reason);
    return guard;
}

enum status cli_print_json(json_t *object, int digits)
{
    (void)json_write(object, digits, stdout); /* standard_flush reports a failure */
    json_decref(object);
    return standard_flush();
}
