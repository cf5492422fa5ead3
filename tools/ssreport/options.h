/* SPDX-License-Identifier: MIT */
/* The options of ssreport, and what they set. */
#ifndef SSREPORT_OPTIONS_H
#define SSREPORT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tool_options.h"
#include "report/draw.h"
#include "report/histogram.h"
#include "report/input.h"
#include "report/latency_picture.h"
#include "report/matrix.h"
#include "report/picture.h"

#define UNSET (-1)
#define QUANTILES_MOST 20

/* Subcommands, as bits of tool_option.uses. */
enum {
	ACCURACY = 1,
	TIMELINE = 2,
	THROUGHPUT = 4,
	CURVE = 8,
	INTERFERENCE = 16,
	OVERALL = 32,
	EFFICIENCY = 64,
	RATIO = 128,
	HEATMAP = 256,
	REPEATS = 512,
	EVENTS = 1024,
	FLEET = 2048,
	BOXES = 4096,
	HISTOGRAM = 8192,
	MEANS = 16384,
	COMPARE = 32768,
	MODEL = 65536,
	LATENCY = 131072,
	SAMPLES = ACCURACY | REPEATS,
	COLOCATION = INTERFERENCE | OVERALL | EFFICIENCY | RATIO,
	OF_RUNS = SAMPLES | TIMELINE | THROUGHPUT | CURVE | EVENTS | COLOCATION | FLEET | BOXES,
	LABELLED = OF_RUNS | HISTOGRAM | COMPARE | MODEL,
	JOINED = OF_RUNS & ~(SAMPLES | FLEET), /* logs and iterations */
	ALL = OF_RUNS | HEATMAP | HISTOGRAM | MEANS | COMPARE | MODEL | LATENCY,
};

struct settings {
	const struct command *command;
	struct report_input input;
	const char **output; /* `outputs` names; none: standard output */
	size_t outputs;
	int format;                                               /* enum report_format, or UNSET */
	int64_t window_ns, interval_ns, settle_ns, skip_edges_ns; /* UNSET */
	bool per_target, per_step, with_warmup, matrix, all_digits;
	double burst;    /* background load, 0 to 1 */
	int64_t calm_ns; /* after a burst */
	double edge;     /* NaN: unset */
	int64_t columns; /* of panels */
	struct report_recorded recorded;
	const char *reference; /* a label, or NULL */
	struct report_heat_range range;
	struct report_heat_range within; /* bounds of means; NaN: unset, infinite: none */
	double precision;                /* of means, as a share of them; 0: unset */
	bool shares;                     /* values are 0 or 1 */
	const char **outlier;            /* `outliers` names */
	size_t outliers;
	double quantile[QUANTILES_MOST]; /* `quantiles` shares, 0 to 1 */
	size_t quantiles;
	bool has_quantiles; /* they were given */
	bool paired;        /* values of one row belong together */
	const char *by;     /* a column whose texts are labels, or NULL */
	int64_t resamples;  /* of the bootstrap */
	int64_t seed;
	const char *column_name[REPORT_HISTOGRAM_MOST]; /* `column_names` of them */
	size_t column_names;
	double width;                 /* of a bin; 0: unset */
	int64_t bins;                 /* 0: unset */
	const char *axis;             /* its name, or NULL */
	const char *log;              /* of the load while requests were sent, or NULL */
	int from;                     /* enum report_latency_from, or UNSET */
	struct client_columns client; /* of other CSV */
	int unit;                     /* of its columns: a power of 1/1000 of a second, or UNSET */
	struct report_latency_limits limits;
	bool has_limits;
	int picture;             /* enum report_latency_picture, or UNSET */
	struct report_size size; /* 0: that of the picture */
};

/* Indices of ssreport_options. */
enum {
	OPTION_OUTPUT,
	OPTION_FORMAT,
	OPTION_LABEL,
	OPTION_JOIN,
	OPTION_OFFSET,
	OPTION_POWER,
	OPTION_WINDOW,
	OPTION_SETTLE,
	OPTION_SKIP_EDGES,
	OPTION_BURST,
	OPTION_PER_TARGET,
	OPTION_INTERVAL,
	OPTION_PER_STEP,
	OPTION_EDGE,
	OPTION_WARMUP,
	OPTION_REFERENCE,
	OPTION_MATRIX,
	OPTION_RANGE,
	OPTION_OUTLIER,
	OPTION_COLUMNS,
	OPTION_RECORDED,
	OPTION_QUANTILES,
	OPTION_COLUMN,
	OPTION_WITHIN,
	OPTION_SHARES,
	OPTION_PRECISION,
	OPTION_BY,
	OPTION_PAIRED,
	OPTION_RESAMPLES,
	OPTION_SEED,
	OPTION_WIDTH,
	OPTION_BINS,
	OPTION_AXIS,
	OPTION_LOG,
	OPTION_FROM,
	OPTION_START,
	OPTION_END,
	OPTION_TIME,
	OPTION_UNIT,
	OPTION_LIMIT,
	OPTION_PICTURE,
	OPTION_ALL_DIGITS,
	OPTION_SIZE,
	OPTION_HELP,
	OPTION_VERSION,
};

extern const struct tool_option ssreport_options[];
extern const size_t ssreport_option_count;

/* Everything unset. */
void settings_init(struct settings *settings);
void settings_free(struct settings *settings);

/*
 * Stores the value of ssreport_options[option], which is one of the subcommand's and which messages call `source`;
 * settings->output, outlier, offset and power must have room for one more. 0, or -1 after a message.
 */
int settings_set(struct settings *settings, int option, const char *source, const char *text);

/* Times in seconds, and what is taken where they are not set. */
double settings_seconds(int64_t ns, double unset);
double settings_interval(const struct settings *settings);
double settings_edge(const struct settings *settings);
bool settings_want_picture(const struct settings *settings);

#endif
