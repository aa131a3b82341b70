#include "trace/otf2/attributes.h"

#include "trace/image/number.h"

enum { TYPE_UINT8 = 1, TYPE_UINT16 = 2, TYPE_INT8 = 5, TYPE_INT16 = 6, TYPE_FLOAT = 9, TYPE_DOUBLE = 10 };

/* Small numbers and fractions have a fixed length; all others are numbers of OTF2. */
static uint64_t read_value(struct otf2_bytes *bytes, uint8_t type)
{
    switch (type) {
    case TYPE_UINT8:
    case TYPE_INT8:
        return otf2_byte(bytes);
    case TYPE_UINT16:
    case TYPE_INT16:
        return otf2_fixed(bytes, 2);
    case TYPE_FLOAT:
        return otf2_fixed(bytes, 4);
    case TYPE_DOUBLE:
        return otf2_fixed(bytes, 8);
    default:
        return otf2_number(bytes);
    }
}

void otf2_attributes_read(struct otf2_attributes *attributes, const struct otf2_definitions *definitions,
                          const struct otf2_local *local, const struct otf2_event *event)
{
    struct otf2_bytes bytes = event->attributes;
    *attributes = (struct otf2_attributes){.failed = false};
    if (!definitions->has_attributes || !bytes.at)
        return;
    uint32_t count = otf2_number32(&bytes);
    for (uint32_t i = 0; i < count && !bytes.failed; i++) {
        uint32_t id = otf2_map(&local->maps[OTF2_MAP_ATTRIBUTES], otf2_number32(&bytes));
        uint64_t value = read_value(&bytes, otf2_byte(&bytes));
        for (int what = 0; what < RECORDED_KINDS; what++) {
            if (definitions->attributes[what] != id)
                continue;
            attributes->has[what] = true;
            attributes->numbers[what] = value;
            uint32_t string = value <= UINT32_MAX ? (uint32_t)value : OTF2_NONE;
            attributes->texts[what] =
                otf2_string_at(definitions, otf2_map(&local->maps[OTF2_MAP_STRINGS], string));
        }
    }
    attributes->failed = bytes.failed;
}

bool otf2_attributes_vector(const char *text, uint64_t *sizes, uint32_t count)
{
    const char *end = text + strlen(text);
    for (uint32_t i = 0; i < count; i++) {
        int64_t size;
        if (i && *text++ != ',')
            return false;
        text = number_integer(text, end, &size);
        if (!text || size < 0)
            return false;
        sizes[i] = (uint64_t)size;
    }
    return text == end;
}
