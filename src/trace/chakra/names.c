#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/chakra/chakra.h"

/* Nodes that do the same have names that differ in numbers: of a layer, a step, a tile. So the call site of
 * an operation (call/sites.h) is the name of its node with * for each number. A number with a letter behind
 * it is a part of a word, as in conv2d and 1MB, and stays. */
static size_t make_pattern(const char *name, char *pattern)
{
    size_t length = 0;
    while (*name) {
        const size_t digits = strspn(name, "0123456789");
        if (digits && !isalpha((unsigned char)name[digits])) {
            pattern[length++] = '*';
            name += digits;
            continue;
        }
        for (size_t i = 0; i < (digits ? digits : 1); i++)
            pattern[length++] = *name++;
    }
    return length;
}

uint32_t chakra_site(struct chakra_program *chakra, const char *name)
{
    if (!name || !*name)
        return 0;
    char *pattern = mem_alloc(strlen(name), 1, "the name of a node");
    const uint32_t site = sites_intern(&chakra->names, pattern, make_pattern(name, pattern));
    free(pattern);
    return site;
}

static uint32_t of_operation(const struct program_sites *sites, uint32_t rank, uint32_t operation)
{
    const struct chakra_program *chakra =
        (const void *)((const char *)sites - offsetof(struct chakra_program, sites));
    return chakra->site_of[chakra->graph.ranks[rank].first + operation];
}

void chakra_use_sites(struct chakra_program *chakra)
{
    const uint32_t count = chakra->names.count + 1;
    if (count == 1)
        return;
    chakra->site_names = mem_alloc(count, sizeof *chakra->site_names, "names of nodes");
    for (uint32_t site = 1; site < count; site++)
        chakra->site_names[site] = chakra->names.texts + chakra->names.starts[site - 1];
    chakra->sites =
        (struct program_sites){.names = chakra->site_names, .count = count, .of_operation = of_operation};
    chakra->program.sites = &chakra->sites;
}
