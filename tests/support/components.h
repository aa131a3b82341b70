#ifndef HELIO_TESTS_SUPPORT_COMPONENTS_H
#define HELIO_TESTS_SUPPORT_COMPONENTS_H

/* Two components with a parameter of each kind, and a handler that collects messages. For tests of
 * configurations; each includes this file one time. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/config.h"
#include "base/mem.h"
#include "base/time.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct run {
    const char *trace, *fabric;
    uint64_t seed;
    bool verbose;
};

struct link {
    ps_t latency_ps;
    uint64_t rate_bytes_per_s, buffer_bytes;
    int duplex;
    double loss;
};

static const char *const duplexes[] = {"full", "half", NULL};

PARAM_TABLE(run_params, "run", struct run, "what runs",
            {.name = "trace", .type = PARAM_TEXT, .offset = offsetof(struct run, trace), .doc = "a trace"},
            {.name = "fabric",
             .type = PARAM_TEXT,
             .offset = offsetof(struct run, fabric),
             .default_text = "ideal,hockney",
             .doc = "one or several"},
            {.name = "seed",
             .type = PARAM_COUNT,
             .offset = offsetof(struct run, seed),
             .default_text = "1",
             .doc = "of all"},
            {.name = "verbose",
             .type = PARAM_BOOL,
             .offset = offsetof(struct run, verbose),
             .default_text = "false",
             .doc = "say more"});

PARAM_TABLE(
    link_params, "link", struct link, "one link: latency + size / rate",
    {.name = "link.latency",
     .type = PARAM_TIME,
     .offset = offsetof(struct link, latency_ps),
     .default_text = "8 us",
     .doc = "of a message of no bytes",
     .max = "1 s"},
    {.name = "link.rate",
     .type = PARAM_RATE,
     .offset = offsetof(struct link, rate_bytes_per_s),
     .default_text = "12.5 GB/s",
     .doc = "of one message",
     .min = "1 B/s"},
    {.name = "link.buffer.size",
     .type = PARAM_SIZE,
     .offset = offsetof(struct link, buffer_bytes),
     .default_text = "64 KiB",
     .doc = "what it stores, in a sentence that is long enough to be continued on a second line, as wide as "
            "lines of the manual are",
     .min = "1 B",
     .max = "1 GiB"},
    {.name = "link.duplex",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct link, duplex),
     .default_text = "full",
     .doc = "full or half",
     .choices = duplexes},
    {.name = "link.loss",
     .type = PARAM_NUMBER,
     .offset = offsetof(struct link, loss),
     .default_text = "-0.5",
     .doc = "a number"});

static const struct param_table *const tables[] = {&run_params, &link_params};

/* ------------------------------------------------------------ what is said */

struct said {
    char text[32768];
    size_t errors;
};

static inline void keep_message(void *self, enum diag_level level, const char *message)
{
    struct said *said = self;
    said->errors += level == DIAG_ERROR;
    if (strlen(said->text) + strlen(message) < sizeof said->text)
        strcat(said->text, message);
}

static inline struct said *collect_messages(void)
{
    static struct said said;
    said = (struct said){.errors = 0};
    diag_set_sink(keep_message, &said);
    return &said;
}

static inline enum status read_text(struct config *config, const char *text)
{
    return config_read_text(config, "demo.yaml", text, strlen(text));
}

static inline int stop_collecting(void **state)
{
    (void)state;
    diag_set_sink(NULL, NULL);
    return 0;
}

#endif
