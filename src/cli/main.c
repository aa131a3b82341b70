#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "cli/group.h"

int main(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
        printf("helio %s\n", HELIO_VERSION);
        return STATUS_OK;
    }
    return cli_group_run(&cli_helio, argc, argv);
}
