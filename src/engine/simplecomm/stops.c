#include "engine/simplecomm/internal.h"

/* Where SimpleComm's own checks end it, though the program is a good one, and how this engine goes on. */
static const struct compat_stop {
    const char *check, *instead;
} stops[ABORTS] = {
    [ABORT_NODES] = {"Topology.py: \"Number of ranks requires to be a multiple of cores_per_node\"",
                     "the last node has fewer ranks"},
    [ABORT_PIVOT] = {"Top_Hybrid.py: \"FMU is worse than Network for large messages, but better on small\"",
                     "messages up to the pivot take FMUs"},
    [ABORT_ROOM] = {"CheckMatch.py: sendrecv.size <= partner.size",
                    "a message that is larger than the receive which its tag leads it to moves whole"},
    [ABORT_CLOCK] = {"SimulationEngine.py: \"Rank: cycle\"",
                     "a message ended before what its rank has done since, and the rank's clock stays"},
    [ABORT_FMU_ORDER] = {"Contention_FlexibleMemoryUnit.py: \"what?\"",
                         "an FMU that would be busy for less long than before stays busy"},
    [ABORT_SENT] = {"MPI_Constants.py: checkIfTransmittedDataIsCorrect",
                    "it counts bytes within nodes at the network's speed, and the count is passed over"},
    [ABORT_NOTHING_OPEN] = {"\"No valid Match was found\"",
                            "a rank that has nothing more to wait for goes on, though nothing is under way"},
    [ABORT_SEND_BLOCKED] = {"\"No valid Match was found\"",
                            "ranks that are blocked by eager sends go on before their receives are posted"},
    [ABORT_WAITALL] = {"Rank.py: self.waitall == 0, for which it waits for ever",
                       "a waitall takes all requests that are done, also more than it names"},
    [ABORT_ACTION] = {"\"Unknown Operation\"",
                      "a sendrecv is two messages of tag 0, a sleep takes its time, a test does nothing"},
};

void compat_abort(struct simplecomm *engine, enum compat_abort reason)
{
    if (engine->aborts[reason]++ == 0)
        diag_warning("fabric %s: SimpleComm itself stops here (%s); %s", engine->params->fabric->name,
                     stops[reason].check, stops[reason].instead);
}

enum status compat_too_long(const struct simplecomm *engine)
{
    diag_error("fabric %s: simulated time passes 2^63 ps (106 days); the parameters make the run too long",
               engine->params->fabric->name);
    return STATUS_FAILED;
}
