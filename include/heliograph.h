#ifndef HELIOGRAPH_H
#define HELIOGRAPH_H

#include <stddef.h>
#include <stdint.h>

/* libheliograph: experiments of Heliograph from a program of your own, and parts of your own in Heliograph.
 *
 *     struct heliograph *experiment = heliograph_new();
 *     if (heliograph_set(experiment, "workload", "alltoall:ranks=64,bytes=8KiB") == HELIOGRAPH_OK &&
 *         heliograph_set(experiment, "fabric", "packet,fmu") == HELIOGRAPH_OK &&
 *         heliograph_run(experiment) == HELIOGRAPH_OK)
 *         printf("%lld ps\n", (long long)heliograph_makespan_ps(experiment, 0));
 *     else
 *         fputs(heliograph_last_error(), stderr);
 *     heliograph_free(experiment);
 *
 * Times are whole picoseconds, sizes bytes, rates bytes per second. The same parameters give the same
 * results, byte for byte. The library prints nothing, and no input ends the process. An experiment belongs to
 * one thread at a time, and one thread at a time may call heliograph_new and the functions that return a
 * status; functions of your own that the library calls may call none of these. docs/library.md
 *
 * The header has four parts: experiments, results, parts of your own (fabrics, topologies, generated
 * programs, trace formats, collective algorithms), plug-ins. */

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__ && defined HELIOGRAPH_BUILDING
#define HELIOGRAPH_API __attribute__((visibility("default")))
#else
#define HELIOGRAPH_API
#endif

/* The version of this header. While the first number is 0, a change of the second one may break programs. */
#define HELIOGRAPH_VERSION_MAJOR 0
#define HELIOGRAPH_VERSION_MINOR 1
#define HELIOGRAPH_VERSION_PATCH 0

/* The version of the library that is running: "0.1.0". */
HELIOGRAPH_API const char *heliograph_version(void);

enum heliograph_status {
    HELIOGRAPH_OK = 0,
    HELIOGRAPH_FAILED = 1,    /* the run could not go on: a deadlock, a file that cannot be read */
    HELIOGRAPH_BAD_INPUT = 2, /* an experiment, a name or a value is wrong */
    HELIOGRAPH_CANCELLED = 3  /* the progress function ended the run */
};

/* What the last call of this thread that returned a status reported: errors with their places, warnings and
 * notes, as helio prints them. "" = nothing. The text belongs to the library; it is valid until the next such
 * call. */
HELIOGRAPH_API const char *heliograph_last_error(void);

/* ------------------------------------------------------------- experiments */

struct heliograph;

/* An experiment with all parameters at their defaults, which the caller frees. NULL: a default is wrong, as
 * heliograph_last_error says. heliograph_free(NULL) does nothing. */
HELIOGRAPH_API struct heliograph *heliograph_new(void);
HELIOGRAPH_API void heliograph_free(struct heliograph *experiment);

/* Reads an experiment file, or its text, on top of what is set. Messages name the text by `name`. */
HELIOGRAPH_API enum heliograph_status heliograph_load(struct heliograph *experiment, const char *path);
HELIOGRAPH_API enum heliograph_status heliograph_load_text(struct heliograph *experiment, const char *name,
                                                           const char *text);

/* Sets one parameter by its name; the value has its unit, as in `helio run --set`: "packet.latency", "2 us".
 */
HELIOGRAPH_API enum heliograph_status heliograph_set(struct heliograph *experiment, const char *parameter,
                                                     const char *value);

/* 1: there is a parameter of this name. */
HELIOGRAPH_API int heliograph_has(const struct heliograph *experiment, const char *parameter);

/* The parameter's value in its shortest form, "2 us". NULL: it has none, or there is no such parameter. The
 * text is valid until the parameter is set again. */
HELIOGRAPH_API const char *heliograph_get(const struct heliograph *experiment, const char *parameter);

/* How far a run is, on the fabric of that name. `calls` is the number of MPI calls made so far (with
 * open-loop traffic: of messages delivered), `total_calls` how many there will be, 0 where that is not known.
 */
struct heliograph_progress {
    size_t struct_size; /* set by the library */
    const char *fabric;
    uint64_t calls, total_calls;
    int64_t now_ps; /* simulated time */
};

/* From now on heliograph_run calls `progress` now and then: about once in 2^20 calls or messages. Where it
 * returns other than 0, the run is cancelled: heliograph_run returns HELIOGRAPH_CANCELLED. NULL: nothing is
 * called. */
HELIOGRAPH_API void
heliograph_on_progress(struct heliograph *experiment,
                       int (*progress)(void *self, const struct heliograph_progress *progress), void *self);

