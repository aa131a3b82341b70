/* Where traces come from (folders, indices, archives, compiled files) and the cache of their compiled forms.
 */
#include <archive.h>
#include <dirent.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "support/traces.h"
#include "trace/compile.h"
#include "trace/input.h"
#include "trace/ti/decompile.h"
#include "trace/ti/rank_files.h"
#include "trace/trace.h"

#define RANK_0 "0 init\n0 send 1 7 8 6\n0 finalize\n"
#define RANK_1 "1 init\n1 recv 0 7 8 6\n1 finalize\n"

static void assert_opens(const char *path)
{
    struct compiled_trace *compiled;
    if (trace_open_compiled(path, &compiled) != STATUS_OK)
        fail_msg("%s", traces_messages());
    assert_int_equal(compiled->program.ranks, 2);
    assert_int_equal(compiled->header->lines, 6);
    traces_close(compiled);
}

static void assert_refused(const char *path, const char *message)
{
    struct compiled_trace *compiled;
    assert_int_equal(trace_open_compiled(path, &compiled), STATUS_BAD_INPUT);
    const char *messages = traces_messages();
    if (!strstr(messages, message))
        fail_msg("expected: %s\ngot: %s", message, messages);
}

/* ----------------------------------------------------------------- sources */

static void rank_numbers_come_from_names(void **state)
{
    (void)state;
    assert_int_equal(ti_rank_number("rank-12.txt"), 12);
    assert_int_equal(ti_rank_number("1700000000.5_rank-3.txt"), 3);
    static const char *const others[] = {"rank-0.txt",  "rank-01.txt", "rank-.txt",
                                         "rank-1.txt~", "rank-1.tx",   "xrank-1.txt",
                                         "rank--1.txt", "README",      "",
                                         "rank-1",      "rank-1txt",   "rank-99999999999999999999.txt"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(ti_rank_number(others[i]), 0);
}

static void folders_may_hold_names_of_simgrid(void **state)
{
    (void)state;
    traces_write("stamped/17_rank-1.txt", RANK_0, strlen(RANK_0));
    traces_write("stamped/17_rank-2.txt", RANK_1, strlen(RANK_1));
    traces_write("stamped/README", "hello", 5);
    assert_opens(traces_path("stamped"));
}

static void folders_must_be_whole(void **state)
{
    (void)state;
    traces_write("gap/rank-1.txt", RANK_0, strlen(RANK_0));
    traces_write("gap/rank-3.txt", RANK_1, strlen(RANK_1));
    assert_refused(traces_path("gap"),
                   "gap: error: rank-2.txt is missing; all from rank-1.txt to rank-3.txt");
    traces_write("twice/rank-1.txt", RANK_0, strlen(RANK_0));
    traces_write("twice/17_rank-1.txt", RANK_0, strlen(RANK_0));
    assert_refused(traces_path("twice"), "two files for rank 0: ");
    traces_write("nothing/README", "hello", 5);
    assert_refused(traces_path("nothing"), "no rank-1.txt in it");
    assert_refused(traces_path("absent"), "absent: No such file or directory");
}

static void indices_name_a_file_per_rank(void **state)
{
    (void)state;
    traces_write("indexed/T_files/a.txt", RANK_0, strlen(RANK_0));
    traces_write("indexed/T_files/b.txt", RANK_1, strlen(RANK_1));
    static const char index[] = "T_files/a.txt\r\n\nT_files/b.txt";
    assert_opens(traces_write("indexed/T", index, strlen(index)));
    static const char wrong[] = "T_files/a.txt\nT_files/c.txt\n";
    assert_refused(traces_write("indexed/W", wrong, strlen(wrong)),
                   "indexed/W:2:1: error: there is no such file");
    assert_refused(traces_path("indexed/T_files/a.txt"),
                   "a.txt: error: this is the text of one rank; give the folder");
    assert_refused(traces_write("empty.txt", "", 0), "it is empty");
    static const char binary[] = "T_files/a.txt\nT_files\0b.txt\n";
    assert_refused(traces_write("indexed/B", binary, sizeof binary - 1),
                   "indexed/B:2:1: error: this is not a path");
    assert_refused("/dev/zero", "/dev/zero: error: neither a file nor a folder");
}

/* Stands before the function of libarchive. */
static bool has_no_memory;

struct archive *archive_read_new(void)
{
    struct archive *(*real)(void);
    *(void **)&real = dlsym(RTLD_NEXT, "archive_read_new");
    return has_no_memory ? NULL : real();
}

static void an_archive_without_memory_is_named(void **state)
{
    (void)state;
    int ends[2], ended = 0;
    char message[256] = "";
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct compiled_trace *compiled;
        has_no_memory = true;
        diag_set_sink(NULL, NULL);
        dup2(ends[1], STDERR_FILENO);
        trace_open_compiled("tests/traces/is.S.4.tar.zst", &compiled);
        _exit(0);
    }
    close(ends[1]);
    assert_true(read(ends[0], message, sizeof message - 1) > 0);
    close(ends[0]);
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == STATUS_FAILED);
    assert_string_equal(message, "helio: error: out of memory for an archive\n");
}

