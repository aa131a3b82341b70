#include "breakdown/system.h"

#include <stdio.h>
#include <string.h>

#include "base/config.h"
#include "base/diag.h"
#include "base/mem.h"
#include "base/units.h"

/* A system file is read as an experiment file is, with one table of parameters. A time is "27.78 ns", or a
 * list of the time and its source. */
static bool parse_value(const struct param *param, const char *text, void *field,
                        struct param_problem *problem)
{
    struct system_value value = {.given = true};
    struct units_problem unit_problem;
    char time[64];
    size_t length = strcspn(text, ",");
    if (length >= sizeof time) {
        snprintf(problem->text, sizeof problem->text,
                 "%s is a time, such as 27.78 ns, or a list of it and its source", param->name);
        problem->at = 0;
        return false;
    }
    snprintf(time, sizeof time, "%.*s", (int)length, text);
    if (!units_time(time, &value.time_ps, &unit_problem)) {
        snprintf(problem->text, sizeof problem->text, "%s", unit_problem.text);
        problem->at = unit_problem.at;
        return false;
    }
    if (value.time_ps > PS_PER_S) {
        snprintf(problem->text, sizeof problem->text, "%s is at most 1 s, not %s", param->name, time);
        problem->at = 0;
        return false;
    }
    if (text[length])
        snprintf(value.source, sizeof value.source, "%s", text + length + 1);
    *(struct system_value *)field = value;
    return true;
}

#define VALUE(key, field, text)                                                                              \
    {                                                                                                        \
        .name = (key), .type = PARAM_CUSTOM, .offset = offsetof(struct system, field), .parse = parse_value, \
        .doc = (text)                                                                                        \
    }
#define TIME(key, time, text)     VALUE(key, times[time], text)
#define OBSERVED(key, what, text) VALUE(key, observed[what], text)

