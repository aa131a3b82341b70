/* Schedules of other programs: every verdict of another verifier (tests/schedules), and each kind of problem
 * in small files of each format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "coll/prove.h"
#include "collfile/collfile.h"
#include "collfile/msccl_write.h"

static char said[4096]; /* the last message */

static void catch (void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    snprintf(said, sizeof said, "%s", message);
}

/* ----------------------------------------------------------- other verifier */

static struct collfile_proof prove_file(const char *name)
{
    char path[600];
    struct collfile_proof proof;
    snprintf(path, sizeof path, "tests/schedules/%s", name);
    if (collfile_prove(path, 0, &proof, NULL) != STATUS_OK)
        fail_msg("%s: %s", name, said);
    collfile_proof_free(&proof);
    return proof;
}

static void right_files_are_right(void **state)
{
    (void)state;
    static const char *const names[] = {
        "a2a-allpairs-4", "a2a-threestep-2x2", "a2a-twostep-2x3", "ag-allpairs-4", "ag-recdoub-8",
        "ag-ring-4",      "ag-ring-8-c2",      "ar-1step-4",      "ar-allpairs-4", "ar-hier-2x4",
        "ar-rechd-8",     "ar-ring-4",         "ar-ring-8-c2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64];
        snprintf(name, sizeof name, "xml/%s.xml", names[i]);
        struct collfile_proof proof = prove_file(name);
        if (!proof.right)
            fail_msg("%s: %s", name, proof.first_problem);
    }
}

static const struct {
    const char *text;
    enum collfile_problem problem;
} reasons[] = {
    {"chunks wrong at the end", COLLFILE_WRONG_CHUNK},
    {"deadlock of", COLLFILE_DEADLOCK},
    {"races", COLLFILE_RACE},
    {"reads of undefined chunks", COLLFILE_UNDEFINED_READ},
    {"messages never received", COLLFILE_MESSAGE_LEFT},
    {"dependency on a step without hasdep", COLLFILE_DEPENDENCY},
    {"dangling dependency", COLLFILE_DEPENDENCY},
};

/* Each reason that the other verifier names is found too; with the same count, where it gives one count of
 * the kind. After a race, what is read and what is left at the end depend on the interleaving;
 * and a race can be counted once or for each pair of accesses. */
static void compare_reasons(const char *name, const char *verdict, const struct collfile_proof *proof)
{
    bool has_races = strstr(verdict, "races");
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        const char *at = strstr(verdict, reasons[i].text);
        uint64_t found = proof->problems[reasons[i].problem], wanted = 0;
        bool is_once = at && !strstr(at + 1, reasons[i].text);
        for (const char *digit = at;
             digit && digit > verdict && (digit[-1] == ' ' || (digit[-1] >= '0' && digit[-1] <= '9'));)
            wanted = strtoull(--digit, NULL, 10);
        if (!at || (has_races && reasons[i].problem != COLLFILE_RACE))
            continue;
        if (found == 0 || (is_once && !has_races && wanted && found != wanted))
            fail_msg("%s: %llu x %s, not %s", name, (unsigned long long)found, reasons[i].text, verdict);
    }
}

static void changed_files_have_their_verdicts(void **state)
{
    (void)state;
    char line[512];
    int count = 0;
    FILE *file = fopen("tests/schedules/changed.csv", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        char *verdict = strrchr(line, ',') + 1;
        line[strcspn(line, ",")] = '\0';
        struct collfile_proof proof = prove_file(line);
        if (proof.right != (strcmp(verdict, "right") == 0))
            fail_msg("%s: %s, not %s", line, proof.right ? "right" : proof.first_problem, verdict);
        compare_reasons(line, verdict, &proof);
        count++;
    }
    fclose(file);
    assert_int_equal(count, 19);
}

