/* SPDX-License-Identifier: MIT */
#include "ssreport/options.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"
#include "report/plot.h"

#define TIME_MAX (366 * 86400 * NS_PER_S)
#define INTERVAL_DEFAULT 6 /* seconds */
#define EDGE_DEFAULT (1.0 / 6)
#define BURST_DEFAULT 0.03
#define CALM_DEFAULT NS_PER_S
#define COLUMNS_MAX 12
#define SIZE_LEAST_CM 3.0
#define SIZE_MOST_CM 100.0

static const char *const format_names[] = {"text", "csv", "markdown", "json", NULL};

static const char *const join_names[] = {
	[REPORT_JOIN_AUTO] = "auto", [REPORT_JOIN_WALL] = "wall", [REPORT_JOIN_MONOTONIC] = "monotonic", NULL};

static const char *const from_names[] = {
	[REPORT_FROM_PLANNED] = "planned", [REPORT_FROM_ARRIVAL] = "arrival", [REPORT_FROM_SENT] = "sent", NULL};

static const char *const unit_names[] = {"s", "ms", "us", "ns", NULL};

static const char *const picture_names[] = {
	[REPORT_LATENCY_CURVE] = "curve", [REPORT_LATENCY_TIMELINE] = "timeline", [REPORT_LATENCY_TAIL] = "tail", NULL};

#define MEMBER(member) offsetof(struct settings, member)

