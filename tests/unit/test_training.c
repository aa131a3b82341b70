/* Steps of training. Witnesses: the numbers of parameters that the makers of the models publish; volumes and
 * numbers of calls computed by hand; and the closed form of a pipeline's time where nothing else costs time.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "sim/components.h"
#include "sim/experiment.h"
#include "workload/training.h"
#include "workload/workload.h"

static char said[2048];

static void keep(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)level;
    snprintf(said, sizeof said, "%s", message);
}

/* ------------------------------------------------------------------- models */

static uint64_t parameters_of(const char *name)
{
    struct training training = {.pipeline = 1};
    for (uint32_t i = 0; i < training_model_count; i++)
        if (strcmp(training_models[i].name, name) == 0)
            training.of = training_models[i];
    assert_non_null(training.of.name);
    return training_parameters(&training);
}

static void models_have_their_published_parameters(void **state)
{
    (void)state;
    assert_int_equal(parameters_of("llama-3-8b"), 8030261248);
    assert_int_equal(parameters_of("llama-3-70b"), 70553706496);
    assert_int_equal(parameters_of("llama-3-405b"), 405853388800);
    assert_int_equal(parameters_of("mixtral-8x7b"), 46702792704);
    /* Published as 175 and 671 thousand millions, without how small parts count. */
    assert_true(fabs((double)parameters_of("gpt-3-175b") / 174.6e9 - 1) < 0.005);
    assert_true(fabs((double)parameters_of("deepseek-v3") / 671e9 - 1) < 0.001);
}

/* ------------------------------------------------------------------ volumes */

/* What rank 0 does in its collective calls. */
struct volume {
    uint64_t calls[CALL_OPS], bytes[CALL_OPS], sent, sent_bytes;
};

static struct volume volume_of(const char *spec, uint32_t rank, uint32_t group_size)
{
    struct program *program;
    struct volume volume = {.sent = 0};
    struct call scratch;
    const struct call *call;
    assert_int_equal(workload_open(spec, &program), STATUS_OK);
    program->ops->rewind(program);
    while ((call = program_next(program, rank, &scratch))) {
        if (call->op == CALL_SEND) {
            volume.sent++;
            volume.sent_bytes += call->bytes;
        }
        if (!call_is_collective(call) || program->groups[call->group].size != group_size)
            continue;
        volume.calls[call->op]++;
        volume.bytes[call->op] += call->bytes;
        for (uint32_t i = 0; call->send_counts && i < group_size; i++)
            volume.bytes[call->op] += program->counts[call->send_counts + i];
    }
    program->ops->close(program);
    return volume;
}

static void tensor_parallelism_has_four_sums_in_a_layer(void **state)
{
    (void)state;
    const uint64_t batches = 3, layers = 32, activation = UINT64_C(8192) * 4096 * 2, tokens = 8192;
    struct volume volume = volume_of("training:model=llama-3-8b,gpus=2,tensor=2,micro_batches=3", 0, 2);
    /* 4 in each layer, the embedding, the logits' gradient, and 12 bytes of each token for the loss. */
    assert_int_equal(volume.calls[CALL_ALLREDUCE], batches * (4 * layers + 3));
    assert_int_equal(volume.bytes[CALL_ALLREDUCE], batches * ((4 * layers + 2) * activation + 12 * tokens));
    volume =
        volume_of("training:model=llama-3-8b,gpus=2,tensor=2,micro_batches=3,sequence_parallel=true", 0, 2);
    assert_int_equal(volume.calls[CALL_REDUCE_SCATTER], batches * (4 * layers + 2));
    assert_int_equal(volume.bytes[CALL_ALLGATHER], batches * (4 * layers + 2) * activation / 2);
    assert_int_equal(volume.calls[CALL_ALLREDUCE], batches);
}

static void data_parallelism_sums_each_gradient_once(void **state)
{
    (void)state;
    const uint64_t parameters = 8030261248 - 4096; /* without the last norm */
    struct volume whole =
        volume_of("training:model=llama-3-8b,gpus=4,tensor=1,micro_batches=3,overlap=false", 0, 4);
    struct volume layers = volume_of("training:model=llama-3-8b,gpus=4,tensor=1,micro_batches=3", 0, 4);
    assert_int_equal(whole.calls[CALL_ALLREDUCE], 1);
    assert_int_equal(whole.bytes[CALL_ALLREDUCE], parameters * 4);
    assert_int_equal(layers.calls[CALL_ALLREDUCE], 33);
    assert_int_equal(layers.bytes[CALL_ALLREDUCE], parameters * 4);
}

