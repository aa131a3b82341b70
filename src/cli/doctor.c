#include <archive.h>
#include <dirent.h>
#include <fcntl.h>
#include <libfyaml.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/status.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/print.h"
#include "cli/tracer.h"
#include "output/cache.h"
#include "output/standard.h"
#include "report/assets.h"
#include "report/timeline/timeline.h"

/* One thing that was looked for. helio does not work without what is required; each of the others enables one
 * thing more. */
struct doctor_finding {
    const char *name;
    bool there, required;
    char *detail; /* what was found; or what does not work without it, and how to get it */
};

enum { FINDINGS_AT_MOST = 32 };

struct doctor_findings {
    struct doctor_finding list[FINDINGS_AT_MOST];
    size_t count;
};

static void add(struct doctor_findings *findings, const char *name, bool required, bool there, char *detail)
{
    findings->list[findings->count++] =
        (struct doctor_finding){.name = name, .there = there, .required = required, .detail = detail};
}

#ifdef __clang__
#define COMPILER "" /* clang's version begins with its name */
#else
#define COMPILER "gcc "
#endif

static void look_at_machine(struct doctor_findings *findings)
{
    char memory[32];
    double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    add(findings, "helio", true, true, mem_format("%s, built by %s", HELIO_VERSION, COMPILER __VERSION__));
    add(findings, "machine", true, true,
        mem_format("%ld cores, %s of memory", sysconf(_SC_NPROCESSORS_ONLN),
                   units_show_size(bytes, 3, memory, sizeof memory)));
    add(findings, "libfyaml", true, true, mem_format("%s, experiment files", fy_library_version()));
    add(findings, "jansson", true, true, mem_format("%s, JSON", JANSSON_VERSION));
    add(findings, "libarchive", true, true, mem_format("%s", archive_version_details()));
    add(findings, "xxhash", true, true,
        mem_format("%u.%u.%u, names of cached traces", XXH_versionNumber() / 10000,
                   XXH_versionNumber() / 100 % 100, XXH_versionNumber() % 100));
}

static void look_for_otf2(struct doctor_findings *findings)
{
    bool there = timeline_writes_otf2();
    add(findings, "otf2", false, there,
        mem_text(there ? "timelines for Vampir (helio run --timeline FILE.otf2)"
                       : "no timelines for Vampir: build helio with libopen-trace-format2-dev"));
}

static double folder_bytes(const char *path)
{
    DIR *folder = opendir(path);
    double bytes = 0;
    struct stat file;
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (fstatat(dirfd(folder), entry->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(file.st_mode))
            bytes += (double)file.st_size;
    if (folder)
        closedir(folder);
    return bytes;
}

/* Whether a folder that does not exist yet can be made: the nearest one above it that exists is writable. */
static bool can_be_made(const char *path)
{
    char *above = mem_text(path);
    while (above[1] && access(above, F_OK) != 0) {
        char *folder = path_folder(above);
        free(above);
        above = folder;
    }
    bool writable = access(above, W_OK) == 0;
    free(above);
    return writable;
}

static void look_at_cache(struct doctor_findings *findings)
{
    char *folder = cache_folder();
    struct statvfs room;
    char left[32], used[32];
    if (folder && access(folder, F_OK) != 0 && can_be_made(folder))
        add(findings, "cache", false, true, mem_format("%s will be made on first use", folder));
    else if (folder && access(folder, W_OK) == 0 && statvfs(folder, &room) == 0)
        add(findings, "cache", false, true,
            mem_format("%s, %s in use, %s free", folder,
                       units_show_size(folder_bytes(folder), 3, used, sizeof used),
                       units_show_size((double)room.f_bavail * (double)room.f_frsize, 3, left, sizeof left)));
    else
        add(findings, "cache", false, false,
            mem_format("%s: traces are compiled anew each time; set XDG_CACHE_HOME to a folder of yours",
                       folder ? folder : "neither XDG_CACHE_HOME nor HOME is set"));
    free(folder);
}

static void look_for_programs(struct doctor_findings *findings)
{
    static const struct {
        const char *name, *why;
    } programs[] = {
        {"cmake", "make: apt-get install cmake"},
        {"ninja", "make: apt-get install ninja-build"},
        {"clang-14",
         "the second compiler and sanitizers of make check: apt-get install clang libclang-rt-14-dev"},
        {"clang-format-14", "the style check of make check: apt-get install clang-format-14"},
        {"smpirun", "SimGrid, for the differential tests and make bench: apt-get install libsimgrid-dev"},
        {"mpiexec.openmpi", "programs of Open MPI: apt-get install libopenmpi-dev openmpi-bin"},
        {"mpiexec.mpich", "programs of MPICH: apt-get install libmpich-dev mpich"},
        {"gnuplot", "drawing the figures of helio plot: apt-get install gnuplot-nox"},
        {"zstd", "traces for SimGrid, or looked into by hand: apt-get install zstd"},
    };
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char *found = launch_find(programs[i].name);
        add(findings, programs[i].name, false, found, found ? found : mem_format("for %s", programs[i].why));
    }
}

