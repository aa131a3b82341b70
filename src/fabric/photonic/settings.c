#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"
#include "fabric/photonic/photonic.h"

/* The value of each parameter, set by the user or by the preset. The paper does not fix all that a simulator
 * has to know; docs/models/photonic.md says what each choice does to the results. */

static const char *const preset_names[] = {"literal", "paper-fit", NULL};
static const char *const retry_names[] = {"wait", "now", "backoff", NULL};
static const char *const wake_names[] = {"first", "node", NULL};
static const char *const reservation_names[] = {"atomic", "hop-by-hop", NULL};
static const char *const up_names[] = {"least-used", "first", "random", "destination", NULL};
static const char *const order_names[] = {"message", "turns", NULL};
static const char *const node_links_names[] = {"auto", "channels", "free", NULL};

enum { CYCLE_MOST_MS = 1 };

bool photonic_refuse(struct param_problem *problem, uint32_t at, const char *text)
{
    snprintf(problem->text, sizeof problem->text, "%s", text);
    problem->at = at;
    return false;
}

/* A count of at least one, or one of the words, whose values are in `values`. */
static bool parse_count_or(const char *text, const char *const *words, const uint64_t *values,
                           const char *wanted, uint64_t *count, struct param_problem *problem)
{
    for (size_t i = 0; words[i]; i++) {
        if (strcmp(text, words[i]) == 0) {
            *count = values[i];
            return true;
        }
    }
    struct units_problem unit_problem;
    if (units_count(text, count, &unit_problem) && *count >= 1)
        return true;
    return photonic_refuse(problem, 0, wanted);
}

static bool parse_injection(const struct param *self, const char *text, void *field,
                            struct param_problem *problem)
{
    (void)self;
    static const char *const words[] = {"preset", "unlimited", NULL};
    static const uint64_t values[] = {BY_PRESET, UNLIMITED};
    return parse_count_or(text, words, values, "expected a number from 1, 'unlimited' or 'preset'", field,
                          problem);
}

static bool parse_cycle(const struct param *self, const char *text, void *field,
                        struct param_problem *problem)
{
    (void)self;
    ps_t cycle;
    struct units_problem unit_problem;
    if (strcmp(text, "preset") == 0) {
        *(uint64_t *)field = BY_PRESET;
        return true;
    }
    if (!units_time(text, &cycle, &unit_problem))
        return photonic_refuse(problem, unit_problem.at, unit_problem.text);
    if (cycle < 1 || cycle > CYCLE_MOST_MS * PS_PER_S / 1000)
        return photonic_refuse(problem, 0, "a cycle is from 1 ps to 1 ms long, or 'preset'");
    *(uint64_t *)field = (uint64_t)cycle;
    return true;
}

#define PHOTONIC(field) offsetof(struct photonic_config, field)
#define TIME_OF(full_name, field, text)                                                                      \
    {                                                                                                        \
        .name = (full_name), .type = PARAM_TIME, .offset = PHOTONIC(field), .default_text = "0 ps",          \
        .min = "0 ps", .max = "1 ms", .doc = (text)                                                          \
    }
#define COUNT_OF(full_name, field, standard, least, most, text)                                              \
    {                                                                                                        \
        .name = (full_name), .type = PARAM_COUNT, .offset = PHOTONIC(field), .default_text = (standard),     \
        .min = (least), .max = (most), .doc = (text)                                                         \
    }
#define CHOICE_OF(full_name, field, standard, names, text)                                                   \
    {                                                                                                        \
        .name = (full_name), .type = PARAM_CHOICE, .offset = PHOTONIC(field), .default_text = (standard),    \
        .choices = (names), .doc = (text)                                                                    \
    }