static void archives_must_be_whole(void **state)
{
    (void)state;
    FILE *file = fopen("tests/traces/is.S.4.tar.zst", "rb");
    assert_non_null(file);
    char bytes[4096];
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t cut = 5; cut < size; cut += 101) {
        char name[64];
        snprintf(name, sizeof name, "cut-%zu.tar.zst", cut);
        assert_refused(traces_write(name, bytes, cut), ".tar.zst: error: ");
    }
}

/* ------------------------------------------------------------------- cache */

/* The only file in the cache; empty if there is none. */
static const char *cached_file(void)
{
    static char path[512];
    path[0] = '\0';
    DIR *directory = opendir(traces_path("cache/heliograph"));
    if (!directory)
        return path;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.')
            continue;
        assert_string_equal(path, "");
        snprintf(path, sizeof path, "%s/%s", traces_path("cache/heliograph"), entry->d_name);
    }
    closedir(directory);
    return path;
}

static void empty_cache(void)
{
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s", traces_path("cache"));
    assert_int_equal(system(command), 0);
}

static uint64_t inode(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_ino;
}

static void a_second_opening_uses_the_first_ones_file(void **state)
{
    (void)state;
    empty_cache();
    assert_opens(traces_make("cached", RANK_0, RANK_1, NULL));
    uint64_t first = inode(cached_file());
    assert_opens(traces_path("cached"));
    assert_int_equal(inode(cached_file()), first);
    /* The same contents in another folder are the same trace. Messages use the name of the folder that was
     * opened. */
    struct compiled_trace *compiled = traces_open("elsewhere", RANK_0, RANK_1, NULL);
    assert_int_equal(inode(cached_file()), first);
    struct call scratch;
    program_next(&compiled->program, 1, &scratch);
    program_next(&compiled->program, 1, &scratch);
    struct call_place place = compiled->program.ops->place(&compiled->program, 1);
    assert_int_equal(place.line, 2);
    assert_non_null(strstr(place.file, "/elsewhere/rank-2.txt"));
    traces_close(compiled);
}

static void other_contents_are_another_trace(void **state)
{
    (void)state;
    empty_cache();
    struct compiled_trace *compiled = traces_open("changing", RANK_0, RANK_1, NULL);
    char before[TRACE_KEY_TEXT], after[TRACE_KEY_TEXT];
    trace_key(&compiled->program, before);
    traces_close(compiled);
    compiled = traces_open("changing", "0 init\n0 send 1 7 9 6\n0 finalize\n",
                           "1 init\n1 recv 0 7 9 6\n1 finalize\n", NULL);
    trace_key(&compiled->program, after);
    assert_string_not_equal(before, after);
    struct call scratch;
    program_next(&compiled->program, 0, &scratch);
    assert_int_equal(program_next(&compiled->program, 0, &scratch)->bytes, 9);
    traces_close(compiled);
}

