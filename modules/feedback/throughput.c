/* SPDX-License-Identifier: MIT */
/*
 * The load is the rate at which the controlled workloads finish iterations, as a share of the highest: that of the time before control in
 * which all of them ran free (calibrate), or one that is given (max).
 *
 * Workloads count whole iterations, the simplest that any program can do. Of iterations of 100 ms a sample of some 10 ms sees none or one,
 * and a control that repays what is owed within 60 ms would swing between 0 and 1. So what is between two counts is reckoned by processor
 * time, which is known to the nanosecond and follows each stop at once: progress grows by processor time times the iterations that came of
 * a second of it lately, and is drawn to the count so slowly that a single iteration makes no step. Progress is never further from the
 * count than what is under way. So its mean over a run is that of the count, whatever processor time is worth: where caches,
 * clocks or waiting make iterations dearer at some loads, the ratio follows.
 *
 * Instead, programs could publish parts of iterations. Hardly one knows how far it is, and what it would say of that is less regular than
 * processor time.
 *
 * All counts are sums over the workloads, of which each has a counter that goes on where it is started again. Who reads updates what all
 * share; of two who do so at the same moment one may be lost, and is drawn back as any other error.
 */
#include <math.h>
#include <stdatomic.h>

#include "filter.h"
#include "processors.h"
#include "showstopper/module.h"

#define CALIBRATION_NS (10 * NS_PER_S)
/* Progress is drawn to the count within so many iterations, or so long; the ratio is that of twice as many. */
#define ITERATIONS 20.0
#define DRAWN_S 10.0
/* What is shown later: so many iterations of each workload at most. */
#define HELD_BACK 2.0
/* Progress in a reading: in 2^-20 of an iteration. */
#define PARTS 1048576.0
/* More than any program counts. */
#define PROGRESS_MOST 8e12
/* Fewer are known to no more than some percent. */
#define COUNTED_LEAST 50
/* Without a single iteration in so much work of all processors, or that of ten of them, nobody counts. */
#define SILENCE_S 10.0

/* Shared by all. */
struct counted {
	struct processors_found processors;
	_Atomic double maximum;       /* iterations per second that are a load of 1; 0: not known yet */
	_Atomic double progress;      /* iterations, also parts of them, … */
	_Atomic double shown;         /* … and what readings had of it */
	_Atomic double count, used_s; /* as of the last reading: finished iterations, and processor time of the workloads */
	_Atomic double ratio_count, ratio_s; /* of the last iterations: how many, and their processor time; fading */
	_Atomic int64_t when_ns;             /* … of the last reading; 0: there was none */
};

/* What was counted at which times of the calibration: points of iterations (y) over seconds (x). */
struct line {
	int64_t begin_ns, begin_count;
	double points, sum_x, sum_y, sum_xx, sum_xy;
};

struct throughput {
	struct filter filter;
	int64_t calibrate_ns;
	double max; /* NaN: not given, and not measured yet */
	struct processors processors;
	bool is_given;
	struct line line; /* in the master */
};

static const struct sst_option options[] = {
	SST_OPTION("calibrate", TIME, struct throughput, calibrate_ns,
		"all workloads run free for so long before control, and what they finish then is a load of 100 %; 10s without "
		"max",
		.least = "100m", .most = "1d"),
	SST_OPTION("max", REAL, struct throughput, max,
		"iterations per second that are a load of 100 %, instead of a calibration", .least = "0.000001",
		.most = "1000000000000"),
	{FILTER_BASE},
	{FILTER_SHARE},
	{0},
};

static int prepare(void *state, const struct sst_env *env)
{
	struct throughput *throughput = state;
	struct counted *counted = env->shared;
	throughput->is_given = !isnan(throughput->max);
	if (throughput->is_given && throughput->calibrate_ns != SST_UNSET)
		return env->host->refuse(env, "both calibrate and max say what a load of 100 %% is: expected one of them");
	if (!throughput->is_given && throughput->calibrate_ns == SST_UNSET)
		throughput->calibrate_ns = CALIBRATION_NS;
	if (throughput->is_given)
		atomic_store(&counted->maximum, throughput->max);
	if (env->host->count_iterations(env) != 0)
		return -1;
	return processors_open(&throughput->processors, &counted->processors, env);
}

