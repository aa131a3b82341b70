/* Any bytes as two results of helio run --json, with a line %% between them: refused, or compared, printed,
 * and written as JSON. Without that line a text is compared with itself: then nothing differs. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "fuzz/fuzz.h"

static void use(const struct comparison *comparison, bool is_same)
{
    FILE *nowhere = fopen("/dev/null", "w");
    if (!nowhere)
        abort();
    comparison_print(comparison, nowhere);
    fclose(nowhere);
    char *line = json_take_line(comparison_json(comparison), JSON_EXACT);
    json_t *again = json_read_object(line);
    fuzz_must(again != NULL, "a comparison is no JSON: %s", line);
    json_decref(again);
    free(line);
    fuzz_must(!is_same || comparison->setting_count == 0, "a result has other settings than itself");
    for (size_t i = 0; is_same && i < comparison->run_count; i++)
        fuzz_must(!comparison->runs[i].has_cause, "a result differs from itself");
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    static const char between[] = "\n%%\n";
    static const char *const names[2] = {"first", "second"};
    char *text = fuzz_text(data, size);
    const char *end = memmem(text, size, between, sizeof between - 1);
    const char *second = end ? end + sizeof between - 1 : text;
    size_t first_size = end ? (size_t)(end - text) : size;
    const char *const texts[2] = {text, second};
    const size_t sizes[2] = {first_size, size - (size_t)(second - text)};
    struct comparison comparison;
    bool is_read = compare_texts(names, texts, sizes, &comparison) == STATUS_OK;
    if (is_read)
        use(&comparison, !end);
    comparison_free(&comparison);
    free(text);
    return is_read;
}