PARAM_TABLE(
    system_params, "system", struct system, "a system of two nodes, as Breaking Band, Table 1, describes one",
    {.name = "name", .type = PARAM_TEXT, .offset = offsetof(struct system, name), .doc = "for people"},
    TIME("LLP_post.MD_setup", TIME_MD_SETUP, "message descriptor setup"),
    TIME("LLP_post.MD_barrier", TIME_MD_BARRIER, "barrier for the message descriptor"),
    TIME("LLP_post.DBC_barrier", TIME_DBC_BARRIER, "barrier for the DoorBell counter"),
    TIME("LLP_post.PIO_copy", TIME_PIO_COPY, "one block written to the NIC"),
    TIME("LLP_post.misc", TIME_LLP_POST_MISC, "the rest of LLP_post"),
    TIME("LLP_prog", TIME_LLP_PROG, "one entry of the completion queue"),
    TIME("busy_post", TIME_BUSY_POST, "a post that finds the transmit queue full"),
    TIME("measurement_update", TIME_MEASUREMENT_UPDATE, "of the injection benchmark, per message"),
    TIME("PCIe", TIME_PCIE, "one block between root complex and NIC"),
    TIME("Wire", TIME_WIRE, "between two NICs"), TIME("Switch", TIME_SWITCH, "what a switch adds"),
    TIME("RC_to_MEM.8B", TIME_RC_TO_MEM_8B, "the root complex writes 8 bytes to memory"),
    TIME("RC_to_MEM.64B", TIME_RC_TO_MEM_64B, "the same for a completion; by default that of 8 bytes"),
    TIME("MEM_read", TIME_MEM_READ, "the root complex reads memory for the NIC; by default 0"),
    TIME("copy.piece", TIME_COPY_PIECE, "a copy that does not continue the one before; by default 0"),
    TIME("barrier", TIME_BARRIER, "of the ranks of a node, for each; by default 0"),
    TIME("flag", TIME_FLAG, "raising or awaiting one within a node; by default 0"),
    TIME("NIC_gap", TIME_NIC_GAP, "between two messages of a NIC, each way; by default 0"),
    TIME("doorbell", TIME_DOORBELL, "the 8-byte write in place of the PIO copy; by default 0"),
    TIME("HLP_post.MPI", TIME_HLP_POST_MPI, "MPI_Isend in the MPI library"),
    TIME("HLP_post.UCP", TIME_HLP_POST_UCP, "MPI_Isend in UCP"),
    VALUE("Post_prog", post_prog, "progress of one send, HLP and LLP"),
    TIME("Misc", TIME_MISC, "busy posts, per send of MPI"),
    TIME("HLP_rx_prog.MPI_callback", TIME_CALLBACK_MPI,
         "callback of a completed MPI_Irecv in the MPI library"),
    TIME("HLP_rx_prog.UCP_callback", TIME_CALLBACK_UCP, "the same in UCP"),
    TIME("HLP_rx_prog.MPI_after", TIME_AFTER_PROGRESS_MPI, "MPI_Wait, once progress has returned"),
    TIME("Wait.MPI", TIME_WAIT_MPI, "a successful MPI_Wait of an MPI_Irecv in the MPI library"),
    TIME("Wait.UCP", TIME_WAIT_UCP, "the same in UCP"),
    OBSERVED("observed.Inj_overhead", OBSERVED_INJ_OVERHEAD, "at the NIC, without MPI"),
    OBSERVED("observed.LLP_latency", OBSERVED_LLP_LATENCY, "half a round trip, without MPI"),
    OBSERVED("observed.LLP_deduction", OBSERVED_LLP_DEDUCTION, "what of it the benchmark itself took"),
    OBSERVED("observed.overall_injection", OBSERVED_OVERALL_INJECTION, "with MPI"),
    OBSERVED("observed.latency", OBSERVED_LATENCY, "with MPI"),
    {.name = "c",
     .type = PARAM_COUNT,
     .offset = offsetof(struct system, signal_period),
     .default_text = "64",
     .min = "1",
     .max = "1000000",
     .doc = "one completion for every c sends"},
    {.name = "b",
     .type = PARAM_COUNT,
     .offset = offsetof(struct system, completion_batch),
     .default_text = "1",
     .min = "1",
     .max = "1000000",
     .doc = "completions polled at a time"},
    {.name = "queue_depth",
     .type = PARAM_COUNT,
     .offset = offsetof(struct system, queue_depth),
     .default_text = "256",
     .min = "1",
     .max = "1000000",
     .doc = "sends in the transmit queue"},
    {.name = "receive_depth",
     .type = PARAM_COUNT,
     .offset = offsetof(struct system, receive_depth),
     .default_text = "4096",
     .min = "1",
     .max = "1000000",
     .doc = "messages that have come and were not polled; UCX's receive queue by default"},
    {.name = "credits",
     .type = PARAM_COUNT,
     .offset = offsetof(struct system, credits),
     .default_text = "0",
     .max = "4096",
     .doc = "writes under way on PCIe, each way; 0 = no limit"},
    {.name = "post",
     .type = PARAM_CHOICE,
     .offset = offsetof(struct system, post),
     .default_text = "pio",
     .choices = (const char *const[]){"pio", "doorbell", NULL},
     .doc = "the CPU writes the descriptor to the NIC, or the NIC fetches it"},
    {.name = "block",
     .type = PARAM_SIZE,
     .offset = offsetof(struct system, block_bytes),
     .default_text = "64 B",
     .min = "8 B",
     .max = "4 KiB",
     .doc = "of one PIO copy, and of a descriptor"},
    {.name = "header",
     .type = PARAM_SIZE,
     .offset = offsetof(struct system, header_bytes),
     .default_text = "32 B",
     .max = "4 KiB",
     .doc = "of a descriptor, in front of an inlined payload"},
    {.name = "inline",
     .type = PARAM_SIZE,
     .offset = offsetof(struct system, inline_bytes),
     .default_text = "188 B",
     .max = "1 MiB",
     .doc = "the largest payload that is inlined; the NIC fetches larger ones"},
    {.name = "packet",
     .type = PARAM_SIZE,
     .offset = offsetof(struct system, packet_bytes),
     .default_text = "256 B",
     .min = "8 B",
     .max = "4 KiB",
     .doc = "of PCIe: what each part of the way passes on as a whole"},
    {.name = "copy.L2",
     .type = PARAM_SIZE,
     .offset = offsetof(struct system, copy_l2_bytes),
     .default_text = "1 MiB",
     .doc = "cache of one core: what is copied at copy.L2_rate"},
    {.name = "copy.LLC",
     .type = PARAM_SIZE,
     .offset = offsetof(struct system, copy_llc_bytes),
     .default_text = "32 MiB",
     .doc = "cache of all cores: what is copied at copy.LLC_rate"},
    {.name = "copy.LLC_count",
     .type = PARAM_COUNT,
     .offset = offsetof(struct system, copy_llc_count),
     .default_text = "1",
     .min = "1",
     .max = "1024",
     .doc = "number of caches of size copy.LLC in a node, one for each processor; for host.caches = parts"},
    {.name = "copy.NIC",
     .type = PARAM_SIZE,
     .offset = offsetof(struct system, copy_nic_bytes),
     .default_text = "0 B",
     .doc = "how much of LLC the NIC may fill with messages that arrive; for host.caches = parts"},
    {.name = "copy.L2_rate",
     .type = PARAM_RATE,
     .offset = offsetof(struct system, copy_l2_bytes_per_s),
     .default_text = "0 B/s",
     .doc = "of a copy within one core's cache; 0 = that of LLC"},
    {.name = "copy.LLC_rate",
     .type = PARAM_RATE,
     .offset = offsetof(struct system, copy_llc_bytes_per_s),
     .default_text = "0 B/s",
     .doc = "within the cache of all cores; 0 = that of DRAM"},
    {.name = "copy.DRAM_rate",
     .type = PARAM_RATE,
     .offset = offsetof(struct system, copy_dram_bytes_per_s),
     .default_text = "0 B/s",
     .doc = "of a larger copy; 0 = copies cost nothing"},
    {.name = "copy.node_rate",
     .type = PARAM_RATE,
     .offset = offsetof(struct system, copy_node_bytes_per_s),
     .default_text = "0 B/s",
     .doc = "of all cores of a node to and from memory; 0 = no limit"},
    {.name = "bandwidth.PCIe",
     .type = PARAM_RATE,
     .offset = offsetof(struct system, pcie_bytes_per_s),
     .default_text = "15.75 GB/s",
     .min = "1 B/s",
     .doc = "of bytes behind the first block; PCIe 3.0 x16 by default"},
    {.name = "bandwidth.Wire",
     .type = PARAM_RATE,
     .offset = offsetof(struct system, wire_bytes_per_s),
     .default_text = "12.5 GB/s",
     .min = "1 B/s",
     .doc = "the same on the wire; InfiniBand EDR by default"},
    {.name = "bandwidth.MEM",
     .type = PARAM_RATE,
     .offset = offsetof(struct system, memory_bytes_per_s),
     .default_text = "15.75 GB/s",
     .min = "1 B/s",
     .doc = "the same of the root complex writing to memory; that of PCIe by default"});

