/* Output files are complete, or do not exist. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/mem.h"
#include "output/interrupt.h"
#include "output/output.h"
#include "output/standard.h"

static char folder[] = "/tmp/heliograph-output-XXXXXX";
static char *path;
static char said[1024];

static void keep_message(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    snprintf(said, sizeof said, "%s", message);
}

static int make_folder(void **state)
{
    (void)state;
    diag_set_sink(keep_message, NULL);
    if (!mkdtemp(folder))
        return -1;
    path = mem_format("%s/out", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    free(path);
    diag_set_sink(NULL, NULL);
    return rmdir(folder); /* fails if a file was left behind */
}

static void has(const char *expected)
{
    char text[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

static enum status write_words(const char *where, const char *words, enum status run)
{
    struct output output;
    assert_int_equal(output_open(&output, where), STATUS_OK);
    fputs(words, output.file);
    return output_close(&output, run);
}

static void an_output_gets_its_name_when_it_is_closed(void **state)
{
    (void)state;
    struct output output;
    assert_int_equal(output_open(&output, path), STATUS_OK);
    assert_int_equal(access(path, F_OK), -1);
    fputs("whole", output.file);
    assert_int_equal(output_close(&output, STATUS_OK), STATUS_OK);
    has("whole");
    assert_int_equal(output_close(&output, STATUS_OK), STATUS_OK); /* the output is not open: no effect */
}

static void a_failed_run_leaves_the_previous_file(void **state)
{
    (void)state;
    assert_int_equal(write_words(path, "old", STATUS_OK), STATUS_OK);
    assert_int_equal(write_words(path, "new", STATUS_BAD_INPUT), STATUS_BAD_INPUT);
    has("old");
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    said[0] = '\0';
    assert_int_equal(write_words("/dev/full", "words", STATUS_OK), STATUS_FAILED);
    assert_non_null(strstr(said, "cannot write /dev/full: No space left on device"));
    assert_int_equal(access("/dev/full", F_OK), 0); /* the path still names the device */
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    struct output output;
    said[0] = '\0';
    char *nowhere = mem_format("%s/none/out", folder);
    assert_int_equal(output_open(&output, nowhere), STATUS_FAILED);
    assert_non_null(strstr(said, "No such file or directory"));
    assert_int_equal(output_close(&output, STATUS_FAILED), STATUS_FAILED);
    free(nowhere);
}

/* Number of entries of the test's folder. */
static size_t entries(void)
{
    size_t count = 0;
    DIR *list = opendir(folder);
    assert_non_null(list);
    for (const struct dirent *entry; (entry = readdir(list));)
        count += entry->d_name[0] != '.';
    closedir(list);
    return count;
}

/* Runs `act` in a process of its own. Its wait status. */
static int in_process(void (*act)(void))
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        act();
        _exit(77);
    }
    int ended = 0;
    assert_int_equal(waitpid(child, &ended, 0), child);
    return ended;
}

static void begin_and_exit(void)
{
    struct output output;
    struct output_folder inner;
    char *name = mem_format("%s/inner", folder);
    output_open(&output, path);
    fputs("part", output.file);
    output_folder_open(&inner, name);
    output_folder_put(&inner, "file", "part", 4);
    if (entries() == 2)
        exit(3);
}

static void begin_and_be_told_to_end(void)
{
    struct output output;
    interrupt_install();
    output_open(&output, path);
    raise(SIGTERM);
}

static void begin_and_be_killed(void)
{
    struct output output;
    struct output_folder inner;
    char *name = mem_format("%s/inner", folder);
    output_open(&output, path);
    output_folder_open(&inner, name);
    output_folder_put(&inner, "file", "part", 4);
    raise(SIGKILL);
}

static void an_exit_removes_what_is_unfinished(void **state)
{
    (void)state;
    unlink(path);
    int ended = in_process(begin_and_exit);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 3);
    assert_int_equal(entries(), 0);
}

static void begin_and_lose_the_reader(void)
{
    struct output output;
    int ends[2];
    interrupt_install();
    output_open(&output, path);
    if (pipe(ends) == 0 && close(ends[0]) == 0)
        (void)!write(ends[1], "", 1);
}

static void a_signal_removes_what_is_unfinished(void **state)
{
    (void)state;
    int piped = in_process(begin_and_lose_the_reader);
    assert_true(WIFSIGNALED(piped) && WTERMSIG(piped) == SIGPIPE);
    assert_int_equal(entries(), 0);
    int ended = in_process(begin_and_be_told_to_end);
    assert_true(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGTERM);
    assert_int_equal(entries(), 0);
}

static void the_next_output_removes_what_is_nobodys(void **state)
{
    (void)state;
    struct output mine;
    char *other = mem_format("%s/other", folder);
    assert_int_equal(output_open(&mine, other), STATUS_OK);
    int ended = in_process(begin_and_be_killed);
    assert_true(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL);
    assert_int_equal(entries(), 3);
    assert_int_equal(write_words(path, "whole", STATUS_OK), STATUS_OK);
    assert_int_equal(entries(), 2); /* the file, and what this process has not finished */
    assert_int_equal(output_close(&mine, STATUS_OK), STATUS_OK);
    unlink(other);
    free(other);
    assert_int_equal(entries(), 1);
}

