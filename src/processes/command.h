/* SPDX-License-Identifier: MIT */
/* What a command is: the file that would be executed, and its text. */
#ifndef PROCESSES_COMMAND_H
#define PROCESSES_COMMAND_H

#include <limits.h>

/*
 * Finds what execvp would: 0 with its path, or -1 with errno ENOENT (not found), EACCES (found, but not executable) or another. A
 * relative name with a slash is looked up in `directory` where that is not NULL.
 */
int command_find(const char *command, const char *directory, char path[static PATH_MAX]);

/* A command and its arguments as one text, with a space between them; to be freed. NULL with errno. */
char *command_text(char *const *command);

#endif
