#include "sweep/store.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/progress.h"
#include "output/unfinished.h"

/* In the header of the database: the application ("HELI") and the version of the schema. */
enum { APPLICATION = 0x48454c49, SCHEMA_VERSION = 2 };

/* How long to wait for another writer. A process that gave up would lose results of hours, so this is well
 * above the time in which a million runs are planned. */
enum { BUSY_MS = 600000, AGAIN_MS = 5 };

static const char tables[] = "CREATE TABLE IF NOT EXISTS runs("
                             "  id INTEGER PRIMARY KEY,"
                             "  key TEXT NOT NULL UNIQUE,"
                             "  fabric TEXT NOT NULL,"
                             "  program TEXT NOT NULL,"
                             "  parameters TEXT NOT NULL,"
                             "  input_hash TEXT NOT NULL,"
                             "  calls INTEGER NOT NULL,"
                             "  ranks INTEGER NOT NULL,"
                             "  makespan_ps INTEGER," /* NULL: not done yet */
                             "  idle_fraction REAL,"
                             "  messages INTEGER,"
                             "  bytes INTEGER,"
                             "  mean_bytes REAL,"
                             "  metrics TEXT,"
                             "  run TEXT,"
                             "  wall_s REAL,"
                             "  memory_bytes INTEGER);"
                             "CREATE TABLE IF NOT EXISTS notes(name TEXT PRIMARY KEY, text TEXT NOT NULL);";

enum statement { FIND, PLAN, FINISH, GET, EACH, COUNT, CALLS, SET_METADATA, GET_METADATA, STATEMENTS };

#define RUN_COLUMNS                                                                                          \
    "id, key, fabric, program, parameters, input_hash, calls, makespan_ps, idle_fraction, messages, bytes, " \
    "mean_bytes, metrics, run, wall_s, memory_bytes, ranks"

static const char *const statements[STATEMENTS] = {
    [FIND] = "SELECT id, makespan_ps IS NOT NULL FROM runs WHERE key = ?1",
    [PLAN] = "INSERT INTO runs(key, fabric, program, parameters, input_hash, calls, ranks) "
             "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    [FINISH] =
        "UPDATE runs SET makespan_ps = ?2, idle_fraction = ?3, messages = ?4, bytes = ?5, mean_bytes = ?6, "
        "metrics = ?7, run = ?8, wall_s = ?9, memory_bytes = ?10 WHERE id = ?1",
    [GET] = "SELECT " RUN_COLUMNS " FROM runs WHERE id = ?1",
    [EACH] = "SELECT " RUN_COLUMNS " FROM runs ORDER BY id",
    [COUNT] = "SELECT count(*) FROM runs",
    /* Which collectives a program calls does not depend on the network: one run of each is enough. */
    [CALLS] = "SELECT 1 FROM runs, json_each(run, '$.collectives') AS call WHERE runs.id IN "
              "(SELECT min(id) FROM runs WHERE makespan_ps IS NOT NULL GROUP BY program) "
              "AND json_extract(call.value, '$.operation') = ?1 LIMIT 1",
    [SET_METADATA] = "INSERT OR REPLACE INTO notes(name, text) VALUES(?1, ?2)",
    [GET_METADATA] = "SELECT text FROM notes WHERE name = ?1",
};

struct store {
    char *path;
    enum store_mode mode;
    sqlite3 *db;
    sqlite3_stmt *prepared[STATEMENTS];
    int code; /* the first error in binding values or reading columns; SQLITE_OK: none */
};

const char *store_path(const struct store *store)
{
    return store->path;
}

char *store_damage_text(const struct store *store, int64_t id, const char *what)
{
    return mem_format("%s#%lld is damaged: its %s are not a JSON object", store->path, (long long)id, what);
}

/* -------------------------------------------------------------- open, close */

/* Reports SQLite's code. */
static enum status failed_as(const struct store *store, int code)
{
    int error = 0;
    const char *text = sqlite3_errcode(store->db) == code ? sqlite3_errmsg(store->db) : sqlite3_errstr(code);
    code &= 0xff;
    if (code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_FULL)
        error = sqlite3_system_errno(store->db);
    if (error)
        diag_error("%s: %s (%s)", store->path, text, strerror(error));
    else
        diag_error("%s: %s", store->path, text);
    return STATUS_FAILED;
}

