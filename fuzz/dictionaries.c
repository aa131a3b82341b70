/* Writes libFuzzer's dictionaries of text formats from the program's own tables, so that they name what there
 * is: parameters and their choices, fabrics, workloads, topologies, algorithms, actions.
 *
 *     write-dictionaries FOLDER */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "coll/coll.h"
#include "fabric/list.h"
#include "fuzz/fuzz.h"
#include "sim/components.h"
#include "topo/families.h"
#include "trace/ti/action_table.h"
#include "workload/workload.h"

/* A word of a dictionary. Names have no character that would need an escape. */
static void put_word(FILE *file, const char *word)
{
    if (*word && !strpbrk(word, "\"\\"))
        fprintf(file, "\"%s\"\n", word);
}

static void put_table(FILE *file, const struct param_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct param *param = &table->params[i];
        put_word(file, param->name);
        if (param->default_text)
            put_word(file, param->default_text);
        for (const char *const *choice = param->choices; choice && *choice; choice++)
            put_word(file, *choice);
    }
}

static void put_parameters(FILE *file)
{
    size_t count;
    const struct param_table *const *tables = components_params(&count);
    for (size_t i = 0; i < count; i++)
        put_table(file, tables[i]);
    for (size_t i = 0; fabrics[i]; i++)
        put_word(file, fabrics[i]->name);
}

static void put_workloads(FILE *file)
{
    for (size_t i = 0; workloads[i]; i++) {
        put_word(file, workloads[i]->name);
        put_table(file, workloads[i]->params);
    }
}

#define TOPO_FAMILY(name) #name,
static const char *const topologies[] = {
#include "topo/families.def"
    "linear", "ring", "order=first", "order=last", "tie=parity", "tie=plus", "tie=either", "x16", NULL};
#undef TOPO_FAMILY

static void put_topologies(FILE *file)
{
    for (size_t i = 0; topologies[i]; i++)
        put_word(file, topologies[i]);
}

static void put_algorithms(FILE *file)
{
    for (size_t i = 0; coll_algorithms[i]; i++)
        put_word(file, coll_algorithms[i]->name);
}

static void put_actions(FILE *file)
{
    static const char *const notes[] = {" #any",     " #tags",
                                        " #lost ",   " #phase 2",
                                        " #wait ",   " #site 1 +0x1 in a",
                                        " #@1",      "comm_size #behind 0 0 0",
                                        " #c0.1",    " #s",
                                        "----\\x0a", NULL};
    for (size_t i = 0; action_form_at(i); i++)
        put_word(file, action_form_at(i)->name);
    for (size_t i = 0; notes[i]; i++)
        fprintf(file, "\"%s\"\n", notes[i]);
}

static void put_goal(FILE *file)
{
    static const char *const words[] = {
        "num_ranks ", "rank ", "{\\x0a", "}\\x0a", "send ", "recv ", "calc ",      "b to ",       "b from ",
        " tag ",      " cpu ", " nic ",  "l1: ",   "//",    "/*",    " requires ", " irequires ", NULL};
    for (size_t i = 0; words[i]; i++)
        fprintf(file, "\"%s\"\n", words[i]);
}

typedef void put_words(FILE *file);

static void put_platform(FILE *file)
{
    static const char *const words[] = {
        "<zone id='", "<host id='",  "<router id='", "<link id='",       "<cluster id='",    "<cabinet id='",
        "<peer id='", "<backbone ",  "<host_link ",  "<route src='",     "<zoneRoute ",      "<bypassRoute ",
        "<link_ctn ", "bandwidth='", "latency='",    "SPLITDUPLEX",      "FATPIPE",          "SHARED",
        "TORUS",      "FAT_TREE",    "DRAGONFLY",    "topo_parameters=", "radical='",        "limiter_link='",
        "bb_bw='",    "gw_src='",    "gw_dst='",     "direction='UP'",   "symmetrical='NO'", "coordinates='"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        fprintf(file, "\"%s\"\n", words[i]);
}

static void put_network_text(FILE *file)
{
    static const char *const words[] = {"Nodes ",
                                        "Tiers ",
                                        "Podsize ",
                                        "Tier ",
                                        "Downlink_speed_Gbps ",
                                        "Radix_Down ",
                                        "Radix_Up ",
                                        "Downlink_Latency_ns ",
                                        "Switch_Latency_ns ",
                                        "Oversubscribed ",
                                        "Bundle ",
                                        "Queue_Down ",
                                        " 100Gbps 1us 0"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        fprintf(file, "\"%s\"\n", words[i]);
}

static void put_network(FILE *file)
{
    static const char *const words[] = {
        "nodes: ",   "switches: ", "links:", "between: ",       "pairs: blocks", "rate: ",
        "latency: ", "count: ",    "node",   "routing: lowest", "routing: hash", "seed: ",
        "1 Gb/s",    "1 us",       "ends: ", "preferred: "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put_word(file, words[i]);
}

static const struct {
    const char *target;
    put_words *words[4];
} dictionaries[] = {
    {"alltoall_table", {put_algorithms}},
    {"capture", {put_actions}},
    {"packed", {put_actions}},
    {"experiment", {put_parameters, put_algorithms, put_topologies}},
    {"extrapolate", {put_actions}},
    {"faults", {put_topologies}},
    {"goal", {put_goal}},
    {"machine", {put_parameters, put_topologies}},
    {"measured", {put_algorithms}},
    {"network", {put_network}},
    {"network_text", {put_network_text}},
    {"platform", {put_platform}},
    {"rerun", {put_parameters, put_algorithms, put_topologies, put_workloads}},
    {"run_experiment", {put_parameters, put_algorithms, put_topologies, put_workloads}},
    {"run_goal", {put_parameters, put_topologies, put_goal}},
    {"run_jobs", {put_parameters, put_topologies, put_workloads}},
    {"run_ti", {put_parameters, put_topologies, put_actions}},
    {"run_topo", {put_topologies}},
    {"run_workload", {put_parameters, put_topologies, put_workloads, put_algorithms}},
    {"settings", {put_parameters, put_algorithms, put_topologies}},
    {"sweep", {put_parameters, put_algorithms, put_topologies, put_workloads}},
    {"ti", {put_actions}},
    {"trace_edit", {put_actions}},
    {"topo", {put_topologies}},
    {"workload", {put_workloads, put_algorithms}},
};

int main(int argc, char **argv)
{
    fuzz_must(argc == 2, "write-dictionaries FOLDER");
    mkdir(argv[1], 0777);
    for (size_t i = 0; i < sizeof dictionaries / sizeof *dictionaries; i++) {
        char *path = mem_format("%s/%s.dict", argv[1], dictionaries[i].target);
        FILE *file = fopen(path, "wb");
        fuzz_must(file != NULL, "cannot write %s", path);
        for (size_t j = 0; j < 4 && dictionaries[i].words[j]; j++)
            dictionaries[i].words[j](file);
        fuzz_must(!ferror(file) && fclose(file) == 0, "cannot write %s", path);
        free(path);
    }
    return 0;
}