static void published_files_have_their_verdicts(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool right;
        uint64_t pairs, flows; /* missing; not conserved */
    } files[] = {
        {"a2a2ll.xml", true, 0, 0},
        {"ag_hier_4_LL.xml", true, 0, 0},
        {"ar_tree_12_LL.xml", true, 0, 0},
        {"teccl_amd_32.xml.gz", true, 0, 0},
        {"teccl_DGX2_output_2_chassis_AlltoAll_Slow_1MB.json.gz", true, 0, 0},
        {"teccl_NDv2_output_4_chassis_AllGather_Slow_1GB.json.gz", true, 0, 0},
        {"teccl_NDv2_output_2_chassis_AllGather_Slow_1GB.json.gz", false, 30, 0},
        {"teccl_NDv2_output_2_chassis_AlltoAll_Fast_1KB.json.gz", false, 30, 0},
        {"teccl_NDv2_output_2_chassis_AlltoAll_Fast_1MB.json.gz", false, 30, 74},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[128];
        snprintf(name, sizeof name, "published/%s", files[i].name);
        struct collfile_proof proof = prove_file(name);
        if (proof.right != files[i].right)
            fail_msg("%s: %s", name, proof.first_problem);
        assert_int_equal(proof.problems[COLLFILE_MISSING_PAIR], files[i].pairs);
        assert_int_equal(proof.problems[COLLFILE_FLOW], files[i].flows);
        assert_int_equal(proof.problems[COLLFILE_MISSING_GPU], files[i].pairs > 0);
    }
}

/* -------------------------------------------------------------------- texts */

struct text {
    const char *text;
    const char *problem; /* its first; "" = right; NULL = cannot be read */
};

static void check_texts(const struct text *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct collfile_proof proof;
        struct collfile_schedule schedule;
        *said = '\0';
        enum status status =
            collfile_prove_text("x", texts[i].text, strlen(texts[i].text), 64, &proof, &schedule);
        const char *found = status == STATUS_OK ? proof.first_problem : said;
        if ((status == STATUS_OK) != (texts[i].problem != NULL) ||
            (texts[i].problem && strcmp(found, texts[i].problem) != 0))
            fail_msg("%s\n%s\nnot\n%s", texts[i].text, found,
                     texts[i].problem ? texts[i].problem : "refused");
        assert_int_equal(status == STATUS_OK && proof.right, texts[i].problem && !*texts[i].problem);
        collfile_proof_free(&proof);
        collfile_schedule_free(&schedule);
    }
}

#define ALGO(coll, loop, inplace)                                                                            \
    "<algo name='x' ngpus='2' nchunksperloop='" loop "' coll='" coll "' inplace='" inplace "'>"
#define GPU(id, i, o, s)   "<gpu id='" id "' i_chunks='" i "' o_chunks='" o "' s_chunks='" s "'>"
#define TB(id, send, recv) "<tb id='" id "' send='" send "' recv='" recv "' chan='0'>"
#define STEP(s, type, from, at, to, there, cnt, depid, deps, has)                                            \
    "<step s='" s "' type='" type "' srcbuf='" from "' srcoff='" at "' dstbuf='" to "' dstoff='" there       \
    "' cnt='" cnt "' depid='" depid "' deps='" deps "' hasdep='" has "'/>"
#define END "</tb></gpu>"

/* Both ranks send their vector to the other one, which adds it. */
#define ADDING(id, peer, to, there)                                                                          \
    GPU(id, "1", "1", "1")                                                                                   \
    TB("0", peer, "-1")                                                                                      \
    STEP("0", "s", "i", "0", "s", "0", "1", "-1", "-1", "1")                                                 \
    "</tb>" TB("1", "-1", peer) STEP("0", "rrc", "i", "0", to, there, "1", "0", "0", "0") END

