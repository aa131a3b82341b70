/* Writes the seeds of files of results: their pages are small, so that mutations reach every part. */
#include <sqlite3.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "fuzz/seeds.h"
#include "sweep/store.h"

static const struct store_run runs[] = {
    {.key = "0a",
     .fabric = "packet",
     .program = "alltoall:ranks=4",
     .parameters = "{\"fabric\":\"packet\",\"seed\":\"1\",\"fmu.count\":\"4\"}",
     .input_hash = "",
     .calls = 8,
     .ranks = 4,
     .done = true,
     .makespan_ps = 1000000,
     .idle_fraction = 0.5,
     .messages = 12,
     .bytes = 12000,
     .mean_bytes = 1000,
     .metrics = "{\"switch_count\":3}",
     .run = "{\"fabric\":\"packet\",\"makespan_s\":1e-06}",
     .wall_s = 0.1,
     .memory_bytes = 4096},
    {.key = "0b",
     .fabric = "fmu",
     .program = "alltoall:ranks=4",
     .parameters = "{\"fabric\":\"fmu\",\"seed\":\"1\",\"fmu.count\":\"4\"}",
     .input_hash = "",
     .calls = 8,
     .ranks = 4,
     .done = true,
     .makespan_ps = 500000,
     .idle_fraction = 0.25,
     .messages = 12,
     .bytes = 12000,
     .mean_bytes = 1000,
     .metrics = "{\"switch_count\":5}",
     .run = "{\"fabric\":\"fmu\",\"makespan_s\":5e-07}",
     .wall_s = 0.1,
     .memory_bytes = 4096},
    {.key = "0c",
     .fabric = "fmu",
     .program = "alltoall:ranks=4",
     .parameters = "{\"fabric\":\"fmu\",\"seed\":\"2\",\"fmu.count\":\"8\"}",
     .input_hash = "",
     .calls = 8,
     .ranks = 4},
};

static void execute(sqlite3 *db, const char *sql)
{
    fuzz_must(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
}

void seed_store(const char *path, size_t count, bool has_metadata)
{
    struct store *store;
    sqlite3 *db;
    unlink(path);
    fuzz_must(store_open(path, STORE_WRITE, &store) == STATUS_OK, "cannot write %s", path);
    for (size_t i = 0; i < count && i < sizeof runs / sizeof *runs; i++) {
        struct store_run run = runs[i];
        fuzz_must(store_plan(store, &run) == STATUS_OK, "cannot plan a run");
        fuzz_must(!runs[i].done || store_finish(store, &run) == STATUS_OK, "cannot finish a run");
    }
    if (has_metadata)
        fuzz_must(store_set_metadata(store, STORE_VARIED, "[\"fmu.count\"]") == STATUS_OK &&
                      store_set_metadata(store, STORE_BASELINE, "{\"fabric\":\"packet\"}") == STATUS_OK,
                  "cannot write metadata");
    store_close(store);
    fuzz_must(sqlite3_open(path, &db) == SQLITE_OK, "cannot open %s", path);
    execute(db, "PRAGMA page_size = 512");
    execute(db, "VACUUM");
    sqlite3_close(db);
}
