#include "live/capture/sites.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "live/capture/diagnostics.h"
#include "live/capture/output.h"

/* The addresses that are known: a hash table, linear probing, never more than half full. */
enum {
    SITE_UNKNOWN = 0,
    SITE_PASSED_ON = UINT32_MAX
}; /* instead of a number; the second: look at its caller */

struct known_site {
    const void *caller; /* NULL: the entry is free */
    uint32_t number;
    /* Of an address that is passed on, in a function of the MPI: where its own return address was, beyond the
     * frame of our wrapper; how often in a row it was there; and how often it has been looked for. */
    uint32_t agreed, uses;
    ptrdiff_t distance;
};

static bool is_open;
static struct known_site *table;
static size_t capacity, used;
static uint32_t site_count;
static const void *own_code; /* an address in this library */
static __typeof__(&_Unwind_Backtrace) walk;
static __typeof__(&_Unwind_GetIP) ip_of;
static __typeof__(&_Unwind_GetCFA) frame_of;

/* LEAST_NAME: bytes in the file that the name of a line of the source will fit into.
 * BUILD_BYTES: of a build ID, which has as many as a rule. */
enum { LEAST_NAME = 160, MOST_FRAMES = 12, BUILD_BYTES = 20, BUILD_TEXT = 2 * BUILD_BYTES + 1 };

/* ------------------------------------------------------------------ modules */

/* The executable or library that has the code at `address`. */
struct module {
    uintptr_t address, base;
    const char *path;
    char build[BUILD_TEXT]; /* its build ID in hexadecimal; "" if it has none */
    bool is_found, is_own;
};

static bool has_code(const struct dl_phdr_info *library, uintptr_t address)
{
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && address - library->dlpi_addr - part->p_vaddr < part->p_memsz)
            return true;
    }
    return false;
}

/* The build ID among notes, which are aligned to `align`. */
static bool find_build_id(const char *notes, size_t size, size_t align, char text[BUILD_TEXT])
{
    ElfW(Nhdr) note;
    for (size_t at = 0; at + sizeof note <= size;) {
        memcpy(&note, notes + at, sizeof note);
        const size_t name = at + sizeof note;
        const size_t content = (name + note.n_namesz + align - 1) & ~(align - 1);
        if (content > size || note.n_descsz > size - content)
            return false;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0) {
            for (size_t i = 0; i < note.n_descsz && i < BUILD_BYTES; i++)
                snprintf(text + 2 * i, 3, "%02x", (unsigned char)notes[content + i]);
            return true;
        }
        at = (content + note.n_descsz + align - 1) & ~(align - 1);
    }
    return false;
}

static void read_build_id(const struct dl_phdr_info *library, char text[BUILD_TEXT])
{
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        const uintptr_t begin = library->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_NOTE && part->p_memsz && has_code(library, begin) &&
            has_code(library, begin + part->p_memsz - 1) &&
            find_build_id((const char *)begin, part->p_memsz, part->p_align == 8 ? 8 : 4, text))
            return;
    }
}

static int look_into(struct dl_phdr_info *library, size_t size, void *wanted)
{
    struct module *module = wanted;
    (void)size;
    if (!has_code(library, module->address))
        return 0;
    module->is_found = true;
    module->is_own = has_code(library, (uintptr_t)own_code);
    module->base = library->dlpi_addr;
    module->path = library->dlpi_name;
    read_build_id(library, module->build);
    return 1;
}

/* "libmpi.so.40", "libmpi_mpifh.so.40", "libmpichfort.so.12": the MPI and its bindings. */
static bool is_mpi(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return strncmp(name, "libmpi", 6) == 0 && strstr(name, ".so") != NULL;
}

/* The name by which the file is found after the run. False: it has none that fits into a line. */
static bool full_path(const char *path, char full[PATH_MAX])
{
    if (!*path) {
        ssize_t length = readlink("/proc/self/exe", full, PATH_MAX - 1);
        full[length > 0 ? length : 0] = '\0';
    } else if (!realpath(path, full)) {
        return false;
    }
    return *full && !strchr(full, '\n');
}

/* -------------------------------------------------------------- definitions */

/* "comm_size #site 3 +0x11f2#<build ID> in /home/me/halo", with blanks behind it. */
static void write_definition(uint32_t number, const struct module *module, const char *path)
{
    char text[PATH_MAX + LEAST_NAME];
    memset(text, ' ', LEAST_NAME);
    const size_t length =
        (size_t)snprintf(text, sizeof text, "+0x%jx%s%s in %s", (uintmax_t)(module->address - module->base),
                         *module->build ? "#" : "", module->build, path);
    text[length] = ' ';
    const size_t padded = length < LEAST_NAME ? LEAST_NAME : length;
    line_begin("comm_size", (unsigned)padded / 16 + 4);
    line_text("#site");
    line_int(number);
    line_long_text(text, padded);
    line_end_definition();
}

/* What an address that is new stands for. An address behind a call can be that of the next function, so the
 * byte before it counts. */