static void leave_to_the_child(void)
{
    exit(0);
}

static void a_child_removes_nothing_of_its_parent(void **state)
{
    (void)state;
    struct output output;
    assert_int_equal(output_open(&output, path), STATUS_OK);
    fputs("mine", output.file);
    fflush(output.file);
    assert_int_equal(in_process(leave_to_the_child), 0);
    assert_int_equal(output_close(&output, STATUS_OK), STATUS_OK);
    has("mine");
}

static void stop_when_asked(void)
{
    interrupt_install();
    interrupt_accept();
    bool before = interrupt_wanted();
    raise(SIGINT);
    if (before || !interrupt_wanted() || interrupt_exit_status(3) != 130)
        _exit(1);
    raise(SIGINT);
}

static void the_second_signal_ends_the_process(void **state)
{
    (void)state;
    int ended = in_process(stop_when_asked);
    assert_true(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGINT);
}

static void a_link_stays_a_link(void **state)
{
    (void)state;
    struct stat about;
    char *link_path = mem_format("%s/link", folder);
    unlink(path);
    assert_int_equal(symlink("out", link_path), 0);
    assert_int_equal(write_words(link_path, "created", STATUS_OK), STATUS_OK);
    has("created");
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(write_words(link_path, "replaced", STATUS_OK), STATUS_OK);
    has("replaced");
    assert_int_equal(lstat(link_path, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    unlink(link_path);
    free(link_path);
}

/* A name of an open file is appended to: what is in it stays. */
static void a_name_of_an_open_file_is_written_to(void **state)
{
    (void)state;
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    assert_int_equal(write(descriptor, "a", 1), 1);
    char *name = mem_format("/dev/fd/%d", descriptor);
    assert_int_equal(write_words(name, "b", STATUS_OK), STATUS_OK);
    has("ab");
    close(descriptor);
    free(name);
}

static void a_folder_is_whole_or_absent(void **state)
{
    (void)state;
    struct output_folder inner;
    char *name = mem_format("%s/inner/", folder), *file = mem_format("%sfile", name);
    assert_int_equal(output_folder_open(&inner, name), STATUS_OK);
    assert_int_equal(output_folder_put(&inner, "file", "part", 4), STATUS_OK);
    assert_int_equal(output_folder_close(&inner, STATUS_FAILED), STATUS_FAILED);
    assert_int_equal(access(name, F_OK), -1);
    assert_int_equal(output_folder_open(&inner, name), STATUS_OK);
    assert_int_equal(output_folder_put(&inner, "file", "whole", 5), STATUS_OK);
    assert_int_equal(access(name, F_OK), -1);
    assert_int_equal(output_folder_close(&inner, STATUS_OK), STATUS_OK);
    assert_int_equal(access(file, F_OK), 0);
    assert_int_equal(output_folder_open(&inner, name), STATUS_BAD_INPUT);
    assert_non_null(strstr(said, "exists; name a new folder"));
    unlink(file);
    rmdir(name);
    free(file);
    free(name);
}

static void a_long_name_has_room_for_its_private_one(void **state)
{
    (void)state;
    char name[256];
    memset(name, 'n', sizeof name - 1);
    name[255] = '\0';
    char *longest = mem_format("%s/%s", folder, name);
    assert_int_equal(write_words(longest, "words", STATUS_OK), STATUS_OK);
    assert_int_equal(unlink(longest), 0);
    free(longest);
}

static void print_to_full_device(void)
{
    (void)!dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
    standard_open();
    printf("lost");
    enum status first = standard_flush(), second = standard_close(STATUS_OK);
    bool named = strstr(said, "cannot write standard output: No space left on device") != NULL;
    _exit(first == STATUS_FAILED && second == STATUS_FAILED && named ? 0 : 1);
}

static void print_to_nothing(void)
{
    close(STDOUT_FILENO);
    standard_open();
    int descriptor = open("/dev/null", O_RDONLY);
    printf("lost");
    _exit(descriptor > STDERR_FILENO && standard_close(STATUS_OK) == STATUS_FAILED ? 0 : 1);
}

static void lost_standard_output_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(in_process(print_to_full_device), 0);
    assert_int_equal(in_process(print_to_nothing), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_output_gets_its_name_when_it_is_closed),
        cmocka_unit_test(a_failed_run_leaves_the_previous_file),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
        cmocka_unit_test(an_exit_removes_what_is_unfinished),
        cmocka_unit_test(a_signal_removes_what_is_unfinished),
        cmocka_unit_test(the_next_output_removes_what_is_nobodys),
        cmocka_unit_test(a_child_removes_nothing_of_its_parent),
        cmocka_unit_test(the_second_signal_ends_the_process),
        cmocka_unit_test(a_link_stays_a_link),
        cmocka_unit_test(a_name_of_an_open_file_is_written_to),
        cmocka_unit_test(a_folder_is_whole_or_absent),
        cmocka_unit_test(a_long_name_has_room_for_its_private_one),
        cmocka_unit_test(lost_standard_output_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
