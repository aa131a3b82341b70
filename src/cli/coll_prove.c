#include <inttypes.h>
#include <stdio.h>

#include "base/diag.h"
#include "base/time.h"
#include "base/units.h"
#include "cli/coll.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/values.h"
#include "collfile/collfile.h"
#include "output/standard.h"

enum prove_option { PROVE_BYTES, PROVE_RATE, PROVE_LINKS, PROVE_JSON };

static const struct cli_option options[] = {
    [PROVE_BYTES] = {"--bytes", 'b', "M",
                     "what a rank contributes, as workload collective counts: bytes of each link are shown"},
    [PROVE_RATE] = {"--rate", 0, "RATE",
                    "of the one port of each GPU: shows the least time on such a network"},
    [PROVE_LINKS] = {"--links", 0, NULL, "show the load of every link"},
    [PROVE_JSON] = {"--json", 0, NULL, "print one JSON object"},
};

static void print_formats(FILE *out)
{
    const char *doc;
    fprintf(out, "Formats, found by the first bytes; a file may be packed with gzip, zstd, xz or bzip2:\n");
    for (size_t i = 0; collfile_format_at(i, &doc); i++)
        fprintf(out, "  %-16s%s\n", collfile_format_at(i, &doc), doc);
}

static const struct cli_command command = {
    .name = "coll prove",
    .words = "FILE",
    .doc = "Whether a schedule that another program has written is right: every block arrives, nothing waits "
           "for\n"
           "ever, no two accesses race. Exit status: 0 right, 1 wrong, 2 cannot be read.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .after = "Examples:\n"
             "  helio coll prove allreduce.xml\n"
             "  helio coll prove teccl.json.gz --json\n\n"
             "docs/schedules.md says what is proven, and which published files are wrong.",
    .print_lists = print_formats,
};

/* --------------------------------------------------------------------- JSON */

static json_t *counts_json(const struct collfile_proof *proof)
{
    json_t *counts = json_make_object();
    json_put_count(counts, "ranks", proof->ranks);
    json_put_count(counts, "threadblocks", proof->threadblocks);
    json_put_count(counts, "steps", proof->steps);
    json_put_count(counts, "messages", proof->messages);
    json_put_number(counts, "chunks_moved", proof->chunks_moved);
    json_put_count(counts, "copies", proof->copies);
    json_put_count(counts, "reductions", proof->reductions);
    json_put_count(counts, "rounds", proof->rounds);
    json_put_count(counts, "links", proof->link_count);
    json_put_count(counts, "chunks", proof->chunks);
    return counts;
}

static json_t *problems_json(const struct collfile_proof *proof)
{
    json_t *problems = json_make_object();
    for (int i = 0; i < COLLFILE_PROBLEMS; i++)
        if (proof->problems[i])
            json_put_count(problems, collfile_problem_name((enum collfile_problem)i), proof->problems[i]);
    return problems;
}

static json_t *links_json(const struct collfile_proof *proof)
{
    json_t *links = json_make_list();
    for (size_t i = 0; i < proof->link_count; i++) {
        const struct collfile_link *link = &proof->links[i];
        json_t *object = json_make_object();
        json_put_count(object, "from", link->from);
        json_put_count(object, "to", link->to);
        json_put_count(object, "messages", link->messages);
        json_put_number(object, "chunks", link->chunks);
        if (proof->bytes)
            json_put_count(object, "bytes", link->bytes);
        json_add(links, object);
    }
    return links;
}

/* A claim that is below the bound by more than rounding. */
static bool is_possible(const struct collfile_claim *claim, double least_s)
{
    return claim->finish_s >= least_s * (1 - 1e-9);
}

static json_t *claim_json(const struct collfile_claim *claim)
{
    json_t *object = json_make_object();
    json_put_number(object, "finish_s", claim->finish_s);
    if (claim->bound_s > 0) {
        json_put_number(object, "bound_s", claim->bound_s);
        json_put_text(object, "cut", claim->bound_text);
        json_put_number(object, "busiest_link_s", claim->load_s);
        json_put_flag(object, "possible",
                      is_possible(claim, claim->bound_s) && is_possible(claim, claim->load_s));
    }
    return object;
}

static json_t *ports_json(const struct collfile_ports *ports)
{
    json_t *object = json_make_object();
    json_put_number(object, "bound_s", ports->bound_s);
    json_put_number(object, "busiest_gpu_s", ports->load_s);
    json_put_count(object, "busiest_gpu", ports->busiest_gpu);
    return object;
}

