/* Right MSCCL schedules with one thing changed: the proof is compared with an execution that shares no code
 * with it. It moves vectors of counts, and runs each program in many orders: at random, and with each
 * threadblock as early and as late as it can. What is proven right must end right in all of them. What is
 * proven wrong must end wrong in one of them, unless it only has a race whose two orders give the same
 * result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collfile/collfile.h"
#include "support/sanitizer.h"

enum { STEPS = 256, TBS = 128, RANKS = 8, CHUNKS = 20, VALUES = 64, RANDOM_ORDERS = 30 };

struct step {
    char type[8], from[2], to[2];
    int number, at, there, count, wait_tb, wait_step, tells, tb;
};

struct block { /* a threadblock */
    int gpu, id, send, recv, channel;
};

struct model {
    char op[32];
    int ranks, loop, in_place, scratch[RANKS], inputs[RANKS], outputs[RANKS];
    struct block blocks[TBS];
    struct step steps[STEPS];
    int block_count, step_count;
};

/* ----------------------------------------------------------------- reading */

static int number_of(const char *line, const char *name)
{
    char key[32];
    snprintf(key, sizeof key, " %s=\"", name);
    const char *at = strstr(line, key);
    return at ? atoi(at + strlen(key)) : -1;
}

static void text_of(const char *line, const char *name, char *text, size_t size)
{
    char key[32];
    snprintf(key, sizeof key, " %s=\"", name);
    const char *at = strstr(line, key);
    assert_non_null(at);
    at += strlen(key);
    snprintf(text, size, "%.*s", (int)strcspn(at, "\""), at);
}

static void read_step(struct model *model, const char *line)
{
    assert_true(model->step_count < STEPS);
    struct step *step = &model->steps[model->step_count++];
    *step = (struct step){.number = number_of(line, "s"),
                          .at = number_of(line, "srcoff"),
                          .there = number_of(line, "dstoff"),
                          .count = number_of(line, "cnt"),
                          .wait_tb = number_of(line, "depid"),
                          .wait_step = number_of(line, "deps"),
                          .tells = number_of(line, "hasdep"),
                          .tb = model->block_count - 1};
    text_of(line, "type", step->type, sizeof step->type);
    text_of(line, "srcbuf", step->from, sizeof step->from);
    text_of(line, "dstbuf", step->to, sizeof step->to);
}

static void read_model(const char *path, struct model *model)
{
    char line[1024];
    int gpu = -1;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    *model = (struct model){.ranks = 0};
    while (fgets(line, sizeof line, file))
        if (strstr(line, "<algo")) {
            text_of(line, "coll", model->op, sizeof model->op);
            model->ranks = number_of(line, "ngpus");
            model->loop = number_of(line, "nchunksperloop");
            model->in_place = number_of(line, "inplace");
        } else if (strstr(line, "<gpu")) {
            gpu = number_of(line, "id");
            model->inputs[gpu] = number_of(line, "i_chunks");
            model->outputs[gpu] = number_of(line, "o_chunks");
            model->scratch[gpu] = number_of(line, "s_chunks");
        } else if (strstr(line, "<tb")) {
            assert_true(model->block_count < TBS);
            model->blocks[model->block_count++] = (struct block){.gpu = gpu,
                                                                 .id = number_of(line, "id"),
                                                                 .send = number_of(line, "send"),
                                                                 .recv = number_of(line, "recv"),
                                                                 .channel = number_of(line, "chan")};
        } else if (strstr(line, "<step")) {
            read_step(model, line);
        }
    fclose(file);
}

/* The changed model as a file. */
static char *print_model(const struct model *model, size_t *size)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, size);
    fprintf(file, "<algo name=\"x\" nchunksperloop=\"%d\" ngpus=\"%d\" coll=\"%s\" inplace=\"%d\">\n",
            model->loop, model->ranks, model->op, model->in_place);
    for (int gpu = 0; gpu < model->ranks; gpu++) {
        fprintf(file, "<gpu id=\"%d\" i_chunks=\"%d\" o_chunks=\"%d\" s_chunks=\"%d\">\n", gpu,
                model->inputs[gpu], model->outputs[gpu], model->scratch[gpu]);
        for (int tb = 0; tb < model->block_count; tb++) {
            const struct block *block = &model->blocks[tb];
            if (block->gpu != gpu)
                continue;
            fprintf(file, "<tb id=\"%d\" send=\"%d\" recv=\"%d\" chan=\"%d\">\n", block->id, block->send,
                    block->recv, block->channel);
            for (int i = 0; i < model->step_count; i++) {
                const struct step *step = &model->steps[i];
                if (step->tb == tb)
                    fprintf(
                        file,
                        "<step s=\"%d\" type=\"%s\" srcbuf=\"%s\" srcoff=\"%d\" dstbuf=\"%s\" dstoff=\"%d\" "
                        "cnt=\"%d\" depid=\"%d\" deps=\"%d\" hasdep=\"%d\"/>\n",
                        step->number, step->type, step->from, step->at, step->to, step->there, step->count,
                        step->wait_tb, step->wait_step, step->tells);
            }
            fprintf(file, "</tb>\n");
        }
        fprintf(file, "</gpu>\n");
    }
    fprintf(file, "</algo>\n");
    fclose(file);
    return text;
}