/* Other than 0: heliograph_run also runs what there seems to be too little memory for. */
HELIOGRAPH_API void heliograph_force(struct heliograph *experiment, int force);

/* Runs the program on each of the fabrics. The results of an earlier run are gone, also where this one fails.
 * Where it succeeds, heliograph_last_error has its warnings: of parameters that nothing reads, and others.
 * HELIOGRAPH_FAILED before anything is run where one of the fabrics is estimated to need more memory than
 * there is, and where memory runs out: what the run has allocated is then lost to the process. */
HELIOGRAPH_API enum heliograph_status heliograph_run(struct heliograph *experiment);

/* ----------------------------------------------------------------- results */

/* How many runs there are: one per fabric, in the order of the parameter. The functions below number them
 * from 0; where there is no such run, numbers are 0 and texts NULL. Texts live until the next heliograph_run.
 */
HELIOGRAPH_API size_t heliograph_run_count(const struct heliograph *experiment);

HELIOGRAPH_API const char *heliograph_run_fabric(const struct heliograph *experiment, size_t run);
HELIOGRAPH_API int64_t heliograph_makespan_ps(const struct heliograph *experiment, size_t run);

/* The share of the ranks' time in which they are blocked, 0 to 1. */
HELIOGRAPH_API double heliograph_idle_fraction(const struct heliograph *experiment, size_t run);

/* Messages between ranks, and their bytes: UINT64_MAX if there are more. */
HELIOGRAPH_API uint64_t heliograph_messages(const struct heliograph *experiment, size_t run);
HELIOGRAPH_API uint64_t heliograph_bytes(const struct heliograph *experiment, size_t run);

HELIOGRAPH_API uint32_t heliograph_ranks(const struct heliograph *experiment, size_t run);
HELIOGRAPH_API int64_t heliograph_rank_finish_ps(const struct heliograph *experiment, size_t run,
                                                 uint32_t rank);
HELIOGRAPH_API int64_t heliograph_rank_compute_ps(const struct heliograph *experiment, size_t run,
                                                  uint32_t rank);
HELIOGRAPH_API int64_t heliograph_rank_idle_ps(const struct heliograph *experiment, size_t run,
                                               uint32_t rank);

/* One of the fabric's metrics that are single numbers, times in seconds. Returns 1, or 0 where there is none
 * of that name: *value stays as it is. */
HELIOGRAPH_API int heliograph_metric(const struct heliograph *experiment, size_t run, const char *name,
                                     double *value);

/* All results: the bytes that `helio run --json` prints. NULL before a run. */
HELIOGRAPH_API const char *heliograph_json(const struct heliograph *experiment);

/* ------------------------------------------------------- parts of your own */

/* What is registered is known to every experiment of the process from then on, by its name. A name has
 * letters a-z, digits, - and _. The structs are copied; what they point to has to stay. `struct_size` is
 * sizeof the struct: a newer library takes the members that an older program leaves out as 0, and an older
 * library ignores the members that it does not know. Registering fails with HELIOGRAPH_BAD_INPUT, with the
 * reason in heliograph_last_error: the name is taken or is no name, a member that has to be there is missing.
 */

enum heliograph_type {
    HELIOGRAPH_TIME,   /* "8 us" */
    HELIOGRAPH_RATE,   /* "12.5 GB/s" */
    HELIOGRAPH_SIZE,   /* "64 KiB" */
    HELIOGRAPH_COUNT,  /* "16" */
    HELIOGRAPH_NUMBER, /* "0.5" */
    HELIOGRAPH_TEXT
};

struct heliograph_parameter {
    const char *name; /* letters, digits, _ and dots; of a fabric NAME: without "NAME." before it */
    enum heliograph_type type;
    const char *default_value; /* as users write it, with its unit; NULL for texts: none */
    const char *min, *max;     /* inclusive bounds, with a unit as well; NULL = none */
    const char *doc;           /* one line */
};

/* A parameter's value; its type says which member holds it. */
union heliograph_value {
    int64_t time_ps;
    uint64_t count; /* HELIOGRAPH_RATE: bytes per second; HELIOGRAPH_SIZE: bytes */
    double number;
    const char *text;
};

/* A message that is ready to move from one node to another. */
struct heliograph_message {
    uint32_t source, destination; /* nodes, different ones */
    uint64_t bytes;
    int64_t now_ps;
};

/* The times of a message. No time is before now, and no time is after the delivery. */
struct heliograph_transfer {
    int64_t visible_ps;     /* the receiver can match it */
    int64_t sender_done_ps; /* its last byte has left the sender */
    int64_t delivered_ps;   /* its last byte is there */
};