static void each_step_has_its_meaning(void **state)
{
    (void)state;
    static const struct text texts[] = {
        {ALGO("allreduce", "1", "0") ADDING("0", "1", "o", "0") ADDING("1", "0", "o", "0") "</algo>", ""},
        {ALGO("allreduce", "1", "1") ADDING("0", "1", "o", "0") ADDING("1", "0", "i", "0") "</algo>", ""},
        {ALGO("allreduce", "1", "0") ADDING("0", "1", "i", "0") ADDING("1", "0", "o", "0") "</algo>",
         "x:1: gpu 0 ends with a wrong chunk 0 of its output: nothing that anybody has written, which no "
         "step writes; chunk 0 "
         "of ranks 0-1 is right"},
        /* a copy before the start, and the copied chunk received */
        {ALGO("allgather", "2", "0") GPU("0", "1", "2", "0") "<copy i_off='0' o_off='0'/>" TB("0", "1", "1")
             STEP("0", "s", "o", "0", "o", "0", "1", "-1", "-1", "0")
                 STEP("1", "r", "i", "0", "o", "1", "1", "-1", "-1", "0") END GPU("1", "1", "2", "0")
                     TB("0", "0", "0") STEP("0", "s", "i", "0", "o", "1", "1", "-1", "-1", "0")
                         STEP("1", "cpy", "i", "0", "o", "1", "1", "-1", "-1", "0")
                             STEP("2", "r", "i", "0", "o", "0", "1", "-1", "-1", "0") END "</algo>",
         ""},
        /* in place, an input chunk is a chunk of the output */
        {ALGO("allgather", "2", "1") GPU("0", "0", "2", "0") TB("0", "1", "1")
             STEP("0", "s", "i", "0", "o", "0", "1", "-1", "-1", "0")
                 STEP("1", "r", "i", "0", "o", "1", "1", "-1", "-1", "0") END GPU("1", "0", "2", "0")
                     TB("0", "0", "0") STEP("0", "s", "o", "1", "o", "1", "1", "-1", "-1", "0")
                         STEP("1", "r", "i", "0", "o", "0", "1", "-1", "-1", "0") END "</algo>",
         ""},
        {ALGO("alltoall", "2", "1") GPU("0", "2", "2", "1") TB("0", "1", "1")
             STEP("0", "s", "i", "1", "s", "0", "1", "-1", "-1", "0")
                 STEP("1", "r", "i", "1", "o", "1", "1", "-1", "-1", "0") END GPU("1", "2", "2", "1")
                     TB("0", "0", "0") STEP("0", "s", "i", "0", "s", "0", "1", "-1", "-1", "0")
                         STEP("1", "r", "i", "0", "i", "0", "1", "-1", "-1", "0") END "</algo>",
         ""},
        /* both spellings of reduce_scatter, in place and not; a sum that is sent on */
        {ALGO("reducescatter", "2", "1") GPU("0", "2", "0", "0") TB("0", "1", "1")
             STEP("0", "s", "i", "1", "i", "1", "1", "-1", "-1", "0")
                 STEP("1", "rrc", "i", "0", "o", "0", "1", "-1", "-1", "0") END GPU("1", "2", "0", "0")
                     TB("0", "0", "0") STEP("0", "s", "i", "0", "i", "0", "1", "-1", "-1", "0")
                         STEP("1", "rrc", "i", "1", "i", "1", "1", "-1", "-1", "0") END "</algo>",
         ""},
        {ALGO("reduce_scatter", "2", "0") GPU("0", "2", "1", "1") TB("0", "1", "1")
             STEP("0", "s", "i", "1", "i", "1", "1", "-1", "-1", "0")
                 STEP("1", "r", "i", "0", "s", "0", "1", "-1", "-1", "0") STEP("2", "re", "i", "0", "s", "0",
                                                                               "1", "-1", "-1", "0")
                     STEP("3", "cpy", "s", "0", "o", "0", "1", "-1", "-1", "0") END GPU("1", "2", "1", "0")
                         TB("0", "0", "0") STEP("0", "s", "i", "0", "i", "0", "1", "-1", "-1", "0")
                             STEP("1", "rrc", "i", "1", "o", "0", "1", "-1", "-1", "0") END "</algo>",
         ""},
        /* rrs and rcs; the newer spelling, without a number of chunks; nop */
        {"<algo name='x' ngpus='2' coll='allreduce' inplace='1'>" GPU("0", "1", "0", "0")
             TB("0", "1", "1") "<op step='0' type='s' buf='i' off='0'/><op step='1' type='nop'/><op step='2' "
                               "type='r' buf='i' off='0'/>" END GPU("1", "1", "0", "0") TB(
                                   "0", "0", "0") "<op step='0' type='rrcs' buf='i' off='0'/>" END "</algo>",
         ""},
        {ALGO("allreduce", "1", "1") GPU("0", "1", "0", "0") TB("0", "1", "1")
             STEP("0", "s", "i", "0", "i", "0", "1", "-1", "-1", "0")
                 STEP("1", "rcs", "i", "0", "i", "0", "1", "-1", "-1", "0") END GPU("1", "1", "0", "0")
                     TB("0", "0", "0") STEP("0", "rrs", "i", "0", "i", "0", "1", "-1", "-1", "0")
                         STEP("1", "r", "i", "0", "i", "0", "1", "-1", "-1", "0") END "</algo>",
         ""},
    };
    check_texts(texts, sizeof texts / sizeof *texts);
}

#define TWO(first, second) ALGO("allreduce", "1", "1") first second "</algo>"
#define QUIET(id)          GPU(id, "1", "0", "1") "</gpu>"

