#include "workload/training.h"

/* The numbers are those that the makers have published; `source` says where. */
const struct training_model training_models[] = {
    {.name = "llama-3-8b",
     .source = "Llama Team 2024, The Llama 3 Herd of Models, Table 3",
     .layers = 32,
     .hidden = 4096,
     .heads = 32,
     .kv_heads = 8,
     .ffn = 14336,
     .vocabulary = 128256,
     .sequence = 8192,
     .matrices = 3},
    {.name = "llama-3-70b",
     .source = "Llama Team 2024, The Llama 3 Herd of Models, Table 3",
     .layers = 80,
     .hidden = 8192,
     .heads = 64,
     .kv_heads = 8,
     .ffn = 28672,
     .vocabulary = 128256,
     .sequence = 8192,
     .matrices = 3},
    {.name = "llama-3-405b",
     .source = "Llama Team 2024, The Llama 3 Herd of Models, Table 3",
     .layers = 126,
     .hidden = 16384,
     .heads = 128,
     .kv_heads = 8,
     .ffn = 53248,
     .vocabulary = 128256,
     .sequence = 8192,
     .matrices = 3},
    {.name = "gpt-3-175b",
     .source =
         "Brown et al. 2020, Language Models are Few-Shot Learners, Table 2.1; vocabulary as Megatron-LM "
         "pads it",
     .layers = 96,
     .hidden = 12288,
     .heads = 96,
     .kv_heads = 96,
     .ffn = 49152,
     .vocabulary = 51200,
     .sequence = 2048,
     .matrices = 2,
     .is_tied = true},
    {.name = "mixtral-8x7b",
     .source = "Jiang et al. 2024, Mixtral of Experts, Table 1",
     .layers = 32,
     .hidden = 4096,
     .heads = 32,
     .kv_heads = 8,
     .ffn = 14336,
     .vocabulary = 32000,
     .sequence = 4096,
     .matrices = 3,
     .experts = 8,
     .top_k = 2,
     .expert_ffn = 14336},
    /* Latent attention: queries by 1536, keys and values by 512 + 64, heads of 128 + 64 and 128. */
    {.name = "deepseek-v3",
     .source = "DeepSeek-AI 2024, DeepSeek-V3 Technical Report, section 4.2",
     .layers = 61,
     .hidden = 7168,
     .heads = 128,
     .kv_heads = 128,
     .ffn = 18432,
     .vocabulary = 129280,
     .sequence = 4096,
     .matrices = 3,
     .experts = 256,
     .top_k = 8,
     .shared_experts = 1,
     .expert_ffn = 2048,
     .dense_layers = 3,
     .attention = 187105280,
     .score = 320},
};
const uint32_t training_model_count = sizeof training_models / sizeof *training_models;

bool training_has_experts(const struct training *training, uint32_t layer)
{
    return training->of.experts && layer >= training->of.dense_layers;
}

static uint64_t attention_parameters(const struct training_model *model)
{
    uint64_t hidden = model->hidden, head = hidden / model->heads;
    if (model->attention)
        return model->attention;
    return 2 * hidden * hidden + 2 * hidden * head * model->kv_heads;
}

/* Attention, the feed-forward part that every token passes, the router, and two norms. */
uint64_t training_shared_parameters(const struct training *training, uint32_t layer)
{
    const struct training_model *model = &training->of;
    uint64_t hidden = model->hidden, sum = attention_parameters(model) + 2 * hidden;
    if (!training_has_experts(training, layer))
        return sum + model->matrices * hidden * model->ffn;
    return sum + hidden * model->experts +
           model->shared_experts * model->matrices * hidden * (uint64_t)model->expert_ffn;
}

uint64_t training_expert_parameters(const struct training *training, uint32_t layer)
{
    const struct training_model *model = &training->of;
    if (!training_has_experts(training, layer))
        return 0;
    return (uint64_t)model->experts * model->matrices * model->hidden * model->expert_ffn;
}

uint64_t training_parameters(const struct training *training)
{
    const struct training_model *model = &training->of;
    uint64_t words = (uint64_t)model->vocabulary * model->hidden;
    uint64_t sum = (model->is_tied ? words : 2 * words) + model->hidden;
    for (uint32_t layer = 0; layer < model->layers; layer++)
        sum += training_shared_parameters(training, layer) + training_expert_parameters(training, layer);
    return sum;
}

/* Two operations for each parameter, and the scores of all tokens of the sequence with their values. */
double training_attention_flops(const struct training *training)
{
    const struct training_model *model = &training->of;
    double score = model->score ? (double)model->score * model->heads : 2.0 * model->hidden;
    return 2.0 * (double)attention_parameters(model) + 2.0 * model->sequence * score;
}

double training_ffn_flops(const struct training *training, uint32_t layer)
{
    const struct training_model *model = &training->of;
    double matrices = 2.0 * model->matrices * model->hidden;
    if (!training_has_experts(training, layer))
        return matrices * model->ffn;
    return matrices * model->expert_ffn * (model->top_k + model->shared_experts) +
           2.0 * model->hidden * model->experts;
}

double training_logits_flops(const struct training *training)
{
    return 2.0 * training->of.hidden * training->of.vocabulary;
}
