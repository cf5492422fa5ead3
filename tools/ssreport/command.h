/* SPDX-License-Identifier: MIT */
/* A subcommand makes a table of its results and, where it has one, a picture. */
#ifndef SSREPORT_COMMAND_H
#define SSREPORT_COMMAND_H

#include "report/boxes.h"
#include "report/fleet.h"
#include "report/histogram.h"
#include "report/matrix.h"
#include "report/picture.h"
#include "report/plot.h"
#include "report/table.h"
#include "ssreport/columns.h"
#include "ssreport/options.h"

/* Longest name of a column that is made for a report, with its NUL. */
#define COLUMN_TEXT_MAX 64

/* Texts of a column that has others in each report. */
struct column_text {
	char name[COLUMN_TEXT_MAX], title[COLUMN_TEXT_MAX];
};

/* See latency.h. */
struct latency;

/* What a subcommand makes. Starts empty, with the table. */
struct report {
	const struct settings *settings;
	struct report_table *table;
	struct report_series *series; /* for the picture; the labels are those of the runs */
	size_t count;
	struct report_matrix matrix; /* what a heat map shows */
	struct report_fleet *fleet;  /* what a picture of many machines shows, or NULL */
	struct report_boxes boxes;
	struct report_histogram histogram; /* the labels are its own */
	struct latency *latency;           /* what pictures of response times show, or NULL */
	struct report_column *column;      /* of a table whose columns only the subcommand knows, */
	struct column_text *text;          /* and room for their texts; see own_columns */
	char **kept;                       /* `kept_count` texts of its table; see report_keep */
	size_t kept_count;
	const char *note; /* a sentence behind a table for people, or NULL; in `kept` */
};

struct command {
	unsigned bit;
	const char *name, *argument, *summary;
	const enum column *column;
	size_t columns;
	int (*check)(const struct settings *settings);           /* of options: 0, or -1 after a message. May be NULL */
	int (*make)(struct report *report);                      /* 0, or -1 after a message */
	size_t most;                                             /* series in a column of a picture; 0: no limit */
	struct report_size (*size)(const struct report *report); /* of the picture; NULL: there is none */
	int (*draw)(const struct report *report, struct plot *plot, const struct report_size *size); /* 0, or -1 with errno */
};

/* The columns of a table, as initializers of the two members. */
#define COLUMNS(list) .column = (list), .columns = sizeof(list) / sizeof *(list)

extern const struct command command_accuracy, command_repeats, command_timeline, command_throughput, command_curve, command_boxes,
	command_events, command_interference, command_overall, command_efficiency, command_ratio, command_heatmap,
	command_histogram, command_means, command_compare, command_model, command_fleet, command_latency;

/* Accepts NULL. */
void latency_free(struct latency *latency);

/* All of them, in the order of the help; NULL behind the last. */
#define COMMANDS_MAX 24
extern const struct command *const commands[COMMANDS_MAX];

#endif