static enum status failed(const struct store *store)
{
    return failed_as(store, sqlite3_errcode(store->db));
}

/* The last process that closes a database removes its log. A process that opens the database in that moment
 * gets SQLITE_BUSY at once: the busy timeout does not apply. Waits a little and returns true if the call has
 * to be tried again. */
static bool is_to_retry(int code, time_t until)
{
    if ((code & 0xff) != SQLITE_BUSY || time(NULL) >= until)
        return false;
    sqlite3_sleep(AGAIN_MS);
    return true;
}

static time_t retry_end(void)
{
    return time(NULL) + BUSY_MS / 1000;
}

static enum status execute(struct store *store, const char *sql)
{
    int code;
    time_t until = retry_end();
    do
        code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    while (is_to_retry(code, until));
    return code == SQLITE_OK ? STATUS_OK : failed(store);
}

struct store_header {
    int64_t application, version, objects;
};

/* In one statement, since another process may be creating the tables. Returns SQLite's code. */
static int read_header(struct store *store, struct store_header *header)
{
    static const char sql[] = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema) "
                              "FROM pragma_application_id, pragma_user_version";
    int code;
    time_t until = retry_end();
    do {
        sqlite3_stmt *statement;
        code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
        if (code == SQLITE_OK)
            code = sqlite3_step(statement);
        if (code == SQLITE_ROW)
            *header = (struct store_header){.application = sqlite3_column_int64(statement, 0),
                                            .version = sqlite3_column_int64(statement, 1),
                                            .objects = sqlite3_column_int64(statement, 2)};
        sqlite3_finalize(statement);
    } while (is_to_retry(code, until));
    return code;
}

static enum status check_header(struct store *store, enum store_mode mode)
{
    struct store_header header = {.application = -1};
    int code = read_header(store, &header);
    if (code != SQLITE_ROW && code != SQLITE_NOTADB)
        return failed(store);
    if (mode == STORE_WRITE && header.application == 0 && header.version == 0 && header.objects == 0)
        return STATUS_OK; /* an empty file, or a new one */
    if (header.application != APPLICATION) {
        diag_error("%s is not a file of results; `helio sweep -o` makes one", store->path);
        return STATUS_BAD_INPUT;
    }
    if (header.version == SCHEMA_VERSION)
        return STATUS_OK;
    diag_error("%s has version %lld of the result tables; this helio reads version %d", store->path,
               (long long)header.version, SCHEMA_VERSION);
    return STATUS_BAD_INPUT;
}

static enum status create_tables(struct store *store)
{
    char header[128];
    snprintf(header, sizeof header, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION,
             SCHEMA_VERSION);
    enum status status = execute(store, "BEGIN IMMEDIATE");
    if (status == STATUS_OK)
        status = execute(store, tables);
    if (status == STATUS_OK)
        status = execute(store, header);
    return status == STATUS_OK ? execute(store, "COMMIT") : status;
}

