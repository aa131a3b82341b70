#include "host/host.h"

#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "breakdown/model.h"
#include "breakdown/whatif.h"

static bool find_system_path(const char *bytes, size_t from, struct param_path *path)
{
    return !system_named(bytes) && param_find_whole(bytes, from, path);
}

PARAM_TABLE(
    host_params, "host", struct host_config,
    "what every message costs at its two ends: software, PCIe, memory (docs/models/host.md)",
    {.name = "host.system",
     .type = PARAM_TEXT,
     .offset = offsetof(struct host_config, system),
     .find_path = find_system_path,
     .doc =
         "a system file as helio breakdown takes it, or one by name: thunderx2 (that of \"Breaking Band\"), "
         "ohio-a, ohio-b, ohio-local; without one hosts cost nothing"},
    {.name = "host.caches",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct host_config, caches),
     .default_text = "call",
     .choices = (const char *const[]){"call", "parts", NULL},
     .doc = "the rate of a copy depends on all that the copies of its collective call have touched, or on "
            "the caches in which the parts are that it reads and writes"},
    {.name = "host.change",
     .type = PARAM_TEXT,
     .offset = offsetof(struct host_config, change),
     .doc = "changes of the times of host.system, as helio breakdown whatif takes them: "
            "LLP_post=-50%,PCIe=+20ns"});

/* ----------------------------------------------------------------- changes */

enum { SMALL_MESSAGE = 8 }; /* bytes of the message of whose latency a set of times is a part */

static enum status change(struct system *system, const char *text)
{
    const uint32_t of_the_fabric = UINT32_C(1) << TIME_WIRE | UINT32_C(1) << TIME_SWITCH;
    struct param_assignment assignment;
    param_split(text, 0, strlen(text), &assignment);
    const struct whatif_target *target = whatif_find(assignment.name);
    enum status status = STATUS_OK;
    if (target && (target->times & of_the_fabric)) {
        diag_error(
            "host.change: %s does not belong to the host; in a simulation the latency of the fabric is "
            "that of wire and switches (hockney.latency, packet.latency)",
            target->name);
        status = STATUS_BAD_INPUT;
    }
    free(assignment.name);
    free(assignment.value);
    return status == STATUS_OK ? whatif_apply(system, SMALL_MESSAGE, "host.change", text) : status;
}

static enum status change_all(struct system *system, const char *changes)
{
    char *texts = mem_text(changes), *rest = texts;
    enum status status = STATUS_OK;
    for (char *text; status == STATUS_OK && (text = strsep(&rest, ","));)
        status = change(system, text);
    free(texts);
    return status;
}

/* ------------------------------------------------------------------- times */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The time of the bytes behind the first packet of a payload. They stream through all parts, so that the
 * slowest part counts. If that is the wire, the fabric counts it. */
static ps_t streamed(const struct host *host, uint64_t bytes)
{
    uint64_t rest = bytes > host->packet_bytes ? bytes - host->packet_bytes : 0;
    if (rest == 0 || host->slowest_bytes_per_s == host->wire_bytes_per_s)
        return 0;
    return service_ps(rest, host->slowest_bytes_per_s) - service_ps(rest, host->wire_bytes_per_s);
}

enum { DOORBELL_BYTES = 8 };

/* With PIO the CPU writes the descriptor, block by block. With a doorbell the NIC fetches the descriptor. It
 * also fetches each payload that is not in the descriptor. What answers its reads takes no credits of writes.
 */
static struct host_load load_of(const struct model *model)
{
    const struct system *system = model->system;
    bool pio = system->post == SYSTEM_PIO;
    uint64_t down = model->blocks * system->block_bytes + (pio ? 0 : DOORBELL_BYTES) +
                    (model->inlined ? 0 : model->bytes);
    uint64_t packets = (model->bytes + system->packet_bytes - 1) / system->packet_bytes;
    return (struct host_load){.down_ps = service_ps(down, system->pcie_bytes_per_s),
                              .up_ps = service_ps(model->bytes, system->pcie_bytes_per_s),
                              .down_writes = pio ? (uint32_t)model->blocks : 1,
                              .up_writes = packets > 1 ? (uint32_t)least(packets, UINT32_MAX) : 1};
}

static struct host_message message_of(const struct model *model)
{
    return (struct host_message){.bytes = model->bytes,
                                 .llp_post = model_sum(model, LLP_POST),
                                 .to_nic = model_sum(model, TX_IO),
                                 .to_memory = model_sum(model, RX_IO),
                                 .load = load_of(model)};
}

/* More than a packet: the payload is not inlined, and its first packet takes the times of a message of one
 * packet. */
static struct host_message large_message(const struct system *system)
{
    struct system fetched = *system;
    struct model model;
    fetched.inline_bytes = 0;
    model_init(&model, &fetched, system->packet_bytes);
    return message_of(&model);
}