/* --------------------------------------------------------------- execution */

struct value { /* how often each input chunk of each rank is in it */
    bool is_defined;
    uint8_t counts[RANKS][VALUES / 2];
};

struct packet {
    int from, to, channel, count;
    bool is_taken;
    struct value values[CHUNKS];
};

struct machine {
    const struct model *model;
    struct value memory[RANKS][3][CHUNKS * 2];
    struct packet packets[STEPS];
    int packet_count;
    int done[TBS], first[TBS], length[TBS];
    bool failed;
};

static struct machine machine;

/* The chunk, or NULL if there is none. */
static struct value *chunk_at(int gpu, char buffer, int at)
{
    const struct model *model = machine.model;
    int block = model->loop / model->ranks, limit = model->loop,
        where = buffer == 'i'   ? 0
                : buffer == 'o' ? 1
                                : 2;
    if (buffer == 'i' && strcmp(model->op, "allgather") == 0)
        limit = block;
    if (buffer == 's')
        limit = model->scratch[gpu];
    if (at < 0 || at >= limit)
        return NULL;
    if (model->in_place && buffer == 'i') {
        where = 1;
        if (strcmp(model->op, "allgather") == 0)
            at += gpu * block;
    }
    return &machine.memory[gpu][where][at];
}

static struct value add(struct value a, const struct value *b)
{
    a.is_defined = a.is_defined && b->is_defined;
    for (int rank = 0; rank < RANKS; rank++)
        for (int k = 0; k < VALUES / 2; k++)
            a.counts[rank][k] = (uint8_t)(a.counts[rank][k] + b->counts[rank][k]);
    return a;
}

static struct packet *find_packet(const struct block *block)
{
    for (int i = 0; i < machine.packet_count; i++) {
        struct packet *packet = &machine.packets[i];
        if (!packet->is_taken && packet->from == block->recv && packet->to == block->gpu &&
            packet->channel == block->channel)
            return packet;
    }
    return NULL;
}

static int find_block(int gpu, int id)
{
    for (int tb = 0; tb < machine.model->block_count; tb++)
        if (machine.model->blocks[tb].gpu == gpu && machine.model->blocks[tb].id == id)
            return tb;
    return -1;
}

static bool receives(const struct step *step)
{
    return step->type[0] == 'r' && strcmp(step->type, "re") != 0;
}

static bool can_go_on(int tb)
{
    if (machine.done[tb] == machine.length[tb])
        return false;
    const struct block *block = &machine.model->blocks[tb];
    const struct step *step = &machine.model->steps[machine.first[tb] + machine.done[tb]];
    if (step->wait_tb >= 0) {
        int other = find_block(block->gpu, step->wait_tb);
        if (other < 0 || step->wait_step < 0 || step->wait_step >= machine.length[other] ||
            machine.done[other] <= step->wait_step ||
            !machine.model->steps[machine.first[other] + step->wait_step].tells)
            return false;
    }
    return !receives(step) || find_packet(block);
}

static struct value take(int gpu, char buffer, int at)
{
    struct value *found = chunk_at(gpu, buffer, at), nothing = {.is_defined = false};
    machine.failed |= !found || !found->is_defined;
    return found ? *found : nothing;
}

static void put(int gpu, char buffer, int at, const struct value *value)
{
    struct value *found = chunk_at(gpu, buffer, at);
    machine.failed |= !found;
    if (found)
        *found = *value;
}

static bool is_one_of(const char *type, const char *list)
{
    char word[16];
    snprintf(word, sizeof word, " %s ", type);
    return strstr(list, word);
}

