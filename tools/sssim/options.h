/* SPDX-License-Identifier: MIT */
/* What sssim was asked for. */
#ifndef SSSIM_OPTIONS_H
#define SSSIM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/tool_options.h"
#include "sssim/run.h"

struct settings {
	struct sim_config sim;
	int64_t processors, instances, seed; /* instances below 0: not given */
	int64_t sockets, threads_per_core;
	int accounting, priority, placement;
	const char **model_text, **background_text; /* as given; owned, the words are argv's */
	struct sim_workload *model, *background;
	const char *load; /* of -l; NULL: not given */
	bool report, speed, quiet, verbose;
};

extern const struct tool_option sssim_options[];
extern const size_t sssim_option_count;

/* The defaults. */
void settings_init(struct settings *settings);
/*
 * Sets what the words ask for, and the defaults. Returns 0, the letter of an option that asks for something else than a run (h, V), or -1 after a message. Whatever it returns,
 * settings_free frees what the settings own.
 */
int settings_parse(struct settings *settings, int argc, char **argv);
void settings_free(struct settings *settings);

#endif
