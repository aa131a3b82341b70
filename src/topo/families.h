#ifndef HELIO_TOPO_FAMILIES_H
#define HELIO_TOPO_FAMILIES_H

#include "topo/topo.h"

/* The families of families.def, and those that topo_add (topo.h) has added. */

#define TOPO_FAMILY(name) extern const struct topo_ops name##_family;
#include "topo/families.def"
#undef TOPO_FAMILY

/* A word that a text may begin with, and the family that it belongs to. */
struct topo_word {
    const struct topo_form *form;
    const struct topo_ops *ops;
};

/* The word of these `length` bytes; false where there is none. */
bool topo_word_find(const char *name, size_t length, struct topo_word *word);

/* The index-th family; NULL after the last. */
const struct topo_ops *topo_family_at(size_t index);

/* What to say about an unknown name: "; did you mean 'torus'?", or "; there are" and all names. */
void topo_word_suggest(const char *name, char *buffer, size_t size);

#endif
