#ifndef HELIO_CLI_COLL_H
#define HELIO_CLI_COLL_H

/* The commands of `helio coll`; argv[0] is the command's own name. Each returns the exit status. */
int cli_coll_plan(int argc, char **argv);
int cli_coll_circuits(int argc, char **argv);
int cli_coll_export(int argc, char **argv);
int cli_coll_prove(int argc, char **argv);
int cli_coll_explain(int argc, char **argv);
int cli_coll_bench(int argc, char **argv);
int cli_coll_tune(int argc, char **argv);

#endif
