/* SPDX-License-Identifier: MIT */
#include "report/accuracy.h"

#include <math.h>
#include <stdlib.h>

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
