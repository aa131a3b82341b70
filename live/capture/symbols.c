#include "live/capture/symbols.h"

#include <link.h>
#include <string.h>
#include <unistd.h>

#include "live/capture/diagnostics.h"

static int is_mpi(struct dl_phdr_info *library, size_t size, void *path)
{
    (void)size;
    if (!strstr(library->dlpi_name, "/libmpi.so") && !strstr(library->dlpi_name, "/libmpich.so"))
        return 0;
    *(const char **)path = library->dlpi_name;
    return 1;
}

/* A program that loads its MPI by dlopen, as Python does, may keep the MPI's symbols local (RTLD_LOCAL). */
static void *find_in_local(const char *name)
{
    static void *library;
    const char *path = NULL;
    if (!library && dl_iterate_phdr(is_mpi, &path))
        library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    return library ? dlsym(library, name) : NULL;
}

void *capture_find(void *where, const char *name)
{
    void *found = dlsym(where, name);
    if (!found)
        found = find_in_local(name);
    if (found)
        return found;
    capture_warn("the MPI of this program has no %s", name);
    _exit(1); /* there is nothing to which the call could be passed on */
}

/* ----------------------------------------------------------------- Fortran */

/* The code of the MPI's library of Fortran functions. Calls that come from there are calls of the program. */
static struct {
    uintptr_t begin, end;
} bindings;

static int find_bindings(struct dl_phdr_info *library, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (!strstr(library->dlpi_name, "libmpi_mpifh") && !strstr(library->dlpi_name, "libmpichfort"))
        return 0;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
            continue;
        bindings.begin = library->dlpi_addr + part->p_vaddr;
        bindings.end = bindings.begin + part->p_memsz;
    }
    return 1;
}

bool capture_is_fortran(const void *caller)
{
    static bool is_known;
    if (!is_known)
        dl_iterate_phdr(find_bindings, NULL);
    is_known = true;
    return (uintptr_t)caller >= bindings.begin && (uintptr_t)caller < bindings.end;
}
