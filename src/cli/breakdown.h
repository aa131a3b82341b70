#ifndef HELIO_CLI_BREAKDOWN_H
#define HELIO_CLI_BREAKDOWN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/time.h"
#include "breakdown/model.h"
#include "report/page.h"

/* The commands of `helio breakdown`; argv[0] is the command's own name. Each returns the exit status. */
int cli_breakdown_model(int argc, char **argv);
int cli_breakdown_whatif(int argc, char **argv);
int cli_breakdown_pcie(int argc, char **argv);
int cli_breakdown_measure(int argc, char **argv);

/* The value of --payload: "4096", which are bytes, or "4 KiB". False: reported. */
bool breakdown_read_payload(const char *text, uint64_t *bytes);

/* Nanoseconds for JSON: a number. */
json_t *breakdown_json_ns(ps_t time_ps);

/* A message as a page of bars, with a slider for each time of the system. */
enum status breakdown_page_write(const struct model *model, struct report_page *page);

/* Prints the object, which is taken, and returns STATUS_OK, or STATUS_FAILED, reported. */
int breakdown_print_json(json_t *object);
int breakdown_flush(void);

#endif