static void each_problem_is_named(void **state)
{
    (void)state;
    static const struct text texts[] = {
        {TWO(QUIET("0"), ""), "x: gpu 1 is missing: ngpus is 2"},
        {ALGO("alltoall", "3", "0") QUIET("0") QUIET("1") "</algo>",
         "x: nchunksperloop=3: an alltoall of 2 GPUs needs a multiple of 2"},
        {TWO(GPU("0", "1", "0", "1") TB("0", "2", "-1") END, QUIET("1")),
         "x:1: gpu 0, threadblock 0: send=2; another GPU from 0 to 1 is expected, or -1"},
        {TWO(GPU("0", "1", "0", "1") TB("0", "-1", "0") END, QUIET("1")),
         "x:1: gpu 0, threadblock 0: recv=0; another GPU from 0 to 1 is expected, or -1"},
        {TWO(GPU("0", "1", "0", "1") TB("0", "-1", "1")
                 STEP("0", "s", "i", "0", "i", "0", "1", "-1", "-1", "0") END,
             QUIET("1")),
         "x:1: gpu 0, threadblock 0, step 0 is s, but its threadblock has send=-1"},
        {TWO(GPU("0", "1", "0", "1") TB("0", "1", "-1")
                 STEP("1", "s", "i", "0", "i", "0", "1", "-1", "-1", "0") END,
             QUIET("1")),
         "x:1: gpu 0, threadblock 0, step 1 stands where step 0 belongs"},
        {TWO(GPU("0", "1", "0", "1") TB("0", "1", "-1")
                 STEP("0", "s", "s", "1", "i", "0", "1", "-1", "-1", "0") END,
             QUIET("1")),
         "x:1: gpu 0, threadblock 0, step 0 goes outside buffer s, which has 1 chunks: to chunk 1"},
        {TWO(GPU("0", "1", "0", "1") TB("0", "1", "-1")
                 STEP("0", "s", "i", "0", "i", "0", "0", "-1", "-1", "0") END,
             QUIET("1")),
         "x:1: gpu 0, threadblock 0, step 0 has cnt=0; 1 or more chunks are expected"},
        {TWO(GPU("0", "1", "0", "1") TB("0", "1", "-1")
                 STEP("0", "s", "i", "0", "i", "0", "1", "-1", "-1", "0") "</tb>" TB("1", "1", "-1")
                     STEP("0", "s", "i", "0", "i", "0", "1", "-1", "-1", "0") END,
             QUIET("1")),
         "x:1: gpu 0, threadblock 1, step 0 sends to gpu 1 on channel 0, which threadblock 0 does too: a "
         "connection "
         "belongs to one"},
        {TWO(GPU("0", "1", "0", "1") TB("0", "1", "-1") STEP("0", "s", "i", "0", "i", "0", "1", "7", "0", "0")
                 END,
             QUIET("1")),
         "x:1: gpu 0, threadblock 0, step 0 depends on threadblock 7, which the GPU does not have: a "
         "dangling dependency"},
        {TWO(GPU("0", "1", "0", "1") TB("0", "1", "-1")
                 STEP("0", "s", "i", "0", "i", "0", "1", "-1", "-1", "0") END,
             QUIET("1")),
         "x:1: gpu 0, threadblock 0, step 0 sends a message to gpu 1 on channel 0 that is never received"},
        {TWO(GPU("0", "1", "0", "1") TB("0", "-1", "1")
                 STEP("0", "r", "i", "0", "i", "0", "1", "-1", "-1", "0") END,
             QUIET("1")),
         "x:1: gpu 0, threadblock 0, step 0 waits for ever, a deadlock: gpu 1 sends nothing more on channel "
         "0"},
        /* each waits for the other's message before it sends its own */
        {TWO(GPU("0", "1", "0", "1") TB("0", "1", "1")
                 STEP("0", "rcs", "i", "0", "i", "0", "1", "-1", "-1", "0") END,
             GPU("1", "1", "0", "1") TB("0", "0", "0")
                 STEP("0", "rcs", "i", "0", "i", "0", "1", "-1", "-1", "0") END),
         "x:1: gpu 0, threadblock 0, step 0 waits for ever, a deadlock: it and step 0 of gpu 1, threadblock "
         "0 wait in a "
         "loop"},
        {TWO(GPU("0", "1", "0", "1") TB("0", "-1", "-1")
                 STEP("0", "nop", "i", "-1", "o", "-1", "0", "0", "0", "1") END,
             QUIET("1")),
         "x:1: gpu 0, threadblock 0, step 0 waits for ever, a deadlock: it and step 0 of gpu 0, threadblock "
         "0 wait in a "
         "loop"},
        {ALGO("allreduce", "2", "1") GPU("0", "2", "0", "1") TB("0", "1", "-1")
             STEP("0", "s", "i", "0", "i", "0", "2", "-1", "-1", "0") END GPU("1", "2", "0", "1")
                 TB("0", "-1", "0") STEP("0", "rrc", "i", "0", "i", "0", "1", "-1", "-1", "0") END "</algo>",
         "x:1: gpu 1, threadblock 0, step 0 receives 1 chunks, but 2 were sent to it (line 1)"},
        {TWO(GPU("0", "1", "0", "1") TB("0", "-1", "-1")
                 STEP("0", "re", "s", "0", "i", "0", "1", "-1", "-1", "0") END,
             QUIET("1")),
         "x:1: gpu 0, threadblock 0, step 0 reads undefined chunk 0 of buffer s: nobody has written it"},
        {TWO(GPU("0", "1", "0", "1") TB("0", "-1", "-1")
                 STEP("0", "re", "i", "0", "i", "0", "1", "-1", "-1", "0") END,
             QUIET("1")),
         "x:1: gpu 0 ends with a wrong chunk 0 of its output: a sum that has a rank twice, written by "
         "threadblock "
         "0, step 0; "
         "chunk 0 of ranks 0-1 is right"},
        {TWO(GPU("0", "1", "0", "1") TB("0", "-1", "-1")
                 STEP("0", "cpy", "i", "0", "s", "0", "1", "-1", "-1", "0") "</tb>" TB("1", "-1", "-1")
                     STEP("0", "cpy", "s", "0", "i", "0", "1", "-1", "-1", "0") END,
             QUIET("1")),
         "x:1: gpu 0, threadblock 1, step 0 reads chunk 0 of buffer s, and nothing puts it before or after "
         "step 0 of "
         "threadblock 0: a race"},
    };
    check_texts(texts, sizeof texts / sizeof *texts);
}

