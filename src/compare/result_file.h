#ifndef HELIO_COMPARE_RESULT_FILE_H
#define HELIO_COMPARE_RESULT_FILE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "output/json.h"

/* The file of a result: the object that helio run --json prints, or a page of helio run --html, which has it
 * in it. A result that has been read has a manifest with program, version and parameters, and runs with a
 * fabric and a time each. STATUS_BAD_INPUT, reported: the file is something else, which the error names. */

/* The caller frees *json; NULL after an error. */
enum status result_file_read(const char *file, json_t **json);

/* The same of bytes; `file` is for messages. */
enum status result_text_read(const char *file, const char *text, size_t length, json_t **json);

/* The bytes of such a file, which the caller frees. */
enum status result_file_load(const char *file, char **text, size_t *length);

/* Values of a result. NULL: there is no such text. */
static inline const char *result_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* NAN: there is no such number. */
static inline double result_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static inline bool result_is_time(double seconds)
{
    return isfinite(seconds) && seconds >= 0;
}

#endif
