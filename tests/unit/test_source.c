/* Addresses of this program, which is compiled with debug information, and of the C library, whose symbols
 * are known. */
#include <link.h>
#include <search.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "source/source.h"

/* The address behind a call of this function, and the line of the call. */
static uintptr_t here;
__attribute__((noinline)) static void mark(void)
{
    here = (uintptr_t)__builtin_return_address(0);
}
static volatile int marked_line;

__attribute__((noinline)) static void called_here(void)
{
    marked_line = __LINE__ + 1;
    mark();
    marked_line++; /* no tail call */
    marked_line--;
}

/* The address as the file counts addresses. */
struct search {
    uintptr_t address;
    uint64_t in_file;
    char path[4096];
};

static int find_file(struct dl_phdr_info *library, size_t size, void *self)
{
    struct search *search = self;
    (void)size;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || search->address - library->dlpi_addr - part->p_vaddr >= part->p_memsz)
            continue;
        search->in_file = search->address - library->dlpi_addr;
        snprintf(search->path, sizeof search->path, "%s",
                 *library->dlpi_name ? library->dlpi_name : "/proc/self/exe");
        return 1;
    }
    return 0;
}

static struct search search_of(uintptr_t address)
{
    struct search search = {.address = address};
    assert_int_equal(dl_iterate_phdr(find_file, &search), 1);
    return search;
}

static void debug_information_gives_lines(void **state)
{
    (void)state;
    if (!source_is_built_in())
        skip();
    called_here();
    struct search search = search_of(here - 1);
    struct source *source = source_open();
    struct source_place place = source_find(source, search.path, search.in_file);
    assert_non_null(place.file);
    assert_non_null(strstr(place.file, "tests/unit/test_source.c"));
    assert_int_equal(place.line, marked_line);
    assert_string_equal(place.function, "called_here");
    source_place_free(&place);
    source_close(source);
}

static void files_have_short_names(void **state)
{
    (void)state;
    static const char *const files[] = {"/a/b/x.c", "/a/c/x.c", "/d/c/x.c", "y.c", "/e/z.c", "z.c"};
    static const char *const names[] = {"b/x.c", "a/c/x.c", "d/c/x.c", "y.c", "e/z.c", "z.c"};
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(source_short_name(files[i], files, 6), names[i]);
}

static void addresses_have_names(void **state)
{
    (void)state;
    called_here();
    struct search search = search_of(here - 1), library = search_of((uintptr_t)lfind + 1);
    const struct source_address addresses[] = {{.path = search.path, .address = search.in_file},
                                               {.path = library.path, .address = library.in_file},
                                               {.path = "/nowhere/program", .address = 0x11f2}};
    char **names = source_names(addresses, 3), line[64];
    snprintf(line, sizeof line, "test_source.c:%d", marked_line);
    if (source_is_built_in())
        assert_string_equal(names[0], line);
    else
        assert_non_null(strstr(names[0], " in exe"));
    assert_true(strstr(names[1], " in libc") || strstr(names[1], ".c:")); /* if its lines are installed */
    assert_string_equal(names[2], "+0x11f2 in program");
    for (size_t i = 0; i < 3; i++)
        free(names[i]);
    free(names);
}

/* A file that has been replaced since gives no lines: they would be those of other code. */
static void another_file_gives_no_names(void **state)
{
    (void)state;
    struct search search = search_of((uintptr_t)another_file_gives_no_names + 1);
    const struct source_address address = {
        .path = search.path, .build = "0123456789abcdef0123456789abcdef01234567", .address = 0x11f2};
    char **names = source_names(&address, 1);
    assert_string_equal(names[0], "+0x11f2 in exe");
    free(names[0]);
    free(names);
    if (!source_is_built_in())
        skip();
    struct source *source = source_open();
    assert_null(source_obstacle(source, address.path, NULL));
    assert_null(source_obstacle(source, address.path, ""));
    assert_non_null(strstr(source_obstacle(source, address.path, address.build), "build ID"));
    assert_string_equal(source_obstacle(source, address.path, address.build), "");
    assert_non_null(strstr(source_obstacle(source, "/nowhere/program", ""), "cannot be read"));
    assert_string_equal(source_obstacle(source, "/nowhere/program", ""), "");
    source_close(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_have_short_names),
        cmocka_unit_test(addresses_have_names),
        cmocka_unit_test(another_file_gives_no_names),
        cmocka_unit_test(debug_information_gives_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