const struct tool_option ssreport_options[] = {
	[OPTION_OUTPUT] = {'o', "output", TOOL_VALUE, .argument = "FILE", .uses = ALL,
		.help = "write a picture (.png .svg .pdf) or a table to FILE; may be repeated", .completion = TOOL_COMPLETE_FILE},
	[OPTION_FORMAT] = {'f', "format", TOOL_CHOICE, MEMBER(format), .choices = format_names, .argument = "NAME", .uses = ALL,
		.help = "of tables: text, csv, markdown, json (that of FILE's ending, or text)"},
	[OPTION_LABEL] = {'l', "label", TOOL_VALUE, .argument = "LABEL", .uses = LABELLED,
		.help = "the files that follow are one run of this label"},
	[OPTION_JOIN] = {0, "join", TOOL_CHOICE, MEMBER(input.join), .choices = join_names, .argument = "CLOCK", .uses = JOINED,
		.help = "the clock that joins files: wall, monotonic, or auto: wall for those of several machines"},
	[OPTION_OFFSET] = {0, "offset", TOOL_VALUE, .argument = "NAME=TIME", .uses = JOINED,
		.help = "move the times of a file, or of the iterations of a label; may be repeated"},
	[OPTION_POWER] = {0, "power", TOOL_VALUE, .argument = "[LABEL=]FILE", .uses = TIMELINE | THROUGHPUT | CURVE | EFFICIENCY,
		.help = "take the power from FILE, CSV of a meter with a time and watts; may be repeated",
		.completion = TOOL_COMPLETE_FILE},
	[OPTION_WINDOW] = {'w', "window", TOOL_TIME, MEMBER(window_ns), NS_PER_MS, TIME_MAX, .argument = "TIME",
		.uses = SAMPLES | TIMELINE | FLEET | LATENCY,
		.help = "length of a sample (the rows of the log); latency: a row for each so long"},
	[OPTION_SETTLE] = {0, "settle", TOOL_TIME, MEMBER(settle_ns), 0, TIME_MAX, .argument = "TIME", .uses = SAMPLES,
		.help = "leave out so much after control begins"},
	[OPTION_SKIP_EDGES] = {0, "skip-edges", TOOL_TIME, MEMBER(skip_edges_ns), 0, TIME_MAX, .argument = "TIME",
		.uses = SAMPLES, .help = "leave out so much after each jump of the target"},
	[OPTION_BURST] = {0, "burst", TOOL_VALUE, .argument = "PP[,TIME]", .uses = SAMPLES,
		.help = "a load of others above so many percentage points, and so long after it (3,1s)"},
	[OPTION_PER_TARGET] = {0, "per-target", TOOL_FLAG, MEMBER(per_target), .uses = ACCURACY,
		.help = "add a row for each level of the target"},
	[OPTION_INTERVAL] = {'i', "interval", TOOL_TIME, MEMBER(interval_ns), NS_PER_MS, TIME_MAX, .argument = "TIME",
		.uses = TIMELINE | THROUGHPUT | CURVE | EVENTS, .help = "count iterations over so long (6s; curve: in steps)"},
	[OPTION_PER_STEP] = {0, "per-step", TOOL_FLAG, MEMBER(per_step), .uses = THROUGHPUT | EVENTS | TIMELINE,
		.help = "a row for each step of the target; in a timeline also its mean power"},
	[OPTION_EDGE] = {0, "edge", TOOL_VALUE, .argument = "SHARE",
		.uses = TIMELINE | THROUGHPUT | CURVE | EVENTS | COLOCATION | LATENCY,
		.help = "of a step that is left out at its beginning and at its end (1/6)"},
	[OPTION_WARMUP] = {0, "warmup", TOOL_FLAG, MEMBER(with_warmup), .uses = TIMELINE | THROUGHPUT | EVENTS | BOXES,
		.help = "show the warm-up too"},
	[OPTION_REFERENCE] = {0, "reference", TOOL_TEXT, MEMBER(reference), .argument = "LABEL", .uses = OVERALL | EFFICIENCY,
		.help = "show each step relative to that of this label's runs"},
	[OPTION_MATRIX] = {0, "matrix", TOOL_FLAG, MEMBER(matrix), .uses = RATIO,
		.help = "a row for each foreground, a column for each background, of labels such as fop/h2"},
	[OPTION_RANGE] = {0, "range", TOOL_VALUE, .argument = "LOW:HIGH", .uses = HEATMAP | RATIO,
		.help = "numbers of the lightest and of the darkest colour (those of the table)"},
	[OPTION_OUTLIER] = {0, "outlier", TOOL_VALUE, .argument = "NAME", .uses = HEATMAP | RATIO,
		.help = "leave a row and column out of these; may be repeated"},
	[OPTION_COLUMNS] = {0, "columns", TOOL_INT, MEMBER(columns), 1, COLUMNS_MAX, .argument = "N", .uses = TIMELINE,
		.help = "logs beside each other in a picture"},
	[OPTION_RECORDED] = {0, "recorded", TOOL_VALUE, .argument = "HH:MM[,SPEED]", .uses = TIMELINE,
		.help = "the axis of a picture has the recorded time of day, this where control begins"},
	[OPTION_QUANTILES] = {0, "quantiles", TOOL_VALUE, .argument = "LIST", .uses = BOXES | COMPARE,
		.help = "of the table, in per cent (boxes: 5,25,50,75,95; compare: none)"},
	[OPTION_COLUMN] = {0, "column", TOOL_VALUE, .argument = "NAME", .uses = BOXES | HISTOGRAM | MEANS | COMPARE | MODEL,
		.help = "whose values count; histogram: twice for two columns of one file; model: that of x, then that of y"},
	[OPTION_WITHIN] = {0, "within", TOOL_VALUE, .argument = "LOW:HIGH", .uses = MEANS,
		.help = "whether means lie between these bounds, one of which may be left out"},
	[OPTION_SHARES] = {0, "shares", TOOL_FLAG, MEMBER(shares), .uses = MEANS, .help = "--within: values are 0 or 1"},
	[OPTION_PRECISION] = {0, "precision", TOOL_VALUE, .argument = "PERCENT", .uses = MEANS,
		.help = "how many values it takes to know a mean within this"},
	[OPTION_BY] = {0, "by", TOOL_TEXT, MEMBER(by), .argument = "NAME", .uses = BOXES | COMPARE | MODEL,
		.help = "the column whose texts tell the groups apart"},
	[OPTION_PAIRED] = {0, "paired", TOOL_FLAG, MEMBER(paired), .uses = COMPARE,
		.help = "the first values of all groups belong together, the second ones, and so on"},
	[OPTION_RESAMPLES] = {0, "resamples", TOOL_INT, MEMBER(resamples), 1000, 1000000, .argument = "N",
		.uses = COMPARE | LATENCY,
		.help = "how often values are drawn for the intervals of quantiles (9999; latency: 1000)"},
	[OPTION_SEED] = {0, "seed", TOOL_INT, MEMBER(seed), 0, INT64_MAX, .argument = "N", .uses = COMPARE | LATENCY,
		.help = "of these draws (1)"},
	[OPTION_WIDTH] = {0, "width", TOOL_VALUE, .argument = "NUMBER", .uses = HISTOGRAM,
		.help = "of a bin (one that makes 8 to 21 bins)"},
	[OPTION_BINS] = {0, "bins", TOOL_INT, MEMBER(bins), 1, REPORT_BINS_MOST, .argument = "N", .uses = HISTOGRAM,
		.help = "so many, from the least value to the greatest"},
	[OPTION_AXIS] = {0, "axis", TOOL_TEXT, MEMBER(axis), .argument = "NAME", .uses = BOXES | HISTOGRAM,
		.help = "what stands below the horizontal axis of a picture; boxes: what numbers in labels are of"},
	[OPTION_LOG] = {0, "log", TOOL_TEXT, MEMBER(log), .argument = "FILE", .uses = LATENCY,
		.help = "the log of the load meanwhile: a row for each step of its target (without: of the rate)",
		.completion = TOOL_COMPLETE_FILE},
	[OPTION_FROM] = {0, "from", TOOL_CHOICE, MEMBER(from), .choices = from_names, .argument = "MOMENT", .uses = LATENCY,
		.help = "since when a request takes its time: planned, arrival, sent (planned; without a schedule sent)"},
	[OPTION_START] = {0, "start", TOOL_TEXT, MEMBER(client.start), .argument = "COLUMN", .uses = LATENCY,
		.help = "of other CSV: when a request began"},
	[OPTION_END] = {0, "end", TOOL_TEXT, MEMBER(client.end), .argument = "COLUMN", .uses = LATENCY,
		.help = "of other CSV: when a request ended"},
	[OPTION_TIME] = {0, "time", TOOL_TEXT, MEMBER(client.time), .argument = "COLUMN", .uses = LATENCY,
		.help = "of other CSV: how long a request took"},
	[OPTION_UNIT] = {0, "unit", TOOL_CHOICE, MEMBER(unit), .choices = unit_names, .argument = "NAME", .uses = LATENCY,
		.help = "of these columns, where their names don't end with one such as _ms: s, ms, us, ns"},
	[OPTION_LIMIT] = {0, "limit", TOOL_VALUE, .argument = "LIST", .uses = LATENCY,
		.help = "say up to which load these are kept, such as p99=50ms or mean=1s,p95=2s"},
	[OPTION_PICTURE] = {0, "picture", TOOL_CHOICE, MEMBER(picture), .choices = picture_names, .argument = "NAME",
		.uses = LATENCY, .help = "which: curve over the load or the rate, timeline, or tail (curve; without rows tail)"},
	[OPTION_ALL_DIGITS] = {0, "all-digits", TOOL_FLAG, MEMBER(all_digits), .uses = ALL,
		.help = "of numbers in CSV and JSON, for who computes with them"},
	[OPTION_SIZE] = {0, "size", TOOL_VALUE, .argument = "WIDTHxHEIGHT",
		.uses = TIMELINE | THROUGHPUT | CURVE | INTERFERENCE | OVERALL | EFFICIENCY | RATIO | HEATMAP | FLEET | BOXES |
			HISTOGRAM | LATENCY,
		.help = "of a picture, in cm (8.5 wide, as a column)"},
	[OPTION_HELP] = {'h', "help", TOOL_NOTHING, .uses = ALL, .help = "print this"},
	[OPTION_VERSION] = {'V', "version", TOOL_NOTHING, .uses = ALL, .help = "print the version"},
};
const size_t ssreport_option_count = sizeof ssreport_options / sizeof *ssreport_options;

