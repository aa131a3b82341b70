#include "support/hosts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "breakdown/system.h"

char *hosts_system_with(const char *lines)
{
    char *path = mem_text("/tmp/helio-host-XXXXXX");
    int handle = mkstemp(path);
    assert_true(handle >= 0);
    FILE *file = fdopen(handle, "w");
    assert_non_null(file);
    const struct embedded_file *system = system_named("thunderx2");
    fwrite(system->text, 1, system->length, file);
    fprintf(file, "\n%s\n", lines);
    fclose(file);
    char *setting = mem_format("host.system=%s", path);
    free(path);
    return setting;
}

void hosts_forget(char *setting)
{
    remove(strchr(setting, '=') + 1);
    free(setting);
}
