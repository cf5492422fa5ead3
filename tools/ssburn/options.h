/* SPDX-License-Identifier: MIT */
/* The command line of ssburn. */
#ifndef SSBURN_OPTIONS_H
#define SSBURN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tool_options.h"
#include "ssburn/listener.h"
#include "ssburn/service_time.h"

#define UNSET (-1)

struct settings {
	int profile; /* index of profiles */
	int64_t threads;
	int64_t work;       /* units per iteration */
	int64_t iterations; /* UNSET: endless */
	int64_t time_ns;    /* UNSET: no limit */
	int64_t phase;      /* units per thread and phase, in the mean */
	int64_t sleep_ns;   /* in the mean */
	int64_t memory;     /* bytes */
	int64_t seed;
	int64_t instance;
	const char *output; /* NULL: no records */
	bool checksum, verbose;
	/* A service: */
	bool listens;
	struct listener listener; /* the address */
	struct service_time service;
	int64_t connections;
	int64_t draws; /* to be printed in place of serving; UNSET: serve */
};

extern const struct tool_option ssburn_options[];
extern const size_t ssburn_option_count;

enum options_wish { WISH_ERROR = -1, WISH_RUN, WISH_HELP, WISH_VERSION };

/* Fills the settings in, which then point into the words; words[count] is NULL. WISH_ERROR after a message. */
enum options_wish options_parse(int count, char **words, struct settings *settings);

void options_print_help(void);

#endif