void settings_init(struct settings *settings)
{
	*settings = (struct settings){.format = UNSET,
		.window_ns = UNSET,
		.interval_ns = UNSET,
		.settle_ns = UNSET,
		.skip_edges_ns = UNSET,
		.burst = BURST_DEFAULT,
		.calm_ns = CALM_DEFAULT,
		.edge = NAN,
		.columns = 1,
		.quantile = {0.05, 0.25, 0.5, 0.75, 0.95},
		.quantiles = 5,
		.resamples = UNSET,
		.picture = UNSET,
		.from = UNSET,
		.unit = UNSET,
		.seed = UNSET,
		.range = {NAN, NAN},
		.within = {NAN, NAN}};
	for (int i = 0; i < REPORT_LATENCY_FIGURES; i++)
		settings->limits.most[i] = NAN;
}

void settings_free(struct settings *settings)
{
	struct report_offset *const offset = settings->input.offset;
	struct report_power *const power = settings->input.power;
	report_input_free(&settings->input);
	free(offset);
	free(power);
	free(settings->output);
	free(settings->outlier);
}

/* ---- Values ----------------------------------------------------------------------------------------------------------- */

static int set_edge(struct settings *settings, const char *text)
{
	if (units_parse_load(text, strlen(text), &settings->edge, NULL) == 0 && settings->edge < 0.5)
		return 0;
	diag("--edge: found '%s', expected a share below 1/2, such as 1/6 or 10%%", text);
	return -1;
}

