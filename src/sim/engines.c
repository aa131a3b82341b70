#include "sim/engines.h"

#include "base/diag.h"
#include "engine/graph/graphs.h"
#include "engine/loggops/loggops.h"
#include "engine/openloop/openloop.h"
#include "engine/rank/ranks.h"
#include "engine/simplecomm/simplecomm.h"

/* All engines: a new one is a line here. */
static const struct engine *const engines[] = {
    &engine_ranks, &engine_openloop, &engine_simplecomm, &engine_loggops, &engine_graphs,
};

const struct engine *engines_find(const struct engine_input *input)
{
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        if (engines[i]->runs(input))
            return engines[i];
    diag_error("no engine runs %s%s%s", input->program ? input->program->name : "this program",
               input->compat ? " with compat=" : "", input->compat ? input->compat : "");
    return NULL;
}
