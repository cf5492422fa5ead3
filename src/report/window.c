/* SPDX-License-Identifier: MIT */
#include "report/window.h"

#include <errno.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/fail.h"
#include "base/units.h"
#include "trace/shape.h"

/* More of them are a mistake in the times or in the interval. */
#define WINDOWS_MAX 20000000.0
/* A shorter piece of an interval, as a part of it, is no more than the jitter of the log's rows. */
#define PIECE_LEAST 0.01
/* Targets that differ by less are the same: the log has six decimals. */
#define SAME_TARGET 2e-6

static int reserve(struct report_windows *windows, size_t count, char error[static CSV_ERROR_MAX])
{
	windows->item = calloc(count ? count : 1, sizeof *windows->item);
	return windows->item ? 0 : csv_fail(error, "%s", strerror(errno));
}

static void add(struct report_windows *windows, double start, double end)
{
	windows->item[windows->count++] = (struct report_window){
		.start = start, .end = end, .target = NAN, .load = NAN, .iterations = NAN, .throughput = NAN, .power = NAN};
}

static int make_intervals(
	struct report_windows *windows, double start, double end, double length, char error[static CSV_ERROR_MAX])
{
	const double first = floor(start / length + PIECE_LEAST);
	const double after = ceil(end / length - PIECE_LEAST);
	if (after - first > WINDOWS_MAX)
		return csv_fail(error, "found %.0f intervals of %g s in a time of %g s, expected at most %.0f", after - first,
			length, end - start, WINDOWS_MAX);
	const size_t count = after > first ? (size_t)(after - first) : 1;
	if (reserve(windows, count, error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		add(windows, i == 0 ? start : (first + (double)i) * length,
			i + 1 == count ? end : (first + (double)i + 1) * length);
	return 0;
}

/* Whether the targets go back as they came. */
static bool is_symmetric(const struct report_step *step, size_t count)
{
	for (size_t i = 0; i < count / 2; i++)
		if (!(fabs(step[i].target - step[count - 1 - i].target) <= SAME_TARGET))
			return false;
	return count > 1;
}

/* Whether the middle step of a symmetric staircase lasts as long as two. Its neighbours tell how long one lasts. */
static bool has_long_middle(const struct report_step *step, size_t count)
{
	if (count < 3 || count % 2 == 0 || !is_symmetric(step, count))
		return false;
	const struct report_step *const middle = &step[count / 2];
	const double around = (middle[-1].end - middle[-1].start + middle[1].end - middle[1].start) / 2;
	return middle->end - middle->start > 1.5 * around;
}

static void add_step(struct report_windows *windows, double start, double end, double edge)
{
	const double cut = edge * (end - start);
	add(windows, start + cut, end - cut);
}

static int make_steps(struct report_windows *windows, const struct report_log *log, const struct report_windows_rules *rules,
	char error[static CSV_ERROR_MAX])
{
	size_t count = 0;
	struct report_step *const step = report_log_steps(log, &count);
	if (!step)
		return csv_fail(error, "%s", strerror(errno));
	int result = reserve(windows, count + 1, error);
	if (result == 0 && count == 0) {
		csv_fail(error,
			"%.300s: found no target that stays the same for %d rows of %.3g s, expected steps; showstopper "
			"--log-interval makes rows shorter",
			log->name, REPORT_STEP_ROWS, log->interval);
		result = -1;
	}
	const size_t brief = result == 0 ? report_log_short_steps(log) : 0;
	if (brief > 0)
		diag("warning: %s: left out %zu %s less than %d rows of %.3g s; showstopper --log-interval makes rows shorter",
			log->name, brief, brief == 1 ? "step that fills" : "steps that fill", REPORT_STEP_ROWS, log->interval);
	const size_t two = rules->is_staircase && has_long_middle(step, count) ? count / 2 : count;
	for (size_t i = 0; result == 0 && i < count; i++) {
		const double middle = (step[i].start + step[i].end) / 2;
		add_step(windows, step[i].start, i == two ? middle : step[i].end, rules->edge);
		if (i == two)
			add_step(windows, middle, step[i].end, rules->edge);
	}
	free(step);
	return result;
}

static int make_rows(struct report_windows *windows, const struct report_log *log, size_t first, char error[static CSV_ERROR_MAX])
{
	if (reserve(windows, log->count - first, error) != 0)
		return -1;
	for (size_t i = first; i < log->count; i++)
		add(windows, report_log_start(log, i), log->time[i]);
	return 0;
}

/* Whether the clocks of log and iterations have anything in common. */
static bool is_same_time(const struct report_log *log, const struct report_iterations *iterations)
{
	const struct report_iteration span = report_iterations_span(iterations);
	return span.start <= log->monotonic[log->count - 1] && span.end >= report_log_monotonic(log, report_log_start(log, 0));
}

static int count_iterations(struct report_windows *windows, const struct report_run *run, const struct report_log *log,
	double origin, char error[static CSV_ERROR_MAX])
{
	struct report_stretch *const stretch = calloc(windows->count + 1, sizeof *stretch);
	double *const sum = calloc(windows->count + 1, sizeof *sum);
	double *const known = calloc(windows->count + 1, sizeof *known);
	int result = -1;
	if (stretch && sum && known) {
		for (size_t i = 0; i < windows->count; i++) {
			const struct report_window *const window = &windows->item[i];
			stretch[i].start = log ? report_log_monotonic(log, window->start) : origin + window->start;
			stretch[i].end = log ? report_log_monotonic(log, window->end) : origin + window->end;
		}
		result = report_iterations_count(&run->iterations, stretch, windows->count, sum, known);
	}
	if (result != 0)
		csv_fail(error, "%s", strerror(errno));
	for (size_t i = 0; result == 0 && i < windows->count; i++) {
		struct report_window *const window = &windows->item[i];
		const double length = stretch[i].end - stretch[i].start;
		/* A stretch of no length has no rate, with or without a gap. */
		if (length > 0 && known[i] <= 0)
			continue;
		window->iterations = sum[i];
		window->throughput = sum[i] / known[i];
		window->missing = length > 0 ? 1 - known[i] / length : 0;
	}
	free(stretch);
	free(sum);
	free(known);
	return result;
}

/* What the log doesn't have comes from another one of the run: that of cpuload, which measured it beside. */
static void take_power(struct report_windows *windows, const struct report_run *run, const struct report_log *log)
{
	const struct report_log *other = NULL;
	for (size_t i = 0; i < run->logs && !other; i++)
		if (&run->log[i] != log && run->log[i].power && run->log[i].monotonic)
			other = &run->log[i];
	for (size_t i = 0; other && log->monotonic && i < windows->count; i++) {
		struct report_window *const window = &windows->item[i];
		if (!isnan(window->power))
			continue;
		const double start = report_log_time(other, report_log_monotonic(log, window->start));
		const double end = report_log_time(other, report_log_monotonic(log, window->end));
		window->power = report_log_mean(other, start, end).power;
	}
}

static int check(const struct report_run *run, const struct report_log *log, char error[static CSV_ERROR_MAX])
{
	if (run->iteration_files > 0 && run->iterations.count == 0)
		return csv_fail(error, "%.300s: found no iteration in its iteration file%s", run->label,
			run->iteration_files > 1 ? "s" : "");
	if (log && run->iteration_files > 0 && !log->monotonic)
		return csv_fail(error, "%.300s:1: found no column monotonic_s, expected it for the iterations", log->name);
	if (log && run->iteration_files > 0 && !is_same_time(log, &run->iterations))
		return csv_fail(error,
			"%.300s: found none of its iterations at the time of its log, expected files of one run (those of "
			"several machines need a column " LOG_WALL ")",
			log->name);
	return 0;
}

int report_windows_make(struct report_windows *windows, const struct report_run *run, const struct report_log *log,
	const struct report_windows_rules *rules, char error[static CSV_ERROR_MAX])
{
	*windows = (struct report_windows){0};
	if (check(run, log, error) != 0)
		return -1;
	double origin = 0;
	double start = 0;
	double end;
	if (log) {
		const size_t first = rules->with_warmup && rules->kind != REPORT_STEPS ? 0 : log->warmup;
		if (first == log->count)
			return csv_fail(error, "%.300s: found nothing but the warm-up", log->name);
		start = report_log_start(log, first);
		end = log->time[log->count - 1];
		if (rules->kind == REPORT_ROWS && make_rows(windows, log, first, error) != 0)
			return -1;
		if (rules->kind == REPORT_STEPS && make_steps(windows, log, rules, error) != 0)
			return -1;
	} else {
		const struct report_iteration span = report_iterations_span(&run->iterations);
		origin = span.start;
		end = span.end - span.start;
		if (end <= 0)
			return csv_fail(
				error, "%.300s: found all iterations at one moment, expected a stretch of time", run->label);
	}
	if (rules->kind == REPORT_INTERVALS && make_intervals(windows, start, end, rules->length, error) != 0)
		return -1;
	for (size_t i = 0; log && i < windows->count; i++) {
		const struct report_mean mean = report_log_mean(log, windows->item[i].start, windows->item[i].end);
		windows->item[i].load = mean.load;
		/* The load of a window that was free in part isn't to be held against what was asked in the rest of it. */
		const double length = windows->item[i].end - windows->item[i].start;
		windows->item[i].target = mean.known - mean.targeted > PIECE_LEAST * length ? NAN : mean.target;
		windows->item[i].power = mean.power;
	}
	if (log)
		take_power(windows, run, log);
	return run->iteration_files > 0 ? count_iterations(windows, run, log, origin, error) : 0;
}

int report_windows_of_trace(struct report_windows *windows, const struct trace *trace, int64_t length_ns)
{
	const int64_t end_ns = trace->records[trace->count - 1].ns;
	const size_t most = length_ns > 0 ? (size_t)(end_ns / length_ns) + 1 : trace->count;
	size_t next = 0;
	if ((double)most > WINDOWS_MAX)
		return fail(ENOMEM);
	*windows = (struct report_windows){.item = calloc(most, sizeof *windows->item)};
	if (!windows->item)
		return -1;
	for (int64_t start = 0; start < end_ns;) {
		while (next < trace->count && trace->records[next].ns <= start)
			next++;
		const int64_t end = length_ns == 0               ? trace->records[next].ns
				    : end_ns - start > length_ns ? start + length_ns
								 : end_ns;
		windows->item[windows->count++] = (struct report_window){.start = (double)start / (double)NS_PER_S,
			.end = (double)end / (double)NS_PER_S,
			.target = trace_mean(trace, next, start, end),
			.load = NAN,
			.iterations = NAN,
			.throughput = NAN,
			.power = NAN};
		start = end;
	}
	return 0;
}

void report_windows_free(struct report_windows *windows)
{
	free(windows->item);
	*windows = (struct report_windows){0};
}

static double level_of(const struct report_window *window)
{
	return isnan(window->target) ? window->load : window->target;
}

static int compare_levels(const void *a, const void *b)
{
	const double first = level_of(a);
	const double second = level_of(b);
	return (first > second) - (first < second);
}

static int compare_loads(const void *a, const void *b)
{
	const double first = ((const struct report_level *)a)->load;
	const double second = ((const struct report_level *)b)->load;
	return (first > second) - (first < second);
}

static struct report_level summarize(const struct report_window *window, size_t count)
{
	return (struct report_level){.load = gsl_stats_mean(&window->load, REPORT_WINDOW_STRIDE, count),
		.throughput = gsl_stats_mean(&window->throughput, REPORT_WINDOW_STRIDE, count),
		.deviation = count > 1 ? gsl_stats_sd(&window->throughput, REPORT_WINDOW_STRIDE, count) : NAN,
		.windows = count};
}

int report_curve_make(struct report_curve *curve, const struct report_windows *windows)
{
	struct report_window *const sorted = malloc((windows->count + 1) * sizeof *sorted);
	*curve = (struct report_curve){.level = calloc(windows->count + 1, sizeof *curve->level)};
	if (!sorted || !curve->level) {
		free(sorted);
		return -1;
	}
	size_t count = 0;
	for (size_t i = 0; i < windows->count; i++)
		if (isfinite(windows->item[i].load) && isfinite(windows->item[i].throughput))
			sorted[count++] = windows->item[i];
	qsort(sorted, count, sizeof *sorted, compare_levels);
	for (size_t i = 0, first = 0; i < count; first = i) {
		do
			i++;
		while (i < count && fabs(sorted[i].target - sorted[first].target) < 0.005);
		curve->level[curve->count++] = summarize(&sorted[first], i - first);
	}
	qsort(curve->level, curve->count, sizeof *curve->level, compare_loads);
	free(sorted);
	return 0;
}

void report_curve_free(struct report_curve *curve)
{
	free(curve->level);
	*curve = (struct report_curve){0};
}

/* ---- Accuracy ---------------------------------------------------------------------------------------------------------- */

/* Targets of steps that differ by less are one level. */
#define SAME_LEVEL 2e-6
#define NO_STEP ((size_t)-1)

/* Goes through the rows and puts them together to samples. */
struct sampler {
	const struct report_log *log;
	const struct report_accuracy_rules *rules;
	const struct report_step *step;
	size_t steps;
	struct report_accuracy *level; /* all samples, then each level */
	size_t levels;
	/* The sample that is being put together: */
	double place; /* number of its window */
	double seconds, target, load;
	size_t in_step; /* all its rows are of this step, or NO_STEP */
	bool is_calm;   /* all its rows */
	double unrest;  /* what lies before is not calm */
};

static void add_sample(struct report_accuracy *to, const struct sampler *sampler)
{
	const double target = sampler->target / sampler->seconds;
	const double load = sampler->load / sampler->seconds;
	to->seconds += sampler->seconds;
	accuracy_add(&to->accuracy, target, load);
	if (sampler->is_calm)
		accuracy_add(&to->calm, target, load);
}

static void end_sample(struct sampler *sampler)
{
	const double nominal = sampler->rules->window > 0 ? sampler->rules->window : sampler->log->interval;
	if (sampler->seconds > nominal / 2) {
		add_sample(&sampler->level[0], sampler);
		for (size_t i = 1; i < sampler->levels && sampler->in_step != NO_STEP; i++)
			if (fabs(sampler->level[i].target - sampler->step[sampler->in_step].target) <= SAME_LEVEL)
				add_sample(&sampler->level[i], sampler);
	}
	sampler->seconds = sampler->target = sampler->load = 0;
}

static void add_row(struct sampler *sampler, size_t row, size_t step, bool is_calm)
{
	const struct report_log *const log = sampler->log;
	const double length = report_log_length(log, row);
	const double window = sampler->rules->window;
	const double place = window > 0 ? floor((log->time[row] - length / 2) / window) : (double)row;
	if (sampler->seconds > 0 && place != sampler->place)
		end_sample(sampler);
	if (sampler->seconds <= 0) {
		sampler->in_step = step;
		sampler->is_calm = true;
	}
	if (step != sampler->in_step)
		sampler->in_step = NO_STEP;
	sampler->is_calm &= is_calm;
	sampler->place = place;
	sampler->seconds += length;
	sampler->target += length * log->target[row];
	sampler->load += length * log->load[row];
}

static bool knows_background(const struct report_log *log)
{
	for (size_t row = 0; log->background && row < log->count; row++)
		if (!isnan(log->background[row]))
			return true;
	return false;
}

/* Goes on to the next row. Whether that is calm, and known to be so. */
static bool is_calm(struct sampler *sampler, size_t row)
{
	const struct report_log *const log = sampler->log;
	if (!log->background)
		return false;
	/* What has no load may have had a burst. */
	if (log->background[row] > sampler->rules->burst || isnan(log->load[row]))
		sampler->unrest = log->time[row] + sampler->rules->calm;
	return !isnan(log->background[row]) && (report_log_start(log, row) + log->time[row]) / 2 >= sampler->unrest;
}

static bool is_free(const struct report_log *log, size_t row)
{
	return row >= log->warmup && row < log->count && report_log_is_free(log, row);
}

static void take_rows(struct sampler *sampler)
{
	const struct report_log *const log = sampler->log;
	const struct report_accuracy_rules *const rules = sampler->rules;
	double from = -INFINITY; /* what lies before is left out */
	bool was_free = true;
	size_t step = 0;
	for (size_t row = 0; row < log->warmup; row++)
		is_calm(sampler, row);
	for (size_t row = log->warmup; row < log->count; row++) {
		const double start = report_log_start(log, row);
		if (was_free && !is_free(log, row) && rules->settle > 0)
			from = fmax(from, start + rules->settle);
		was_free = is_free(log, row);
		/* Where rows are missing it may jump as late as they end. */
		if (rules->skip_edges > 0 && report_log_is_jump(log, row))
			from = fmax(from, (isnan(log->load[row]) ? log->time[row] : start) + rules->skip_edges);
		const bool calm = is_calm(sampler, row);
		while (step < sampler->steps && sampler->step[step].last < row)
			step++;
		/* The first row has no row before it, and that of the warm-up ends where control begins. */
		if (was_free || is_free(log, row + 1) || (row > log->warmup && is_free(log, row - 1)) || isnan(log->load[row]) ||
			(start + log->time[row]) / 2 < from)
			continue;
		add_row(sampler, row, step < sampler->steps && sampler->step[step].first <= row ? step : NO_STEP, calm);
	}
	if (sampler->seconds > 0)
		end_sample(sampler);
}

static int compare(const void *a, const void *b)
{
	const double first = ((const struct report_accuracy *)a)->target;
	const double second = ((const struct report_accuracy *)b)->target;
	return (first > second) - (first < second);
}

/* The levels of the steps, sorted, each once, behind the entry for all samples. */
static void make_levels(struct sampler *sampler)
{
	struct report_accuracy *const level = sampler->level;
	size_t kept = 1;
	for (size_t i = 0; i < sampler->steps; i++)
		level[1 + i] = (struct report_accuracy){.target = sampler->step[i].target};
	qsort(level + 1, sampler->steps, sizeof *level, compare);
	for (size_t i = 1; i <= sampler->steps; i++)
		if (!isnan(level[i].target) && (kept == 1 || level[i].target - level[kept - 1].target > SAME_LEVEL))
			level[kept++] = level[i];
	sampler->levels = kept;
}

struct report_accuracy *report_accuracy(
	const struct report_log *log, const struct report_accuracy_rules *rules, int levels, size_t *count)
{
	struct sampler sampler = {.log = log, .rules = rules, .in_step = NO_STEP, .levels = 1, .unrest = -INFINITY};
	struct report_step *const step = report_log_steps(log, &sampler.steps);
	*count = 0;
	if (!step)
		return NULL;
	sampler.step = step;
	sampler.level = calloc(1 + sampler.steps, sizeof *sampler.level);
	if (sampler.level) {
		sampler.level[0].target = NAN;
		if (levels)
			make_levels(&sampler);
		take_rows(&sampler);
		*count = sampler.levels;
		for (size_t i = 0; i < *count; i++)
			sampler.level[i].knows_background = knows_background(log);
	}
	free(step);
	return sampler.level;
}