PARAM_TABLE(
    photonic_params, "photonic", struct photonic_config,
    "photonic networks of the fabrics circuit, packetised and segment (Duro et al., Segment Switching)",
    CHOICE_OF("photonic.preset", preset, "literal", preset_names,
              "what 'preset' means below: literal: the paper's text; paper-fit: what fits its results, one "
              "fit for tori, one for trees"),
    COUNT_OF("photonic.channels", channels, "5", "1", "65535", "wavelengths of a link (section III)"),
    {.name = "photonic.channel_rate",
     .type = PARAM_RATE,
     .offset = PHOTONIC(channel_rate_bytes_per_s),
     .default_text = "320 Gb/s",
     .min = "1 B/s",
     .doc = "of one channel (section III)"},
    {.name = "photonic.link_rate",
     .type = PARAM_RATE,
     .offset = PHOTONIC(link_rate_bytes_per_s),
     .default_text = "0 B/s",
     .doc = "if not 0: of all channels of a link together, in equal parts; channel_rate is then not used"},
    {.name = "photonic.cycle",
     .type = PARAM_CUSTOM,
     .offset = PHOTONIC(cycle_ps),
     .default_text = "preset",
     .parse = parse_cycle,
     .doc = "cycle of the control plane; preset: 1 ns literal, 8.533 ns for tori and 12.8 ns for trees as a "
            "fit"},
    COUNT_OF("photonic.forward", forward_cycles, "1", "0", "1000",
             "cycles of a hop to reserve it (section V)"),
    COUNT_OF("photonic.back", back_cycles, "1", "0", "1000",
             "cycles of a hop on the way back, to establish it (section V)"),
    TIME_OF("photonic.extractor", extractor_ps,
            "label extractor, at each hop forward; negligible (section V)"),
    TIME_OF("photonic.converter", converter_ps,
            "setting of a wavelength converter, at each hop back; negligible (section V)"),
    TIME_OF("photonic.eo", eo_ps,
            "electro-optical conversion where a segment begins; negligible (section V)"),
    TIME_OF("photonic.oe", oe_ps, "opto-electrical conversion where it ends; negligible (section V)"),
    TIME_OF("photonic.wire", wire_ps, "of light on each link: for the probe, its answer and the data"),
    {.name = "photonic.mtu",
     .type = PARAM_SIZE,
     .offset = PHOTONIC(mtu_bytes),
     .default_text = "4 KiB",
     .min = "1 B",
     .doc = "most bytes of a packet, and size of a buffer's slot (section VI-A)"},
    {.name = "photonic.pad",
     .type = PARAM_BOOL,
     .offset = PHOTONIC(pad),
     .default_text = "false",
     .doc = "whether short packets take as long as full ones: packets of fixed size (section IV-B)"},
    {.name = "photonic.injection",
     .type = PARAM_CUSTOM,
     .offset = PHOTONIC(injection),
     .default_text = "preset",
     .parse = parse_injection,
     .doc = "transfers that a node has under way at once; preset: 5, but 1 for circuit in the fit"},
    {.name = "photonic.messages",
     .type = PARAM_CUSTOM,
     .offset = PHOTONIC(messages),
     .default_text = "preset",
     .parse = parse_injection,
     .doc = "messages that these transfers may belong to; preset: unlimited, but 1 on trees in the fit"},
    CHOICE_OF("photonic.order", order, "turns", order_names,
              "order of a node's packets: message after message, or messages by turns"),
    CHOICE_OF(
        "photonic.retry", retry, "wait", retry_names,
        "after a failed reservation: wait for the link that was taken, try again now, or after a random "
        "time"),
    CHOICE_OF("photonic.wake", wake, "first", wake_names,
              "which of the packets that wait for a link tries first: the one that waits longest, or that of "
              "the node with the lowest number"),
    COUNT_OF("photonic.jitter", jitter_cycles, "8", "0", "1000000",
             "most cycles of the random delay after three failed reservations, hop by hop"),
    COUNT_OF("photonic.backoff", backoff_doublings, "8", "0", "20",
             "how often retry=backoff doubles its range of random times, which begins with 2 cycles"),
    CHOICE_OF("photonic.reservation", reservation, "atomic", reservation_names,
              "when a probe takes its channels: all in one instant, or one after the other as it travels"),
    CHOICE_OF("photonic.up", up, "least-used", up_names,
              "among links that lead on equally well, as upwards in a tree: most channels free, the first "
              "free, a random free, by destination"),
    CHOICE_OF("photonic.node_links", node_links, "auto", node_links_names,
              "links between nodes and switches: with channels, a hop each, or free; auto: free on grids, "
              "where nodes are part of their switch"),
    COUNT_OF("photonic.watchdog", watchdog_cycles, "1000000", "1", "1000000000",
             "cycles without a transfer, while packets wait, after which the run fails"));

/* ---------------------------------------------------------------- resolving */

/* The fit to the paper's results: its times are in cycles, a packet takes about 12 cycles on the torus and 8
 * on the tree, and each node has one circuit at a time. */
static void apply_preset(const struct photonic *photonic, struct photonic_config *config)
{
    bool is_fit = config->preset == PRESET_PAPER_FIT, on_grid = topo_grid(&photonic->topo) != NULL;
    bool is_circuit = photonic->switching == PHOTONIC_CIRCUIT;
    if (config->cycle_ps == BY_PRESET)
        config->cycle_ps = !is_fit ? 1000 : on_grid ? 8533 : 12800;
    if (config->injection == BY_PRESET)
        config->injection = is_fit && is_circuit ? 1 : 5;
    if (config->messages == BY_PRESET)
        config->messages = is_fit && !on_grid ? 1 : UNLIMITED;
}