static uint64_t bytes_moved(const struct collfile_proof *proof)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < proof->link_count; i++)
        sum += proof->links[i].bytes;
    return sum;
}

static enum status print_json(const char *path, const struct collfile_proof *proof, uint64_t rate)
{
    json_t *object = json_make_object();
    json_put_text(object, "schema", "helio-coll-prove-1");
    json_put_text(object, "file", path);
    json_put_text(object, "format", proof->format);
    json_put_text(object, "collective", collfile_op_name(proof->op));
    if (*proof->name) {
        json_put_text(object, "name", proof->name);
        json_put_flag(object, "in_place", proof->in_place);
    }
    json_put_text(object, "verdict", proof->right ? "right" : "wrong");
    json_put_text(object, "first_problem", proof->right ? NULL : proof->first_problem);
    json_put(object, "problems", problems_json(proof));
    json_put(object, "counts", counts_json(proof));
    if (*proof->machine)
        json_put_text(object, "machine", proof->machine);
    if (proof->bytes) {
        json_put_count(object, "bytes", proof->bytes);
        json_put_count(object, "bytes_moved", bytes_moved(proof));
    }
    if (proof->claim.finish_s > 0)
        json_put(object, "claim", claim_json(&proof->claim));
    if (rate && proof->bytes) {
        struct collfile_ports ports = collfile_ports_of(proof, rate);
        json_put(object, "ports", ports_json(&ports));
    }
    json_put(object, "links", links_json(proof));
    return cli_print_json(object, 9);
}

/* --------------------------------------------------------------------- text */

static void print_count(const char *name, uint64_t count)
{
    if (count)
        printf("  %-24s%" PRIu64 "\n", name, count);
}

static const char *show_seconds(double seconds, char *buffer, size_t size)
{
    return units_show_time((ps_t)(seconds * PS_PER_S + 0.5), 4, buffer, size);
}

static void print_claim(const struct collfile_claim *claim)
{
    char finish[64], bound[64], load[64];
    if (!(claim->finish_s > 0 && claim->finish_s < 1e6))
        return;
    printf("  %-24s%s\n", "claims to finish in", show_seconds(claim->finish_s, finish, sizeof finish));
    if (!(claim->bound_s > 0 && claim->bound_s < 1e6 && claim->load_s < 1e6))
        return;
    printf("  %-24s%s: %s\n", "no schedule is below", show_seconds(claim->bound_s, bound, sizeof bound),
           claim->bound_text);
    printf("  %-24s%s\n", "its busiest link needs", show_seconds(claim->load_s, load, sizeof load));
    if (!is_possible(claim, claim->bound_s) || !is_possible(claim, claim->load_s))
        printf("  the claim is impossible\n");
}

static void print_ports(const struct collfile_proof *proof, uint64_t rate)
{
    char text[64];
    struct collfile_ports ports = collfile_ports_of(proof, rate);
    if (!(ports.bound_s > 0 && ports.bound_s < 1e6 && ports.load_s < 1e6))
        return;
    printf("  %-24s%s\n", "one port for each GPU", units_print_rate(rate, text, sizeof text));
    printf("  %-24s%s\n", "  no schedule is below", show_seconds(ports.bound_s, text, sizeof text));
    printf("  %-24s%s, GPU %" PRIu32 "\n", "  its busiest GPU needs",
           show_seconds(ports.load_s, text, sizeof text), ports.busiest_gpu);
}

static const struct collfile_link *busiest_link(const struct collfile_proof *proof)
{
    const struct collfile_link *found = proof->links;
    for (size_t i = 1; i < proof->link_count; i++)
        if (proof->links[i].chunks > found->chunks)
            found = &proof->links[i];
    return found;
}

static void print_link(const struct collfile_proof *proof, const struct collfile_link *link)
{
    char bytes[64];
    printf("%" PRIu32 " to %" PRIu32 ": %" PRIu64 " message%s, %g chunk%s", link->from, link->to,
           link->messages, link->messages == 1 ? "" : "s", link->chunks, link->chunks == 1 ? "" : "s");
    if (proof->bytes)
        printf(", %s", units_show_size((double)link->bytes, 4, bytes, sizeof bytes));
    putchar('\n');
}