static int set_burst(struct settings *settings, const char *text)
{
	const size_t length = strcspn(text, ",");
	double pp;
	int64_t ns = CALM_DEFAULT;
	if (units_parse_real(text, length, &pp, NULL) == 0 && pp >= 0 && pp <= 100 &&
		(!text[length] || (units_parse_time(text + length + 1, strlen(text + length + 1), &ns, NULL) == 0 && ns >= 0))) {
		settings->burst = pp / 100;
		settings->calm_ns = ns;
		return 0;
	}
	diag("--burst: found '%s', expected percentage points from 0 to 100, and perhaps a time behind them, such as 3,1s", text);
	return -1;
}

static int set_size(struct settings *settings, const char *text)
{
	const size_t length = strcspn(text, "x");
	struct report_size *const size = &settings->size;
	if (text[length] && units_parse_real(text, length, &size->width, NULL) == 0 &&
		units_parse_real(text + length + 1, strlen(text + length + 1), &size->height, NULL) == 0 &&
		size->width >= SIZE_LEAST_CM && size->height >= SIZE_LEAST_CM && size->width <= SIZE_MOST_CM &&
		size->height <= SIZE_MOST_CM)
		return 0;
	diag("--size: found '%s', expected width and height in cm, such as 8.5x6, from %g to %g", text, SIZE_LEAST_CM,
		SIZE_MOST_CM);
	return -1;
}

static int set_range(struct settings *settings, const char *text)
{
	const size_t length = strcspn(text, ":");
	struct report_heat_range *const range = &settings->range;
	if (text[length] && units_parse_real(text, length, &range->low, NULL) == 0 &&
		units_parse_real(text + length + 1, strlen(text + length + 1), &range->high, NULL) == 0 &&
		range->low < range->high)
		return 0;
	diag("--range: found '%s', expected two numbers, the lower one first, such as -5:100", text);
	return -1;
}

static int set_bound(const char *text, size_t length, double otherwise, double *bound)
{
	*bound = otherwise;
	return length == 0 ? 0 : units_parse_real(text, length, bound, NULL);
}