/* An empty database under a private name. Its journal is in memory: nobody else reads it yet. */
static enum status create_private(const char *path, const char *name)
{
    struct store store = {.path = (char *)name};
    enum status status = STATUS_OK;
    if (sqlite3_open_v2(path, &store.db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK)
        status = failed(&store);
    if (status == STATUS_OK)
        status = execute(&store, "PRAGMA journal_mode = MEMORY");
    if (status == STATUS_OK)
        status = create_tables(&store);
    if (sqlite3_close(store.db) != SQLITE_OK && status == STATUS_OK)
        status = failed(&store);
    return status;
}

/* SQLite has names of its own for databases that are no files. */
static bool is_absent(const char *path)
{
    return *path && strcmp(path, ":memory:") != 0 && access(path, F_OK) != 0 && errno == ENOENT;
}

/* A database is there whole, or not at all. If another process makes it at the same time, that one stays. */
static enum status create(const char *path)
{
    struct unfinished *unfinished = unfinished_file(path);
    if (!unfinished) {
        diag_error("cannot write %s: %s", path, strerror(errno));
        return STATUS_FAILED;
    }
    enum status status = create_private(unfinished_path(unfinished), path);
    if (status != STATUS_OK) {
        unfinished_discard(unfinished);
        return status;
    }
    if (unfinished_publish(unfinished, path, UNFINISHED_NEW) || errno == EEXIST)
        return STATUS_OK;
    diag_error("cannot write %s: %s", path, strerror(errno));
    return STATUS_FAILED;
}

/* A file from elsewhere may define what runs when its tables are used: a view without an end, for example. */
static void distrust_schema(struct store *store)
{
    static const int off[] = {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_VIEW,
                              SQLITE_DBCONFIG_ENABLE_TRIGGER};
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        sqlite3_db_config(store->db, off[i], 0, NULL);
}

enum status store_open(const char *path, enum store_mode mode, struct store **opened)
{
    int flags = mode == STORE_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (mode == STORE_READ && access(path, R_OK) != 0) {
        diag_error("cannot read %s: %s", path, strerror(errno));
        return STATUS_BAD_INPUT;
    }
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) { /* SQLite would wait for a FIFO */
        diag_error("%s is not a file of results; `helio sweep -o` makes one", path);
        return STATUS_BAD_INPUT;
    }
    if (mode == STORE_WRITE && is_absent(path) && create(path) != STATUS_OK)
        return STATUS_FAILED;
    struct store *store = mem_alloc(1, sizeof *store, "a file of results");
    store->path = mem_text(*path ? path : "a temporary file");
    store->mode = mode;
    enum status status = STATUS_OK;
    if (sqlite3_open_v2(path, &store->db, flags, NULL) != SQLITE_OK ||
        sqlite3_busy_timeout(store->db, BUSY_MS) != SQLITE_OK)
        status = failed(store);
    if (status == STATUS_OK) {
        distrust_schema(store);
        status = check_header(store, mode);
    }
    /* With a write-ahead log, NORMAL loses nothing when the process is killed. */
    if (status == STATUS_OK && mode == STORE_WRITE)
        status = execute(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    if (status == STATUS_OK && mode == STORE_WRITE)
        status = create_tables(store); /* those that an empty file lacks */
    for (int i = 0; status == STATUS_OK && i < STATEMENTS; i++)
        if (sqlite3_prepare_v3(store->db, statements[i], -1, SQLITE_PREPARE_PERSISTENT, &store->prepared[i],
                               NULL))
            status = failed(store);
    if (status == STATUS_OK)
        *opened = store;
    else
        store_close(store);
    return status;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(store->prepared[i]); /* returns an error that was reported */
    /* Removes the log, so that the file can be read where nothing may be written. This succeeds in the last
     * process that has the file open. All results are in the file or in the log in any case. */
    if (store->db && store->mode == STORE_WRITE) {
        sqlite3_busy_timeout(store->db, 0);
        sqlite3_exec(store->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    }
    sqlite3_close(store->db);
    free(store->path);
    free(store);
}

enum status store_begin(struct store *store)
{
    return execute(store, "BEGIN IMMEDIATE");
}

enum status store_commit(struct store *store)
{
    return execute(store, "COMMIT");
}

void store_rollback(struct store *store)
{
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL); /* the caller has reported an error */
}

/* -------------------------------------------------------------- statements */

/* Values are bound and columns read one by one; the first error is kept until the whole row is done. */
static void keep_code(struct store *store, int code)
{
    if (store->code == SQLITE_OK)
        store->code = code;
}

static void bind_text(struct store *store, sqlite3_stmt *statement, int index, const char *text)
{
    keep_code(store, sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC));
}

static void bind_whole(struct store *store, sqlite3_stmt *statement, int index, int64_t number)
{
    keep_code(store, sqlite3_bind_int64(statement, index, number));
}

static void bind_real(struct store *store, sqlite3_stmt *statement, int index, double number)
{
    keep_code(store, sqlite3_bind_double(statement, index, number));
}

static const char *text_at(struct store *store, sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);
    if (!text && sqlite3_errcode(store->db) == SQLITE_NOMEM)
        keep_code(store, SQLITE_NOMEM);
    return text ? text : "";
}