static void take_times(struct host *host)
{
    const struct system *system = &host->system;
    struct model model;
    model_init(&model, system, 0);
    host->hlp_post = model_sum(&model, HLP_POST);
    host->polled = model_sum(&model, PART_BIT(PART_LLP_PROG) | PART_BIT(PART_CALLBACK_MPI) |
                                         PART_BIT(PART_CALLBACK_UCP));
    host->polled_control = model_sum(&model, PART_BIT(PART_LLP_PROG) | PART_BIT(PART_CALLBACK_UCP));
    host->after_progress = model_sum(&model, PART_BIT(PART_AFTER_PROGRESS_MPI));
    host->sent = model_sum(&model, POST_PROG | PART_BIT(PART_MISC));
    ps_t waited = model_sum(&model, PART_BIT(PART_WAIT_MPI) | PART_BIT(PART_WAIT_UCP));
    host->wait = ps_max(0, waited - model_sum(&model, HLP_RX_PROG));
    host->signal_period = (uint32_t)least(system->signal_period, system->queue_depth);
    host->queue_depth = (uint32_t)system->queue_depth;
    host->owed_limit = ps_max(1, ps_times(host->sent, host->queue_depth));
    host->receive_depth = (uint32_t)system->receive_depth;
    host->nic_gap = system->times[TIME_NIC_GAP].time_ps;
    host->credits = (uint32_t)system->credits;
    host->credit_returns = 2 * system->times[TIME_PCIE].time_ps;
    ps_t network = system->times[TIME_WIRE].time_ps + system->times[TIME_SWITCH].time_ps;
    host->fetch = 2 * system->times[TIME_PCIE].time_ps + system->times[TIME_MEM_READ].time_ps;
    host->reconnect = 2 * network;
    if (host->rnic->transport == RNIC_UD) {
        host->ack_post = model_sum(&model, LLP_POST);
        host->ack_polled = model_sum(&model, PART_BIT(PART_LLP_PROG));
    }
    host->block_bytes = system->block_bytes;
    host->acknowledged =
        network + system->times[TIME_PCIE].time_ps + system->times[TIME_RC_TO_MEM_64B].time_ps;
}

static void take_sizes(struct host *host)
{
    const struct system *system = &host->system;
    host->packet_bytes = system->packet_bytes;
    host->wire_bytes_per_s = system->wire_bytes_per_s;
    host->slowest_bytes_per_s =
        least(system->wire_bytes_per_s, least(system->pcie_bytes_per_s, system->memory_bytes_per_s));
    host->small = mem_alloc(host->packet_bytes + 1, sizeof *host->small, "the host's costs by size");
    host->sizes = mem_alloc(HOST_SIZES, sizeof *host->sizes, "the host's costs of sizes asked for");
    for (uint64_t bytes = 0; bytes <= host->packet_bytes; bytes++) {
        struct model model;
        model_init(&model, system, bytes);
        host->small[bytes] = message_of(&model);
    }
    host->large = large_message(system);
}

/* The datagrams of a message. Each of them is posted and polled. */
static uint64_t packets_of(const struct host *host, uint64_t bytes)
{
    if (host->rnic->transport != RNIC_UD || bytes <= RNIC_UD_BYTES)
        return 1;
    return (bytes + RNIC_UD_BYTES - 1) / RNIC_UD_BYTES;
}

void host_fill_size(const struct host *host, uint64_t bytes, struct host_message *message)
{
    *message = host->large;
    message->bytes = bytes;
    message->llp_post = ps_times(message->llp_post, packets_of(host, bytes));
    message->to_memory = ps_add(message->to_memory, streamed(host, bytes));
    message->load = load_of(&(struct model){.system = &host->system, .bytes = bytes, .blocks = 1});
}

ps_t host_polled_datagrams(const struct host *host, uint64_t bytes)
{
    return ps_add(ps_times(host->polled_control, packets_of(host, bytes) - 1), host->ack_post);
}

/* ------------------------------------------------------------------- files */

enum status host_open(struct host *host, const struct host_config *config, const struct rnic_config *rnic)
{
    *host = (struct host){.rnic = rnic, .caches = (enum host_caches_mode)config->caches};
    enum status status = system_init(&host->file, config->system);
    if (status != STATUS_OK)
        return status;
    host->system = host->file.system;
    if (config->change)
        status = change_all(&host->system, config->change);
    if (status != STATUS_OK) {
        host_close(host);
        return status;
    }
    take_times(host);
    take_sizes(host);
    return STATUS_OK;
}

void host_close(struct host *host)
{
    system_free(&host->file);
    free(host->small);
    free(host->sizes);
    host->small = host->sizes = NULL;
}
