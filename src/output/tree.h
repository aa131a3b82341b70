#ifndef HELIO_OUTPUT_TREE_H
#define HELIO_OUTPUT_TREE_H

/* Removes a file, or a folder and all that is in it; what cannot be removed stays. It allocates nothing and
 * makes system calls only, so that a signal handler can call it. Links are removed, and not followed. */
void tree_remove(int folder, const char *name);

#endif
