#include "trace/ti/action_table.h"

#include <string.h>

#include "base/diag.h"
#include "call/call.h"

#define POINT      "<rank> <tag> <count> [<datatype>]"
#define BCAST      "<count> [<root> [<datatype>]]"
#define REDUCE     "<count> <amount> [<root> [<datatype>]]"
#define ALLREDUCE  "<count> <amount> [<datatype>]"
#define UNIFORM    "<send count> <receive count> [<send datatype> [<receive datatype>]]"
#define ROOTED     "<send count> <receive count> [<root> [<send datatype> [<receive datatype>]]]"
#define GATHERV    "<send count> <receive count per rank> [<root> [<send datatype> [<receive datatype>]]]"
#define SCATTERV   "<send count per rank> <receive count> [<root> [<send datatype> [<receive datatype>]]]"
#define ALLGATHERV "<send count> <receive count per rank> [<send datatype> [<receive datatype>]]"
#define ALLTOALLV                                                                                            \
    "<buffer size> <send count per rank> <buffer size> <receive count per rank> "                            \
    "[<send datatype> [<receive datatype>]]"
#define REDUCE_SCATTER "<receive count per rank> <amount> [<datatype>]"

/* '*': all further fields are skipped. */
static const struct action_form forms[] = {
    {"init", CALL_INIT, 0, "*", ""},
    {"finalize", CALL_FINALIZE, 0, "", ""},
    {"compute", CALL_COMPUTE, 0, "a", "<amount>"},
    {"sleep", CALL_SLEEP, 0, "a", "<seconds>"},
    {"send", CALL_SEND, 0, "dtcx", POINT},
    {"isend", CALL_SEND, CALL_IMMEDIATE, "dtcx", POINT},
    {"Ssend", CALL_SEND, CALL_SYNCHRONOUS, "dtcx", POINT},
    {"ISsend", CALL_SEND, CALL_IMMEDIATE | CALL_SYNCHRONOUS, "dtcx", POINT},
    {"bsend", CALL_SEND, CALL_BUFFERED, "dtcx", POINT},
    {"ibsend", CALL_SEND, CALL_IMMEDIATE | CALL_BUFFERED, "dtcx", POINT},
    {"recv", CALL_RECV, 0, "stCX", POINT},
    {"irecv", CALL_RECV, CALL_IMMEDIATE, "stCX", POINT},
    {"sendRecv", CALL_SENDRECV, 0, "cdCsxX",
     "<send count> <destination> <receive count> <source> [<send datatype> [<receive datatype>]]"},
    {"wait", CALL_WAIT, 0, "sdt", "<source> <destination> <tag>"},
    {"test", CALL_TEST, 0, "sdt", "<source> <destination> <tag>"},
    {"waitall", CALL_WAITALL, 0, "c", "<requests>"},
    {"comm_size", CALL_NOTHING, 0, "*", ""},
    {"comm_split", CALL_NOTHING, 0, "*", ""},
    {"comm_dup", CALL_NOTHING, 0, "*", ""},
    {"location", CALL_NOTHING, 0, "*", ""},
    {"barrier", CALL_BARRIER, 0, "", ""},
    {"ibarrier", CALL_BARRIER, CALL_IMMEDIATE, "", ""},
    {"bcast", CALL_BCAST, 0, "crx", BCAST},
    {"ibcast", CALL_BCAST, CALL_IMMEDIATE, "crx", BCAST},
    {"reduce", CALL_REDUCE, 0, "carx", REDUCE},
    {"ireduce", CALL_REDUCE, CALL_IMMEDIATE, "carx", REDUCE},
    {"allreduce", CALL_ALLREDUCE, 0, "cax", ALLREDUCE},
    {"iallreduce", CALL_ALLREDUCE, CALL_IMMEDIATE, "cax", ALLREDUCE},
    {"scan", CALL_SCAN, 0, "cax", ALLREDUCE},
    {"iscan", CALL_SCAN, CALL_IMMEDIATE, "cax", ALLREDUCE},
    {"exscan", CALL_EXSCAN, 0, "cax", ALLREDUCE},
    {"iexscan", CALL_EXSCAN, CALL_IMMEDIATE, "cax", ALLREDUCE},
    {"alltoall", CALL_ALLTOALL, 0, "cCxX", UNIFORM},
    {"ialltoall", CALL_ALLTOALL, CALL_IMMEDIATE, "cCxX", UNIFORM},
    {"alltoallv", CALL_ALLTOALLV, 0, "bvbVxX", ALLTOALLV},
    {"ialltoallv", CALL_ALLTOALLV, CALL_IMMEDIATE, "bvbVxX", ALLTOALLV},
    {"allgather", CALL_ALLGATHER, 0, "cCxX", UNIFORM},
    {"iallgather", CALL_ALLGATHER, CALL_IMMEDIATE, "cCxX", UNIFORM},
    {"allgatherv", CALL_ALLGATHERV, 0, "cVxX", ALLGATHERV},
    {"iallgatherv", CALL_ALLGATHERV, CALL_IMMEDIATE, "cVxX", ALLGATHERV},
    {"gather", CALL_GATHER, 0, "cCrxX", ROOTED},
    {"igather", CALL_GATHER, CALL_IMMEDIATE, "cCrxX", ROOTED},
    {"gatherv", CALL_GATHERV, 0, "cVrxX", GATHERV},
    {"igatherv", CALL_GATHERV, CALL_IMMEDIATE, "cVrxX", GATHERV},
    {"scatter", CALL_SCATTER, 0, "cCrxX", ROOTED},
    {"iscatter", CALL_SCATTER, CALL_IMMEDIATE, "cCrxX", ROOTED},
    {"scatterv", CALL_SCATTERV, 0, "vCrxX", SCATTERV},
    {"iscatterv", CALL_SCATTERV, CALL_IMMEDIATE, "vCrxX", SCATTERV},
    {"reducescatter", CALL_REDUCE_SCATTER, 0, "VaX", REDUCE_SCATTER},
    {"ireducescatter", CALL_REDUCE_SCATTER, CALL_IMMEDIATE, "VaX", REDUCE_SCATTER},
};