/* The error that was kept, which is then forgotten. */
static int take_code(struct store *store)
{
    int code = store->code;
    store->code = SQLITE_OK;
    return code;
}

/* The next row of a statement whose values are bound. Returns SQLITE_ROW, SQLITE_DONE or an error. */
static int next_row(struct store *store, sqlite3_stmt *statement)
{
    int code = take_code(store);
    return code == SQLITE_OK ? sqlite3_step(statement) : code;
}

/* Ends a statement for now. `code` is what its last row gave. STATUS_FAILED, reported: it is an error, or the
 * row could not be read. */
static enum status end_statement(struct store *store, sqlite3_stmt *statement, int code)
{
    int unread = take_code(store);
    if (unread != SQLITE_OK)
        code = unread;
    enum status status = code == SQLITE_ROW || code == SQLITE_DONE ? STATUS_OK : failed_as(store, code);
    sqlite3_reset(statement); /* returns the same error again */
    sqlite3_clear_bindings(statement);
    return status;
}

/* Executes a statement that returns no rows. */
static enum status execute_bound(struct store *store, sqlite3_stmt *statement)
{
    return end_statement(store, statement, next_row(store, statement));
}

/* --------------------------------------------------------------------- runs */

enum status store_find(struct store *store, struct store_run *run)
{
    sqlite3_stmt *statement = store->prepared[FIND];
    bind_text(store, statement, 1, run->key);
    int found = next_row(store, statement);
    run->id = found == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    run->done = found == SQLITE_ROW && sqlite3_column_int(statement, 1);
    return end_statement(store, statement, found);
}

enum status store_plan(struct store *store, struct store_run *run)
{
    sqlite3_stmt *plan = store->prepared[PLAN];
    enum status status = store_find(store, run);
    if (status != STATUS_OK || run->id)
        return status;
    bind_text(store, plan, 1, run->key);
    bind_text(store, plan, 2, run->fabric);
    bind_text(store, plan, 3, run->program);
    bind_text(store, plan, 4, run->parameters);
    bind_text(store, plan, 5, run->input_hash);
    bind_whole(store, plan, 6, (int64_t)run->calls);
    bind_whole(store, plan, 7, run->ranks);
    status = execute_bound(store, plan);
    if (status == STATUS_OK)
        run->id = sqlite3_last_insert_rowid(store->db);
    return status;
}

enum status store_finish(struct store *store, const struct store_run *run)
{
    sqlite3_stmt *statement = store->prepared[FINISH];
    bind_whole(store, statement, 1, run->id);
    bind_whole(store, statement, 2, run->makespan_ps);
    bind_real(store, statement, 3, run->idle_fraction);
    bind_whole(store, statement, 4, (int64_t)run->messages);
    if (run->bytes <= INT64_MAX)
        bind_whole(store, statement, 5, (int64_t)run->bytes);
    else
        bind_real(store, statement, 5, (double)run->bytes);
    bind_real(store, statement, 6, run->mean_bytes);
    bind_text(store, statement, 7, run->metrics);
    bind_text(store, statement, 8, run->run);
    bind_real(store, statement, 9, run->wall_s);
    bind_whole(store, statement, 10, (int64_t)run->memory_bytes);
    return execute_bound(store, statement);
}

/* A sum that is beyond SQLite's integers is a real number. One that no run can have counts as 0. */
static sum_t sum_at_column(sqlite3_stmt *statement, int column)
{
    if (sqlite3_column_type(statement, column) != SQLITE_FLOAT)
        return sqlite3_column_int64(statement, column);
    double value = sqlite3_column_double(statement, column);
    return value >= 0 && value < 0x1p126 ? (sum_t)value : 0;
}