/* Changes a byte of the cached file, or cuts the file there. */
static void damage(long at, bool cut)
{
    const char *path = cached_file();
    if (cut) {
        assert_int_equal(truncate(path, at), 0);
        return;
    }
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, at, SEEK_SET);
    int byte = fgetc(file);
    fseek(file, at, SEEK_SET);
    fputc(byte ^ 0x40, file);
    fclose(file);
}

static void a_damaged_file_is_made_anew(void **state)
{
    (void)state;
    static const struct {
        long at;
        bool cut;
        const char *fault;
    } damages[] = {{0, false, "it is not a compiled trace"},
                   {8, false, "written by another version"},
                   {16, false, "written by another version"},
                   {24, false, "it is cut short"},
                   {40, false, "it is of another trace"},
                   {200, false, "its checksum is wrong"},
                   {300, true, "it is cut short"},
                   {10, true, "it is not a compiled trace"},
                   {0, true, "it cannot be mapped"}};
    empty_cache();
    const char *path = traces_make("damaged", RANK_0, RANK_1, NULL);
    assert_opens(path);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        damage(damages[i].at, damages[i].cut);
        assert_opens(traces_path("damaged"));
        const char *messages = traces_messages();
        if (!strstr(messages, damages[i].fault))
            fail_msg("expected: %s\ngot: %s", damages[i].fault, messages);
        assert_opens(traces_path("damaged"));
        assert_string_equal(traces_messages(), "");
    }
}

static void a_fifo_in_the_cache_is_damaged(void **state)
{
    (void)state;
    empty_cache();
    assert_opens(traces_make("piped", RANK_0, RANK_1, NULL));
    const char *path = cached_file();
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_opens(traces_path("piped"));
    assert_non_null(strstr(traces_messages(), "it cannot be mapped; compiled anew"));
    assert_opens(traces_path("piped"));
    assert_string_equal(traces_messages(), "");
}

static void a_rank_is_a_regular_file(void **state)
{
    (void)state;
    traces_make("device", RANK_0, RANK_1, NULL);
    assert_int_equal(unlink(traces_path("device/rank-2.txt")), 0);
    assert_int_equal(mkfifo(traces_path("device/rank-2.txt"), 0600), 0);
    assert_refused(traces_path("device"), "device/rank-2.txt: error: it is no regular file");
}

static void without_a_cache_traces_are_opened_all_the_same(void **state)
{
    (void)state;
    char cache[256];
    snprintf(cache, sizeof cache, "%s", traces_path("cache"));
    traces_write("blocked", "a file where a folder is needed", 5);
    setenv("XDG_CACHE_HOME", traces_path("blocked"), 1);
    assert_opens(traces_make("uncached", RANK_0, RANK_1, NULL));
    assert_non_null(strstr(traces_messages(), "; the compiled trace is not kept"));

    char home[256];
    snprintf(home, sizeof home, "%s", getenv("HOME") ? getenv("HOME") : "/");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    assert_opens(traces_path("uncached"));
    assert_non_null(strstr(traces_messages(), "neither XDG_CACHE_HOME nor HOME is set"));
    setenv("HOME", traces_path("home"), 1);
    assert_opens(traces_path("uncached"));
    assert_string_equal(traces_messages(), "");
    assert_int_equal(access(traces_path("home/.cache/heliograph"), R_OK), 0);
    setenv("HOME", home, 1);
    setenv("XDG_CACHE_HOME", cache, 1);
}

static void what_changes_while_it_is_read_is_not_kept(void **state)
{
    (void)state;
    struct trace_input input;
    int error = 0;
    assert_int_equal(trace_input_open(&input, traces_make("moving", RANK_0, RANK_1, NULL)), STATUS_OK);
    traces_make("moving", RANK_0 "\n", RANK_1, NULL);
    FILE *out = tmpfile();
    assert_int_equal(trace_compile(&input, out, &error), STATUS_BAD_INPUT);
    assert_non_null(strstr(traces_messages(), "moving: error: it was changed while it was read"));
    fclose(out);
    trace_input_close(&input);
}

/* A limit on file sizes simulates a full disk. The limit also applies to memory files, so no fallback is
 * left. */