static void print_counts(const struct collfile_proof *proof)
{
    char bytes[64];
    bool is_circuits = proof->op == COLLFILE_CIRCUITS;
    print_count(is_circuits ? "ports" : "ranks", proof->ranks);
    print_count(is_circuits ? "switches" : "threadblocks", proof->threadblocks);
    print_count(is_circuits ? "circuits" : "steps", proof->steps);
    print_count("messages", proof->messages);
    if (proof->chunks_moved > 0)
        printf("  %-24s%.10g\n", "chunks moved", proof->chunks_moved);
    print_count("chunks copied", proof->copies);
    print_count("chunks reduced", proof->reductions);
    print_count("rounds", proof->rounds);
    print_count("links", proof->link_count);
    if (proof->bytes && proof->link_count)
        printf("  %-24s%s\n", "bytes moved",
               units_show_size((double)bytes_moved(proof), 4, bytes, sizeof bytes));
    if (proof->link_count) {
        printf("  %-24s", "busiest link");
        print_link(proof, busiest_link(proof));
    }
}

static enum status print_text(const char *path, const struct collfile_proof *proof, uint64_t rate,
                              bool with_links)
{
    cli_print_text("", path);
    printf("%s\n", proof->right ? "right" : "wrong");
    if (!proof->right) {
        cli_print_text("  ", proof->first_problem);
        for (int i = 0; i < COLLFILE_PROBLEMS; i++)
            if (proof->problems[i])
                printf("  %-24s%" PRIu64 "\n", collfile_problem_name((enum collfile_problem)i),
                       proof->problems[i]);
    }
    printf("\n%s%s, %s\n", collfile_op_name(proof->op), proof->in_place ? " in place" : "", proof->format);
    if (*proof->machine)
        printf("  %-24s%s\n", "machine", proof->machine);
    print_counts(proof);
    print_claim(&proof->claim);
    print_ports(proof, rate);
    for (size_t i = 0; with_links && i < proof->link_count; i++) {
        printf("%s    ", i == 0 ? "\nlinks\n" : "");
        print_link(proof, &proof->links[i]);
    }
    return standard_flush();
}

/* ------------------------------------------------------------------ command */

struct prove_arguments {
    const char *path, *bytes, *rate;
    bool links, json;
};

static bool take(void *self, int found, const char *value)
{
    struct prove_arguments *arguments = self;
    if (found == CLI_WORD)
        return cli_take_word(&command, &arguments->path, value, "file");
    if (found - CLI_OPTION == PROVE_BYTES)
        arguments->bytes = value;
    else if (found - CLI_OPTION == PROVE_RATE)
        arguments->rate = value;
    else if (found - CLI_OPTION == PROVE_LINKS)
        arguments->links = true;
    else
        arguments->json = true;
    return true;
}

/* More would not be told from no size at all, or not be counted. */
static bool read_bytes(const char *text, uint64_t *bytes)
{
    if (!text)
        return true;
    if (!cli_value_bytes("--bytes", text, bytes))
        return false;
    if (*bytes > 0 && *bytes <= UINT64_C(1) << 50)
        return true;
    diag_error("--bytes: 1 B to 1 PiB is expected, not '%s'", text);
    return false;
}

static bool read_rate(const char *text, uint64_t *rate)
{
    struct units_problem problem;
    if (!text || (units_rate(text, rate, &problem) && *rate > 0))
        return true;
    diag_error("--rate: a rate above 0 is expected, such as 400Gb/s, not '%s'", text);
    return false;
}

int cli_coll_prove(int argc, char **argv)
{
    struct prove_arguments arguments = {.path = NULL};
    struct collfile_proof proof;
    uint64_t bytes = 0, rate = 0;
    int found = cli_read_all(&command, argc, argv, take, &arguments);
    if (found != CLI_END)
        return cli_status(found);
    if (!arguments.path) {
        diag_error("helio coll prove needs a file: %s", command.words);
        return STATUS_BAD_INPUT;
    }
    if (!read_bytes(arguments.bytes, &bytes) || !read_rate(arguments.rate, &rate))
        return STATUS_BAD_INPUT;
    enum status status = collfile_prove(arguments.path, bytes, &proof, NULL);
    bool right = proof.right;
    if (status == STATUS_OK && rate && proof.bytes == 0) {
        diag_error("--rate needs the size of the collective: --bytes");
        status = STATUS_BAD_INPUT;
    }
    if (status == STATUS_OK && arguments.json)
        status = print_json(arguments.path, &proof, rate);
    else if (status == STATUS_OK)
        status = print_text(arguments.path, &proof, rate, arguments.links);
    collfile_proof_free(&proof);
    return status == STATUS_OK && !right ? STATUS_FAILED : status;
}
