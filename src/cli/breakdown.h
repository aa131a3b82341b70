#ifndef HELIO_CLI_BREAKDOWN_H
#define HELIO_CLI_BREAKDOWN_H

/* The commands of `helio breakdown`; argv[0] is the command's own name. Each returns the exit status. */
int cli_breakdown_model(int argc, char **argv);
int cli_breakdown_whatif(int argc, char **argv);
int cli_breakdown_pcie(int argc, char **argv);
int cli_breakdown_measure(int argc, char **argv);

#endif