/* The libraries that are preloaded into MPI programs. */
static void look_for_preloaded(struct doctor_findings *findings)
{
    static const char *const names[][2] = {{"capture-openmpi", "coll-openmpi"},
                                           {"capture-mpich", "coll-mpich"}};
    for (size_t i = 0; tracer_mpis[i]; i++) {
        const char *mpi = tracer_mpis[i];
        char *tracer = tracer_library(mpi), *collectives = launch_library("coll", mpi);
        add(findings, names[i][0], false, tracer,
            tracer
                ? tracer
                : mem_format("no helio capture for its programs: built where lib%s-dev is installed", mpi));
        add(findings, names[i][1], false, collectives,
            collectives
                ? collectives
                : mem_format("no faster collectives in its programs: built where lib%s-dev is installed",
                             mpi));
    }
}

static void look_for_charts(struct doctor_findings *findings)
{
    char *folder = report_assets_folder();
    add(findings, "charts", false, folder,
        folder ? mem_format("%s, the libraries that draw reports", folder)
               : mem_text(
                     "no reports (helio run --html): tools/report-assets gets the libraries that draw them"));
    free(folder);
}

static void look_at_terminal(struct doctor_findings *findings)
{
    const char *refused = diag_colours_refused();
    if (!refused && !isatty(STDOUT_FILENO))
        refused = "standard output is not a terminal";
    add(findings, "terminal", false, true,
        refused ? mem_format("no colours: %s", refused) : mem_text("colours; NO_COLOR=1 turns them off"));
}

static enum status print_lines(const struct doctor_findings *findings)
{
    bool colour = isatty(STDOUT_FILENO) && !diag_colours_refused();
    for (size_t i = 0; i < findings->count; i++) {
        const struct doctor_finding *finding = &findings->list[i];
        const char *mark = finding->there ? "ok     " : finding->required ? "BROKEN " : "missing";
        const char *begin = !colour ? "" : finding->there ? "\033[32m" : "\033[33m";
        printf("%s%s%s  %-16s ", begin, mark, colour ? "\033[0m" : "", finding->name);
        cli_print_text("", finding->detail);
    }
    return standard_flush();
}

enum { DOCTOR_DIGITS = 15 };

static enum status print_json(const struct doctor_findings *findings)
{
    json_t *list = json_make_list();
    for (size_t i = 0; i < findings->count; i++) {
        const struct doctor_finding *finding = &findings->list[i];
        json_t *object = json_make_object();
        json_put_text(object, "name", finding->name);
        json_put_flag(object, "ok", finding->there);
        json_put_flag(object, "required", finding->required);
        json_put_text(object, "detail", finding->detail);
        json_add(list, object);
    }
    return cli_print_json(list, DOCTOR_DIGITS);
}

static const struct cli_option options[] = {{"--json", 0, NULL, "print a JSON list instead of lines"}};

static const struct cli_command command = {
    .name = "doctor",
    .words = "",
    .doc = "Says what this machine offers to Heliograph and what is missing.\n"
           "Exit status 1: something that helio needs is broken; else 0.",
    .options = options,
    .option_count = 1,
};

static bool take(void *json, int found, const char *value)
{
    if (found == CLI_WORD) {
        diag_error("helio doctor takes no '%s'", value);
        return false;
    }
    *(bool *)json = true;
    return true;
}

int cli_doctor(int argc, char **argv)
{
    bool json = false;
    int found = cli_read_all(&command, argc, argv, take, &json);
    if (found != CLI_END)
        return cli_status(found);
    struct doctor_findings findings = {.count = 0};
    look_at_machine(&findings);
    look_for_otf2(&findings);
    look_at_cache(&findings);
    look_for_preloaded(&findings);
    look_for_charts(&findings);
    look_at_terminal(&findings);
    look_for_programs(&findings);
    enum status status = json ? print_json(&findings) : print_lines(&findings);
    for (size_t i = 0; i < findings.count; i++) {
        if (findings.list[i].required && !findings.list[i].there)
            status = STATUS_FAILED;
        free(findings.list[i].detail);
    }
    return status;
}
