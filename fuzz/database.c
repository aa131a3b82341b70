/* Any bytes as a file of results: refused, or its runs become a table, a figure, and part of another file.
 *
 * The file is in memory: SQLite's own file system "memdb" shares one whose name begins with a slash. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "fuzz/fuzz.h"
#include "sweep/merge.h"
#include "sweep/plot.h"
#include "sweep/results_table.h"

static const char name[] = "/proc/self/exe"; /* store_open looks whether there is a file of this name */

/* The file exists as long as it is open. */
static sqlite3_file *file_open(const uint8_t *data, size_t size)
{
    static sqlite3_vfs *memory;
    if (!memory) {
        sqlite3_config(SQLITE_CONFIG_SINGLETHREAD); /* the locks of libraries take time */
        sqlite3_initialize();
        memory = sqlite3_vfs_find("memdb");
        fuzz_must(memory && sqlite3_vfs_register(memory, 1) == SQLITE_OK, "there is no memdb");
        sqlite3_hard_heap_limit64(256 << 20);
    }
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MAIN_DB;
    sqlite3_file *file = mem_alloc(1, (size_t)memory->szOsFile, "a database");
    fuzz_must(memory->xOpen(memory, name, file, flags, &flags) == SQLITE_OK &&
                  (!size || file->pMethods->xWrite(file, data, (int)size, 0) == SQLITE_OK),
              "cannot write a database");
    return file;
}

static void file_close(sqlite3_file *file)
{
    file->pMethods->xClose(file);
    free(file);
}

static void use_table(const struct results_table *table)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    results_table_print_runs(table, out);
    results_table_print_means(table, out);
    fclose(out);
    free(text);
    free(results_table_json(table));
    const char *const numbers[] = {NULL, "speedup", table->metrics.count ? table->metrics.texts[0] : ""};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (plot_write(table, &(struct plot_request){.y = numbers[i]}, "figure") == STATUS_OK)
            fuzz_must(unlink("figure/plot.csv") == 0 && unlink("figure/plot.gp") == 0 && rmdir("figure") == 0,
                      "a figure is not whole");
}

static enum status look_at(void *found, const struct store_run *run)
{
    fuzz_must(run->fabric && run->program && run->parameters && run->key, "a run has no text");
    ++*(size_t *)found;
    return STATUS_OK;
}

/* A file that was merged into an empty one is in it already. */
static void merge(struct store *from)
{
    struct store *into;
    if (store_open(":memory:", STORE_WRITE, &into) != STATUS_OK)
        return;
    size_t before = 0, after = 0;
    if (store_merge(into, from) == STATUS_OK && store_each(into, &before, look_at) == STATUS_OK)
        fuzz_must(store_merge(into, from) == STATUS_OK && store_each(into, &after, look_at) == STATUS_OK &&
                      before == after,
                  "a file that was merged brings new runs");
    store_close(into);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct results_table table = {.count = 0};
    struct store *store = NULL;
    sqlite3_file *file = file_open(data, size);
    size_t found = 0;
    bool is_read =
        store_open(name, STORE_READ, &store) == STATUS_OK && store_each(store, &found, look_at) == STATUS_OK;
    if (is_read) {
        if (results_table_read(&table, store) == STATUS_OK)
            use_table(&table);
        merge(store);
        store_check(store);
    }
    results_table_free(&table);
    store_close(store);
    file_close(file);
    return is_read && found > 0;
}
