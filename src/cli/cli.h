#ifndef HELIO_CLI_CLI_H
#define HELIO_CLI_CLI_H

/* One function per subcommand; argv[0] is its name. Each returns the exit status: 0 done, 1 the run failed, 2
 * bad usage or input. */
int cli_run(int argc, char **argv);
int cli_alltoall(int argc, char **argv);
int cli_breakdown(int argc, char **argv);
int cli_sweep(int argc, char **argv);
int cli_export(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_plot(int argc, char **argv);
int cli_rerun(int argc, char **argv);
int cli_merge(int argc, char **argv);
int cli_schedule(int argc, char **argv);
int cli_params(int argc, char **argv);
int cli_trace(int argc, char **argv);
int cli_capture(int argc, char **argv);
int cli_gen(int argc, char **argv);
int cli_reproduce(int argc, char **argv);
int cli_topo(int argc, char **argv);
int cli_doctor(int argc, char **argv);
int cli_manual(int argc, char **argv);
int cli_completion(int argc, char **argv);

#endif
