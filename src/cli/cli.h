#ifndef HELIO_CLI_CLI_H
#define HELIO_CLI_CLI_H

/* The commands of helio. A command reads its arguments, calls other rooms and prints.
 *
 *     main.c, commands.c     the program, and the table of its commands
 *     options.h, group.h     a command's options as a table; commands under a common word
 *     values.h, print.h      values of options; what is printed to standard output
 *     launch.h, tracer.h     other programs, and how they are run; the libraries of helio capture
 *
 *     run.c gen.c params.c machine.c topo.c capture.c reproduce.c doctor.c     a command each
 *     sweep.c export.c report.c plot.c rerun.c merge.c               sweeps and their results
 *     sweep_command.h        what helio sweep and helio-sweep (cluster/) share
 *     reproduce_command.h    what helio reproduce and helio-search (cluster/) share
 *     trace*.c coll*.c breakdown*.c     schedule*.c                  a group of commands each, or a large one
 *     manual.c completion*.c                                         what is printed from the tables of all
 *
 * Below: a function for each command; argv[0] is its name. It returns the exit status: 0 done, 1 the run
 * failed, 2 wrong usage or input. */
int cli_run(int argc, char **argv);
int cli_coll(int argc, char **argv);
int cli_breakdown(int argc, char **argv);
int cli_sweep(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_tolerance(int argc, char **argv);
int cli_place(int argc, char **argv);
int cli_cost(int argc, char **argv);
int cli_export(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_plot(int argc, char **argv);
int cli_rerun(int argc, char **argv);
int cli_merge(int argc, char **argv);
int cli_schedule(int argc, char **argv);
int cli_params(int argc, char **argv);
int cli_trace(int argc, char **argv);
int cli_calibrate(int argc, char **argv);
int cli_capture(int argc, char **argv);
int cli_gen(int argc, char **argv);
int cli_reproduce(int argc, char **argv);
int cli_machine(int argc, char **argv);
int cli_topo(int argc, char **argv);
int cli_doctor(int argc, char **argv);
int cli_manual(int argc, char **argv);
int cli_completion(int argc, char **argv);

#endif