static void a_full_disk_is_reported(void **state)
{
    (void)state;
    empty_cache();
    const char *path = traces_make("full", RANK_0, RANK_1, NULL);
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 600;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    struct compiled_trace *compiled;
    enum status opened = trace_open_compiled(path, &compiled);
    enum status written = trace_compile_to(path, traces_path("full.helio"));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(opened, STATUS_FAILED);
    assert_int_equal(written, STATUS_FAILED);
    const char *messages = traces_messages();
    assert_non_null(strstr(messages, "heliograph: File too large; the compiled trace is not kept"));
    assert_non_null(strstr(messages, "cannot write the compiled trace into memory: File too large"));
    assert_non_null(strstr(messages, "full.helio: File too large"));
    assert_string_equal(cached_file(), "");
    assert_int_equal(access(traces_path("full.helio"), F_OK), -1);
}

static void processes_do_not_disturb_each_other(void **state)
{
    (void)state;
    enum { PROCESSES = 8 };
    pid_t children[PROCESSES];
    empty_cache();
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (!children[i]) {
            struct compiled_trace *compiled;
            bool opened = trace_open_compiled("tests/traces/sp.S.4.tar.zst", &compiled) == STATUS_OK;
            _exit(opened && compiled->header->lines == 17432 ? 0 : 1);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int result;
        assert_int_equal(waitpid(children[i], &result, 0), children[i]);
        assert_int_equal(result, 0);
    }
    assert_true(inode(cached_file()) > 0); /* one file, and no temporary file beside it */
    empty_cache();
}

static void a_wrong_trace_leaves_nothing_behind(void **state)
{
    (void)state;
    empty_cache();
    assert_refused(traces_make("wrong", "0 init\n0 sned\n0 finalize\n", NULL), "is not an action");
    assert_string_equal(cached_file(), "");
}

/* -------------------------------------------------------- compiled by hand */

static void a_compiled_file_opens_by_itself(void **state)
{
    (void)state;
    traces_make("given", RANK_0, RANK_1, NULL);
    char out[256];
    snprintf(out, sizeof out, "%s", traces_path("given.helio"));
    assert_int_equal(trace_compile_to(traces_path("given"), out), STATUS_OK);
    empty_cache();
    struct compiled_trace *compiled;
    assert_int_equal(trace_open_compiled(out, &compiled), STATUS_OK);
    assert_string_equal(compiled->program.name, "given");
    assert_non_null(strstr(compiled->program.ops->place(&compiled->program, 0).file, "/given/rank-1.txt"));
    assert_string_equal(cached_file(), "");
    traces_close(compiled);
    assert_int_equal(trace_compile_to(out, traces_path("again.helio")), STATUS_BAD_INPUT);
    assert_non_null(strstr(traces_messages(), "it is a compiled trace already"));
    assert_int_equal(truncate(out, 500), 0);
    assert_refused(out, "this compiled trace cannot be used: it is cut short");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_numbers_come_from_names),
        cmocka_unit_test(folders_may_hold_names_of_simgrid),
        cmocka_unit_test(folders_must_be_whole),
        cmocka_unit_test(indices_name_a_file_per_rank),
        cmocka_unit_test(archives_must_be_whole),
        cmocka_unit_test(an_archive_without_memory_is_named),
        cmocka_unit_test(a_second_opening_uses_the_first_ones_file),
        cmocka_unit_test(other_contents_are_another_trace),
        cmocka_unit_test(a_damaged_file_is_made_anew),
        cmocka_unit_test(a_fifo_in_the_cache_is_damaged),
        cmocka_unit_test(a_rank_is_a_regular_file),
        cmocka_unit_test(without_a_cache_traces_are_opened_all_the_same),
        cmocka_unit_test(what_changes_while_it_is_read_is_not_kept),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(processes_do_not_disturb_each_other),
        cmocka_unit_test(a_wrong_trace_leaves_nothing_behind),
        cmocka_unit_test(a_compiled_file_opens_by_itself),
    };
    return cmocka_run_group_tests(tests, traces_set_up, traces_tear_down);
}
