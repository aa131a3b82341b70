#ifndef HELIO_OUTPUT_QUOTE_H
#define HELIO_OUTPUT_QUOTE_H

#include <stdio.h>

/* Texts from outside - names of files, values of parameters, names in databases - inside the languages that
 * the program writes: a function for each language. A text can neither end its place nor become a command,
 * markup or a control sequence there. JSON has its own: output/json.h.
 *
 * Control characters, bytes that are not UTF-8 and characters that change the direction of text appear as
 * \xNN (base/utf8.h), except where the function says otherwise. */

/* A line of a table for people. */
void quote_terminal(FILE *out, const char *text);

/* The same as a text that the caller frees, for columns of a table. */
char *quote_terminal_text(const char *text);

/* A field of RFC 4180, in quotes where it needs them. Ends of lines stay as they are. A spreadsheet computes
 * a field that begins with =, @, + or -. So such a field gets an apostrophe in front, unless it can only be a
 * number or a quantity. */
void quote_csv(FILE *out, const char *text);

/* The same, always in quotes. */
void quote_csv_text(FILE *out, const char *text);

/* A string of gnuplot in single quotes, in which gnuplot replaces nothing. A single quote becomes a
 * typographic apostrophe, because gnuplot does not read a doubled one everywhere. The string does not name a
 * file: a file name that begins with < or | is a command. The terminal of the script is noenhanced. */
void quote_gnuplot(FILE *out, const char *text);

/* The label of a tic: a string in which gnuplot replaces what follows a %. */
void quote_gnuplot_tic(FILE *out, const char *text);

/* A scalar of YAML in double quotes. */
void quote_yaml(FILE *out, const char *text);

/* The content of an element, or an attribute in quotes, of HTML, XML and SVG. */
void quote_markup(FILE *out, const char *text);

/* A quoted identifier of Graphviz' language DOT. */
void quote_dot(FILE *out, const char *text);

/* A string of the trace format Paje, in double quotes. Paje has no way to write a double quote, so it becomes
 * a single one. */
void quote_paje(FILE *out, const char *text);

#endif
