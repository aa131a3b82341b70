#ifndef TESTS_SUPPORT_NETWORK_TEXT_H
#define TESTS_SUPPORT_NETWORK_TEXT_H

/* Networks from texts, and what is said of those that are refused. */

#include "topo/topo.h"

/* False: it is refused; then network_said() has the messages. `name` is that of the file in them. */
bool network_read(const char *name, const char *text, struct topo *topo);
const char *network_said(void);

/* The same of a text that must be read, and of one that must be refused with `message`. */
struct topo network_named(const char *name, const char *text);
void network_refused(const char *name, const char *text, const char *message);

#endif