static const struct param_table *const tables[] = {&system_params};

const char *system_time_name(enum system_time time)
{
    if (time == TIME_HLP_TX_PROG)
        return "HLP_tx_prog";
    for (size_t i = 0; i < system_params.count; i++)
        if (system_params.params[i].offset ==
            offsetof(struct system, times) + time * sizeof(struct system_value))
            return system_params.params[i].name;
    return "";
}

ps_t system_llp_tx_prog(const struct system *system)
{
    ps_t period = (ps_t)system->signal_period;
    return (system->times[TIME_LLP_PROG].time_ps + period / 2) / period;
}

/* ------------------------------------------------------------------- checks */

static void take_default(struct system_value *value, ps_t time_ps, const char *why)
{
    if (value->given)
        return;
    value->time_ps = time_ps;
    snprintf(value->source, sizeof value->source, "%s", why);
}

static bool is_optional(enum system_time time)
{
    return time == TIME_RC_TO_MEM_64B || time == TIME_MEM_READ || time == TIME_DOORBELL ||
           time == TIME_NIC_GAP || time == TIME_COPY_PIECE || time == TIME_BARRIER || time == TIME_FLAG ||
           time == TIME_WAIT_MPI || time == TIME_WAIT_UCP || time == TIME_HLP_TX_PROG;
}

