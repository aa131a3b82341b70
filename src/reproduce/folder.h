#ifndef HELIO_REPRODUCE_FOLDER_H
#define HELIO_REPRODUCE_FOLDER_H

#include <stdio.h>

#include "base/status.h"
#include "report/page.h"

/* The files of a reproduction, and the folder that they are in. Errors are reported. */

/* Makes the folder where there is none. */
enum status folder_make(const char *folder);

/* Writes FOLDER/NAME and the ending: `put` writes it from `what`. */
enum status folder_put_file(const char *folder, const char *name, const char *ending,
                            void (*put)(FILE *out, const void *what), const void *what);

/* Opens FOLDER/NAME.html, before anything is computed. A page needs libraries that tools/report-assets gets.
 * Without them *page is NULL, and a warning says so. */
enum status folder_open_page(const char *folder, const char *name, struct report_page **page);
enum status folder_put_page(struct report_page *page, const char *title, const char *results,
                            enum report_program program);

#endif
