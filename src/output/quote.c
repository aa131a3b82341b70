#include "output/quote.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

/* Writes `text`, in which control characters and their like appear as \xNN. `instead` returns what stands for
 * a byte, or NULL: the byte stands for itself. */
static void put_shown(FILE *out, const char *text, const char *(*instead)(char byte))
{
    const char *backslash = instead ? instead('\\') : NULL;
    size_t length = strlen(text);
    while (length) {
        size_t bytes = utf8_shown_bytes(text, length);
        const char *other = instead ? instead(*text) : NULL;
        if (other)
            fputs(other, out);
        else if (bytes)
            fwrite(text, 1, bytes, out);
        else
            fprintf(out, "%sx%02x", backslash ? backslash : "\\", (unsigned char)*text);
        text += bytes ? bytes : 1;
        length -= bytes ? bytes : 1;
    }
}

/* ----------------------------------------------------------------- terminal */

void quote_terminal(FILE *out, const char *text)
{
    put_shown(out, text, NULL);
}

char *quote_terminal_text(const char *text)
{
    enum { LONGEST = 4 }; /* \xNN */
    size_t length = strlen(text);
    char *shown = mem_alloc(LONGEST * length + 1, 1, "a text"), *end = shown;
    while (length) {
        size_t bytes = utf8_shown_bytes(text, length);
        if (bytes)
            end = mempcpy(end, text, bytes);
        else
            end += sprintf(end, "\\x%02x", (unsigned char)*text);
        text += bytes ? bytes : 1;
        length -= bytes ? bytes : 1;
    }
    return shown;
}

/* ---------------------------------------------------------------------- CSV */

static const char *csv_instead(char byte)
{
    switch (byte) {
    case '"':
        return "\"\"";
    case '\n':
        return "\n";
    case '\r':
        return "\r";
    case '\t':
        return "\t";
    default:
        return NULL;
    }
}

/* Whether a spreadsheet would compute this field. A formula that calls something or reads another cell's file
 * has a character that no quantity has. */
static bool is_formula(const char *text)
{
    if (*text != '+' && *text != '-')
        return *text && strchr("=@\t\r", *text);
    for (text++; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("+-._%/ ", *text))
            return true;
    return false;
}

static void put_field(FILE *out, const char *text)
{
    if (is_formula(text))
        fputc('\'', out);
    put_shown(out, text, csv_instead);
}

void quote_csv(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n"))
        quote_csv_text(out, text);
    else
        put_field(out, text);
}

void quote_csv_text(FILE *out, const char *text)
{
    fputc('"', out);
    put_field(out, text);
    fputc('"', out);
}

/* ------------------------------------------------------------------ gnuplot */

/* gnuplot's manual says that '' is a single quote. gnuplot 5.4 reads it so only behind another character: a
 * string that begins with it, or has two of them, ends there, and the script is wrong. */
static const char *gnuplot_instead(char byte)
{
    return byte == '\'' ? "\xe2\x80\x99" : NULL; /* U+2019, the typographic apostrophe */
}

static const char *gnuplot_tic_instead(char byte)
{
    return byte == '%' ? "%%" : gnuplot_instead(byte);
}

void quote_gnuplot(FILE *out, const char *text)
{
    fputc('\'', out);
    put_shown(out, text, gnuplot_instead);
    fputc('\'', out);
}

void quote_gnuplot_tic(FILE *out, const char *text)
{
    fputc('\'', out);
    put_shown(out, text, gnuplot_tic_instead);
    fputc('\'', out);
}

/* ----------------------------------------------------------- HTML, SVG, XML */

static const char *markup_instead(char byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\n': /* of a licence */
        return "\n";
    default:
        return NULL;
    }
}

void quote_markup(FILE *out, const char *text)
{
    put_shown(out, text, markup_instead);
}

/* ----------------------------------------------------- Graphviz, YAML, Paje */

static const char *dot_instead(char byte)
{
    return byte == '"' ? "\\\"" : byte == '\\' ? "\\\\" : NULL;
}

static const char *paje_instead(char byte)
{
    return byte == '"' ? "'" : NULL;
}

void quote_dot(FILE *out, const char *text)
{
    fputc('"', out);
    put_shown(out, text, dot_instead);
    fputc('"', out);
}

void quote_yaml(FILE *out, const char *text)
{
    quote_dot(out, text);
}

void quote_paje(FILE *out, const char *text)
{
    fputc('"', out);
    put_shown(out, text, paje_instead);
    fputc('"', out);
}
