#include "cli/breakdown_machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/memory_stream.h"
#include "base/units.h"
#include "breakdown/model.h"
#include "engine/params.h"
#include "output/output.h"
#include "sim/components.h"

/* `helio breakdown measure --into`: a measured host model becomes a part of a machine file. */

enum { SMALL_BYTES = 8, CHANGES = 4 };

enum status breakdown_machine_open(struct breakdown_machine *into, const char *path)
{
    size_t count, length;
    const struct param_table *const *tables = components_params(&count);
    *into = (struct breakdown_machine){.path = path};
    if (machine_preset(path) || !(into->text = config_load_file(path, &length))) {
        if (machine_preset(path))
            diag_error("--into changes a machine file, and %s is a machine of this program", path);
        return STATUS_BAD_INPUT;
    }
    into->like = config_open(tables, count);
    if (!into->like)
        return STATUS_FAILED;
    enum status status = machine_open_text(&into->machine, path, into->text, length, into->like);
    if (status != STATUS_OK)
        return status;
    into->mpi = config_text(into->machine.config, "mpi.tuning");
    if (strcmp(into->mpi, "none") == 0)
        into->mpi = NULL;
    return STATUS_OK;
}

void breakdown_machine_close(struct breakdown_machine *into)
{
    if (into->machine.config)
        machine_close(&into->machine);
    if (into->like)
        config_close(into->like);
    free(into->text);
    free(into->system);
    free(into->kind);
}

enum status breakdown_machine_take(struct breakdown_machine *into, const struct measurement *measurement,
                                   const struct measure_result *result)
{
    size_t length;
    if (!result->has_mpi || (into->mpi && strcmp(into->mpi, measurement->kind) != 0))
        return STATUS_OK;
    if (into->system) {
        diag_error("a machine has one host model, and two were measured, of %s and %s; choose one with --mpi",
                   into->kind, measurement->kind);
        return STATUS_BAD_INPUT;
    }
    FILE *out = memory_stream_open(&into->system, &length);
    enum status status = measure_write_system(measurement, result, out);
    fclose(out);
    into->kind = mem_text(measurement->kind);
    return status;
}

/* -------------------------------------------------------------- latencies */

static bool is_given(const struct breakdown_machine *into, const char *param)
{
    return strcmp(config_origin(into->machine.config, param), "default") != 0;
}

static ps_t time_of(const struct breakdown_machine *into, const char *param)
{
    return *(const ps_t *)config_field(into->machine.config, param);
}

static char *time_text(ps_t time)
{
    char buffer[64];
    return mem_text(units_print_time(time, buffer, sizeof buffer));
}

static ps_t at_least_0(ps_t time, const char *what)
{
    if (time >= 0)
        return time;
    diag_warning("the host model alone is longer than %s, which is now 0", what);
    return 0;
}

/* With a host model a fabric's latency is that of wires and switches alone. So they get what the host model
 * leaves of the latency between nodes; on one node, what it has as its own wire. False: the file says what
 * wires and switches take. */
static bool find_wire(const struct breakdown_machine *into, const struct model *model,
                      struct machine_change *change)
{
    ps_t both_ends = model_sum(model, END_TO_END_LATENCY & ~(uint32_t)NETWORK), wire;
    bool is_ours = into->machine.system_origin != NULL; /* from an earlier --into */
    if (is_given(into, "switch.latency") || (is_given(into, "wire.latency") && !is_ours))
        return false;
    if (is_given(into, "nic.latency")) {
        ps_t latency =
            2 * time_of(into, "nic.latency") + time_of(into, "host.send") + time_of(into, "host.receive");
        char *whole = time_text(latency), *hosts = time_text(both_ends);
        wire = at_least_0(latency - both_ends, "the latency between nodes without wires and switches");
        change->source =
            mem_format("half of what the host model, %s, leaves of the latency between nodes, %s: "
                       "wires and switches",
                       hosts, whole);
        free(whole);
        free(hosts);
    } else {
        wire = model_sum(model, NETWORK);
        change->source = mem_text("half of Wire and Switch of the host model: no latency between nodes was "
                                  "measured");
    }
    change->param = "wire.latency";
    change->value = time_text(wire / 2);
    return true;
}

/* With a host model a message within a node also takes the software of both ends but LLP_post, which the
 * measured times contain. */
enum { WITHIN = HLP_POST | PART_BIT(PART_LLP_PROG) | HLP_RX_PROG };

