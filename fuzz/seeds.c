/* Writes the seeds of binary formats, so that they always have the current version: compiled traces,
 * archives and files that a capture left behind, all made from the TI texts of the corpus; files of results;
 * a file of the cache.
 *
 *     write-seeds CORPUS/ti FOLDER */
#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "fuzz/fuzz_run.h"
#include "fuzz/fuzz_trace.h"
#include "fuzz/seeds.h"
#include "output/cache.h"
#include "trace/image/content.h"
#include "trace/image/writer.h"

/* Bytes of a text of which many seeds are made. */
enum { SMALL = 1000 };

static const char *folder;

/* The path of a seed, to be freed. Makes the folder of its target. */
static char *seed_path(const char *target, const char *name, const char *ending)
{
    char *in = mem_format("%s/%s", folder, target);
    mkdir(in, 0777);
    char *path = mem_format("%s/%s%s", in, name, ending);
    free(in);
    return path;
}

static FILE *seed_open(const char *target, const char *name, const char *ending)
{
    char *path = seed_path(target, name, ending);
    FILE *file = fopen(path, "wb");
    fuzz_must(file != NULL, "cannot write %s", path);
    free(path);
    return file;
}

static void seed_close(FILE *file)
{
    bool is_written = !ferror(file);
    fuzz_must(fclose(file) == 0 && is_written, "cannot write a seed");
}

/* ---------------------------------------------------------- compiled traces */

/* The key of the image chooses the settings of the run. */
static void write_image_to_run(const char *name, const struct compiled_trace *compiled, uint64_t key)
{
    struct image_header header = *compiled->header;
    char *ending = mem_format(".%u.helio", (unsigned)key);
    FILE *file = seed_open("run_image", name, ending);
    header.key[0] = key;
    fwrite(&header, sizeof header, 1, file);
    fwrite(compiled->image + sizeof header, 1, compiled->image_bytes - sizeof header, file);
    seed_close(file);
    free(ending);
}

/* A text behind the settings of its run. */
static void write_text_to_run(const char *name, struct fuzz_piece text)
{
    for (uint64_t i = 0; i < FUZZ_SETTINGS; i++) {
        struct fuzz_piece settings = fuzz_settings(i);
        char *ending = mem_format(".%u", (unsigned)i);
        FILE *file = seed_open("run_ti", name, ending);
        fwrite(settings.bytes, 1, settings.size, file);
        putc('\n', file);
        fwrite(text.bytes, 1, text.size, file);
        seed_close(file);
        free(ending);
    }
}

static void write_image(const char *name, struct fuzz_piece text)
{
    struct compiled_trace *compiled = fuzz_trace(text, FUZZ_MOST_RANKS);
    if (!compiled)
        return; /* the corpus has traces that are refused */
    FILE *file = seed_open("image", name, ".helio");
    fwrite(compiled->image, 1, compiled->image_bytes, file);
    seed_close(file);
    for (uint64_t i = 0; i < FUZZ_SETTINGS && text.size < SMALL; i++)
        write_image_to_run(name, compiled, i);
    compiled->program.ops->close(&compiled->program);
}

/* An image as formats other than TI make them: calls have lines, and texts are for people. */
static void write_image_with_lines(void)
{
    static const struct call calls[][3] = {
        {{.op = CALL_SEND, .flags = CALL_IMMEDIATE, .slot = SLOT_FIRST, .peer = 1, .tag = 7, .bytes = 800},
         {.op = CALL_WAIT, .slot = SLOT_FIRST},
         {.op = CALL_BARRIER}},
        {{.op = CALL_COMPUTE, .amount = 1e6},
         {.op = CALL_RECV, .tag = 7, .recv_bytes = 800},
         {.op = CALL_BARRIER}},
    };
    struct image_writer writer;
    FILE *file = seed_open("image", "lines", ".helio");
    image_writer_init(&writer, file, 2, IMAGE_HAS_LINES | IMAGE_TEXTS_ARE_FREE);
    for (uint32_t rank = 0; rank < 2; rank++) {
        image_writer_begin_rank(&writer, rank, "sample");
        for (uint64_t i = 0; i < 3; i++)
            fuzz_must(image_writer_add(&writer, &calls[rank][i], i ? NULL : "first", DIAG_BYTE | i << 4),
                      "a call is refused");
        image_writer_end_rank(&writer);
    }
    fuzz_must(image_writer_finish(&writer, (const uint64_t[2]){1, 2}) == 0, "cannot write an image");
    image_writer_free(&writer);
    seed_close(file);
}