static void zero_shares_what_it_says(void **state)
{
    (void)state;
    const uint64_t parameters = 8030261248 - 4096, in_layers = parameters - UINT64_C(2) * 128256 * 4096;
    struct volume one = volume_of("training:model=llama-3-8b,gpus=4,tensor=1,micro_batches=3,zero=1", 0, 4);
    struct volume two = volume_of("training:model=llama-3-8b,gpus=4,tensor=1,micro_batches=3,zero=2", 0, 4);
    struct volume three = volume_of("training:model=llama-3-8b,gpus=4,tensor=1,micro_batches=3,zero=3", 0, 4);
    struct volume gpipe =
        volume_of("training:model=llama-3-8b,gpus=4,tensor=1,micro_batches=3,zero=3,schedule=gpipe", 0, 4);
    struct volume late =
        volume_of("training:model=llama-3-8b,gpus=4,tensor=1,micro_batches=3,zero=3,overlap=false", 0, 4);
    const uint64_t words = UINT64_C(128256) * 4096;
    /* A part of 1 / 4: gradients of 4 bytes, parameters of 2. */
    assert_int_equal(one.bytes[CALL_REDUCE_SCATTER], parameters);
    assert_int_equal(one.bytes[CALL_ALLGATHER], parameters / 2);
    assert_int_equal(two.bytes[CALL_REDUCE_SCATTER], 3 * parameters);
    assert_int_equal(two.bytes[CALL_ALLGATHER], parameters / 2);
    assert_int_equal(three.bytes[CALL_REDUCE_SCATTER], 3 * parameters);
    /* Layers forward and backward; the embedding forward; the logits forward, and again where other
     * micro-batches are in between. */
    assert_int_equal(three.bytes[CALL_ALLGATHER], 3 * (2 * in_layers + 2 * words) / 2);
    assert_int_equal(late.bytes[CALL_ALLGATHER], three.bytes[CALL_ALLGATHER]);
    assert_int_equal(gpipe.bytes[CALL_ALLGATHER], 3 * (2 * in_layers + 3 * words) / 2);
}

static void tokens_go_to_experts_and_back(void **state)
{
    (void)state;
    const char *spec = "training:model=mixtral-8x7b,gpus=8,tensor=1,expert=8,micro_batches=2";
    struct volume volume = volume_of(spec, 0, 8);
    /* Of 4096 tokens two copies each, 8192 bytes: there and back, forward and backward, in 32 layers. */
    assert_int_equal(volume.calls[CALL_ALLTOALLV], 2 * 32 * 4);
    assert_int_equal(volume.bytes[CALL_ALLTOALLV], UINT64_C(2) * 32 * 4 * 4096 * 2 * 8192);
}

static void stages_send_each_activation_once(void **state)
{
    (void)state;
    const char *spec = "training:model=llama-3-70b,gpus=8,tensor=1,pipeline=8,micro_batches=5";
    const uint64_t activation = UINT64_C(8192) * 8192 * 2;
    for (uint32_t rank = 0; rank < 8; rank++) {
        struct volume volume = volume_of(spec, rank, 0);
        uint64_t neighbours = 1 + (rank > 0 && rank < 7);
        assert_int_equal(volume.sent, 5 * neighbours);
        assert_int_equal(volume.sent_bytes, 5 * neighbours * activation);
    }
}

/* ---------------------------------------------------------------- schedules */

static double seconds_of(const char *spec)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    struct experiment experiment;
    struct result result;
    const struct experiment_watch watch = {.progress = NULL};
    assert_int_equal(config_assign(config, "workload", spec, "test"), STATUS_OK);
    assert_int_equal(config_set(config, "fabric=ideal"), STATUS_OK);
    assert_int_equal(config_set(config, "machine=as-published"), STATUS_OK);
    assert_int_equal(experiment_init(&experiment, config), STATUS_OK);
    assert_int_equal(experiment_run(&experiment, 0, &watch, &result), STATUS_OK);
    double seconds = (double)result.makespan / (double)PS_PER_S;
    result_free(&result);
    experiment_free(&experiment);
    config_close(config);
    return seconds;
}

