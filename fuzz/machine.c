/* Any bytes as a machine file: refused, or a small program is run on the machine. What it derives has its
 * values in the canonical form, so that applying it again changes nothing. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "breakdown/system.h"
#include "fuzz/fuzz_config.h"
#include "fuzz/fuzz_run.h"
#include "machine/machine.h"

static size_t errors;

static void count_errors(void *self, enum diag_level level, const char *message)
{
    (void)self, (void)message;
    errors += level == DIAG_ERROR;
}

static void compare(void *self, const struct param *param, const char *value, const char *origin)
{
    const struct config *once = self;
    const char *before = config_text(once, param->name);
    (void)origin;
    fuzz_must(before == value || (before && value && strcmp(before, value) == 0),
              "a machine that is applied twice changes %s", param->name);
}

static bool run(const struct config *config)
{
    struct program *program = fuzz_workload("alltoall:ranks=4,bytes=1kB");
    bool has_ended = fuzz_run(config, program);
    program->ops->close(program);
    return has_ended;
}

static bool apply(const struct machine *machine, const char *fabric)
{
    struct config *config = fuzz_config_open();
    bool has_ended = false;
    config_assign(config, "fabric", fabric, "fuzz");
    enum status status = machine_apply(machine, config, NULL, NULL);
    fuzz_must((status == STATUS_OK) == (errors == 0),
              "refused without a word, or applied in spite of an error");
    if (status == STATUS_OK) {
        struct config *once = config_copy(config);
        fuzz_must(machine_apply(machine, config, NULL, NULL) == STATUS_OK,
                  "a machine is refused the second time");
        config_each(config, once, compare);
        config_close(once);
        has_ended = run(config);
    }
    config_close(config);
    return has_ended;
}

/* Other values in place of its own: what is not refused has them, and the host model too. */
static void edit(const char *text, size_t size, const struct config *like)
{
    static const struct machine_change changes[] = {{"wire.latency", "7 ns", "fuzz"},
                                                    {"host.system", NULL, "fuzz"}};
    const size_t count = sizeof changes / sizeof *changes;
    const struct embedded_file *system = system_named("thunderx2");
    char *copy = mem_format("%.*s", (int)size, text),
         *mine = mem_format("%.*s", (int)system->length, system->text);
    struct machine machine;
    size_t length;
    char *edited = machine_edit(copy, changes, count, mine, &length), *again = NULL;
    fuzz_be_silent();
    if (machine_verify("fuzz.yaml", edited, length, changes, count, like) == STATUS_OK) {
        fuzz_must(machine_open_text(&machine, "fuzz.yaml", edited, length, like) == STATUS_OK,
                  "an edited machine is refused");
        fuzz_must(strcmp(config_text(machine.config, "wire.latency"), "7 ns") == 0, "a value is not changed");
        machine_close(&machine);
        again = machine_edit(edited, changes, count, mine, &length);
        fuzz_must(machine_verify("fuzz.yaml", again, length, changes, count, like) == STATUS_OK,
                  "an edited machine cannot be edited again");
    }
    free(again);
    free(edited);
    free(mine);
    free(copy);
}

bool fuzz_target(const uint8_t *data, size_t size)
{
    static const char *const fabrics[] = {"hockney,packet", "fmu,hybrid", "circuit,segment",
                                          "tdm-dynamic,packetised", "ideal"};
    struct config *like = fuzz_config_open();
    struct machine machine;
    bool has_ended = false;
    errors = 0;
    diag_set_sink(count_errors, NULL); /* in place of the silent one */
    enum status status = machine_open_text(&machine, "fuzz.yaml", (const char *)data, size, like);
    fuzz_must((status == STATUS_OK) == (errors == 0), "refused without a word, or read in spite of an error");
    if (status == STATUS_OK) {
        has_ended = apply(&machine, fabrics[size % (sizeof fabrics / sizeof *fabrics)]);
        machine_check(&machine);
        machine_close(&machine);
        edit((const char *)data, size, like);
    }
    fuzz_be_silent();
    config_close(like);
    return has_ended;
}