static enum status check(struct system *system, const char *name)
{
    enum status status = STATUS_OK;
    for (enum system_time time = 0; time < SYSTEM_TIMES; time++) {
        if (system->times[time].given || is_optional(time))
            continue;
        diag_error("%s: %s is missing; for a system without it write '%s: [0 ns, why]'", name,
                   system_time_name(time), system_time_name(time));
        status = STATUS_BAD_INPUT;
    }
    if (!system->post_prog.given) {
        diag_error("%s: Post_prog is missing; for a system without it write 'Post_prog: [0 ns, why]'", name);
        return STATUS_BAD_INPUT;
    }
    if (system->header_bytes > system->block_bytes) {
        diag_error("%s: a header of %llu B does not fit into a block of %llu B", name,
                   (unsigned long long)system->header_bytes, (unsigned long long)system->block_bytes);
        return STATUS_BAD_INPUT;
    }
    if (system->inline_bytes > system->packet_bytes) {
        diag_error("%s: 'inline' is at most 'packet', because a descriptor fits into one packet", name);
        return STATUS_BAD_INPUT;
    }
    if (status != STATUS_OK)
        return status;
    take_default(&system->times[TIME_RC_TO_MEM_64B], system->times[TIME_RC_TO_MEM_8B].time_ps,
                 "not known: that of 8 bytes");
    take_default(&system->times[TIME_MEM_READ], 0, "not known");
    take_default(&system->times[TIME_DOORBELL], 0, "not known");
    take_default(&system->times[TIME_NIC_GAP], 0, "not known");
    take_default(&system->times[TIME_COPY_PIECE], 0, "not known");
    take_default(&system->times[TIME_BARRIER], 0, "not known");
    take_default(&system->times[TIME_FLAG], 0, "not known");
    if (!system->copy_llc_bytes_per_s)
        system->copy_llc_bytes_per_s = system->copy_dram_bytes_per_s;
    if (!system->copy_l2_bytes_per_s)
        system->copy_l2_bytes_per_s = system->copy_llc_bytes_per_s;
    ps_t llp_tx_prog = system_llp_tx_prog(system);
    if (llp_tx_prog > system->post_prog.time_ps) {
        diag_error("%s: Post_prog is less than LLP_prog / c, which is a part of it", name);
        return STATUS_BAD_INPUT;
    }
    take_default(&system->times[TIME_HLP_TX_PROG], system->post_prog.time_ps - llp_tx_prog,
                 "Post_prog - LLP_prog / c");
    return STATUS_OK;
}

/* -------------------------------------------------------------------- files */

static enum status finish(struct system_file *file, const char *name, enum status read)
{
    if (read == STATUS_OK) {
        file->system = *(const struct system *)config_of(file->config, &system_params);
        read = check(&file->system, name);
    }
    if (read != STATUS_OK)
        system_free(file);
    return read;
}

static void note_section(void *self, struct config_reader *reader, const struct config_node *node)
{
    (void)reader, (void)node;
    *(bool *)self = true;
}

bool system_is_section(const char *name, const char *text, size_t length)
{
    bool is_there = false;
    const struct config_section section = {SYSTEM_SECTION, note_section};
    config_scan_text(name, text, length, &section, &is_there);
    return is_there;
}

enum status system_init_text(struct system_file *file, const char *name, const char *text, size_t length)
{
    *file = (struct system_file){.config = config_open(tables, 1)};
    if (!file->config)
        return STATUS_FAILED;
    return finish(file, name,
                  system_is_section(name, text, length)
                      ? config_read_text_under(file->config, name, text, length, SYSTEM_SECTION)
                      : config_read_text(file->config, name, text, length));
}

const struct embedded_file *system_named(const char *name)
{
    char *ending = mem_format("/systems/%s.yaml", name);
    size_t length = strlen(ending);
    const struct embedded_file *file = system_files, *found = NULL;
    for (; file->path && !found; file++) {
        size_t path_length = strlen(file->path);
        if (path_length >= length && strcmp(file->path + path_length - length, ending) == 0)
            found = file;
    }
    free(ending);
    return found;
}

/* The systems that need no file. */
static void note_names(void)
{
    char names[256] = "";
    for (const struct embedded_file *file = system_files; file->path; file++) {
        const char *name = strrchr(file->path, '/') + 1;
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%.*s", *names ? ", " : "",
                 (int)strcspn(name, "."), name);
    }
    diag_note("systems of this program: %s", names);
}

enum status system_init(struct system_file *file, const char *path)
{
    const struct embedded_file *named = system_named(path ? path : "thunderx2");
    if (named)
        return system_init_text(file, named->path, named->text, named->length);
    if (!path) {
        diag_error("this program has no system 'thunderx2', which is the default");
        return STATUS_BAD_INPUT;
    }
    size_t length;
    char *text = config_load_file(path, &length);
    if (!text && !strpbrk(path, "/.")) /* it looks like a name */
        note_names();
    enum status status = text ? system_init_text(file, path, text, length) : STATUS_BAD_INPUT;
    if (status == STATUS_OK)
        file->path = path;
    free(text);
    return status;
}

void system_free(struct system_file *file)
{
    if (file->config)
        config_close(file->config);
    file->config = NULL;
}
