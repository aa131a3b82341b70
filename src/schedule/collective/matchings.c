#include "schedule/collective/matchings.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"

#define NONE UINT32_MAX

/* The number of messages of each sender and receiver; returns the largest. */
static uint32_t degree_of(uint32_t ranks, const struct collective_message *messages, size_t count)
{
    uint32_t *degree = mem_alloc(2 * (size_t)ranks, sizeof *degree, "degrees of ranks"), most = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t out = ++degree[messages[i].source], in = ++degree[ranks + messages[i].destination];
        most = out > most ? out : most;
        most = in > most ? in : most;
    }
    free(degree);
    return most;
}

/* Numbers the messages of each sender, or of each receiver, in their order. Returns whether messages with the
 * same number have distinct ranks at the other end too. */
static bool number(uint32_t ranks, uint32_t degree, struct collective_message *messages, size_t count,
                   bool by_receiver)
{
    uint32_t *next = mem_alloc(ranks, sizeof *next, "numbers of messages");
    bool *used = mem_alloc((size_t)ranks * degree, sizeof *used, "numbers of messages");
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        struct collective_message *message = &messages[i];
        uint32_t own = by_receiver ? message->destination : message->source;
        uint32_t other = by_receiver ? message->source : message->destination;
        message->matching = next[own]++;
        bool *taken = &used[(size_t)other * degree + message->matching];
        good = !*taken;
        *taken = true;
    }
    free(used);
    free(next);
    return good;
}

/* Colours of edges: at[vertex][colour] is the message, or NONE. Vertices are the senders, then the
 * receivers. */
struct colouring {
    uint32_t ranks, degree;
    struct collective_message *messages;
    uint32_t *at;
};

static uint32_t *at(const struct colouring *self, uint32_t vertex, uint32_t colour)
{
    return &self->at[(size_t)vertex * self->degree + colour];
}

static uint32_t free_colour(const struct colouring *self, uint32_t vertex)
{
    uint32_t colour = 0;
    while (*at(self, vertex, colour) != NONE)
        colour++;
    return colour;
}

/* Exchanges the colours a and b on the path from the receiver whose edges have these colours in turn. The
 * path cannot end at the sender to be coloured: it would arrive there by an edge of colour a, which the
 * sender has not. */
static void exchange(struct colouring *self, uint32_t receiver, uint32_t a, uint32_t b)
{
    uint32_t vertex = receiver, edge = *at(self, vertex, a), from = a, into = b;
    *at(self, vertex, a) = NONE;
    while (edge != NONE) {
        struct collective_message *message = &self->messages[edge];
        uint32_t far = vertex >= self->ranks ? message->source : self->ranks + message->destination;
        uint32_t next = *at(self, far, into);
        message->matching = into;
        *at(self, vertex, into) = edge;
        *at(self, far, into) = edge;
        if (next == NONE)
            *at(self, far, from) = NONE;
        edge = next;
        vertex = far;
        uint32_t other = from;
        from = into;
        into = other;
    }
}

static void colour(uint32_t ranks, uint32_t degree, struct collective_message *messages, size_t count)
{
    size_t cells = 2 * (size_t)ranks * degree;
    struct colouring self = {ranks, degree, messages, mem_alloc(cells, sizeof(uint32_t), "colours")};
    memset(self.at, 0xff, cells * sizeof *self.at);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t sender = messages[i].source, receiver = ranks + messages[i].destination;
        uint32_t a = free_colour(&self, sender), b = free_colour(&self, receiver);
        if (*at(&self, receiver, a) != NONE)
            exchange(&self, receiver, a, b);
        messages[i].matching = a;
        *at(&self, sender, a) = i;
        *at(&self, receiver, a) = i;
    }
    free(self.at);
}

uint32_t matchings_split(uint32_t ranks, struct collective_message *messages, size_t count)
{
    uint32_t degree = degree_of(ranks, messages, count);
    if (degree == 1) {
        for (size_t i = 0; i < count; i++)
            messages[i].matching = 0;
        return 1;
    }
    for (int by_receiver = 0; by_receiver < 2; by_receiver++)
        if (number(ranks, degree, messages, count, by_receiver == 1))
            return degree;
    colour(ranks, degree, messages, count);
    return degree;
}
