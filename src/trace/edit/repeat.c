#include "trace/edit/repeat.h"

#include "base/diag.h"
#include "trace/edit/open_requests.h"
#include "trace/edit/pieces.h"

static void ignore(void *self, uint64_t first, uint64_t last, uint64_t started, uint64_t named)
{
    (void)self, (void)first, (void)last, (void)started, (void)named;
}

/* False, reported: a request of the rank is open at its end. */
static bool is_complete(const struct compiled_trace *source, uint32_t rank, struct open_requests *requests)
{
    struct rank_piece body = piece_body(source, rank);
    const uint32_t *tokens = compiled_tokens(source, rank);
    const struct call *calls = compiled_calls(source, rank);
    open_requests_begin(requests, source, rank);
    for (uint64_t at = body.from; at < body.to; at++)
        if (!(tokens[at] & TOKEN_COMPUTE))
            open_requests_see(requests, &calls[tokens[at]], at, 0, ignore, NULL);
    if (!requests->count)
        return true;
    compiled_report(source, DIAG_ERROR, rank, requests->list[0].started + 1,
                    "nothing waits for this request, so that it would meet the next repetition");
    return false;
}

enum status repeat_make(const struct compiled_trace *source, uint64_t times, const char *out,
                        struct compiled_trace **result)
{
    struct open_requests requests = {0};
    struct rank_pieces pieces;
    bool complete = true;
    for (uint32_t rank = 0; complete && rank < source->program.ranks; rank++)
        complete = is_complete(source, rank, &requests);
    open_requests_free(&requests);
    if (!complete || edit_check_source(source) != STATUS_OK)
        return STATUS_BAD_INPUT;
    pieces_open(&pieces, source);
    pieces.times = times;
    const struct edit edit = pieces_edit(&pieces);
    enum status status = edit_make(&edit, out, result);
    pieces_free(&pieces);
    return status;
}
