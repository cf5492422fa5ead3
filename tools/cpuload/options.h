/* SPDX-License-Identifier: MIT */
/* What cpuload was asked for. */
#ifndef CPULOAD_OPTIONS_H
#define CPULOAD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpus.h"
#include "base/tool_options.h"
#include "cpuload/row_writer.h"
#include "load/machine_load.h"
#include "meters/counter_event.h"

/* Of enum linux_machine_source; NULL-terminated. */
extern const char *const source_names[];

enum { UNIT_PROCESSOR, UNIT_CORE };

enum { FORMAT_UNSET = ROW_TABLE + 1 }; /* behind those of enum row_format */

/* Optional columns, in the order in which they are written. */
enum { COLUMN_RUNQUEUE, COLUMN_STEAL, COLUMN_FREQUENCY, COLUMN_POWER, COLUMN_IDLE, COLUMNS };

/* Texts are argv's. */
struct settings {
	int64_t interval_ns;
	int64_t count; /* 0: no end */
	int source;    /* enum linux_machine_source, or -1: the best */
	int format;    /* of enum row_format, or FORMAT_UNSET */
	int unit;      /* of the above */
	bool column[COLUMNS];
	struct linux_counter_events counters;
	bool zones; /* a column for the power of each of them */
	bool per_cpu;
	bool stream; /* lines for the trace module of that name */
	bool quiet;
	struct sst_cpus *cpus; /* NULL: all; owned */
	int64_t pid;           /* 0: none */
	const char *cgroup, *output, *power_source, *sysroot;
	char **command; /* NULL: none */
};

extern const struct tool_option cpuload_options[];
extern const size_t cpuload_option_count;

/* The defaults. */
void settings_init(struct settings *settings);
/*
 * Sets what the words ask for, and the defaults. Returns 0, the letter of an option that asks for something else than a
 * recording (h, V), or -1 after a message. Whatever it returns, settings_free frees what the settings own.
 */
int settings_parse(struct settings *settings, int count, char **words);
void settings_free(struct settings *settings);

#endif