static void unreadable_texts_are_refused(void **state)
{
    (void)state;
    static const struct text texts[] = {
        {"", NULL},
        {"<algo", NULL},
        {"{}", NULL},
        {"<Algo nchunkspernode='1'/>", NULL},
        {"<algo name='x' ngpus='0' nchunksperloop='1' coll='allreduce' inplace='1'/>", NULL},
        {"<algo name='x' ngpus='2' coll='allreduce' inplace='1'/>", NULL},
        {"<algo name='x' ngpus='9999999999999999999999' nchunksperloop='1' coll='allreduce'/>", NULL},
        {"<!DOCTYPE algo [<!ENTITY a 'b'>]><algo/>", NULL},
        {ALGO("broadcast", "1", "0") "</algo>", NULL},
        {ALGO("allreduce", "1", "0") "<gpu id='2'/></algo>", NULL},
        {ALGO("allreduce", "1", "0") "<gpu id='0'><tb id='0' send='x' recv='-1'/></gpu></algo>", NULL},
        {"{\"7-Flows\": [7]}", NULL},
        {"{\"7-Flows\": [\"Chunk 0 from 0 traveled over 0->1 in epoch 0 via switches\"]}", NULL},
        {"switch,start_s,end_s,src,dst\n0,1,2,3", NULL},
        {"switch,start_s,end_s,src,dst\n0,nan,2,3,4", NULL},
    };
    check_texts(texts, sizeof texts / sizeof *texts);
}

/* ------------------------------------------------------------------- TE-CCL */

#define FLOWS(list)     "{\"1-Epoch_Duration\": 1.0, \"3-Epochs_Required\": 3, \"7-Flows\": [" list "]"
#define PATHS(list)     ", \"8-Chunk paths\": {" list "}}"
#define FLOW(c, s, hop) "\"Chunk " c " from " s " traveled over " hop "\""
#define MET(d, c, s, e) "\"Demand at " d " for chunk " c " from " s " met by epoch " e "\": "
#define RING_FLOWS                                                                                           \
    FLOW("0", "0", "0->1 in epoch 0")                                                                        \
    ", " FLOW("0", "1", "1->2 in epoch 0") ", " FLOW("0", "2", "2->0 in epoch 0") ", " FLOW(                 \
        "0", "0", "1->2 in epoch 1") ", " FLOW("0", "1", "2->0 in epoch 1") ", " FLOW("0", "2",              \
                                                                                      "0->1 in epoch 1")
