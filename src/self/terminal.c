/* SPDX-License-Identifier: MIT */
#include "self/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#define SAVE_CURSOR "\0337"      /* DECSC; with the colours */
#define RESTORE_CURSOR "\0338"   /* DECRC */
#define ALL_ROWS_SCROLL "\033[r" /* DECSTBM; moves the cursor, like the next one */
#define ROWS_TO_SCROLL "\033[1;%ur"
#define TO_ROW "\033[%u;1H"
#define PLAIN "\033[0m"
#define ERASE_BELOW "\033[J"
#define ERASE_RIGHT "\033[K"
#define DOWN_OR_SCROLL "\033D" /* IND */
#define UP "\033[A"

void terminal_size(int fd, struct terminal_size *size)
{
	struct winsize window;
	*size = (struct terminal_size){0};
	if (ioctl(fd, TIOCGWINSZ, &window) == 0)
		*size = (struct terminal_size){.rows = window.ws_row, .columns = window.ws_col};
}

bool terminal_knows_sequences(int fd)
{
	const char *const name = getenv("TERM");
	return name && *name && strcmp(name, "dumb") != 0 && strcmp(name, "unknown") != 0 && isatty(fd);
}

bool terminal_is_of_others(int fd, pid_t group)
{
	const pid_t foreground = tcgetpgrp(fd);
	return foreground > 0 && foreground != group;
}

char *terminal_leave_last_row(char *at, bool below)
{
	at = stpcpy(at, SAVE_CURSOR ALL_ROWS_SCROLL RESTORE_CURSOR);
	if (below)
		at = stpcpy(at, ERASE_BELOW);
	return stpcpy(at, DOWN_OR_SCROLL UP);
}

char *terminal_begin_last_row(char *at, unsigned rows)
{
	return at + snprintf(at, TERMINAL_SEQUENCE_MAX, SAVE_CURSOR ROWS_TO_SCROLL TO_ROW PLAIN, rows - 1, rows);
}

char *terminal_end_last_row(char *at)
{
	return stpcpy(at, ERASE_RIGHT RESTORE_CURSOR);
}

char *terminal_give_back(char *at, unsigned rows)
{
	at = stpcpy(at, SAVE_CURSOR ALL_ROWS_SCROLL);
	if (rows)
		at += snprintf(at, TERMINAL_SEQUENCE_MAX / 2, TO_ROW PLAIN ERASE_RIGHT, rows);
	return stpcpy(at, RESTORE_CURSOR);
}

/* ---- Input that nobody has read ------------------------------------------------------------------------------------- */

bool unread_input(int file)
{
	struct stat status;
	int waiting = 0;
	if (fstat(file, &status) != 0)
		return false;
	if (S_ISREG(status.st_mode))
		return lseek(file, 0, SEEK_CUR) < status.st_size;
	if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))
		return ioctl(file, FIONREAD, &waiting) == 0 && waiting > 0;
	return false;
}