static enum status resolve_buffers(const struct topo *topo, struct photonic_settings *settings)
{
    const struct segment_config *config = &settings->segment;
    uint64_t mtu = settings->photonic.mtu_bytes;
    char text[64], other[64];
    if (config->buffers.rule == BUFFERS_LEVELS && !topo->levels) {
        diag_error("segment.buffers=levels:%" PRIu32
                   " needs a topology with levels, such as a fattree; use every:N for others",
                   config->buffers.number);
        return STATUS_BAD_INPUT;
    }
    if (config->buffer_bytes < mtu) {
        diag_error("segment.buffer_size is %s and holds no packet of photonic.mtu, %s",
                   units_print_size(config->buffer_bytes, text, sizeof text),
                   units_print_size(mtu, other, sizeof other));
        return STATUS_BAD_INPUT;
    }
    uint64_t slots = config->buffer_bytes / mtu;
    settings->slots_of_a_buffer =
        config->buffer_bytes == UNLIMITED || slots >= UINT32_MAX ? UINT32_MAX : (uint32_t)slots;
    return STATUS_OK;
}

/* Each channel of a link has a rate. */
static enum status check_rates(const struct photonic *photonic)
{
    const struct topo *topo = &photonic->topo;
    uint64_t channels = photonic->settings.photonic.channels;
    char text[2 * TOPO_TEXT + 4], name[TOPO_TEXT];
    for (uint32_t link = 0; topo_has_rates(topo) && link < topo->links; link++) {
        uint64_t rate = topo_link_rate(topo, link, 0);
        if (rate && rate < channels && topo_is_held(topo, link)) {
            diag_error("link %s of %s leaves less than 1 B/s to each of %" PRIu64 " channels",
                       topo_link_name(topo, link, text, sizeof text), topo_print(topo, name, sizeof name),
                       channels);
            return STATUS_BAD_INPUT;
        }
    }
    return STATUS_OK;
}

/* A platform says which links a route has, and not which of them are those of nodes; nor, where its routes
 * contradict each other, in which switch one is between two links. */
static enum status check_platform(const struct photonic *photonic, bool has_buffers)
{
    const struct topo *topo = &photonic->topo;
    const struct config *config = photonic->fabric.params.config;
    if (topo->ops->choose)
        return STATUS_OK;
    if (photonic->settings.photonic.node_links == NODE_LINKS_FREE) {
        diag_error(
            "photonic.node_links=free: %s does not say which links are those of nodes; auto and channels "
            "give all its links channels",
            topo->path);
        config_note_origin(config, "photonic.node_links");
        return STATUS_BAD_INPUT;
    }
    if (has_buffers && topo->no_ends) {
        diag_error(
            "fabric segment has buffers in switches, and %s does not say where they are: %s; circuit and "
            "packetised run on it",
            topo->path, topo->no_ends);
        return STATUS_BAD_INPUT;
    }
    return STATUS_OK;
}

static enum status check_hops(const struct photonic *photonic)
{
    const struct topo *topo = &photonic->topo;
    char text[TOPO_TEXT];
    if (topo->diameter <= UINT16_MAX - 2)
        return STATUS_OK;
    diag_error("topology %s has routes of %" PRIu32 " hops; fabric %s takes %d at most",
               topo_print(topo, text, sizeof text), topo->diameter, photonic->fabric.ops->name,
               UINT16_MAX - 2);
    return STATUS_BAD_INPUT;
}

enum status photonic_resolve(struct photonic *photonic, const struct segment_config *segment)
{
    struct photonic_settings *settings = &photonic->settings;
    struct photonic_config *config = &settings->photonic;
    *config = *(const struct photonic_config *)config_of(photonic->fabric.params.config, &photonic_params);
    apply_preset(photonic, config);
    settings->rate_bytes_per_s = config->channel_rate_bytes_per_s;
    if (config->link_rate_bytes_per_s)
        settings->rate_bytes_per_s = config->link_rate_bytes_per_s / config->channels;
    if (!settings->rate_bytes_per_s) {
        diag_error("photonic.link_rate leaves less than 1 B/s to each of %" PRIu64 " channels",
                   config->channels);
        return STATUS_BAD_INPUT;
    }
    settings->cycle_ps = (ps_t)config->cycle_ps;
    settings->forward_ps =
        (ps_t)config->forward_cycles * settings->cycle_ps + config->extractor_ps + config->wire_ps;
    settings->back_ps =
        (ps_t)config->back_cycles * settings->cycle_ps + config->converter_ps + config->wire_ps;
    settings->full_packet_ps = service_ps(config->mtu_bytes, settings->rate_bytes_per_s);
    settings->node_links_count = config->node_links == NODE_LINKS_CHANNELS ||
                                 (config->node_links == NODE_LINKS_AUTO && !topo_grid(&photonic->topo));
    enum status status = check_hops(photonic);
    if (status == STATUS_OK)
        status = check_rates(photonic);
    if (status == STATUS_OK)
        status = check_platform(photonic, segment != NULL);
    if (status != STATUS_OK || !segment)
        return status;
    settings->segment = *segment;
    return resolve_buffers(&photonic->topo, settings);
}
