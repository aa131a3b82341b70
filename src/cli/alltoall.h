#ifndef HELIO_CLI_ALLTOALL_H
#define HELIO_CLI_ALLTOALL_H

/* The commands of `helio alltoall`; argv[0] is the command's own name. Each returns the exit status. */
int cli_alltoall_plan(int argc, char **argv);
int cli_alltoall_explain(int argc, char **argv);
int cli_alltoall_bench(int argc, char **argv);
int cli_alltoall_tune(int argc, char **argv);

#endif