/* The statement's current row. The texts are valid until its next step. */
static struct store_run run_at(struct store *store, sqlite3_stmt *statement)
{
    return (struct store_run){
        .id = sqlite3_column_int64(statement, 0),
        .key = text_at(store, statement, 1),
        .fabric = text_at(store, statement, 2),
        .program = text_at(store, statement, 3),
        .parameters = text_at(store, statement, 4),
        .input_hash = text_at(store, statement, 5),
        .calls = (uint64_t)sqlite3_column_int64(statement, 6),
        .done = sqlite3_column_type(statement, 7) != SQLITE_NULL,
        .makespan_ps = sqlite3_column_int64(statement, 7),
        .idle_fraction = sqlite3_column_double(statement, 8),
        .messages = (uint64_t)sqlite3_column_int64(statement, 9),
        .bytes = sum_at_column(statement, 10),
        .mean_bytes = sqlite3_column_double(statement, 11),
        .metrics = text_at(store, statement, 12),
        .run = text_at(store, statement, 13),
        .wall_s = sqlite3_column_double(statement, 14),
        .memory_bytes = (uint64_t)sqlite3_column_int64(statement, 15),
        .ranks = (uint32_t)sqlite3_column_int64(statement, 16),
    };
}

/* Copies the texts of a row. */
static void copy_texts(struct store_run *run)
{
    const char **const texts[] = {&run->key,        &run->fabric,  &run->program, &run->parameters,
                                  &run->input_hash, &run->metrics, &run->run};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = mem_text(*texts[i]);
}

enum status store_get(struct store *store, int64_t id, struct store_run *run)
{
    sqlite3_stmt *statement = store->prepared[GET];
    bind_whole(store, statement, 1, id);
    int found = next_row(store, statement);
    if (found == SQLITE_ROW) {
        *run = run_at(store, statement);
        copy_texts(run);
    }
    enum status status = end_statement(store, statement, found);
    if (status != STATUS_OK && found == SQLITE_ROW)
        store_run_free(run);
    if (status != STATUS_OK || found == SQLITE_ROW)
        return status;
    diag_error("%s has no run %lld; `helio export` lists its runs", store->path, (long long)id);
    return STATUS_BAD_INPUT;
}

void store_run_free(struct store_run *run)
{
    const char *const texts[] = {run->key,        run->fabric,  run->program, run->parameters,
                                 run->input_hash, run->metrics, run->run};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free((char *)texts[i]);
    *run = (struct store_run){0};
}

static uint64_t count_runs(struct store *store)
{
    sqlite3_stmt *statement = store->prepared[COUNT];
    int64_t count = sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_reset(statement);
    return (uint64_t)count;
}

bool store_calls(struct store *store, const char *operation)
{
    sqlite3_stmt *statement = store->prepared[CALLS];
    const int code = sqlite3_bind_text(statement, 1, operation, -1, SQLITE_STATIC);
    const bool calls = code != SQLITE_OK || sqlite3_step(statement) != SQLITE_DONE;
    sqlite3_reset(statement);
    return calls;
}

enum status store_each(struct store *store, void *self,
                       enum status (*visit)(void *self, const struct store_run *run))
{
    sqlite3_stmt *statement = store->prepared[EACH];
    enum status status = STATUS_OK;
    int found = SQLITE_DONE;
    progress_begin("reading the results", progress_is_shown() ? count_runs(store) : 0);
    while (status == STATUS_OK && (found = next_row(store, statement)) == SQLITE_ROW) {
        struct store_run run = run_at(store, statement);
        if (store->code != SQLITE_OK)
            break;
        status = visit(self, &run);
        progress_step();
    }
    progress_end();
    enum status ended = end_statement(store, statement, found);
    return status == STATUS_OK ? ended : status;
}

/* ----------------------------------------------------------------- metadata */

enum status store_set_metadata(struct store *store, const char *name, const char *text)
{
    sqlite3_stmt *statement = store->prepared[SET_METADATA];
    bind_text(store, statement, 1, name);
    bind_text(store, statement, 2, text);
    return execute_bound(store, statement);
}

enum status store_get_metadata(struct store *store, const char *name, char **text)
{
    sqlite3_stmt *statement = store->prepared[GET_METADATA];
    bind_text(store, statement, 1, name);
    int found = next_row(store, statement);
    *text = found == SQLITE_ROW ? mem_text(text_at(store, statement, 0)) : NULL;
    enum status status = end_statement(store, statement, found);
    if (status != STATUS_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}