#define RING_FIRST                                                                                           \
    MET("1", "0", "0", "0")                                                                                  \
    "[\"0->1 in epoch 0\"], " MET("2", "0", "1", "0") "[\"1->2 in epoch 0\"], " MET(                         \
        "0", "0", "2", "0") "[\"2->0 in epoch 0\"], "
#define RING_SECOND                                                                                          \
    MET("0", "0", "1", "1")                                                                                  \
    "[\"1->2 in epoch 0\", \"2->0 in epoch 1\"], " MET("1", "0", "2",                                        \
                                                       "1") "[\"2->0 in epoch 0\", \"0->1 in epoch 1\"]"
#define RING(path) RING_FIRST path ", " RING_SECOND
#define HALVES     "1->0 with volume 0.5 in epoch 0\""

static void flows_and_paths_are_checked(void **state)
{
    (void)state;
    static const struct text texts[] = {
        {FLOWS(RING_FLOWS) PATHS(RING(MET("2", "0", "0", "1") "[\"0->1 in epoch 0\", \"1->2 in epoch 1\"]")),
         ""},
        {FLOWS(RING_FLOWS) "}", ""},
        {FLOWS(RING_FLOWS) PATHS(RING_FIRST RING_SECOND),
         "x: nothing comes from GPU 0 to GPU 2 (part 0 of its block)"},
        {FLOWS(RING_FLOWS) PATHS(RING(MET("2", "0", "0", "1") "[\"1->2 in epoch 1\"]")),
         "x:1: chunk 0 from GPU 0 to GPU 2: this hop does not begin where the one before ends: 1->2 in epoch "
         "1"},
        {FLOWS(RING_FLOWS) PATHS(RING(MET("2", "0", "0", "1") "[\"0->1 in epoch 0\"]")),
         "x:1: chunk 0 from GPU 0 to GPU 2: a path does not end at its destination"},
        {FLOWS(RING_FLOWS) PATHS(RING(MET("2", "0", "0", "0") "[\"0->1 in epoch 0\", \"1->2 in epoch 1\"]")),
         "x:1: chunk 0 from GPU 0 to GPU 2: a path ends after the epoch by which it is met"},
        {FLOWS(RING_FLOWS) PATHS(RING(MET("2", "0", "0", "1") "[\"0->1 in epoch 0\", \"1->2 in epoch 0\"]")),
         "x:1: chunk 0 from GPU 0 to GPU 2: this hop is too early, its chunk has not come yet: 1->2 in epoch "
         "0"},
        {FLOWS(RING_FLOWS) PATHS(RING(MET("2", "0", "0", "2") "[\"0->1 in epoch 0\", \"1->2 in epoch 2\"]")),
         "x:1: chunk 0 from GPU 0 to GPU 2: this hop is not among the flows: 1->2 in epoch 2"},
        {FLOWS(RING_FLOWS) PATHS(RING(MET("2", "0", "0", "3") "[\"0->1 in epoch 0\", \"1->2 in epoch 1\"]")),
         "x:1: chunk 0 from GPU 0 to GPU 2: it is met after the last epoch"},
        /* without paths, node 2 is a switch: no chunk of it travels */
        {FLOWS(FLOW("0", "0", "0->2 in epoch 0") ", " FLOW("0", "0", "2->1 in epoch 1") ", " FLOW(
             "0", "1", "1->0 in epoch 0")) "}",
         ""},
        {FLOWS(FLOW("0", "0", "0->2 in epoch 0") ", " FLOW("0", "0", "2->1 in epoch 0") ", " FLOW(
             "0", "1", "1->0 in epoch 0")) "}",
         "x:1: Chunk 0 from 0 traveled over 2->1 in epoch 0: the flow is not conserved, its chunk has not "
         "come to its beginning"},
        {FLOWS(RING_FLOWS ", " FLOW("0", "0", "4->2 in epoch 1")) "}",
         "x: GPU 3 is missing: no chunk comes from it or goes to it"},
        {FLOWS(RING_FLOWS ", " FLOW("0", "1", "0->2 in epoch 1")) "}",
         "x:1: Chunk 0 from 1 traveled over 0->2 in epoch 1: the flow is not conserved, its chunk has not "
         "come to its beginning"},
        /* of an alltoall, in parts */
        {FLOWS(FLOW("1", "0", "0->1 with volume 1.0 in epoch 0") ", \"Chunk 0 from 1 traveled over " HALVES
                                                                 ", " FLOW("0", "1",
                                                                           "1->0 with volume 0.5 in epoch 1"))
             PATHS(MET("1", "1", "0", "0") "[[[0, \"0->1 with volume 1.0 in epoch 0\"]]], " MET(
                 "0", "0", "1", "1") "[[[0, \"" HALVES "]], [[1, \"1->0 with volume 0.5 in epoch 1\"]]]"),
         ""},
        {FLOWS(FLOW("1", "0", "0->1 with volume 1.0 in epoch 0") ", \"Chunk 0 from 1 traveled over " HALVES)
             PATHS(MET("1", "1", "0", "0") "[[[0, \"0->1 with volume 1.0 in epoch 0\"]]], " MET(
                 "0", "0", "1", "1") "[[[0, \"" HALVES "]]]"),
         "x:1: chunk 0 from GPU 1 to GPU 0: its paths carry 0.5 of the chunk"},
        {FLOWS(FLOW("1", "0", "0->1 with volume 1.0 in epoch 0") ", \"Chunk 0 from 1 traveled over " HALVES)
             PATHS(MET("1", "1", "0", "0") "[[[0, \"0->1 with volume 1.0 in epoch 0\"]]], " MET(
                 "0", "0", "1", "1") "[[[0, \"" HALVES "]], [[0, \"" HALVES "]]]"),
         "x:1: Chunk 0 from 1 traveled over 1->0 with volume 0.5 in epoch 0: the flow is not conserved, its "
         "paths take more than it "
         "carries"},
    };
    check_texts(texts, sizeof texts / sizeof *texts);
}

