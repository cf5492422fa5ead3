/* SPDX-License-Identifier: MIT */
/* What a process with raised privileges may load. */
#ifndef MODULE_TRUST_H
#define MODULE_TRUST_H

#include <limits.h>
#include <stdbool.h>

/* Whether this process may do what its user may not: it runs as root, or is a set-uid program or one with capabilities. */
bool module_trust_matters(void);

/*
 * Follows the path to a file and checks that nobody but root, or who could have changed this very program, can have put the file
 * there or can exchange it: not by the file, nor by a folder or symbolic link on the way to it. Returns the path without
 * symbolic links, to be freed, which is the one to open. NULL with errno EPERM and the path of the file or folder in culprit;
 * or NULL with another errno.
 */
char *module_trust_resolve(const char *path, char culprit[static PATH_MAX]);

#endif
