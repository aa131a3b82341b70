#include "xml/xml.h"

#include <errno.h>
#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum status xml_refuse(const struct xml_reader *reader, uint64_t line, uint64_t column, const char *format,
                       ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    reader->refuse(reader->text, line, column, message);
    return STATUS_BAD_INPUT;
}

struct parse {
    struct xml_reader *reader;
    XML_Parser parser;
    uint32_t depth;
    bool refused; /* and reported */
};

static void refuse(struct parse *parse)
{
    parse->refused = true;
    XML_StopParser(parse->parser, XML_FALSE);
}

static uint64_t line_of(const struct parse *parse)
{
    return XML_GetCurrentLineNumber(parse->parser);
}

static uint64_t column_of(const struct parse *parse)
{
    return XML_GetCurrentColumnNumber(parse->parser) + 1;
}

static void on_begin(void *self, const char *name, const char **attributes)
{
    struct parse *parse = self;
    if (parse->refused)
        return;
    struct xml_element element = {.name = name,
                                  .attributes = attributes,
                                  .line = line_of(parse),
                                  .column = column_of(parse),
                                  .at = parse->reader->bytes + XML_GetCurrentByteIndex(parse->parser),
                                  .depth = parse->depth++};
    if (!parse->reader->begin(parse->reader, &element))
        refuse(parse);
}

static void on_end(void *self, const char *name)
{
    struct parse *parse = self;
    parse->depth--;
    if (!parse->refused && parse->reader->end && !parse->reader->end(parse->reader, name))
        refuse(parse);
}

static void on_doctype(void *self, const char *name, const char *system, const char *public_id, int internal)
{
    (void)name, (void)system, (void)public_id;
    struct parse *parse = self;
    if (parse->reader->takes_doctype && !internal)
        return;
    xml_refuse(
        parse->reader, line_of(parse), column_of(parse),
        parse->reader->takes_doctype
            ? "a document type definition in the file is not read, as it can define entities; remove it"
            : "a document type definition is not read; remove it, a schedule needs none");
    refuse(parse);
}

/* Behind the comment or the CDATA section that begins here; NULL: none does. */
static const char *skip_section(const char *at, const char *end)
{
    static const char *const sections[][2] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}};
    for (size_t i = 0; i < 2; i++) {
        size_t length = strlen(sections[i][0]);
        if ((size_t)(end - at) < length || memcmp(at, sections[i][0], length) != 0)
            continue;
        const char *close = memmem(at + length, (size_t)(end - at) - length, sections[i][1], 3);
        return close ? close + 3 : end;
    }
    return NULL;
}

/* Behind a document type, expat leaves out entities that it does not know. False, reported: there is one. */
static bool has_no_entity(const struct xml_reader *reader)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#"};
    const char *end = reader->bytes + reader->size, *line = reader->bytes;
    uint64_t number = 1;
    for (const char *at = reader->bytes, *next; at < end; at++) {
        if (*at == '<' && (next = skip_section(at, end))) {
            for (; at < next - 1; at++)
                if (*at == '\n')
                    number++, line = at + 1;
        }
        if (*at == '\n')
            number++, line = at + 1;
        bool is_known = *at != '&';
        for (size_t i = 0; !is_known && i < sizeof known / sizeof *known; i++)
            is_known = (size_t)(end - at) >= strlen(known[i]) && memcmp(at, known[i], strlen(known[i])) == 0;
        if (!is_known) {
            xml_refuse(reader, number, (uint64_t)(at - line) + 1,
                       "entities are not read; write what this one stands for");
            return false;
        }
    }
    return true;
}

