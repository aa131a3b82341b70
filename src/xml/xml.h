#ifndef HELIO_XML_XML_H
#define HELIO_XML_XML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The elements of an XML text. Text between elements, comments and processing instructions are left out. A
 * document type definition is refused, and with it entities of its own: a few of them can say any amount. */
struct xml_element {
    const char *name;
    const char **attributes; /* name, value, name, value ..., NULL */
    uint64_t line, column;
    const char *at; /* the byte that it begins with */
    uint32_t depth; /* of the root: 0 */
};

struct xml_reader {
    const void *text; /* of the caller: what `refuse` needs */
    const char *bytes;
    size_t size;
    bool takes_doctype; /* the name of a document type, without a definition in the file, is left out */
    void (*refuse)(const void *text, uint64_t line, uint64_t column, const char *message);
    /* Returns false once it has reported an error. */
    bool (*begin)(struct xml_reader *reader, const struct xml_element *element);
    bool (*end)(struct xml_reader *reader, const char *name); /* NULL: nothing is to be done */
};

/* Reports an error by `refuse`. Returns STATUS_BAD_INPUT. */
enum status xml_refuse(const struct xml_reader *reader, uint64_t line, uint64_t column, const char *format,
                       ...) __attribute__((format(printf, 4, 5)));

/* STATUS_BAD_INPUT, reported: the text is not well-formed, or `begin` has refused it. */
enum status xml_read(struct xml_reader *reader);

/* The name of the root element, of at most 31 bytes; "" if the text does not begin as XML does. */
void xml_root_name(const char *bytes, size_t size, char name[32]);

/* The value of an attribute, or NULL. */
const char *xml_attribute(const struct xml_element *element, const char *name);

/* The same where it has to be there. NULL, reported. */
const char *xml_needed(struct xml_reader *reader, const struct xml_element *element, const char *name);

/* A whole number of at least `least` and at most `most`. False, reported. */
bool xml_number(struct xml_reader *reader, const struct xml_element *element, const char *name, int64_t least,
                int64_t most, int64_t *value);

/* The same of an attribute that may be left out; *value then stays. */
bool xml_optional(struct xml_reader *reader, const struct xml_element *element, const char *name,
                  int64_t least, int64_t most, int64_t *value);

/* Reports that the element is not expected there. Returns false. */
bool xml_unexpected(struct xml_reader *reader, const struct xml_element *element, const char *expected);

#endif
