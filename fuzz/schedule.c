/* Any bytes as a collective schedule of another program: refused, or proven right or wrong. A right one is
 * run as a program, and all its messages come. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "collfile/collfile.h"
#include "fuzz/fuzz_run.h"
#include "workload/workload.h"

enum { TEXT_AT_MOST = 1 << 16, MESSAGES_AT_MOST = 1 << 12, BLOCK_BYTES = 1000 };

/* A few bytes can ask for a large memory. */
static bool asks_for_much(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"nchunksperloop=", "s_chunks=", "ngpus=",    "nchunkspernode=",
                                        "nchunks=",        "cnt=",      "i_chunks=", "o_chunks="};
    enum { DIGITS = 4 };
    if (size > TEXT_AT_MOST)
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *at = (const char *)data, *end = at + size;
        while ((at = memmem(at, (size_t)(end - at), names[i], strlen(names[i])))) {
            at += strlen(names[i]);
            size_t digits = 0;
            while (at + digits < end && digits <= DIGITS && memchr("'\" 0123456789+", at[digits], 14))
                digits++;
            if (digits > DIGITS)
                return true;
        }
    }
    return false;
}

static void check(const struct collfile_proof *proof, const struct collfile_schedule *schedule)
{
    uint64_t bytes = 0;
    fuzz_must(proof->right == !*proof->first_problem, "a verdict without its reason");
    for (size_t i = 0; i < schedule->message_count; i++)
        bytes += collfile_message_bytes(schedule, i, BLOCK_BYTES);
    for (size_t i = 0; i < proof->link_count; i++)
        bytes -= proof->links[i].bytes;
    fuzz_must(bytes == 0, "the links do not carry the bytes of the messages");
}

/* Every message is sent once. */
static void check_sends(const struct collfile_schedule *schedule)
{
    size_t sends = 0;
    for (size_t i = 0; i < schedule->action_count; i++)
        sends += schedule->actions[i].action == COLLFILE_SEND;
    fuzz_must(sends == schedule->message_count, "%zu of %zu messages are sent", sends,
              schedule->message_count);
}

static void run(const uint8_t *data, size_t size)
{
    char spec[96];
    struct program *program;
    int file = fuzz_file(data, size);
    snprintf(spec, sizeof spec, "schedule:/proc/self/fd/%d,bytes=%dB", file, BLOCK_BYTES);
    fuzz_must(workload_open(spec, &program) == STATUS_OK, "a right schedule is no program");
    if (program->ranks <= FUZZ_RUN_RANKS)
        (void)fuzz_run(fuzz_config(fuzz_settings(hash_key(size))), program);
    program->ops->close(program);
    close(file);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    struct collfile_proof proof;
    struct collfile_schedule schedule;
    fuzz_is_too_large = asks_for_much(data, size);
    if (fuzz_is_too_large)
        return false;
    bool is_read = collfile_prove_text("schedule", (const char *)data, size, BLOCK_BYTES, &proof,
                                       &schedule) == STATUS_OK;
    bool is_run = is_read && proof.right && !proof.relays && proof.op != COLLFILE_CIRCUITS &&
                  schedule.message_count < MESSAGES_AT_MOST;
    if (is_read)
        check(&proof, &schedule);
    if (is_run) {
        check_sends(&schedule);
        run(data, size);
    }
    collfile_proof_free(&proof);
    collfile_schedule_free(&schedule);
    return is_read;
}