static uint32_t define(const void *caller)
{
    struct module module = {.address = (uintptr_t)caller - 1};
    char path[PATH_MAX];
    dl_iterate_phdr(look_into, &module);
    if (!module.is_found)
        return SITE_UNKNOWN;
    if (module.is_own || is_mpi(module.path))
        return SITE_PASSED_ON;
    if (!full_path(module.path, path))
        return SITE_UNKNOWN;
    write_definition(++site_count, &module, path);
    return site_count;
}

/* -------------------------------------------------------------------- table */

static struct known_site *entry_of(const void *caller)
{
    size_t i = (size_t)(((uint64_t)(uintptr_t)caller * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (capacity - 1);
    while (table[i].caller && table[i].caller != caller)
        i = (i + 1) & (capacity - 1);
    return &table[i];
}

static bool grow_table(void)
{
    struct known_site *old = table;
    const size_t count = capacity, bigger = count ? 2 * count : 256;
    struct known_site *grown = calloc(bigger, sizeof *grown);
    if (!grown)
        return false;
    table = grown;
    capacity = bigger;
    for (size_t i = 0; i < count; i++)
        if (old[i].caller)
            *entry_of(old[i].caller) = old[i];
    free(old);
    return true;
}

/* NULL: there is no memory. */
static struct known_site *known(const void *caller)
{
    if (2 * (used + 1) > capacity && !grow_table())
        return NULL;
    struct known_site *site = entry_of(caller);
    if (!site->caller) {
        *site = (struct known_site){.caller = caller, .number = define(caller)};
        used++;
    }
    return site;
}

/* -------------------------------------------------------------------- calls */

/* Walks up the stack to the first frame of the program. */
struct stack_search {
    uint32_t number;
    int left;                /* frames to look at */
    const void *const *slot; /* where its address is on the stack; NULL: not known */
};

static _Unwind_Reason_Code look_at(struct _Unwind_Context *context, void *self)
{
    struct stack_search *search = self;
    const void *address = (const void *)ip_of(context);
    const struct known_site *site = known(address);
    if (site && site->number == SITE_PASSED_ON && --search->left > 0)
        return _URC_NO_REASON;
    search->number = site && site->number != SITE_PASSED_ON ? site->number : SITE_UNKNOWN;
    /* On most machines a return address is the last thing below the frame that it returns to. */
    const void *const *slot = (const void *const *)frame_of(context) - 1;
    search->slot = *slot == address ? slot : NULL;
    return _URC_END_OF_STACK;
}

/* A walk takes microseconds. But a function of the MPI's bindings has a frame of a fixed size, with few
 * exceptions, so that its return address is always at the same distance. If AGREED walks in a row have found
 * it there, an address there that the program has called from before is taken to be it. Each RECHECKED-th
 * time a walk finds out whether that is still so. */
enum { AGREED = 8, RECHECKED = 256 };

static uint32_t nearby(struct known_site *passed, const char *frame)
{
    if (passed->agreed < AGREED || ++passed->uses % RECHECKED == 0)
        return SITE_PASSED_ON;
    const struct known_site *site = entry_of(*(const void *const *)(frame + passed->distance));
    return site->caller && site->number != SITE_UNKNOWN ? site->number : SITE_PASSED_ON;
}

static uint32_t look_up_the_stack(const void *caller, const char *frame)
{
    struct known_site *passed = entry_of(caller);
    const uint32_t near = nearby(passed, frame);
    if (near != SITE_PASSED_ON)
        return near;
    struct stack_search search = {.left = MOST_FRAMES};
    walk(look_at, &search);
    passed = entry_of(caller); /* the table may have grown */
    const ptrdiff_t distance = search.slot ? (const char *)search.slot - frame : 0;
    passed->agreed =
        search.slot && (passed->agreed == 0 || distance == passed->distance) ? passed->agreed + 1 : 0;
    passed->distance = distance;
    return search.number;
}

static bool load_unwinder(void)
{
    void *library = dlopen("libgcc_s.so.1", RTLD_LAZY);
    if (!library)
        return false;
    walk = (__typeof__(walk))dlsym(library, "_Unwind_Backtrace");
    ip_of = (__typeof__(ip_of))dlsym(library, "_Unwind_GetIP");
    frame_of = (__typeof__(frame_of))dlsym(library, "_Unwind_GetCFA");
    return walk && ip_of && frame_of;
}

void sites_open(void)
{
    own_code = __builtin_return_address(0);
    is_open = true;
    if (!load_unwinder())
        capture_warn("without libgcc_s.so.1 the call sites of Fortran are not known");
}

void sites_enter(const void *caller, const void *frame)
{
    if (!is_open || !caller || line_is_muted())
        return;
    const struct known_site *site = known(caller);
    uint32_t number = site ? site->number : SITE_UNKNOWN;
    if (number == SITE_PASSED_ON)
        number = walk ? look_up_the_stack(caller, frame) : SITE_UNKNOWN;
    line_set_site(number);
}

void sites_leave(void)
{
    line_set_site(SITE_UNKNOWN);
}
