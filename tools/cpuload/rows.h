/* SPDX-License-Identifier: MIT */
/* The rows that cpuload writes: where their numbers come from and where they go. Functions return 0, or -1 after a complaint. */
#ifndef CPULOAD_ROWS_H
#define CPULOAD_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpuload/counted.h"
#include "cpuload/load_source.h"
#include "cpuload/options.h"
#include "cpuload/row_writer.h"
#include "meters/power.h"
#include "record/load_meter.h"

struct rows {
	struct settings *settings; /* the caller's */
	struct linux_load_source *source;
	struct linux_power *power;     /* NULL: none */
	struct linux_power_zone *zone; /* `zones` of them, each with a column */
	size_t zones;
	int64_t power_next_ns; /* when it, or a zone, is to be polled */
	bool of_cores;         /* what the load is of */
	int64_t cores_next_ns;
	struct counted counted;
	int output;   /* a descriptor; -1: not open, or not yet */
	unsigned *id; /* of the processors that have a column */
	size_t ids;
	struct row_writer *writer;
	struct row_column *column;
	size_t columns;
	double *value;
	/* For the last line of the table: */
	struct load_meter *meter;  /* total, then each processor */
	double *sum, *weight;      /* of the other columns */
	int64_t start_ns, last_ns; /* of the readings; on CLOCK_MONOTONIC */
	int64_t written;           /* rows */
	bool is_terminal, is_unwritable;
	char trouble[LINUX_MACHINE_TROUBLE_MAX]; /* with /proc/stat, that was told last */
};

/*
 * Opens what the settings ask for, and sets the format if they leave it open. What isn't refused may still be refused later: a file to write is
 * only looked at. rows_close frees it in any case.
 */
int rows_open(struct rows *rows, struct settings *settings);

/* Makes or empties the file and writes the heading. */
int rows_begin(struct rows *rows);

/* Takes the first reading, from which the first row counts. */
int rows_start(struct rows *rows);

/* Takes a reading. */
int rows_read(struct rows *rows);

/* When rows_look wants to be called, also between readings; INT64_MAX for never. */
int64_t rows_look_when(const struct rows *rows);
/* Looks after what can't be left alone from row to row. */
int rows_look(struct rows *rows);

/* Writes the row between the last two readings. */
int rows_add(struct rows *rows);

/* Writes the means over all rows, of which a table has a line. */
int rows_end(struct rows *rows);

/* Frees everything. -1 after a complaint when the output turns out to be incomplete only now. */
int rows_close(struct rows *rows);

#endif