/* What a fabric is told when a run begins. */
struct heliograph_fabric_setup {
    size_t struct_size; /* set by the library */
    uint32_t nodes;
    uint64_t seed;
    const union heliograph_value
        *values; /* of the fabric's parameters, in their order; valid during the run */
};

/* A fabric that computes a message's times when the message is ready, from what it remembers of earlier ones:
 * latencies, links that are busy until a time, paths. It is called in the order of time. It cannot change a
 * time that it has given, as fair sharing would. */
struct heliograph_fabric {
    size_t struct_size;
    const char *name;                              /* as the parameter `fabric` takes it */
    const char *doc;                               /* one line */
    void *self;                                    /* handed to begin */
    const struct heliograph_parameter *parameters; /* NULL: none */
    size_t parameter_count;
    /* A run begins; `state` below is what this returns. NULL as a member: state is self. A returned NULL
     * fails the run. */
    void *(*begin)(void *self, const struct heliograph_fabric_setup *setup);
    void (*transfer)(void *state, const struct heliograph_message *message,
                     struct heliograph_transfer *transfer);
    void (*end)(void *state); /* NULL: nothing is to be done */
};

HELIOGRAPH_API enum heliograph_status heliograph_register_fabric(const struct heliograph_fabric *fabric);

enum { HELIOGRAPH_NUMBERS = 16, HELIOGRAPH_KEPT = 24 };

/* A topology of a family: what its text says, and what follows from that. Nodes 0 .. nodes-1 hang on the
 * first switches in order, node i on switch i / nodes_per_switch. Links between switches are directed and
 * numbered from 0; links 2k and 2k + 1 join the same two switches, one each way. */
struct heliograph_shape {
    uint32_t number_count, numbers[HELIOGRAPH_NUMBERS]; /* of the text: 4, 2 in "NAME:4x2" */
    uint32_t nodes, nodes_per_switch, switches, links;
    uint64_t kept[HELIOGRAPH_KEPT]; /* the family's own */
};

/* A family of topologies with one minimal route between two switches. Everything is computed from numbers: no
 * function allocates, and the same arguments give the same results. Where a topology is opened, its routes
 * are checked: each link begins where the one before it ends, and brings the message nearer. Up to 2^20 pairs
 * of switches all are checked, beyond that as many. */
struct heliograph_topology {
    size_t struct_size;
    const char *name;                     /* of the family, with which the text of a topology begins */
    const char *doc;                      /* one line */
    void *self;                           /* handed to all functions */
    uint32_t least_numbers, most_numbers; /* that follow the name, separated by x */
    const char *example;                  /* "hypercube:4, its dimensions" */
    /* Sets the fields of the shape after `numbers`. Each number is at least 1. Returns 1; or 0, with a
     * sentence in `problem` that says what is wrong with the number of that `index`. */
    int (*build)(void *self, struct heliograph_shape *shape, uint32_t *index, char *problem, size_t size);
    void (*ends)(void *self, const struct heliograph_shape *shape, uint32_t link, uint32_t *from,
                 uint32_t *to);
    /* The first link of the route from one switch to another one. */
    uint32_t (*next)(void *self, const struct heliograph_shape *shape, uint32_t from, uint32_t to);
    /* The links of the route between two switches, which may be one. */
    uint32_t (*distance)(void *self, const struct heliograph_shape *shape, uint32_t from, uint32_t to);
    /* Links in one direction across the cut that halves the network. */
    uint64_t (*bisection)(void *self, const struct heliograph_shape *shape);
    /* Over all ordered pairs of nodes: the sum of their distances, and the largest one. NULL: both counted by
     * distance(), for up to 4096 switches. */
    void (*distances)(void *self, const struct heliograph_shape *shape, uint64_t *sum, uint32_t *most);
};

HELIOGRAPH_API enum heliograph_status
heliograph_register_topology(const struct heliograph_topology *topology);

/* --------------------------------------------------------- calls, programs */

/* MPI calls. A collective call is one of all ranks. */
enum heliograph_operation {
    HELIOGRAPH_COMPUTE, /* amount: operations, turned into time by compute.rate and compute.scale */
    HELIOGRAPH_SLEEP,   /* amount: seconds of computation, which compute.scale multiplies */
    HELIOGRAPH_SEND,
    HELIOGRAPH_RECV,
    HELIOGRAPH_SENDRECV,
    HELIOGRAPH_WAIT,    /* for `request` */
    HELIOGRAPH_WAITALL, /* for all requests of the rank */
    HELIOGRAPH_BARRIER,
    HELIOGRAPH_BCAST,
    HELIOGRAPH_REDUCE,
    HELIOGRAPH_ALLREDUCE,
    HELIOGRAPH_ALLTOALL,
    HELIOGRAPH_ALLGATHER,
    HELIOGRAPH_GATHER,
    HELIOGRAPH_SCATTER,
    HELIOGRAPH_REDUCE_SCATTER, /* of equal blocks */
    HELIOGRAPH_SCAN,
    HELIOGRAPH_EXSCAN
};

