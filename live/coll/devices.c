#include <dlfcn.h>
#include <stddef.h>

#include "live/coll/internal.h"

/* What programs that use GPUs have loaded: CUDA's driver, HIP, Level Zero. RTLD_NOLOAD finds a library
 * however it was loaded, and loads nothing. */
static const char *const libraries[] = {"libcuda.so.1", "libamdhip64.so", "libamdhip64.so.5",
                                        "libamdhip64.so.6", "libze_loader.so.1"};

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
