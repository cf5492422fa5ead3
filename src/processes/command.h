/* SPDX-License-Identifier: MIT */
/* What a command is: the file that would be executed, whether it can be, and its text. */
#ifndef PROCESSES_COMMAND_H
#define PROCESSES_COMMAND_H

#include <limits.h>
#include <stdbool.h>

/*
 * Finds what execvp would: 0 with its path, or -1 with errno ENOENT (not found), EACCES (found, but not executable) or another. A
 * relative name with a slash is looked up in `directory` where that is not NULL.
 */
int command_find(const char *command, const char *directory, char path[static PATH_MAX]);

/* A command and its arguments as one text, with a space between them; to be freed. NULL with errno. */
char *command_text(char *const *command);

/* Whether it can be found and executed in that folder, as far as that can be told. 0, or after a message the status to end with. */
int command_verify(const char *command, const char *folder);

/*
 * What the first line of a script names, or the loader that a program of this machine's own kind asks for. False where there is none, or
 * where it takes the kernel to know: scripts of scripts, names that count from the folder of the moment, programs of other machines.
 */
bool command_interpreter(const char *path, char interpreter[static PATH_MAX]);

#endif
