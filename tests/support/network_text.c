#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "support/network_text.h"
#include "topo/network_file.h"

static char said[8192];

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    strncat(said, message, sizeof said - strlen(said) - 1);
}

const char *network_said(void)
{
    return said;
}

bool network_read(const char *name, const char *text, struct topo *topo)
{
    struct param_problem problem;
    *said = '\0';
    diag_set_sink(keep_message, NULL);
    bool is_read = network_text_read(name, text, strlen(text), topo, &problem);
    diag_set_sink(NULL, NULL);
    return is_read;
}

struct topo network_named(const char *name, const char *text)
{
    struct topo topo;
    if (!network_read(name, text, &topo))
        fail_msg("%s\n%s", text, said);
    return topo;
}

void network_refused(const char *name, const char *text, const char *message)
{
    struct topo topo;
    if (network_read(name, text, &topo))
        fail_msg("%s\nis read", text);
    if (!strstr(said, message))
        fail_msg("%s\nsays\n%s\nand not\n%s", text, said, message);
}
