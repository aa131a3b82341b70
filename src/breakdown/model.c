#include "breakdown/model.h"

#include <assert.h>
#include <stdio.h>

/* -------------------------------------------------------------- one message */

static ps_t time_of(const struct system *system, enum system_time time)
{
    return system->times[time].time_ps;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Bytes of the payload behind the first block, which the component times do not include. */
static uint64_t beyond_block(const struct system *system, uint64_t bytes)
{
    return bytes > system->block_bytes ? bytes - system->block_bytes : 0;
}

/* Times that do not depend on the size of the message. */
static void copy_times(struct model *model)
{
    static const struct {
        enum component part;
        enum system_time time;
    } same[] = {
        {PART_MD_SETUP, TIME_MD_SETUP},
        {PART_MD_BARRIER, TIME_MD_BARRIER},
        {PART_DBC_BARRIER, TIME_DBC_BARRIER},
        {PART_LLP_POST_MISC, TIME_LLP_POST_MISC},
        {PART_LLP_PROG, TIME_LLP_PROG},
        {PART_BUSY_POST, TIME_BUSY_POST},
        {PART_MEASUREMENT_UPDATE, TIME_MEASUREMENT_UPDATE},
        {PART_SWITCH, TIME_SWITCH},
        {PART_HLP_POST_MPI, TIME_HLP_POST_MPI},
        {PART_HLP_POST_UCP, TIME_HLP_POST_UCP},
        {PART_HLP_TX_PROG, TIME_HLP_TX_PROG},
        {PART_MISC, TIME_MISC},
        {PART_CALLBACK_MPI, TIME_CALLBACK_MPI},
        {PART_CALLBACK_UCP, TIME_CALLBACK_UCP},
        {PART_AFTER_PROGRESS_MPI, TIME_AFTER_PROGRESS_MPI},
        {PART_WAIT_MPI, TIME_WAIT_MPI},
        {PART_WAIT_UCP, TIME_WAIT_UCP},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        model->time_ps[same[i].part] = time_of(model->system, same[i].time);
    model->time_ps[PART_LLP_TX_PROG] = system_llp_tx_prog(model->system);
}

/* How the NIC gets descriptor and payload: section 2, steps 0 to 3, some of which PIO and inlining replace.
 */
static void add_transmission(struct model *model)
{
    const struct system *system = model->system;
    ps_t pcie = time_of(system, TIME_PCIE);
    ps_t read = 2 * pcie + time_of(system, TIME_MEM_READ);
    ps_t more_blocks = service_ps((model->blocks - 1) * system->block_bytes, system->pcie_bytes_per_s);
    model->time_ps[PART_TX_PCIE] = pcie;
    if (system->post == SYSTEM_PIO) {
        model->time_ps[PART_PIO_COPY] = (ps_t)model->blocks * time_of(system, TIME_PIO_COPY);
        model->time_ps[PART_TX_PCIE] += more_blocks;
    } else {
        model->time_ps[PART_PIO_COPY] = time_of(system, TIME_DOORBELL);
        model->time_ps[PART_DMA_MD] = read + more_blocks;
    }
    if (!model->inlined)
        model->time_ps[PART_DMA_PAYLOAD] = read;
}

/* The payload's bytes behind its first block. Each part of the way passes on its first packet as a whole. The
 * rest follows at the rate of the slowest part, and its time counts as that part's. */
static void add_bytes(struct model *model)
{
    const struct system *system = model->system;
    uint64_t packet = lesser(model->bytes, system->packet_bytes), rest = model->bytes - packet;
    uint64_t more = beyond_block(system, packet);
    if (!model->inlined)
        model->time_ps[PART_DMA_PAYLOAD] += service_ps(more, system->pcie_bytes_per_s);
    model->time_ps[PART_WIRE] = time_of(system, TIME_WIRE) + service_ps(more, system->wire_bytes_per_s);
    model->time_ps[PART_RX_PCIE] = time_of(system, TIME_PCIE) + service_ps(more, system->pcie_bytes_per_s);
    model->time_ps[PART_RC_TO_MEM] =
        time_of(system, TIME_RC_TO_MEM_8B) + service_ps(more, system->memory_bytes_per_s);

    enum component slowest = PART_DMA_PAYLOAD;
    uint64_t rate = system->pcie_bytes_per_s;
    if (system->wire_bytes_per_s < rate)
        slowest = PART_WIRE, rate = system->wire_bytes_per_s;
    if (system->memory_bytes_per_s < rate)
        slowest = PART_RC_TO_MEM, rate = system->memory_bytes_per_s;
    model->time_ps[slowest] = ps_add(model->time_ps[slowest], service_ps(rest, rate));
}

void model_init(struct model *model, const struct system *system, uint64_t bytes)
{
    *model = (struct model){.system = system, .bytes = bytes, .inlined = bytes <= system->inline_bytes};
    uint64_t descriptor = system->header_bytes + (model->inlined ? bytes : 0);
    model->blocks = (descriptor + system->block_bytes - 1) / system->block_bytes;
    model->blocks += model->blocks == 0;
    copy_times(model);
    add_transmission(model);
    add_bytes(model);
}

/* --------------------------------------------------------------------- sums */

ps_t model_sum(const struct model *model, uint32_t parts)
{
    ps_t sum = 0;
    for (unsigned part = 0; part < PARTS; part++)
        if (parts & PART_BIT(part))
            sum = ps_add(sum, model->time_ps[part]);
    return sum;
}

ps_t model_message_injection(const struct model *model)
{
    return ps_add(model_sum(model, INJ_OVERHEAD), model_sum(model, TX_IO));
}

ps_t model_gen_completion(const struct model *model)
{
    const struct system *system = model->system;
    ps_t there = model_sum(model, TX_IO | NETWORK);
    ps_t back = time_of(system, TIME_PCIE) + time_of(system, TIME_WIRE) + time_of(system, TIME_SWITCH);
    return ps_add(there, back + time_of(system, TIME_RC_TO_MEM_64B));
}

uint64_t model_least_p(const struct model *model)
{
    uint64_t completion = (uint64_t)model_gen_completion(model), post = (uint64_t)model_sum(model, LLP_POST);
    if (!post)
        return 0;
    uint64_t p = completion / post + (completion % post != 0);
    return p ? p : 1;
}

ps_t model_channel_time(const struct model *model)
{
    const struct system *system = model->system;
    uint64_t rate =
        lesser(lesser(system->pcie_bytes_per_s, system->wire_bytes_per_s), system->memory_bytes_per_s);
    return beyond_block(system, model->bytes) ? service_ps(model->bytes, rate) : 0;
}

/* --------------------------------------------------------------------- bars */

const char *model_part_name(enum component part)
{
    static const char *const names[PARTS] = {
        [PART_MD_SETUP] = "MD setup",
        [PART_MD_BARRIER] = "Barrier for MD",
        [PART_DBC_BARRIER] = "Barrier for DBC",
        [PART_PIO_COPY] = "PIO copy",
        [PART_LLP_POST_MISC] = "Misc in LLP_post",
        [PART_LLP_PROG] = "LLP_prog",
        [PART_LLP_TX_PROG] = "LLP_tx_prog",
        [PART_BUSY_POST] = "Busy post",
        [PART_MEASUREMENT_UPDATE] = "Measurement update",
        [PART_TX_PCIE] = "TX PCIe",
        [PART_DMA_MD] = "DMA read of the descriptor",
        [PART_DMA_PAYLOAD] = "DMA read of the payload",
        [PART_WIRE] = "Wire",
        [PART_SWITCH] = "Switch",
        [PART_RX_PCIE] = "RX PCIe",
        [PART_RC_TO_MEM] = "RC-to-MEM",
        [PART_HLP_POST_MPI] = "HLP_post, MPI",
        [PART_HLP_POST_UCP] = "HLP_post, UCP",
        [PART_HLP_TX_PROG] = "HLP_tx_prog",
        [PART_MISC] = "Misc per message",
        [PART_CALLBACK_MPI] = "Callback, MPI",
        [PART_CALLBACK_UCP] = "Callback, UCP",
        [PART_AFTER_PROGRESS_MPI] = "After progress, MPI",
        [PART_WAIT_MPI] = "MPI_Wait, MPI",
        [PART_WAIT_UCP] = "MPI_Wait, UCP",
    };
    return names[part];
}

/* The bars of the figures, as sets of components. */
static const struct bar_plan {
    const char *figure, *name;
    struct {
        const char *name;
        uint32_t parts;
    } parts[BAR_PARTS];
} plans[] = {
    {"Figure 4",
     "LLP_post",
     {{"MD setup", PART_BIT(PART_MD_SETUP)},
      {"Barrier for MD", PART_BIT(PART_MD_BARRIER)},
      {"Barrier for DBC", PART_BIT(PART_DBC_BARRIER)},
      {"PIO copy", PART_BIT(PART_PIO_COPY)},
      {"Misc", PART_BIT(PART_LLP_POST_MISC)}}},
    {"Figure 8",
     "Inj_overhead (Eq. 1)",
     {{"LLP_post", LLP_POST}, {"LLP_prog", PART_BIT(PART_LLP_PROG)}, {"Misc", LLP_MISC}}},
    {"Figure 8",
     "Misc in Inj_overhead",
     {{"Busy post", PART_BIT(PART_BUSY_POST)}, {"Measurement update", PART_BIT(PART_MEASUREMENT_UPDATE)}}},
    {"Figure 10",
     "Latency of the LLP",
     {{"LLP_post", LLP_POST},
      {"TX PCIe", PART_BIT(PART_TX_PCIE)},
      {"DMA reads", DMA_READS},
      {"Wire", PART_BIT(PART_WIRE)},
      {"Switch", PART_BIT(PART_SWITCH)},
      {"RX PCIe", PART_BIT(PART_RX_PCIE)},
      {"RC-to-MEM", PART_BIT(PART_RC_TO_MEM)},
      {"LLP_prog", PART_BIT(PART_LLP_PROG)}}},
    {"Figure 11",
     "MPI_Isend above the LLP",
     {{"MPI", PART_BIT(PART_HLP_POST_MPI)}, {"UCP", PART_BIT(PART_HLP_POST_UCP)}}},
    {"Figure 11",
     "MPI_Wait above the LLP",
     {{"MPI", PART_BIT(PART_WAIT_MPI)}, {"UCP", PART_BIT(PART_WAIT_UCP)}}},
    {"Figure 12",
     "Overall injection overhead (Eq. 2)",
     {{"Post", HLP_POST | LLP_POST}, {"Post_prog", POST_PROG}, {"Misc", PART_BIT(PART_MISC)}}},
    {"Figure 13",
     "End-to-end latency",
     {{"HLP_post", HLP_POST},
      {"LLP_post", LLP_POST},
      {"TX PCIe", PART_BIT(PART_TX_PCIE)},
      {"DMA reads", DMA_READS},
      {"Wire", PART_BIT(PART_WIRE)},
      {"Switch", PART_BIT(PART_SWITCH)},
      {"RX PCIe", PART_BIT(PART_RX_PCIE)},
      {"RC-to-MEM", PART_BIT(PART_RC_TO_MEM)},
      {"LLP_prog", PART_BIT(PART_LLP_PROG)},
      {"HLP_rx_prog", HLP_RX_PROG}}},
    {"Figure 14", "Initiation", {{"LLP", LLP_POST}, {"HLP", HLP_POST}}},
    {"Figure 14",
     "Progress of a send",
     {{"LLP", PART_BIT(PART_LLP_TX_PROG)}, {"HLP", PART_BIT(PART_HLP_TX_PROG)}}},
    {"Figure 14", "Progress of a receive", {{"LLP", PART_BIT(PART_LLP_PROG)}, {"HLP", HLP_RX_PROG}}},
    {"Figure 15",
     "End-to-end latency by category",
     {{"CPU", HLP_POST | LLP_POST | PART_BIT(PART_LLP_PROG) | HLP_RX_PROG},
      {"I/O", TX_IO | RX_IO},
      {"Network", NETWORK}}},
    {"Figure 15", "CPU", {{"HLP", HLP_POST | HLP_RX_PROG}, {"LLP", LLP_POST | PART_BIT(PART_LLP_PROG)}}},
    {"Figure 15", "I/O", {{"PCIe", TX_IO | PART_BIT(PART_RX_PCIE)}, {"RC-to-MEM", PART_BIT(PART_RC_TO_MEM)}}},
    {"Figure 15", "Network", {{"Wire", PART_BIT(PART_WIRE)}, {"Switch", PART_BIT(PART_SWITCH)}}},
    {"Figure 16",
     "On the nodes",
     {{"Initiator", HLP_POST | LLP_POST | TX_IO}, {"Target", RX_IO | PART_BIT(PART_LLP_PROG) | HLP_RX_PROG}}},
    {"Figure 16", "Initiator", {{"CPU", HLP_POST | LLP_POST}, {"I/O", TX_IO}}},
    {"Figure 16", "Target", {{"CPU", PART_BIT(PART_LLP_PROG) | HLP_RX_PROG}, {"I/O", RX_IO}}},
    {"Figure 16",
     "I/O of the target",
     {{"PCIe", PART_BIT(PART_RX_PCIE)}, {"RC-to-MEM", PART_BIT(PART_RC_TO_MEM)}}},
};

size_t model_bar_count(void)
{
    return sizeof plans / sizeof *plans;
}

void model_bar(const struct model *model, size_t index, struct bar *bar)
{
    assert(index < model_bar_count());
    const struct bar_plan *plan = &plans[index];
    *bar = (struct bar){.figure = plan->figure, .name = plan->name};
    for (size_t i = 0; i < BAR_PARTS && plan->parts[i].name; i++) {
        ps_t time_ps = model_sum(model, plan->parts[i].parts);
        if (plan->parts[i].parts == DMA_READS && time_ps == 0)
            continue;
        bar->parts[bar->count++] = (struct bar_part){plan->parts[i].name, plan->parts[i].parts, time_ps};
        bar->total_ps = ps_add(bar->total_ps, time_ps);
    }
}

/* -------------------------------------------------------------------- texts */

uint64_t model_share(ps_t part_ps, ps_t total_ps)
{
    if (total_ps <= 0)
        return 0;
    return (uint64_t)(((__int128)part_ps * 10000 + total_ps / 2) / total_ps);
}

const char *model_ns(ps_t time_ps, char *buffer, size_t size)
{
    uint64_t magnitude = time_ps < 0 ? -(uint64_t)time_ps : (uint64_t)time_ps;
    int length = snprintf(buffer, size, "%s%llu.%03llu", time_ps < 0 ? "-" : "",
                          (unsigned long long)(magnitude / 1000), (unsigned long long)(magnitude % 1000));
    if (magnitude % 10 == 0 && length > 0 && (size_t)length < size)
        buffer[length - 1] = '\0';
    return buffer;
}