/* What is to be taken off. The software of the model before is off already. */
static enum status find_software(const struct breakdown_machine *into, const struct model *model, ps_t *off)
{
    struct system_file before;
    struct model of_before;
    *off = model_sum(model, WITHIN);
    if (!into->machine.system_origin)
        return STATUS_OK;
    enum status status = system_init_text(&before, into->path, into->text, strlen(into->text));
    if (status != STATUS_OK)
        return status;
    model_init(&of_before, &before.system, SMALL_BYTES);
    *off -= model_sum(&of_before, WITHIN);
    system_free(&before);
    return STATUS_OK;
}

static void change_latency(const struct breakdown_machine *into, const struct model *model, ps_t off,
                           struct machine_change *change)
{
    ps_t software = model_sum(model, WITHIN), rest = time_of(into, "intranode.latency") - off;
    char *latency = time_text(rest + software), *part = time_text(software);
    *change = (struct machine_change){
        .param = "intranode.latency",
        .value = time_text(at_least_0(rest, "the rest of the latency within a node")),
        .source = mem_format(
            "what the host model's software but LLP_post, %s, leaves of the latency within a node, %s", part,
            latency)};
    free(latency);
    free(part);
}

static void change_times(const struct breakdown_machine *into, const struct model *model, ps_t off,
                         struct machine_change *change)
{
    const struct node_config *node = config_of(into->machine.config, &node_params);
    char *text, *part = time_text(model_sum(model, WITHIN)), size[64], time[64];
    size_t length;
    FILE *out = memory_stream_open(&text, &length);
    for (uint32_t i = 0; i < node->times.count; i++)
        fprintf(out, "%s%s:%s", i > 0 ? "," : "", units_print_size(node->times.bytes[i], size, sizeof size),
                units_print_time(ps_max(node->times.time_ps[i] - off, 0), time, sizeof time));
    fclose(out);
    for (char *from = text, *to = text; (*to = *from); from++)
        to += *from != ' ';
    *change = (struct machine_change){
        .param = "intranode.times",
        .value = text,
        .source = mem_format("what the host model's software but LLP_post, %s, leaves of the measured times",
                             part)};
    free(part);
}

/* ---------------------------------------------------------------- writing */

static enum status write_text(const char *path, const char *text, size_t length)
{
    struct output output;
    enum status status = output_open_changed(&output, path);
    if (status != STATUS_OK)
        return status;
    fwrite(text, 1, length, output.file);
    status = output_close(&output, STATUS_OK);
    if (status == STATUS_OK)
        diag_note("%s: has the host model as its section system", path);
    return status;
}

static enum status edit(const struct breakdown_machine *into, const struct machine_change *changes,
                        size_t count)
{
    size_t length;
    char *text = machine_edit(into->text, changes, count, into->system, &length);
    enum status status = machine_verify(into->path, text, length, changes, count, into->like);
    if (status == STATUS_OK)
        status = write_text(into->path, text, length);
    free(text);
    return status;
}

enum status breakdown_machine_write(const struct breakdown_machine *into)
{
    struct machine_change changes[CHANGES] = {{"host.system", NULL, NULL}};
    struct system_file file;
    struct model model;
    size_t count = 1;
    if (!into->system) {
        diag_error("%s stays as it is: no sound measurement of %s was made", into->path,
                   into->mpi ? into->mpi : "an MPI library");
        return STATUS_FAILED;
    }
    enum status status = system_init_text(&file, "the host model", into->system, strlen(into->system));
    if (status != STATUS_OK)
        return status;
    model_init(&model, &file.system, SMALL_BYTES);
    changes[0].source = mem_format("measured by helio breakdown measure: %s", file.system.name);
    if (find_wire(into, &model, &changes[count]))
        count++;
    ps_t off;
    status = find_software(into, &model, &off);
    if (status == STATUS_OK && is_given(into, "intranode.latency"))
        change_latency(into, &model, off, &changes[count++]);
    if (status == STATUS_OK && is_given(into, "intranode.times"))
        change_times(into, &model, off, &changes[count++]);
    if (status == STATUS_OK)
        status = edit(into, changes, count);
    for (size_t i = 0; i < count; i++) {
        free((char *)(uintptr_t)changes[i].value);
        free((char *)(uintptr_t)changes[i].source);
    }
    system_free(&file);
    return status;
}
