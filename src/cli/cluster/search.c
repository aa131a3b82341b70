#include "base/diag.h"
#include "cli/cluster/program.h"
#include "cli/cluster/ranks.h"
#include "cli/reproduce_command.h"
#include "output/interrupt.h"
#include "sweep/sweep.h"

/* helio-search is `helio reproduce --search` with the ranks of an MPI program as workers. Rank 0 decides what
 * is tried, and keeps the tries; each of the others makes one try at a time. */
static const struct cli_command command = {
    .name = "helio-search",
    .alone = true,
    .words = "PAPER",
    .doc =
        "helio reproduce --search on a cluster: mpirun -n N helio-search ... searches for the configuration "
        "that\n"
        "meets most numbers of a paper. Rank 0 keeps the tries, the others make them; alone it does both.\n"
        "For programs of " HELIO_MPI ".",
    .options = reproduce_command_options,
    .option_count = REPRODUCE_SEARCH,
    .after = "Example:\n"
             "  mpirun -n 9 helio-search segment --quick --tries 500 -o search",
    .print_lists = reproduce_print_papers,
};

static const char *folder;

static void say_what_is_kept(size_t kept, size_t tries)
{
    rank_program_set_last_words(
        "(Ctrl-C, a lost rank or a time limit): %zu of %zu tries are kept in %.300s; run "
        "it again to go on\n",
        kept, tries, folder);
}

static enum status read_command(struct reproduce_command *search, int argc, char **argv)
{
    enum status status = reproduce_command_init(search, &command, argc, argv);
    if (status != STATUS_OK || search->help || search->paper)
        return status;
    diag_error("helio-search takes one paper");
    return STATUS_BAD_INPUT;
}

static enum status run_as_rank_0(int argc, char **argv, int ranks)
{
    struct reproduce_command search;
    struct worker_pool others, own;
    uint64_t fingerprint = 0;
    enum status status = read_command(&search, argc, argv);
    bool runs = status == STATUS_OK && !search.help;
    if (runs && ranks > 1) {
        status = reproduce_worker_open(search.paper, &search.options, &own, &fingerprint);
        runs = status == STATUS_OK;
        if (runs)
            own.shutdown(&own);
    }
    if (runs && ranks == 1)
        return reproduce_search(search.paper, &search.options);
    if (ranks == 1 || !ranks_agree_to_go_on(runs) || !ranks_have_the_same(fingerprint, "search", search.word))
        return status == STATUS_OK && runs ? STATUS_FAILED : status;
    folder = search.options.folder;
    rank_program_expect_the_end();
    rank_pool_init(&others);
    search.options.workers = &others;
    search.options.tried = say_what_is_kept;
    return reproduce_search(search.paper, &search.options);
}

/* Each of `here` ranks on its machine takes its share of the processors for the runs of a try. */
static void share_processors(struct reproduce_options *options, unsigned here)
{
    if (options->jobs)
        return;
    unsigned processors = sweep_jobs(&(struct sweep_options){.jobs = 0});
    options->jobs = processors > here ? processors / here : 1;
}

static void run_as_another(int argc, char **argv, unsigned here)
{
    static const char *const volatile silence = "";
    struct reproduce_command search;
    struct worker_pool own;
    uint64_t fingerprint = 0;
    if (!ranks_agree_to_go_on(false))
        return;
    interrupt_end_with(&silence);
    enum status status = read_command(&search, argc, argv);
    if (status == STATUS_OK) {
        share_processors(&search.options, here);
        status = reproduce_worker_open(search.paper, &search.options, &own, &fingerprint);
    }
    bool same = ranks_have_the_same(fingerprint, "search", search.word);
    if (same)
        ranks_serve(&own);
    else if (status == STATUS_OK)
        own.shutdown(&own);
}

int main(int argc, char **argv)
{
    static const struct rank_program program = {"helio-search", run_as_rank_0, run_as_another};
    return rank_program_run(&program, argc, argv);
}