/* 16 equal layers, and next to nothing before and after them. */
#define EQUAL "training:model=llama-3-70b,layers=16,vocabulary=1,tensor=1,memory=1000 TB/s,overlap=false,"

/* (m + p - 1) of p stages with m micro-batches, where one stage alone takes m: Huang et al. 2019, section 2.
 */
static void the_bubble_is_that_of_the_papers(void **state)
{
    (void)state;
    double alone = seconds_of(EQUAL "gpus=1,micro_batches=8") / 8;
    double plain = seconds_of(EQUAL "gpus=4,pipeline=4,micro_batches=8");
    double gpipe = seconds_of(EQUAL "gpus=4,pipeline=4,micro_batches=8,schedule=gpipe");
    double chunks = seconds_of(EQUAL "gpus=4,pipeline=4,micro_batches=8,schedule=interleaved,chunks=2");
    assert_true(fabs(plain / (alone / 4 * (8 + 3)) - 1) < 0.001);
    assert_true(fabs(gpipe / plain - 1) < 0.001);
    /* Chunks divide the bubble: Narayanan et al. 2021, section 2.2. */
    assert_true(fabs(chunks / (alone / 4 * (8 + 3 / 2.0)) - 1) < 0.001);
}

static void every_pass_has_its_place(void **state)
{
    (void)state;
    for (int schedule = TRAINING_GPIPE; schedule <= TRAINING_INTERLEAVED; schedule++) {
        for (uint32_t stage = 0; stage < 4; stage++) {
            uint32_t chunks = schedule == TRAINING_INTERLEAVED ? 3 : 1, seen[2][12][3] = {{{0}}};
            const struct training training = {
                .schedule = schedule, .pipeline = 4, .micro_batches = 12, .chunks = chunks};
            for (uint32_t at = 0; at < 2 * 12 * chunks; at++) {
                struct training_slot slot = training_slot_at(&training, stage, at);
                assert_true(slot.micro_batch < 12 && slot.chunk < chunks);
                assert_int_equal(seen[slot.is_backward][slot.micro_batch][slot.chunk], 0);
                seen[slot.is_backward][slot.micro_batch][slot.chunk] = at + 1;
                if (slot.is_backward) /* not before its forward pass */
                    assert_int_not_equal(seen[0][slot.micro_batch][slot.chunk], 0);
            }
        }
    }
}

/* ------------------------------------------------------------------- errors */

static void refused(const char *spec, const char *why)
{
    struct program *program;
    said[0] = '\0';
    diag_set_sink(keep, NULL);
    assert_int_equal(workload_open(spec, &program), STATUS_BAD_INPUT);
    diag_set_sink(NULL, NULL);
    if (!strstr(said, why))
        fail_msg("%s: %s", spec, said);
}

/* --------------------------------------------------------------- dimensions */

static struct result run_listed(const char *spec, const char *const *settings)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    struct config *config = config_open(tables, count);
    struct experiment experiment;
    struct result result;
    const struct experiment_watch watch = {.progress = NULL};
    assert_int_equal(config_assign(config, "workload", spec, "test"), STATUS_OK);
    for (size_t i = 0; settings[i]; i++)
        assert_int_equal(config_set(config, settings[i]), STATUS_OK);
    assert_int_equal(experiment_init(&experiment, config), STATUS_OK);
    experiment.path = EXPERIMENT_PATH_LISTED;
    assert_int_equal(experiment_run(&experiment, 0, &watch, &result), STATUS_OK);
    experiment_free(&experiment);
    config_close(config);
    return result;
}