enum { FORMS = sizeof forms / sizeof *forms };

/* Actions of SimGrid that do not hold what a replay needs. */
#define PERSISTENT                                                                                           \
    "the trace does not say what persistent requests send or receive; capture with isend and irecv"
#define UNNAMED   "the trace does not say which request it completed; capture with a wait or waitall instead"
#define ONE_SIDED "one-sided communication is not in the trace; capture with sends and receives"
#define FILES     "files are not modelled; remove the file operations before capturing"

static const struct {
    const char *name;
    const char *reason;
} refusals[] = {
    {"Start", PERSISTENT},
    {"Startall", PERSISTENT},
    {"waitAny", UNNAMED},
    {"waitany", UNNAMED},
    {"waitSome", UNNAMED},
    {"waitsome", UNNAMED},
    {"testany", UNNAMED},
    {"testall", UNNAMED},
    {"testsome", UNNAMED},
    {"isendRecv", "its two requests cannot be told apart in the wait for them; capture with isend and irecv"},
    {"Put", ONE_SIDED},
    {"Get", ONE_SIDED},
    {"Accumulate", ONE_SIDED},
    {"Get_accumulate", ONE_SIDED},
    {"Rput", ONE_SIDED},
    {"Rget", ONE_SIDED},
    {"Raccumulate", ONE_SIDED},
    {"Rget_accumulate", ONE_SIDED},
    {"Fetch_and_op", ONE_SIDED},
    {"Compare_and_swap", ONE_SIDED},
    {"IO", FILES},
};

static bool is_named(const char *candidate, const char *name, size_t length)
{
    return strlen(candidate) == length && !memcmp(candidate, name, length);
}

const struct action_form *action_form_find(const char *name, size_t length)
{
    for (size_t i = 0; i < FORMS; i++)
        if (is_named(forms[i].name, name, length))
            return &forms[i];
    return NULL;
}

const char *action_form_refusal(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (is_named(refusals[i].name, name, length))
            return refusals[i].reason;
    bool one_sided = length > 4 && !memcmp(name, "Win_", 4);
    bool file = length > 5 && !memcmp(name, "File_", 5);
    return one_sided ? ONE_SIDED : file ? FILES : NULL;
}

static const char *name_at(const void *candidates, size_t index)
{
    return ((const struct action_form *)candidates)[index].name;
}

const char *action_form_nearest(const char *name)
{
    return diag_nearest(name, forms, FORMS, name_at);
}

size_t action_form_fields(const struct action_form *form, uint32_t ranks, bool optional)
{
    size_t fields = 0;
    for (const char *letter = form->letters; *letter; letter++) {
        if (*letter == '*')
            return optional ? SIZE_MAX / 2 : fields;
        if (strchr("rxX", *letter))
            fields += optional;
        else
            fields += action_form_is_vector(*letter) ? ranks : 1;
    }
    return fields;
}

/* The numbers of SimGrid's COLL_TAG_*. */
static const struct {
    uint8_t op;
    int16_t tag;
} collective_tags[] = {
    {CALL_REDUCE, -112},     {CALL_SCATTER, -223},    {CALL_SCATTERV, -334}, {CALL_GATHER, -445},
    {CALL_ALLGATHER, -556},  {CALL_ALLGATHERV, -667}, {CALL_BARRIER, -778},  {CALL_REDUCE_SCATTER, -889},
    {CALL_ALLTOALLV, -1000}, {CALL_ALLTOALL, -1112},  {CALL_GATHERV, -2223}, {CALL_BCAST, -3334},
    {CALL_ALLREDUCE, -4445},
};

enum { COLLECTIVE_TAGS = sizeof collective_tags / sizeof *collective_tags };

int32_t action_collective_tag(enum call_op op)
{
    for (size_t i = 0; i < COLLECTIVE_TAGS; i++)
        if (collective_tags[i].op == op)
            return collective_tags[i].tag;
    return -(int32_t)op; /* a scan: SimGrid has no number for it */
}

bool action_is_collective_tag(int32_t tag)
{
    for (size_t i = 0; i < COLLECTIVE_TAGS; i++)
        if (collective_tags[i].tag == tag)
            return true;
    return false;
}

const struct action_form *action_form_of_call(const struct call *call)
{
    for (size_t i = 0; i < FORMS; i++)
        if (forms[i].op == call->op && forms[i].flags == (call->flags & ~CALL_START))
            return &forms[i];
    return NULL;
}

const struct action_form *action_form_at(size_t index)
{
    return index < FORMS ? &forms[index] : NULL;
}