static int set_within(struct settings *settings, const char *text)
{
	const size_t length = strcspn(text, ":");
	struct report_heat_range *const within = &settings->within;
	if (text[length] && strlen(text) > 1 && set_bound(text, length, -INFINITY, &within->low) == 0 &&
		set_bound(text + length + 1, strlen(text + length + 1), INFINITY, &within->high) == 0 &&
		within->low < within->high)
		return 0;
	diag("--within: found '%s', expected two numbers or one, the lower one first, such as -5:5 or 0:", text);
	return -1;
}

static int set_precision(struct settings *settings, const char *text)
{
	if (units_parse_load(text, strlen(text), &settings->precision, NULL) == 0 && settings->precision > 0)
		return 0;
	diag("--precision: found '%s', expected a share of the mean above 0, such as 5%%", text);
	return -1;
}

static int set_quantiles(struct settings *settings, const char *text)
{
	const char *at = text;
	settings->quantiles = 0;
	settings->has_quantiles = true;
	for (;;) {
		const size_t length = strcspn(at, ",");
		double percent;
		if (settings->quantiles == QUANTILES_MOST || units_parse_real(at, length, &percent, NULL) != 0 ||
			!(percent >= 0) || !(percent <= 100))
			break;
		settings->quantile[settings->quantiles++] = percent / 100;
		if (!at[length])
			return 0;
		at += length + 1;
	}
	diag("--quantiles: found '%s', expected up to %d numbers from 0 to 100, such as 5,50,95", text, QUANTILES_MOST);
	return -1;
}

static int set_recorded(struct settings *settings, const char *text)
{
	static const char form[] = "00:00";
	const size_t length = strcspn(text, ",");
	double speed = 1;
	bool is_right = length == strlen(form);
	for (size_t i = 0; i < length && is_right; i++)
		is_right = form[i] == '0' ? isdigit((unsigned char)text[i]) != 0 : text[i] == form[i];
	const long hour = is_right ? strtol(text, NULL, 10) : 0;
	const long minute = is_right ? strtol(text + 3, NULL, 10) : 0;
	if (is_right && hour < 24 && minute < 60 &&
		(!text[length] || (units_parse_real(text + length + 1, strlen(text + length + 1), &speed, NULL) == 0 &&
					  speed >= 1e-6 && speed <= 1e6))) {
		settings->recorded = (struct report_recorded){(double)(hour * 3600 + minute * 60), speed};
		return 0;
	}
	diag("--recorded: found '%s', expected a time of day, and perhaps a speed behind it, such as 08:00,144", text);
	return -1;
}

static int set_width(struct settings *settings, const char *text)
{
	if (units_parse_real(text, strlen(text), &settings->width, NULL) == 0 && settings->width > 0)
		return 0;
	diag("--width: found '%s', expected a number above 0, such as 0.1", text);
	return -1;
}

static int set_column(struct settings *settings, const char *text)
{
	if (settings->column_names == REPORT_HISTOGRAM_MOST) {
		diag("--column: found '%s' as another column, expected at most %d", text, REPORT_HISTOGRAM_MOST);
		return -1;
	}
	if (settings->column_names > 0 && strcmp(settings->column_name[0], text) == 0) {
		diag("--column: found '%s' twice, expected another column", text);
		return -1;
	}
	settings->column_name[settings->column_names++] = text;
	return 0;
}

/* NAME=TIME: the name may have a = itself, the time may have a sign. */
static int set_offset(struct settings *settings, const char *text)
{
	struct report_input *const input = &settings->input;
	const char *const equals = strrchr(text, '=');
	const char *const time = equals ? equals + 1 + (equals[1] == '-' || equals[1] == '+') : NULL;
	int64_t ns;
	if (!equals || equals == text || units_parse_time(time, strlen(time), &ns, NULL) != 0) {
		diag("--offset: found '%s', expected the name of a file or a label, and a time, such as fore.csv=-0.35s", text);
		return -1;
	}
	input->offset[input->offsets++] = (struct report_offset){.name = text,
		.length = (size_t)(equals - text),
		.seconds = (equals[1] == '-' ? -1 : 1) * (double)ns / (double)NS_PER_S};
	return 0;
}

