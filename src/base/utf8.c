#include "base/utf8.h"

#include <stdbool.h>

size_t utf8_bytes(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    if (!length)
        return 0;
    if (bytes[0] < 0x80)
        return 1;
    size_t count = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    if (bytes[0] < 0xc2 || bytes[0] > 0xf4 || count > length)
        return 0;
    for (size_t i = 1; i < count; i++)
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (bytes[0] == 0xe0 && bytes[1] < 0xa0) || (bytes[0] == 0xf0 && bytes[1] < 0x90);
    bool surrogate = bytes[0] == 0xed && bytes[1] >= 0xa0;
    bool beyond = bytes[0] == 0xf4 && bytes[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : count;
}

size_t utf8_count(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0, bytes; i < length; i += bytes ? bytes : 1, count++)
        bytes = utf8_bytes(text + i, length - i);
    return count;
}

size_t utf8_shown_bytes(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t count = utf8_bytes(text, length);
    bool is_control =
        count == 1 ? bytes[0] < 0x20 || bytes[0] == 0x7f : count == 2 && bytes[0] == 0xc2 && bytes[1] < 0xa0;
    bool turns_text = count == 3 && bytes[0] == 0xe2 &&
                      ((bytes[1] == 0x80 && bytes[2] >= 0xaa && bytes[2] <= 0xae) ||
                       (bytes[1] == 0x81 && bytes[2] >= 0xa6 && bytes[2] <= 0xa9));
    return is_control || turns_text ? 0 : count;
}
