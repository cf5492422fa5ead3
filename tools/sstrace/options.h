/* SPDX-License-Identifier: MIT */
/* What sstrace was asked for. */
#ifndef SSTRACE_OPTIONS_H
#define SSTRACE_OPTIONS_H

#include "base/tool_options.h"

/* A job has the letter of the option that asks for it. */
enum job { JOB_COMPILE = 0, JOB_CHECK = 'c', JOB_INFO = 'i', JOB_TEXT = 't' };

/* Texts are argv's. */
struct settings {
	enum job job;
	const char *input;  /* NULL: standard input */
	const char *output; /* NULL: standard output */
};

extern const struct tool_option sstrace_options[];
extern const size_t sstrace_option_count;

/*
 * Sets what the words ask for, and moves them about. Returns 0, the letter of an option that asks for something else than a trace
 * (h, V), or -1 after a message.
 */
int settings_parse(struct settings *settings, int count, char **words);

#endif
