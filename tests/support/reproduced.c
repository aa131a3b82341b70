#include "support/reproduced.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "reproduce/reproduce.h"

char reproduced_folder[] = "/tmp/heliograph-reproduce-XXXXXX";

char *reproduced_take(const char *name)
{
    static char text[262144];
    char *path = mem_format("%s/%s", reproduced_folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    unlink(path);
    free(path);
    return text;
}

void reproduced_keep_quiet(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level, (void)message;
}

void reproduced_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in:\n%s", part, text);
}

void reproduced_remove(void)
{
    char *store = mem_format("%s/runs.db", reproduced_folder);
    unlink(store);
    assert_int_equal(rmdir(reproduced_folder), 0);
    free(store);
    memcpy(strchr(reproduced_folder, '\0') - 6, "XXXXXX", 6);
}

static void make(const struct paper *paper, bool quick)
{
    assert_non_null(mkdtemp(reproduced_folder));
    setenv("HELIO_ASSETS", reproduced_folder, 1); /* an empty folder, so that no page is written */
    diag_set_sink(reproduced_keep_quiet, NULL);
    assert_int_equal(
        reproduce_paper(paper, &(struct reproduce_options){.folder = reproduced_folder, .quick = quick}),
        STATUS_OK);
    diag_set_sink(NULL, NULL);
}

void reproduced_make(const struct paper *paper)
{
    make(paper, false);
}

void reproduced_make_quickly(const struct paper *paper)
{
    make(paper, true);
}
