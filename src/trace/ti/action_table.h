#ifndef HELIO_TRACE_TI_ACTION_TABLE_H
#define HELIO_TRACE_TI_ACTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call/call.h"

/* The actions of a TI trace and their fields. A letter for each field:
 *
 *   d destination   s source   t tag   c, C count sent, received   v, V a count sent, received per rank
 *   a amount        r root     x, X datatype of what is sent, received
 *   b size of a buffer, which follows from the counts
 *
 * The last fields may be left out if they are r, x or X. */
struct action_form {
    const char *name;
    uint8_t op;    /* enum call_op */
    uint8_t flags; /* enum call_flag */
    const char *letters;
    const char *usage; /* for messages */
};

/* MPI_UNDEFINED and MPI_ANY_TAG as SimGrid prints them. */
enum { TI_UNDEFINED = -333, TI_ANY_TAG = -444 };

enum { ACTION_LETTERS = 64 };

static inline unsigned action_form_letter(char letter)
{
    return (unsigned)letter & (ACTION_LETTERS - 1);
}

static inline bool action_form_is_vector(char letter)
{
    return letter == 'v' || letter == 'V';
}

/* The action of that name. NULL: there is none that can be replayed. */
const struct action_form *action_form_find(const char *name, size_t length);
/* Why an action of SimGrid cannot be replayed. NULL: SimGrid has no action of that name. */
const char *action_form_refusal(const char *name, size_t length);
/* The action with the most similar name. NULL: none is similar. */
const char *action_form_nearest(const char *name);

/* The action for a call. NULL: there is none. */
const struct action_form *action_form_of_call(const struct call *call);

/* The tag in SimGrid's wait for a non-blocking collective. */
int32_t action_collective_tag(enum call_op op);
bool action_is_collective_tag(int32_t tag);

/* The number of fields of an action in a trace of `ranks` ranks, with or without the optional ones. */
size_t action_form_fields(const struct action_form *form, uint32_t ranks, bool optional);

/* All of them, for tests; NULL behind the last. */
const struct action_form *action_form_at(size_t index);

#endif