static double get(const _Atomic double *value)
{
	return atomic_load_explicit(value, memory_order_relaxed);
}

static void set(_Atomic double *value, double to)
{
	atomic_store_explicit(value, to, memory_order_relaxed);
}

/* What the newest iterations took, which fade with what comes. */
static double learn_ratio(struct counted *counted, double finished, double used_s, double elapsed_s)
{
	const double keep = exp(-finished / (2 * ITERATIONS) - elapsed_s / (4 * DRAWN_S));
	const double count = get(&counted->ratio_count) * keep + finished, s = get(&counted->ratio_s) * keep + used_s;
	set(&counted->ratio_count, count);
	set(&counted->ratio_s, s);
	return s > 0 ? count / s : 0;
}

/* Progress at this reading, which never goes back. */
static double follow(struct counted *counted, double count, double used_s, int64_t when_ns)
{
	const int64_t before_ns = atomic_load(&counted->when_ns);
	const double progress = get(&counted->progress);
	if (!before_ns || when_ns <= before_ns)
		return before_ns ? progress : count;
	const double elapsed_s = (double)(when_ns - before_ns) / 1e9;
	const double finished = fmax(count - get(&counted->count), 0), used = fmax(used_s - get(&counted->used_s), 0);
	const double expected = learn_ratio(counted, finished, used, elapsed_s) * used;
	const double drawn = 1 - exp(-expected / ITERATIONS - elapsed_s / DRAWN_S);
	return fmax(progress, progress + expected + drawn * (count - progress - expected));
}

/*
 * What seems to be more than the highest rate is mostly an error of what is reckoned, and shown a little later, as long as it is little: with a
 * target of 100 %, whatever was too much would be taken back, and never made up for.
 */
static double smooth(const struct counted *counted, double progress, int64_t when_ns, unsigned workloads)
{
	const double maximum = get(&counted->maximum), shown = get(&counted->shown);
	const int64_t before_ns = atomic_load(&counted->when_ns);
	if (!(maximum > 0) || !before_ns || when_ns < before_ns)
		return fmax(progress, shown);
	const double most = shown + maximum * (double)(when_ns - before_ns) / 1e9;
	return fmax(shown, fmax(progress - HELD_BACK * workloads, fmin(progress, most)));
}

/* Whether there should have been iterations, of so much work of all processors: who is stopped for long finishes none. */
static bool is_silent(const struct counted *counted, double worked_s)
{
	const double maximum = get(&counted->maximum);
	return maximum > 0 && get(&counted->progress) <= 0 && worked_s > fmax(SILENCE_S, 10 / maximum);
}

static int refuse_silence(const struct sst_env *env, double seconds)
{
	return env->host->refuse(env,
		"no workload has finished an iteration in %.1f s: expected programs that raise the counter which "
		"SHOWSTOPPER_COUNTER names, such as ssburn, or ssiterate in front of the command (showstopper-modules(7))",
		seconds);
}

static int read_source(void *state, const struct sst_env *env, struct sst_reading *now)
{
	struct throughput *throughput = state;
	struct counted *counted = env->shared;
	int64_t when_ns;
	double processors;
	if (processors_clock(&throughput->processors, env, &when_ns) != 0)
		return -1;
	const double count = (double)env->host->iterations(env);
	const int64_t used_ns = processors_used(env);
	if (used_ns < 0 || processors_count(&throughput->processors, &counted->processors, env, when_ns, &processors) != 0)
		return -1;
	const double used_s = (double)used_ns / 1e9;
	const double progress = fmin(follow(counted, count, used_s, when_ns), PROGRESS_MOST);
	const double shown = smooth(counted, progress, when_ns, env->workloads);
	set(&counted->progress, progress);
	set(&counted->shown, shown);
	set(&counted->count, count);
	set(&counted->used_s, used_s);
	atomic_store(&counted->when_ns, when_ns);
	if (is_silent(counted, used_s / processors))
		return refuse_silence(env, used_s / processors);
	*now = (struct sst_reading){.when_ns = when_ns, .processors = processors, .counter = {(uint64_t)(shown * PARTS)}};
	const double maximum = get(&counted->maximum);
	memcpy(&now->counter[1], &maximum, sizeof maximum);
	return 0;
}

