/* SPDX-License-Identifier: MIT */
/* What sstrace was asked for. */
#ifndef SSTRACE_OPTIONS_H
#define SSTRACE_OPTIONS_H

#include <stdbool.h>

#include "base/tool_options.h"
#include "sstrace/shape.h"

/* A job has the letter of the option that asks for it. */
enum job { JOB_COMPILE = 0, JOB_CHECK = 'c', JOB_INFO = 'i', JOB_TEXT = 't' };

/* Texts are argv's. */
struct settings {
	enum job job;
	const char **input; /* "-": standard input; at least one */
	size_t inputs;
	const char *output; /* NULL: standard output */
	const char *from;   /* the program that recorded the input; NULL: not given */
	const char *column; /* of the load; NULL: not given */
	bool lists_machines;
	const char **word; /* ssimport's command line so far, with room for "--", the inputs and NULL; freed by settings_free */
	size_t words;
	size_t options;            /* that are among them, behind the first one, and freed with them */
	const char *import_option; /* name of one that ssimport alone understands; NULL: none does */
	const char *shape_option;  /* name of one that makes another trace of it; NULL: none does */
	const char *trace_option;  /* the same, or how the trace is made; NULL: none */
	struct trace_shape shape;
};

extern const struct tool_option sstrace_options[];
extern const size_t sstrace_option_count;

/* What stands in the settings when nothing is given. */
extern const struct settings sstrace_defaults;

/*
 * Sets what the words ask for, and moves them about. Returns 0, the letter of an option that asks for something else than a trace
 * (h, V), or -1 after a message.
 */
int settings_parse(struct settings *settings, int count, char **words);

void settings_free(struct settings *settings);

#endif
