/* SPDX-License-Identifier: MIT */
/* The first file of the command line: open, and looked at to see what it is. */
#ifndef SSTRACE_INPUT_H
#define SSTRACE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

enum input_kind {
	INPUT_TRACE,
	INPUT_LOG,     /* CSV of showstopper or cpuload */
	INPUT_FOREIGN, /* for ssimport */
};

struct input {
	int file;
	bool is_taken; /* it is a pipe: what is in `text` can't be read again */
	char text[4096];
	size_t length;
	enum input_kind kind;
};

/* Opens a file, "-" is standard input. 0, or -1 after a message; `name` is for that. */
int input_open(struct input *input, const char *path, const char *name);

/* A descriptor that can be read from the beginning on, also of what was taken from a pipe: of a copy in memory then. -1 after a message. */
int input_again(const struct input *input, const char *name);

void input_close(const struct input *input);

#endif