/* The highest rate is that of all processors. */
static bool sample(const void *state, const struct sst_reading *before, const struct sst_reading *now, struct sst_sample *sample)
{
	double maximum;
	(void)state;
	memcpy(&maximum, &now->counter[1], sizeof maximum);
	const double elapsed_s = (double)(now->when_ns - before->when_ns) / 1e9;
	if (!(maximum > 0) || elapsed_s <= 0 || now->counter[0] < before->counter[0])
		return false;
	const double processors = (before->processors + now->processors) / 2;
	sample->capacity = elapsed_s * processors;
	sample->work = (double)(now->counter[0] - before->counter[0]) / PARTS / maximum * processors;
	return true;
}

static int64_t interval(const void *state, double processors)
{
	const struct throughput *throughput = state;
	return filter_interval(&throughput->filter, processors, 10 * NS_PER_MS);
}

static int64_t calibration(const void *state)
{
	const struct throughput *throughput = state;
	return throughput->is_given ? 0 : throughput->calibrate_ns;
}

/*
 * The slope of the line that comes closest to all that was counted. What is counted at the beginning and at the end alone is wrong by what
 * is under way then, which instances that were started together have in common.
 */
static double slope(const struct line *line)
{
	const double n = line->points;
	return (n * line->sum_xy - line->sum_x * line->sum_y) / (n * line->sum_xx - line->sum_x * line->sum_x);
}

static int calibrate(void *state, const struct sst_env *env, enum sst_calibration step)
{
	struct throughput *throughput = state;
	struct counted *counted = env->shared;
	struct line *const line = &throughput->line;
	int64_t now_ns;
	if (processors_clock(&throughput->processors, env, &now_ns) != 0)
		return -1;
	const int64_t count = env->host->iterations(env);
	if (step == SST_CALIBRATION_BEGINS)
		*line = (struct line){.begin_ns = now_ns, .begin_count = count};
	const double seconds = (double)(now_ns - line->begin_ns) / 1e9, finished = (double)(count - line->begin_count);
	line->points++;
	line->sum_x += seconds;
	line->sum_y += finished;
	line->sum_xx += seconds * seconds;
	line->sum_xy += seconds * finished;
	if (step != SST_CALIBRATION_IS_OVER)
		return 0;
	if (!(finished > 0) || !(slope(line) > 0))
		return refuse_silence(env, seconds);
	if (finished < COUNTED_LEAST)
		env->host->say(env,
			"warning: only %.0f iterations were finished in the calibration of %.1f s, so that a load of 100 %% is "
			"known "
			"to some percent: expected a longer one (-F calibrate=TIME)",
			finished, seconds);
	throughput->max = slope(line);
	atomic_store(&counted->maximum, throughput->max);
	return 0;
}

static double maximum(const void *state)
{
	return ((const struct throughput *)state)->max;
}

/* What was counted, or given, may be less than what comes. */
static double ceiling(const void *state, const struct sst_env *env)
{
	(void)state;
	(void)env;
	return INFINITY;
}

static void fini(void *state, const struct sst_env *env)
{
	processors_close(&((struct throughput *)state)->processors, env);
}

SST_EXPORT const struct sst_feedback sst_module = {
	SST_BASE(feedback, SST_FEEDBACK, .name = "throughput", .version = SHOWSTOPPER_VERSION,
		.summary = "rate of the controlled workloads' iterations, relative to the highest",
		.state_size = sizeof(struct throughput), .shared_size = sizeof(struct counted), .options = options,
		.prepare = prepare, .fini = fini),
	.read = read_source,
	.sample = sample,
	.estimate = filter_estimate,
	.interval = interval,
	.calibration = calibration,
	.calibrate = calibrate,
	.maximum = maximum,
	.ceiling = ceiling,
};