/* Of receives of traces; generated programs have no wildcards. */
enum { HELIOGRAPH_ANY_SOURCE = -2 };
#define HELIOGRAPH_ANY_TAG INT32_MIN

/* Members that an operation does not use are 0. */
struct heliograph_call {
    enum heliograph_operation operation;
    int immediate; /* other than 0: returns at once and leaves a request (isend, irecv, ibcast ...) */
    uint32_t
        request;    /* its number, of an immediate call and of a wait; a number serves again after its wait */
    int32_t peer;   /* destination of a send, source of a receive, root of a collective call */
    int32_t source; /* sendrecv: where its receive comes from */
    int32_t tag;    /* sendrecv: of both */
    uint64_t bytes; /* sent to the peer, to each peer, or this rank's block or vector; of a receive: room */
    uint64_t recv_bytes; /* sendrecv: room of its receive; 0: as many as `bytes` */
    uint32_t element;    /* bytes of an element, at most 255, which a reduction does not cut; 0 = 1 */
    double amount;       /* compute, sleep; reductions: operations of the reduction itself */
};

/* A generated program, named by a text such as "NAME:ranks=64,bytes=8KiB". Nothing is stored for each call:
 * the same arguments give the same call, as often as it is asked for. */
struct heliograph_workload {
    size_t struct_size;
    const char *name;                              /* as the parameter `workload` takes it */
    const char *doc;                               /* one line */
    void *self;                                    /* handed to open */
    const struct heliograph_parameter *parameters; /* of its text; NULL: none */
    size_t parameter_count;
    /* Opens the program that the values describe: sets *ranks, and how many requests a rank has at most at
     * once, all with numbers below *requests. Returns `state`, or NULL with a sentence in `problem`. The
     * values stay valid until close. */
    void *(*open)(void *self, const union heliograph_value *values, uint32_t *ranks, uint32_t *requests,
                  char *problem, size_t size);
    /* The rank's call number `step`, from 0 on; *call is all zero. Returns 0 after the last call. */
    int (*call)(void *state, uint32_t rank, uint64_t step, struct heliograph_call *call);
    void (*close)(void *state); /* NULL: nothing is to be done */
};

HELIOGRAPH_API enum heliograph_status
heliograph_register_workload(const struct heliograph_workload *workload);

/* A format of traces: a file, or a folder whose files are directly in it. A trace is compiled when it is
 * first used: its ranks are then read one after another, from rank 0 on, each from its first call to its
 * last. */
struct heliograph_trace_format {
    size_t struct_size;
    const char *name;
    const char *doc; /* what a path of this format is, in one line */
    /* Part of the name of a compiled trace in the cache, beside the contents of the trace and of plug-ins: to
     * be changed when the same file is read in another way. NULL: "". */
    const char *version;
    void *self; /* handed to probe and open */
    /* How sure the format is that the path is a trace of its own: 0 it is not, 2 by its name, 3 by its first
     * bytes
     * (`head`, of a file). */
    int (*probe)(void *self, const char *path, int is_folder, const unsigned char *head, size_t head_size);
    /* Opens the trace and sets *ranks. Returns `state`, or NULL with a sentence in `problem`. */
    void *(*open)(void *self, const char *path, uint32_t *ranks, char *problem, size_t size);
    /* The next call of the rank, and the line where it stands, from 1 on. Returns 1; 0 after the last call;
     * -1, with a sentence in `problem`: the line is wrong. Asked for its first call again, it begins anew
     * (`first` is 1). */
    int (*next)(void *state, uint32_t rank, int first, struct heliograph_call *call, uint64_t *line,
                char *problem, size_t size);
    void (*close)(void *state); /* NULL: nothing is to be done */
};

HELIOGRAPH_API enum heliograph_status
heliograph_register_trace_format(const struct heliograph_trace_format *format);

/* --------------------------------------------------- collective algorithms */

