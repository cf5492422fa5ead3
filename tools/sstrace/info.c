/* SPDX-License-Identifier: MIT */
#include "sstrace/info.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/units.h"
#include "sstrace/shape.h"

/* Loads are NaN where the trace is free throughout. */
struct summary {
	double mean; /* over the time that is not free */
	double least, most;
	double free_share;
};

/*
 * What holds in each stretch of time is what modules/trace/file.c answers there: the first record's load before it, a straight
 * line between two loads, and the load of the record before where the record after is free or loads are held.
 */
static void summarise(const struct trace *trace, struct summary *summary)
{
	double area = 0;
	double controlled = 0;
	double uncontrolled = 0;
	*summary = (struct summary){.mean = NAN, .least = NAN, .most = NAN};
	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_record *next = &trace->records[i];
		const struct trace_record *record = i ? next - 1 : next;
		const double seconds = (double)(i ? next->ns - record->ns : next->ns) / (double)NS_PER_S;
		const bool sloping = trace->interpolation == TRACE_LINEAR && !isnan(next->load);
		summary->least = fmin(summary->least, next->load);
		summary->most = fmax(summary->most, next->load);
		if (isnan(record->load)) {
			uncontrolled += seconds;
		} else {
			area += seconds * (sloping ? (record->load + next->load) / 2 : record->load);
			controlled += seconds;
		}
	}
	if (controlled > 0)
		summary->mean = area / controlled;
	else if (uncontrolled == 0)
		summary->mean = trace->records[trace->count - 1].load;
	if (uncontrolled > 0)
		summary->free_share = uncontrolled / (controlled + uncontrolled);
	else if (controlled == 0 && isnan(summary->mean))
		summary->free_share = 1;
}

static void print_load(FILE *to, const char *name, double load)
{
	if (isnan(load))
		fprintf(to, "%s: none\n", name);
	else
		fprintf(to, "%s: %.6g\n", name, load);
}

/* ---- Means of equal windows ------------------------------------------------------------------------------------------- */

/* Windows at most, so that the longest trace takes 8 MB. */
#define WINDOWS_MAX 1000000
/* Pairs of windows of which a correlation says something. */
#define PAIRS_LEAST 10

/* Lengths of windows, and lags: what is slower than that remains when a trace is replayed as much faster. */
static const int64_t lengths[] = {100 * NS_PER_MS, NS_PER_S, 10 * NS_PER_S, 60 * NS_PER_S, 600 * NS_PER_S, 3600 * NS_PER_S,
	86400 * NS_PER_S, 864000 * NS_PER_S};
#define LENGTHS (sizeof lengths / sizeof *lengths)

struct windows {
	int64_t length_ns;
	double *mean; /* NaN: free for a part of it */
	size_t count;
};

/* A second, unless that is more than a tenth of the trace, or there would be too many. 0, or -1 with errno. */
static int make_windows(struct windows *windows, const struct trace *trace)
{
	const int64_t end_ns = trace->records[trace->count - 1].ns;
	size_t i = end_ns < 10 * NS_PER_S ? 0 : 1;
	while (i + 1 < LENGTHS && end_ns / lengths[i] > WINDOWS_MAX)
		i++;
	windows->length_ns = lengths[i];
	windows->count = (size_t)(end_ns / lengths[i]);
	windows->mean = malloc((windows->count + 1) * sizeof *windows->mean);
	if (!windows->mean)
		return -1;
	trace_means(trace, windows->length_ns, windows->mean, windows->count);
	return 0;
}

static int by_value(const void *one, const void *other)
{
	const double a = *(const double *)one, b = *(const double *)other;
	return (a > b) - (a < b);
}

/* On the straight line between the two that are nearest to the place; they are sorted. */
static double quantile(const double *value, size_t count, double share)
{
	const double place = (double)(count - 1) * share;
	const size_t below = (size_t)place;
	return below + 1 < count ? value[below] + (place - (double)below) * (value[below + 1] - value[below]) : value[below];
}

static int print_levels(const struct windows *windows, FILE *to)
{
	static const int percent[] = {5, 25, 50, 75, 95};
	double *const known = malloc((windows->count + 1) * sizeof *known);
	if (!known)
		return -1;
	size_t count = 0;
	for (size_t i = 0; i < windows->count; i++)
		if (!isnan(windows->mean[i]))
			known[count++] = windows->mean[i];
	qsort(known, count, sizeof *known, by_value);
	for (size_t i = 0; i < sizeof percent / sizeof *percent; i++) {
		char name[8];
		snprintf(name, sizeof name, "p%d", percent[i]);
		print_load(to, name, count > 0 ? quantile(known, count, percent[i] / 100.0) : NAN);
	}
	free(known);
	return 0;
}

/* Of windows so many apart. NaN where too few are known, or all are the same, to which means that are updated stay equal. */
static double correlate(const struct windows *windows, size_t lag)
{
	double pairs = 0;
	double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
	for (size_t i = lag; i < windows->count; i++) {
		if (isnan(windows->mean[i]) || isnan(windows->mean[i - lag]))
			continue;
		const double x = windows->mean[i - lag] - mean_x, y = windows->mean[i] - mean_y;
		const double weight = pairs / (pairs + 1);
		pairs++;
		mean_x += x / pairs;
		mean_y += y / pairs;
		xx += x * x * weight;
		yy += y * y * weight;
		xy += x * y * weight;
	}
	return pairs < PAIRS_LEAST ? NAN : xy / (sqrt(xx) * sqrt(yy));
}

/* Up to half of the trace. */
static void print_autocorrelation(const struct windows *windows, FILE *to)
{
	for (size_t i = 0; i < LENGTHS; i++) {
		const int64_t lag = lengths[i] / windows->length_ns;
		char length[UNITS_TEXT_MAX];
		char name[UNITS_TEXT_MAX + 16];
		if (lag < 1 || lag > (int64_t)windows->count / 2)
			continue;
		snprintf(name, sizeof name, "autocorrelation %s", units_print_time(lengths[i], length));
		print_load(to, name, correlate(windows, (size_t)lag));
	}
}

/* Records that have another load than the one before, or are free where that isn't. */
static double changes_per_minute(const struct trace *trace)
{
	const struct trace_record *const record = trace->records;
	const int64_t end_ns = record[trace->count - 1].ns;
	size_t changes = 0;
	for (size_t i = 1; i < trace->count; i++)
		changes += isnan(record[i].load) != isnan(record[i - 1].load) ||
			   (!isnan(record[i].load) && record[i].load != record[i - 1].load);
	return end_ns > 0 ? (double)changes * 60 * (double)NS_PER_S / (double)end_ns : NAN;
}

int info_print(const struct trace *trace, FILE *to)
{
	struct summary summary;
	struct windows windows;
	char length[UNITS_TEXT_MAX];
	summarise(trace, &summary);
	fprintf(to, "records: %zu\n", trace->count);
	fprintf(to, "length: %s\n", units_print_time(trace->records[trace->count - 1].ns, length));
	fprintf(to, "interpolation: %s\n", trace->interpolation == TRACE_STEP ? "step" : "linear");
	print_load(to, "mean", summary.mean);
	print_load(to, "minimum", summary.least);
	print_load(to, "maximum", summary.most);
	print_load(to, "free", summary.free_share);
	print_load(to, "changes per minute", changes_per_minute(trace));
	if (make_windows(&windows, trace) != 0)
		return -1;
	fprintf(to, "window: %s\n", units_print_time(windows.length_ns, length));
	const int result = print_levels(&windows, to);
	if (result == 0)
		print_autocorrelation(&windows, to);
	free(windows.mean);
	return result;
}
