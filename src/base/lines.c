#include "base/lines.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

enum { LINE = 64 };

void *lines_alloc(size_t count, size_t size, const char *what)
{
    void *block = NULL;
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        mem_refused(count, size, what);
    const bool is_large = bytes >= 2 * (size_t)MEM_LARGE_PAGE;
    mem_caller_reports = true;
    const int error = posix_memalign(&block, is_large ? MEM_LARGE_PAGE : LINE, bytes ? bytes : 1);
    mem_caller_reports = false;
    if (error)
        mem_refused(count, size, what);
    if (is_large)
        mem_advise_large_pages(block, bytes);
    return block;
}