enum heliograph_collective_kind {
    HELIOGRAPH_KIND_BARRIER,
    HELIOGRAPH_KIND_BCAST,
    HELIOGRAPH_KIND_REDUCE,
    HELIOGRAPH_KIND_ALLREDUCE,
    HELIOGRAPH_KIND_ALLTOALL,
    HELIOGRAPH_KIND_ALLTOALLV,
    HELIOGRAPH_KIND_ALLGATHER,
    HELIOGRAPH_KIND_ALLGATHERV,
    HELIOGRAPH_KIND_GATHER,
    HELIOGRAPH_KIND_GATHERV,
    HELIOGRAPH_KIND_SCATTER,
    HELIOGRAPH_KIND_SCATTERV,
    HELIOGRAPH_KIND_REDUCE_SCATTER,
    HELIOGRAPH_KIND_SCAN,
    HELIOGRAPH_KIND_EXSCAN
};

/* The memory that steps name. The receive buffer of a rank that MPI gives none (reduce, gather: not the root)
 * has no bytes; neither has the root's of a bcast, whose data is in its send buffer, while the others' goes
 * to their receive buffer. A buffer with a block per rank has them in rank order. */
enum heliograph_buffer { HELIOGRAPH_SEND_BUFFER, HELIOGRAPH_RECV_BUFFER, HELIOGRAPH_SCRATCH };

struct heliograph_span {
    enum heliograph_buffer buffer;
    uint64_t offset, bytes;
};

/* What one rank knows of one call. `bytes` is the whole vector of a bcast, reduction or scan, the block per
 * pair of an alltoall, a rank's own block otherwise. Arrays have an entry per rank, and are NULL where MPI
 * gives the rank none. */
struct heliograph_collective_call {
    uint32_t size, rank, root;
    uint64_t element, bytes;
    const uint64_t *send_bytes, *recv_bytes;
};

/* Where the steps of a phase go. Messages between two ranks match in the order in which both emit them. */
struct heliograph_steps {
    size_t struct_size; /* set by the library */
    void (*send)(struct heliograph_steps *steps, uint32_t peer, struct heliograph_span from);
    void (*recv)(struct heliograph_steps *steps, uint32_t peer, struct heliograph_span into);
    void (*copy)(struct heliograph_steps *steps, struct heliograph_span from, struct heliograph_span into);
    void (*reduce)(struct heliograph_steps *steps, struct heliograph_span from,
                   struct heliograph_span into); /* into = into op from */
};

/* An algorithm: a rank goes through its phases 0, 1, 2 ... A phase ends when all that it sends and receives
 * is complete, so local steps see what earlier phases received, and nothing that this one does. When it is
 * registered, a prover executes it symbolically for up to 17 ranks, and refuses one that loses or mixes up a
 * byte, reads what nobody wrote, or waits for ever. */
struct heliograph_collective {
    size_t struct_size;
    enum heliograph_collective_kind kind;
    const char *name; /* as mpi.bcast and its kin take it */
    const char *doc;  /* one line: how, cost, source */
    void *self;       /* handed to both functions */
    /* Emits phase `phase` of call->rank. Returns 0 when there is no such phase: the rank is done. Any phase
     * of any rank may be asked for at any time. */
    int (*emit)(void *self, const struct heliograph_collective_call *call, uint32_t phase,
                struct heliograph_steps *steps);
    uint64_t (*scratch)(void *self,
                        const struct heliograph_collective_call *call); /* bytes of this rank; NULL = none */
};

HELIOGRAPH_API enum heliograph_status
heliograph_register_collective(const struct heliograph_collective *collective);

/* ---------------------------------------------------------------- plug-ins */

/* A plug-in is a shared object that defines heliograph_plugin_init. `helio run --plugin FILE.so`, `plugins:`
 * in an experiment file and heliograph_load_plugin load it. It is not linked with anything: all that it calls
 * is in `api`, under the names of the functions above. */

struct heliograph_plugin_api {
    size_t struct_size;
    enum heliograph_status (*register_fabric)(const struct heliograph_fabric *fabric);
    enum heliograph_status (*register_topology)(const struct heliograph_topology *topology);
    enum heliograph_status (*register_workload)(const struct heliograph_workload *workload);
    enum heliograph_status (*register_trace_format)(const struct heliograph_trace_format *format);
    enum heliograph_status (*register_collective)(const struct heliograph_collective *collective);
};

/* Registers what the plug-in has. Other than HELIOGRAPH_OK: loading the plug-in fails; the parts that it has
 * registered stay. */
#if defined __GNUC__
__attribute__((visibility("default")))
#endif
enum heliograph_status
heliograph_plugin_init(const struct heliograph_plugin_api *api);

/* Loads a plug-in for the rest of the process; a second time does nothing. A path without a slash is one in
 * the working folder. */
HELIOGRAPH_API enum heliograph_status heliograph_load_plugin(const char *path);

#ifdef __cplusplus
}
#endif

#endif
