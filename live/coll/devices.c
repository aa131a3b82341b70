#include <dlfcn.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

#include "live/coll/internal.h"

/* What programs that use GPUs have loaded: CUDA's driver, HIP, Level Zero. RTLD_NOLOAD finds a library
 * however it was loaded, and loads nothing. */
static const char *const libraries[] = {"libcuda.so.1",     "libamdhip64.so",   "libamdhip64.so.5",
                                        "libamdhip64.so.6", "libamdhip64.so.7", "libze_loader.so.1"};

bool live_uses_devices(void)
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (!library)
            continue;
        dlclose(library);
        return true;
    }
    return false;
}

/* The system counts how many libraries the process has loaded. */
static int read_loads(struct dl_phdr_info *info, size_t bytes, void *loads)
{
    (void)bytes;
    *(unsigned long long *)loads = info->dlpi_adds;
    return 1; /* it is the same for all libraries */
}

bool live_may_be_of_device(const struct live_comm *comm)
{
    static _Atomic bool came;
    static _Atomic unsigned long long looked_at; /* how many had been loaded when they were looked at */
    unsigned long long loads = 0;
    if (came)
        return true;
    dl_iterate_phdr(read_loads, &loads);
    if (loads == looked_at)
        return false;
    bool is_used = live_uses_devices();
    if (is_used && comm->settings.verbose)
        fprintf(stderr,
                "helio coll (" HELIO_MPI "): rank %u has begun to use a GPU; its data go by MPI_Pack\n",
                comm->rank);
    came |= is_used;
    looked_at = loads;
    return is_used;
}
