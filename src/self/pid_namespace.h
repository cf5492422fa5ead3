/* SPDX-License-Identifier: MIT */
/* PID namespaces, by which a process number means another process, or none. */
#ifndef SELF_PID_NAMESPACE_H
#define SELF_PID_NAMESPACE_H

#include <stdbool.h>
#include <sys/types.h>

/* That of the calling process, by its inode; 0 where /proc doesn't tell. */
ino_t pid_namespace_own(void);

/* Whether a namespace may have a process. All processes are seen from the machine's first namespace alone; from others, any may have. */
bool pid_namespace_may_live(ino_t wanted);

#endif