static void do_step(int tb)
{
    const struct block *block = &machine.model->blocks[tb];
    const struct step *step = &machine.model->steps[machine.first[tb] + machine.done[tb]++];
    struct packet *packet = receives(step) ? find_packet(block) : NULL;
    struct value values[CHUNKS] = {{.is_defined = false}};
    machine.failed |= step->count > CHUNKS || (packet && packet->count != step->count);
    if (machine.failed)
        return;
    if (packet)
        packet->is_taken = true;
    for (int k = 0; k < step->count; k++) {
        if (packet)
            values[k] = packet->values[k];
        if (is_one_of(step->type, " s cpy re rrc rrs rrcs ")) {
            struct value own = take(block->gpu, step->from[0], step->at + k);
            values[k] = packet ? add(own, &values[k]) : own;
        }
        if (strcmp(step->type, "re") == 0) {
            struct value own = take(block->gpu, step->to[0], step->there + k);
            values[k] = add(own, &values[k]);
        }
    }
    if (is_one_of(step->type, " r cpy re rcs rrc rrcs "))
        for (int k = 0; k < step->count; k++)
            put(block->gpu, step->to[0], step->there + k, &values[k]);
    if (is_one_of(step->type, " s rcs rrs rrcs ")) {
        struct packet *sent = &machine.packets[machine.packet_count++];
        *sent = (struct packet){
            .from = block->gpu, .to = block->send, .channel = block->channel, .count = step->count};
        memcpy(sent->values, values, sizeof values);
        machine.failed |= block->send < 0;
    }
}

static void begin(const struct model *model)
{
    machine.model = model;
    machine.packet_count = 0;
    machine.failed = false;
    memset(machine.memory, 0, sizeof machine.memory);
    memset(machine.done, 0, sizeof machine.done);
    memset(machine.length, 0, sizeof machine.length);
    int inputs = strcmp(model->op, "allgather") == 0 ? model->loop / model->ranks : model->loop;
    for (int gpu = 0; gpu < model->ranks; gpu++)
        for (int k = 0; k < inputs; k++) {
            struct value *value = chunk_at(gpu, 'i', k);
            value->is_defined = true;
            value->counts[gpu][k] = 1;
        }
    for (int tb = 0; tb < model->block_count; tb++)
        machine.first[tb] = -1;
    for (int i = 0; i < model->step_count; i++) {
        int tb = model->steps[i].tb;
        machine.first[tb] = machine.first[tb] < 0 ? i : machine.first[tb];
        machine.length[tb]++;
    }
}

static bool ends_right(void)
{
    const struct model *model = machine.model;
    int block = model->loop / model->ranks;
    for (int i = 0; i < machine.packet_count; i++)
        if (!machine.packets[i].is_taken)
            return false;
    for (int gpu = 0; gpu < model->ranks; gpu++)
        for (int k = 0; k < model->loop; k++) {
            struct value wanted = {.is_defined = true}, found = take(gpu, 'o', k);
            for (int rank = 0; rank < model->ranks && strcmp(model->op, "allreduce") == 0; rank++)
                wanted.counts[rank][k] = 1;
            if (strcmp(model->op, "allgather") == 0)
                wanted.counts[k / block][k % block] = 1;
            if (strcmp(model->op, "alltoall") == 0)
                wanted.counts[k / block][gpu * block + k % block] = 1;
            if (!found.is_defined || memcmp(wanted.counts, found.counts, sizeof wanted.counts) != 0)
                return false;
        }
    return true;
}

/* The threadblock `first` goes as early as it can, `last` as late; all others at random. -1 = none. */
static bool runs_right(const struct model *model, int first, int last, uint64_t *random)
{
    begin(model);
    for (;;) {
        int ready[TBS], count = 0, chosen = -1;
        for (int tb = 0; tb < model->block_count; tb++)
            if (can_go_on(tb) && tb != last)
                ready[count++] = tb;
        *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
        if (count)
            chosen = ready[(*random >> 33) % (uint64_t)count];
        if (first >= 0 && can_go_on(first))
            chosen = first;
        if (chosen < 0 && last >= 0 && can_go_on(last))
            chosen = last;
        if (chosen < 0)
            break;
        do_step(chosen);
        if (machine.failed)
            return false;
    }
    for (int tb = 0; tb < model->block_count; tb++)
        if (machine.done[tb] < machine.length[tb])
            return false;
    return ends_right() && !machine.failed;
}

static bool always_runs_right(const struct model *model)
{
    uint64_t random = 1;
    for (int i = 0; i < RANDOM_ORDERS; i++)
        if (!runs_right(model, -1, -1, &random))
            return false;
    for (int tb = 0; tb < model->block_count; tb++)
        if (!runs_right(model, tb, -1, &random) || !runs_right(model, -1, tb, &random))
            return false;
    return true;
}

/* ------------------------------------------------------------------ changes */

struct counts {
    int right, wrong, races;
};