/* ------------------------------------------------------- trees and circuits */

#define TREE(root, chunks, height) "<tree root='" root "' index='0' nchunks='" chunks "' height='" height "'>"
#define SEND(from, to)             "<send src='" from "' dst='" to "' path='" from ",sw," to "'/>"
#define REST                                                                                                 \
    TREE("b", "1", "1")                                                                                      \
    SEND("b", "a")                                                                                           \
    SEND("b", "c") "</tree>" TREE("c", "1", "2") SEND("c", "b") SEND("b", "a") "</tree></Algo>"

static void trees_are_checked(void **state)
{
    (void)state;
    static const struct text texts[] = {
        {"<Algo nchunkspernode='1'>" TREE("a", "1", "2") SEND("a", "b") SEND("b", "c") "</tree>" REST, ""},
        {"<Algo nchunkspernode='1'>" TREE("a", "1", "2") SEND("b", "c") SEND("a", "b") "</tree>" REST, ""},
        {"<Algo nchunkspernode='1'>" TREE("a", "1", "1") SEND("a", "b") "</tree>" REST,
         "x:1: the tree of a does not reach c"},
        {"<Algo nchunkspernode='1'>" TREE("a", "1", "2") SEND("a", "b") SEND("b", "c")
             SEND("a", "c") "</tree>" REST,
         "x:1: the tree brings its chunks to c twice"},
        {"<Algo nchunkspernode='1'>" TREE("a", "1", "9") SEND("a", "b") SEND("b", "c") "</tree>" REST,
         "x:1: the tree has height 2, not 9"},
        {"<Algo nchunkspernode='2'>" TREE("a", "2", "2") SEND("a", "b") SEND("b", "c") "</tree>" REST,
         "x: the trees of b carry 1 chunks of 2"},
        {"<Algo nchunkspernode='1'>" REST, "x: no tree is rooted at a"},
        {"<Algo nchunkspernode='1'>" TREE("a", "1", "2") "<send src='a' dst='b' path='a,sw,c'/>" SEND(
             "b", "c") "</tree>" REST,
         "x:1: the path of a to b does not lead from one to the other"},
    };
    check_texts(texts, sizeof texts / sizeof *texts);
}

#define CIRCUITS "switch,start_s,end_s,src,dst\n"

static void circuits_do_not_overlap(void **state)
{
    (void)state;
    static const struct text texts[] = {
        {CIRCUITS, ""},
        {CIRCUITS "0,0,1,0,1\n0,1,2,0,2\n0,0,1,3,2\n1,0,1,0,1\n", ""},
        {CIRCUITS "0,0,2,0,1\r\n0,1,3,0,2\r\n",
         "x:3: switch 0, input port 0: this circuit begins at 1 s, before that of line 2 ends (2 s)"},
        {CIRCUITS "0,2,4,5,1\n0,0,9,0,1\n",
         "x:2: switch 0, output port 1: this circuit begins at 2 s, before that of line 3 ends (9 s)"},
        {CIRCUITS "0,2,1,5,1\n", "x:2: the circuit ends at 1 s, not after its start at 2 s"},
    };
    check_texts(texts, sizeof texts / sizeof *texts);
}