/* All messages, all waiting and the whole critical path but its computation belong to dimensions. */
static void check_sums(const struct result *result)
{
    sum_t bytes = 0, idle = 0, all_idle = 0;
    uint64_t messages = 0;
    ps_t path = result->path->kinds[CRITICAL_COMPUTATION];
    for (size_t i = 0; i < result->dimension_count; i++) {
        messages += result->dimensions[i].messages;
        bytes += result->dimensions[i].bytes;
        idle += result->dimensions[i].idle;
        path += result->dimensions[i].path;
    }
    for (uint32_t rank = 0; rank < result->ranks; rank++)
        all_idle += result->rows[rank].idle;
    assert_int_equal(messages, result->messages);
    assert_true(bytes == result->bytes);
    assert_true(idle == all_idle);
    assert_true(result->dimensions_have_path);
    assert_int_equal(path, result->makespan);
}

/* A ring of n GPUs sends 2 (n - 1) times the vector in all. */
static void dimensions_have_their_bytes(void **state)
{
    (void)state;
    static const char *const settings[] = {"fabric=hockney", "machine=as-published", "mpi.allreduce=ring",
                                           NULL};
    const uint64_t batches = 3, tokens = 8192, activation = tokens * 4096 * 2,
                   words = UINT64_C(2) * 128256 * 4096;
    const uint64_t parameters = (UINT64_C(8030261248) - 4096 - words) / 32 * 4 + words;
    struct result result =
        run_listed("training:model=llama-3-8b,layers=4,gpus=8,tensor=2,pipeline=2,micro_batches=3", settings);
    check_sums(&result);
    assert_string_equal(result.dimensions[0].name, "tensor");
    assert_true(result.dimensions[0].bytes == 2 * batches * 2 * (18 * activation + 12 * tokens));
    assert_string_equal(result.dimensions[1].name, "pipeline");
    assert_true(result.dimensions[1].bytes == 4 * 2 * batches * activation);
    assert_int_equal(result.dimensions[1].messages, 4 * 2 * batches);
    assert_string_equal(result.dimensions[2].name, "data");
    assert_true(result.dimensions[2].bytes == 2 * 4 * parameters);
    assert_int_equal(result.dimensions[3].messages, 0);
    result_free(&result);
    result = run_listed(
        "training:model=mixtral-8x7b,layers=2,gpus=16,tensor=2,expert=4,micro_batches=2,skew=0.5", settings);
    check_sums(&result);
    assert_string_equal(result.dimensions[3].name, "expert");
    /* There and back, forward and backward: each token to two experts, of which a quarter stay. */
    assert_true(result.dimensions[3].bytes == 2 * 2 * 4 * 16 * UINT64_C(4096) * 4096 * 2 * 2 * 3 / 4);
    result_free(&result);
}

static void impossible_dimensions_are_refused(void **state)
{
    (void)state;
    refused("training:gpus=12,tensor=8", "12 GPUs are no multiple of tensor x pipeline = 8");
    refused("training:gpus=16,tensor=8,data=4", "tensor x pipeline x data is 32, and gpus is 16");
    refused("training:gpus=64,tensor=8,expert=3", "3 does not divide data, which is 8");
    refused("training:gpus=64,tensor=8,expert=2", "the model has no experts that 2 GPUs could share");
    refused("training:gpus=192,tensor=3", "3 GPUs cannot share 64 heads");
    refused("training:gpus=64,tensor=4,pipeline=4,zero=2", "zero=2 shares gradients");
    refused("training:gpus=64,tensor=4,pipeline=4,chunks=2", "need schedule=interleaved");
    refused("training:gpus=64,tensor=4,pipeline=4,schedule=interleaved,micro_batches=6",
            "6 is no multiple of pipeline, 4");
    refused("training:gpus=128,tensor=1,pipeline=128", "128 stages and chunks for 80 layers");
    refused("training:gpus=8,hidden=100", "64 heads do not divide hidden, which is 100");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_have_their_published_parameters),
        cmocka_unit_test(tensor_parallelism_has_four_sums_in_a_layer),
        cmocka_unit_test(data_parallelism_sums_each_gradient_once),
        cmocka_unit_test(zero_shares_what_it_says),
        cmocka_unit_test(tokens_go_to_experts_and_back),
        cmocka_unit_test(stages_send_each_activation_once),
        cmocka_unit_test(the_bubble_is_that_of_the_papers),
        cmocka_unit_test(every_pass_has_its_place),
        cmocka_unit_test(dimensions_have_their_bytes),
        cmocka_unit_test(impossible_dimensions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
