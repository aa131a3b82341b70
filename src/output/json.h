#ifndef HELIO_OUTPUT_JSON_H
#define HELIO_OUTPUT_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

/* All JSON is made, written and read by these functions, and no field gets lost: where jansson has no memory,
 * they leave as mem_alloc does (base/mem.h). Other files use of jansson itself only json_t and functions that
 * cannot fail: looking up members and items, their types and values, json_incref, json_decref, and removal.
 * tests/tools/test-json checks that.
 *
 * Numbers: one that is not finite is null. A whole number that 64 bits cannot hold is a real number.
 * Texts: any bytes are put in their text form (base/bytes.h), so that they can be had again. */

/* Values, owned by the caller. */
json_t *json_make_object(void);
json_t *json_make_list(void);
json_t *json_make_text(const char *text); /* NULL: null */
json_t *json_make_number(double number);
json_t *json_make_count(__int128 count); /* any whole number */

/* A text that is in its text form already, as a parameter's value and a program's name. NULL: null. */
json_t *json_make_value(const char *value);

/* Sets a member. The value becomes the object's; NULL: the object gets no such member. */
void json_put(json_t *object, const char *key, json_t *value);
void json_put_text(json_t *object, const char *key, const char *text);
void json_put_value(json_t *object, const char *key, const char *value);
void json_put_number(json_t *object, const char *key, double number);
void json_put_count(json_t *object, const char *key, __int128 count);
void json_put_flag(json_t *object, const char *key, bool flag);

/* Adds an item, which becomes the list's, at the end. */
void json_add(json_t *list, json_t *item);
void json_add_text(json_t *list, const char *text);
void json_add_value(json_t *list, const char *value);
void json_add_number(json_t *list, double number);
void json_add_count(json_t *list, __int128 count);

/* An object with the same members. */
json_t *json_copy_members(const json_t *object);

/* Digits of real numbers, from which the same number can be read. */
enum { JSON_EXACT = 17 };

/* Writes the JSON indented, real numbers with so many digits, and a newline, and flushes the file.
 * STATUS_FAILED: the file does not take all of it. The caller reports that; errno says why. */
enum status json_write(const json_t *json, int digits, FILE *out);

/* Prints a JSON text. Characters that control a terminal or change the direction of text appear as \u009B, as
 * they do in what json_write writes: the same texts to each reader of JSON. */
void json_print(const char *text, FILE *out);

/* The JSON as one line; the caller frees it. Members are in the order in which they were put, or sorted. */
char *json_line(const json_t *json, int digits);
char *json_sorted_line(const json_t *json, int digits);
char *json_spaced_line(const json_t *json, int digits); /* with a blank behind each comma and colon */
char *json_take_line(json_t *json, int digits);         /* frees the JSON too */

/* Why a text is not JSON, and where. */
struct json_fault {
    char text[160];
    uint64_t line;
    uint32_t column;
};

/* NULL: the text is not JSON, which the caller reports; *fault says why, unless it is NULL. */
json_t *json_read(const char *text, size_t length, struct json_fault *fault);

/* The same of a text in which an object, or a list, is expected. NULL: it is something else. */
json_t *json_read_object(const char *text);
json_t *json_read_list(const char *text);

#endif