/* -------------------------------------------------------------------- sizes */

/* All messages of a ring allreduce together: 2 (n - 1) vectors, whatever the chunks are. */
static void sizes_add_up(void **state)
{
    (void)state;
    for (uint64_t bytes = 1; bytes < 70; bytes += 17) {
        struct collfile_proof proof;
        struct collfile_schedule schedule;
        uint64_t sum = 0, links = 0;
        assert_int_equal(collfile_prove("tests/schedules/xml/ar-ring-8-c2.xml", bytes, &proof, &schedule),
                         STATUS_OK);
        for (size_t i = 0; i < schedule.message_count; i++)
            sum += collfile_message_bytes(&schedule, i, bytes);
        for (size_t i = 0; i < proof.link_count; i++)
            links += proof.links[i].bytes;
        assert_int_equal(sum, 14 * bytes);
        assert_int_equal(links, sum);
        assert_int_equal(proof.rounds, 14);
        struct collfile_ports ports = collfile_ports_of(&proof, 1000);
        assert_true(ports.bound_s == 2 * 7 / 8.0 * (double)bytes / 1000 && ports.load_s >= ports.bound_s);
        collfile_proof_free(&proof);
        collfile_schedule_free(&schedule);
    }
}

/* ------------------------------------------------------------------- export */

/* The other prover, of generators, counts as many bytes as this one counts chunks. */
static void check_export(const struct msccl_wish *wish)
{
    const struct coll_algorithm *algorithm = wish->algorithm;
    uint32_t ranks = wish->ranks, chunks = wish->chunks;
    size_t size;
    const char *problem;
    struct collfile_proof proof;
    struct coll_proof counts;
    struct coll_world world = {.size = ranks, .element_bytes = 1, .bytes = chunks};
    char *text = msccl_write(wish, &size, &problem);
    if (!text)
        fail_msg("%s: %s", algorithm->name, problem);
    assert_int_equal(collfile_prove_text("x", text, size, 12000, &proof, NULL), STATUS_OK);
    struct collfile_ports ports = collfile_ports_of(&proof, 1000);
    if (!proof.right)
        fail_msg("%s on %u ranks: %s\n%s", algorithm->name, ranks, proof.first_problem, text);
    if (algorithm->kind == COLL_ALLREDUCE)
        world.bytes *= ranks;
    assert_true(coll_prove(algorithm, &world, &counts));
    assert_int_equal((uint64_t)proof.chunks_moved, counts.bytes);
    assert_int_equal(proof.reductions + proof.copies, counts.copied_bytes + counts.reduced_bytes);
    assert_true(proof.rounds <= counts.rounds);
    assert_true(ports.bound_s > 0 && ports.bound_s <= ports.load_s * (1 + 1e-9));
    collfile_proof_free(&proof);
    free(text);
}

static void exports_are_right(void **state)
{
    (void)state;
    int count = 0;
    for (size_t i = 0; coll_algorithms[i]; i++) {
        if (!msccl_has_kind(coll_algorithms[i]->kind) || coll_algorithms[i]->node_aware)
            continue;
        for (uint32_t ranks = 2; ranks <= 13; ranks += 1 + ranks / 4)
            for (uint32_t chunks = 1; chunks <= 3; chunks += 2)
                for (int keep = 0; keep < 2; keep++)
                    check_export(&(struct msccl_wish){coll_algorithms[i], ranks, chunks, keep});
        count++;
    }
    assert_true(count > 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_files_are_right),
        cmocka_unit_test(changed_files_have_their_verdicts),
        cmocka_unit_test(published_files_have_their_verdicts),
        cmocka_unit_test(each_step_has_its_meaning),
        cmocka_unit_test(each_problem_is_named),
        cmocka_unit_test(unreadable_texts_are_refused),
        cmocka_unit_test(flows_and_paths_are_checked),
        cmocka_unit_test(trees_are_checked),
        cmocka_unit_test(circuits_do_not_overlap),
        cmocka_unit_test(sizes_add_up),
        cmocka_unit_test(exports_are_right),
    };
    diag_set_sink(catch, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
