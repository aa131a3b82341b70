#include "engine/simplecomm/internal.h"

/* Where the checks of SimpleComm end a run although the program is right, and what this engine does instead.
 */
static const struct compat_stop {
    const char *check, *instead;
} stops[ABORTS] = {
    [ABORT_NODES] = {"Topology.py: \"Number of ranks requires to be a multiple of cores_per_node\"",
                     "the last node has fewer ranks"},
    [ABORT_PIVOT] = {"Top_Hybrid.py: \"FMU is worse than Network for large messages, but better on small\"",
                     "messages up to the pivot take FMUs"},
    [ABORT_ROOM] = {"CheckMatch.py: sendrecv.size <= partner.size",
                    "a message that is larger than its receive moves whole"},
    [ABORT_CLOCK] =
        {"SimulationEngine.py: \"Rank: cycle\"",
         "a message ended before the time that its rank has reached, and the clock of the rank stays"},
    [ABORT_FMU_ORDER] = {"Contention_FlexibleMemoryUnit.py: \"what?\"",
                         "an FMU that would become idle earlier than known before stays busy"},
    [ABORT_SENT] = {"MPI_Constants.py: checkIfTransmittedDataIsCorrect",
                    "it counts bytes within nodes at the speed of the network; the count is ignored"},
    [ABORT_NOTHING_OPEN] = {"\"No valid Match was found\"",
                            "a rank that has nothing to wait for goes on, although no message is under way"},
    [ABORT_SEND_BLOCKED] = {"\"No valid Match was found\"",
                            "ranks that are blocked by eager sends go on before the receives are posted"},
    [ABORT_WAITALL] = {"Rank.py: self.waitall == 0, which never comes true",
                       "a waitall completes all requests that are done, even if they are more than it names"},
    [ABORT_ACTION] = {"\"Unknown Operation\"",
                      "a sendrecv is two messages of tag 0, a sleep takes its time, a test does nothing"},
};

void compat_abort(struct simplecomm *engine, enum compat_abort reason)
{
    if (engine->aborts[reason]++ == 0)
        diag_warning("fabric %s: SimpleComm itself stops here (%s); %s", engine->params->fabric->name,
                     stops[reason].check, stops[reason].instead);
}

enum status compat_too_large(const struct simplecomm *engine)
{
    diag_error(
        "fabric %s: a message has 2^63 bytes or more, with the factor simplecomm.booster_factor; lower it",
        engine->params->fabric->name);
    return STATUS_FAILED;
}

enum status compat_too_long(const struct simplecomm *engine)
{
    diag_error("fabric %s: simulated time passes 2^63 ps (106 days); the parameters make the run too long",
               engine->params->fabric->name);
    return STATUS_FAILED;
}
