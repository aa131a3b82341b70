#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "cli/group.h"
#include "output/interrupt.h"
#include "output/output.h"
#include "output/progress_line.h"
#include "output/standard.h"

static enum status run(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
        printf("helio %s\n", HELIO_VERSION);
        return STATUS_OK;
    }
    static char coll[] = "coll";
    if (argc > 1 && strcmp(argv[1], "alltoall") == 0) /* its name when it knew no other collective */
        argv[1] = coll;
    return (enum status)cli_group_run(&cli_helio, argc, argv);
}

int main(int argc, char **argv)
{
    standard_open();
    interrupt_install();
    progress_line_start();
    output_note_words(argc, argv);
    enum status status = run(argc, argv);
    progress_line_stop();
    status = standard_close(status);
    return status == STATUS_CANCELLED ? interrupt_exit_status(status) : (int)status;
}