/* ----------------------------------------------------------------- archives */

static const struct {
    const char *ending;
    int (*add)(struct archive *archive);
} filters[] = {{".tar", archive_write_add_filter_none},
               {".tar.zst", archive_write_add_filter_zstd},
               {".tar.gz", archive_write_add_filter_gzip},
               {".tar.xz", archive_write_add_filter_xz},
               {".tar.bz2", archive_write_add_filter_bzip2}};

static void write_member(struct archive *archive, unsigned rank, struct fuzz_piece text)
{
    struct archive_entry *entry = archive_entry_new();
    char *name = mem_format("t/rank-%u.txt", rank);
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, (la_int64_t)text.size);
    fuzz_must(archive_write_header(archive, entry) == ARCHIVE_OK &&
                  archive_write_data(archive, text.bytes, text.size) == (la_ssize_t)text.size,
              "cannot write an archive: %s", archive_error_string(archive));
    archive_entry_free(entry);
    free(name);
}

static void write_archive(const char *name, struct fuzz_piece text, size_t filter)
{
    struct archive *archive = archive_write_new();
    char *path = seed_path("archive", name, filters[filter].ending);
    fuzz_must(filters[filter].add(archive) == ARCHIVE_OK &&
                  archive_write_set_format_ustar(archive) == ARCHIVE_OK &&
                  archive_write_set_bytes_in_last_block(archive, 1) == ARCHIVE_OK &&
                  archive_write_open_filename(archive, path) == ARCHIVE_OK,
              "cannot write %s: %s", path, archive_error_string(archive));
    for (unsigned rank = 1; text.size; rank++)
        write_member(archive, rank, fuzz_cut(&text, "----\n"));
    fuzz_must(archive_write_close(archive) == ARCHIVE_OK, "cannot write %s", path);
    archive_write_free(archive);
    free(path);
}

/* ----------------------------------------------------------------- captures */

/* The file of a rank whose program was killed: it ends within a line, and goes on with zero bytes. */
static void write_capture(const char *name, struct fuzz_piece text)
{
    static const char zeros[64];
    struct fuzz_piece first = fuzz_cut(&text, "----\n");
    FILE *file = seed_open("capture", name, "");
    fwrite(first.bytes, 1, first.size / 2, file);
    fwrite(zeros, 1, sizeof zeros, file);
    seed_close(file);
}

/* ------------------------------------------------------- results, the cache */

static void write_stores(void)
{
    for (size_t count = 0; count <= 3; count++)
        for (int has_metadata = 0; has_metadata < 2; has_metadata++) {
            char *name = mem_format("runs-%zu", count);
            char *path = seed_path("database", name, has_metadata ? "-varied.db" : ".db");
            seed_store(path, count, has_metadata);
            free(path);
            free(name);
        }
}

/* make-seeds has set the folder of the cache. */
static void write_cached(void)
{
    static const char bytes[] = "what is kept";
    char *cache = cache_folder(), *kept = mem_format("%s/%s", cache, "kept");
    char *path = seed_path("cache", "kept", "");
    cache_keep("kept", bytes, sizeof bytes);
    fuzz_must(rename(kept, path) == 0, "cannot write %s", path);
    free(path);
    free(kept);
    free(cache);
}

int main(int argc, char **argv)
{
    struct dirent **entries;
    int count = argc == 3 ? scandir(argv[1], &entries, NULL, alphasort) : -1;
    fuzz_must(count >= 0, "write-seeds CORPUS/ti FOLDER");
    folder = argv[2];
    fuzz_be_silent();
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char *path = mem_format("%s/%s", argv[1], name), *bytes;
        size_t size;
        if (*name != '.' && content_load(path, &bytes, &size) == STATUS_OK) {
            const struct fuzz_piece text = {bytes, size};
            write_image(name, text);
            write_capture(name, text);
            if (size < SMALL)
                write_text_to_run(name, text);
            for (size_t filter = 0; size < SMALL && filter < sizeof filters / sizeof *filters; filter++)
                write_archive(name, text, filter);
            free(bytes);
        }
        free(path);
        free(entries[i]);
    }
    free(entries);
    write_image_with_lines();
    write_stores();
    write_cached();
    return 0;
}
