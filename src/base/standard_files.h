/* SPDX-License-Identifier: MIT */
/* Standard input, output and error of a program that was started with some of them closed. */
#ifndef BASE_STANDARD_FILES_H
#define BASE_STANDARD_FILES_H

/*
 * Before a program opens anything: a standard descriptor that is closed must not become the next file or socket that is opened. What takes
 * its place is open in the wrong direction, so that using it fails with EBADF as before, and is closed on exec: a command finds it closed.
 * 0, or -1 after a message.
 */
int standard_files_occupy(void);

#endif
