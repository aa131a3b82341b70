#ifndef HELIO_TRACE_IMAGE_FORMAT_H
#define HELIO_TRACE_IMAGE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "trace/image/writer.h"

/* A trace format is one folder (or file) in trace/ and one line in trace/formats.h. It finds the files of a
 * trace and gives the calls of one rank after another to the image writer (trace/image/writer.h). Everything
 * else is the same for all formats: matching, the cache, running, checking, `helio trace`. */

enum { TRACE_MOST_RANKS = 1 << 24 };

/* Of a rank, in which read_rank tells how far it is (base/progress.h): rank * TRACE_RANK_PARTS and more. */
enum { TRACE_RANK_PARTS = 1 << 10 };

/* What is known of a path before a format has been chosen. */
struct trace_probe {
    const char *path;
    bool is_folder;            /* else a regular file */
    const unsigned char *head; /* the first bytes of a file, head_size of them */
    size_t head_size;
};
enum { TRACE_PROBE_BYTES = 512 };

/* How sure a format is that a path is a trace of its own. The surest format reads it; among equals the first
 * of the list. */
enum trace_claim {
    TRACE_CLAIM_NONE,
    TRACE_CLAIM_LAST,    /* only where no other format claims it */
    TRACE_CLAIM_LIKELY,  /* by its name, or by what is in the folder */
    TRACE_CLAIM_CERTAIN, /* by its first bytes */
};

struct trace_format;

/* A trace that is open for reading. */
struct trace_input {
    const struct trace_format *format;
    const char *path; /* as given; lives as long as the input */
    char *name;       /* "cg.S.4": the last part of the path, without endings */
    uint32_t ranks;   /* 0: not known before load() */
    bool is_loaded;   /* load() has been called */
    uint64_t key[2];  /* hash of all contents (trace/image/content.h): the name in the cache */
    void *state;      /* the format's own */
};

/* Every error is reported where it is found, with file, line and column as far as there are any: with
 * diag_report, or within read_rank with image_writer_error. */
struct trace_format {
    const char *name;
    const char *doc; /* what a path of this format is, in one line: "a folder of ..." */

    enum trace_claim (*probe)(const struct trace_format *format, const struct trace_probe *probe);

    /* Finds the files of input->path and sets `state` and `key`; `ranks` too, if that costs little. Where it
     * fails it leaves nothing open, and close() is not called. NULL: the file is a compiled trace, which is
     * mapped as it is, and all further functions are NULL. */
    enum status (*open)(struct trace_input *input, const struct trace_probe *probe);

    /* Prepares for read_rank and sets `ranks`, 1 to TRACE_MOST_RANKS. It is called only if the trace is not
     * in the cache. NULL: open() has done it all. */
    enum status (*load)(struct trace_input *input);

    /* Adds the calls of a rank to the image. Ranks come in order, from 0 on. If the image cannot be written
     * to the cache, all ranks come a second time. An error in the trace is reported with image_writer_error;
     * then reading may go on. Another status than STATUS_OK stops the reading of the trace. */
    enum status (*read_rank)(struct trace_input *input, uint32_t rank, struct image_writer *writer);

    /* Called after the last rank, before the image is complete. STATUS_BAD_INPUT, reported: the image is not
     * to be kept. NULL: nothing is left to check. */
    enum status (*finish)(struct trace_input *input);

    /* The file that messages name for a rank. NULL: not known before load(). */
    const char *(*rank_file)(const struct trace_input *input, uint32_t rank);

    void (*close)(struct trace_input *input); /* frees `state` */

    /* Of a format whose programs are graphs (call/graph.h): opens the program. All functions but probe are
     * then NULL, and there is no image. */
    enum status (*open_program)(struct trace_input *input, struct program **program);

    /* Or-ed flags of images made by this format. Formats other than TI set IMAGE_TEXTS_ARE_FREE. */
    uint32_t image_flags;
};

#endif