static void compare(const struct model *model, const char *what, int step, struct counts *counts)
{
    size_t size;
    struct collfile_proof proof;
    char *text = print_model(model, &size);
    assert_int_equal(collfile_prove_text("x", text, size, 0, &proof, NULL), STATUS_OK);
    uint64_t others = 0;
    for (int i = 0; i < COLLFILE_PROBLEMS; i++)
        others += i == COLLFILE_RACE ? 0 : proof.problems[i];
    bool runs = always_runs_right(model), is_race = proof.problems[COLLFILE_RACE] > 0 && others == 0;
    if (proof.right && !runs)
        fail_msg("%s of step %d is proven right, but there is an order in which it ends wrong:\n%s", what,
                 step, text);
    if (!proof.right && runs && !is_race)
        fail_msg("%s of step %d runs right, but: %s\n%s", what, step, proof.first_problem, text);
    counts->right += proof.right;
    counts->wrong += !proof.right;
    counts->races += !proof.right && runs;
    collfile_proof_free(&proof);
    free(text);
}

static void drop_step(struct model *model, int at)
{
    for (int i = at + 1; i < model->step_count && model->steps[i].tb == model->steps[at].tb; i++)
        model->steps[i].number--;
    memmove(&model->steps[at], &model->steps[at + 1],
            (size_t)(model->step_count - at - 1) * sizeof model->steps[at]);
    model->step_count--;
}

static void swap_steps(struct model *model, int at)
{
    struct step kept = model->steps[at];
    model->steps[at] = model->steps[at + 1];
    model->steps[at + 1] = kept;
    model->steps[at + 1].number = model->steps[at].number;
    model->steps[at].number = kept.number;
}

/* Types that take the same ends of messages. */
static void change_types(const struct model *model, int at, struct counts *counts)
{
    static const char *const groups[] = {" cpy re nop ", " r rrc ", " rcs rrs rrcs "};
    static const char *const types[] = {"cpy", "re", "nop", "r", "rrc", "rcs", "rrs", "rrcs"};
    for (size_t group = 0; group < 3; group++)
        for (size_t i = 0; i < 8 && is_one_of(model->steps[at].type, groups[group]); i++) {
            struct model changed = *model;
            struct step *step = &changed.steps[at];
            if (!is_one_of(types[i], groups[group]) || strcmp(types[i], step->type) == 0)
                continue;
            snprintf(step->type, sizeof step->type, "%s", types[i]);
            if (strcmp(types[i], "nop") == 0)
                step->count = 0;
            else if (step->count == 0)
                continue;
            compare(&changed, "another type", at, counts);
        }
}

static void change_step(const struct model *model, int at, struct counts *counts)
{
    struct model changed = *model;
    if (model->steps[at].wait_tb >= 0) {
        changed.steps[at].wait_tb = changed.steps[at].wait_step = -1;
        compare(&changed, "no dependency", at, counts);
    }
    if (model->steps[at].tells) {
        changed = *model;
        changed.steps[at].tells = 0;
        compare(&changed, "hasdep 0", at, counts);
    }
    changed = *model;
    drop_step(&changed, at);
    compare(&changed, "the loss", at, counts);
    changed = *model;
    changed.steps[at].at++;
    compare(&changed, "another source", at, counts);
    changed = *model;
    changed.steps[at].there--;
    compare(&changed, "another destination", at, counts);
    if (at + 1 < model->step_count && model->steps[at + 1].tb == model->steps[at].tb) {
        changed = *model;
        swap_steps(&changed, at);
        compare(&changed, "the swap", at, counts);
    }
    change_types(model, at, counts);
}

static void changes_are_right_or_wrong(void **state)
{
    (void)state;
    static const char *const names[] = {"ar-ring-4",      "ar-1step-4",        "ag-allpairs-4",  "ag-ring-4",
                                        "a2a-allpairs-4", "a2a-threestep-2x2", "a2a-twostep-2x3"};
    struct counts counts = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[96];
        struct model model;
        snprintf(path, sizeof path, "tests/schedules/xml/%s.xml", names[i]);
        read_model(path, &model);
        compare(&model, "the original", -1, &counts);
        for (int at = 0; at < model.step_count; at += HAS_SANITIZER ? 4 : 1)
            change_step(&model, at, &counts);
    }
    print_message("%d right, %d wrong, of which %d have a race that changes no result\n", counts.right,
                  counts.wrong, counts.races);
    assert_true(counts.right > (HAS_SANITIZER ? 70 : 300) && counts.wrong > (HAS_SANITIZER ? 200 : 800) &&
                counts.races * 10 < counts.wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changes_are_right_or_wrong)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
