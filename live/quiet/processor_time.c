#include "live/quiet/processor_time.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

double processor_own_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

double processor_machine_s(void)
{
    unsigned long long user, nice, system, idle, waiting, hard, soft, stolen;
    FILE *file = fopen("/proc/stat", "r");
    int found = file ? fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system,
                              &idle, &waiting, &hard, &soft, &stolen)
                     : 0;
    if (file)
        fclose(file);
    return found == 8 ? (double)(user + nice + system + stolen) / (double)sysconf(_SC_CLK_TCK) : 0;
}

int processor_kernel_number(void)
{
    char text[64] = "";
    unsigned number = 5381;
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!file || !fgets(text, sizeof text, file))
        gethostname(text, sizeof text - 1);
    if (file)
        fclose(file);
    for (const char *at = text; *at; at++)
        number = number * 33 + (unsigned char)*at;
    return (int)(number & 0x7fffffff);
}
