#include "support/traces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/mem.h"
#include "trace/trace.h"

static char folder[64];
static char messages[1 << 16];
static char given[1 << 16];

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)self;
    (void)level;
    strncat(messages, message, sizeof messages - strlen(messages) - 1);
}

const char *traces_messages(void)
{
    strcpy(given, messages);
    messages[0] = '\0';
    return given;
}

int traces_set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/helio-test-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    setenv("XDG_CACHE_HOME", traces_path("cache"), 1);
    diag_set_sink(keep_message, NULL);
    return 0;
}

int traces_tear_down(void **state)
{
    (void)state;
    diag_set_sink(NULL, NULL);
    char *command = mem_format("rm -rf %s", folder);
    int failed = system(command);
    free(command);
    return failed;
}

const char *traces_path(const char *name)
{
    static char paths[4][256];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

const char *traces_write(const char *name, const char *bytes, size_t size)
{
    const char *path = traces_path(name);
    char parent[256];
    for (const char *slash = path; (slash = strchr(slash + 1, '/'));) {
        snprintf(parent, sizeof parent, "%.*s", (int)(slash - path), path);
        mkdir(parent, 0777);
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const char *make(const char *name, va_list texts)
{
    const char *text;
    for (int k = 1; (text = va_arg(texts, const char *)); k++) {
        char file[128];
        snprintf(file, sizeof file, "%s/rank-%d.txt", name, k);
        traces_write(file, text, strlen(text));
    }
    return traces_path(name);
}

const char *traces_make(const char *name, ...)
{
    va_list texts;
    va_start(texts, name);
    const char *path = make(name, texts);
    va_end(texts);
    return path;
}

struct compiled_trace *traces_open(const char *name, ...)
{
    va_list texts;
    va_start(texts, name);
    const char *path = make(name, texts);
    va_end(texts);
    struct compiled_trace *compiled;
    if (trace_open_compiled(path, &compiled) != STATUS_OK)
        fail_msg("%s", traces_messages());
    return compiled;
}

void traces_close(struct compiled_trace *compiled)
{
    compiled->program.ops->close(&compiled->program);
}