enum status xml_read(struct xml_reader *reader)
{
    if (reader->takes_doctype && !has_no_entity(reader))
        return STATUS_BAD_INPUT;
    struct parse parse = {.reader = reader, .parser = XML_ParserCreate(NULL)};
    if (!parse.parser)
        mem_exhausted("an XML text");
    XML_SetUserData(parse.parser, &parse);
    XML_SetElementHandler(parse.parser, on_begin, on_end);
    XML_SetStartDoctypeDeclHandler(parse.parser, on_doctype);
    enum XML_Status read = XML_Parse(parse.parser, reader->bytes, (int)reader->size, XML_TRUE);
    enum status status = STATUS_OK;
    if (parse.refused) {
        status = STATUS_BAD_INPUT;
    } else if (read != XML_STATUS_OK) {
        enum XML_Error error = XML_GetErrorCode(parse.parser);
        if (error == XML_ERROR_NO_MEMORY)
            mem_exhausted("an XML text");
        status = xml_refuse(reader, line_of(&parse), column_of(&parse), "this is not well-formed XML: %s",
                            XML_ErrorString(error));
    }
    XML_ParserFree(parse.parser);
    return status;
}

/* --------------------------------------------------------------------- root */

/* Behind what stands before the root: blanks, comments, processing instructions, a DTD. */
static const char *skip_prolog(const char *at, const char *end)
{
    if (end - at >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    while (at < end) {
        if (strchr(" \t\r\n", *at) && *at) {
            at++;
            continue;
        }
        size_t left = (size_t)(end - at);
        const char *close = NULL;
        if (left >= 4 && memcmp(at, "<!--", 4) == 0)
            close = memmem(at + 4, left - 4, "-->", 3);
        else if (left >= 2 && memcmp(at, "<?", 2) == 0)
            close = memmem(at + 2, left - 2, "?>", 2);
        else
            break;
        if (!close)
            return end;
        at = close + (*close == '-' ? 3 : 2);
    }
    return at;
}

void xml_root_name(const char *bytes, size_t size, char name[32])
{
    const char *end = bytes + size;
    const char *at = skip_prolog(bytes, end);
    size_t length = 0;
    if (end - at > 9 && memcmp(at, "<!DOCTYPE", 9) == 0) /* it names the root */
        at += 9 + strspn(at + 9, " \t\r\n");
    else
        at = at < end && *at == '<' ? at + 1 : end;
    while (at < end && length < 31 && *at && !strchr(" \t\r\n/>[", *at))
        name[length++] = *at++;
    name[length] = '\0';
}

/* --------------------------------------------------------------- attributes */

const char *xml_attribute(const struct xml_element *element, const char *name)
{
    for (const char **at = element->attributes; *at; at += 2)
        if (strcmp(at[0], name) == 0)
            return at[1];
    return NULL;
}

const char *xml_needed(struct xml_reader *reader, const struct xml_element *element, const char *name)
{
    const char *value = xml_attribute(element, name);
    if (!value)
        xml_refuse(reader, element->line, element->column, "<%s> needs the attribute '%s'", element->name,
                   name);
    return value;
}

static bool read_number(struct xml_reader *reader, const struct xml_element *element, const char *name,
                        const char *text, int64_t least, int64_t most, int64_t *value)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end || errno || number < least || number > most || *text == ' ' || *text == '+') {
        xml_refuse(reader, element->line, element->column,
                   "%s=\"%.40s\" of <%s>: a whole number from %lld to %lld is expected", name, text,
                   element->name, (long long)least, (long long)most);
        return false;
    }
    *value = number;
    return true;
}

bool xml_number(struct xml_reader *reader, const struct xml_element *element, const char *name, int64_t least,
                int64_t most, int64_t *value)
{
    const char *text = xml_needed(reader, element, name);
    return text && read_number(reader, element, name, text, least, most, value);
}

bool xml_optional(struct xml_reader *reader, const struct xml_element *element, const char *name,
                  int64_t least, int64_t most, int64_t *value)
{
    const char *text = xml_attribute(element, name);
    return !text || read_number(reader, element, name, text, least, most, value);
}

bool xml_unexpected(struct xml_reader *reader, const struct xml_element *element, const char *expected)
{
    xml_refuse(reader, element->line, element->column, "<%.40s> is not expected here; %s", element->name,
               expected);
    return false;
}