static int find_figure(const char *name, size_t length)
{
	for (int i = 0; i < REPORT_LATENCY_FIGURES; i++) {
		const char *const figure = report_latency_name((enum report_latency_figure)i);
		if (strlen(figure) == length && memcmp(figure, name, length) == 0)
			return i;
	}
	return -1;
}

static int set_limits(struct settings *settings, const char *text)
{
	for (const char *at = text;; at++) {
		const size_t length = strcspn(at, ",");
		const size_t name = strcspn(at, "=,");
		const int figure = at[name] == '=' ? find_figure(at, name) : -1;
		int64_t ns;
		if (figure < 0 || !isnan(settings->limits.most[figure]) ||
			units_parse_time(at + name + 1, length - name - 1, &ns, NULL) != 0) {
			diag("--limit: found '%.*s', expected mean, p50, p90, p95, p99, p99.9 or max once each with a time, "
			     "such as p99=50ms",
				(int)(length < 80 ? length : 80), at);
			return -1;
		}
		settings->limits.most[figure] = (double)ns / (double)NS_PER_S;
		settings->has_limits = true;
		at += length;
		if (!*at)
			return 0;
	}
}

/* What tool_options_set leaves to its caller. */
static int set_value(struct settings *settings, int option, const char *source, const char *text)
{
	if (!*text) {
		diag("%s: found '', expected %s", source, ssreport_options[option].argument);
		return -1;
	}
	if (option == OPTION_EDGE)
		return set_edge(settings, text);
	if (option == OPTION_BURST)
		return set_burst(settings, text);
	if (option == OPTION_OFFSET)
		return set_offset(settings, text);
	if (option == OPTION_SIZE)
		return set_size(settings, text);
	if (option == OPTION_RANGE)
		return set_range(settings, text);
	if (option == OPTION_WITHIN)
		return set_within(settings, text);
	if (option == OPTION_PRECISION)
		return set_precision(settings, text);
	if (option == OPTION_QUANTILES)
		return set_quantiles(settings, text);
	if (option == OPTION_WIDTH)
		return set_width(settings, text);
	if (option == OPTION_COLUMN)
		return set_column(settings, text);
	if (option == OPTION_RECORDED)
		return set_recorded(settings, text);
	if (option == OPTION_LIMIT)
		return set_limits(settings, text);
	if (option == OPTION_POWER)
		report_input_power(&settings->input, text);
	else if (option == OPTION_OUTPUT)
		settings->output[settings->outputs++] = text;
	else if (option == OPTION_OUTLIER)
		settings->outlier[settings->outliers++] = text;
	else
		report_input_label(&settings->input, text);
	return 0;
}

int settings_set(struct settings *settings, int option, const char *source, const char *text)
{
	const struct tool_option *const found = &ssreport_options[option];
	if (tool_options_set(found, settings, source, text) != 0)
		return -1;
	return found->takes == TOOL_VALUE ? set_value(settings, option, source, text) : 0;
}

/* ---- What they mean --------------------------------------------------------------------------------------------------- */

double settings_seconds(int64_t ns, double unset)
{
	return ns == UNSET ? unset : (double)ns / (double)NS_PER_S;
}

double settings_interval(const struct settings *settings)
{
	return settings_seconds(settings->interval_ns, INTERVAL_DEFAULT);
}

double settings_edge(const struct settings *settings)
{
	return isnan(settings->edge) ? EDGE_DEFAULT : settings->edge;
}

bool settings_want_picture(const struct settings *settings)
{
	for (size_t i = 0; i < settings->outputs; i++)
		if (plot_format_of(settings->output[i]) >= 0)
			return true;
	return false;
}
