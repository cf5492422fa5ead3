/* SPDX-License-Identifier: MIT */
/* Descriptors of our own process: standard ones that were closed at its start, and how many it may have. */
#ifndef BASE_DESCRIPTORS_H
#define BASE_DESCRIPTORS_H

/*
 * Before a program opens anything: a standard descriptor that is closed must not become the next file or socket that is opened. What takes
 * its place is open in the wrong direction, so that using it fails with EBADF as before, and is closed on exec: a command finds it closed.
 * 0, or -1 after a message.
 */
int standard_files_occupy(void);

/* As many as the hard limit permits: an executor wants one per process that left its workload's group, a server one per connection. */
void descriptors_raise_limit(void);

#endif
