/* SPDX-License-Identifier: MIT */
/*
 * Every module that the build made, driven with inputs at the edge of what the interface permits: what comes back must be what
 * module.h promises. Which modules there are is looked up, so a new one is tested from its first build on.
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/units.h"
#include "module_test.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define YEAR (INT64_C(365) * 86400 * NS_PER_S)
/* A dithering module that is not asked for this long could not follow the trace. */
#define LONGEST_ANSWER (10 * NS_PER_S)

static char trace_file[] = "/tmp/test_contract.XXXXXX";
static struct module_test test, other;
static const char *name;

/* ---- A machine that feedback modules can read -------------------------------------------------------------------------- */

static const char *const paths[] = {"/proc/stat", "/sys/fs/cgroup/cpuacct/cpuacct.usage", "/proc/pressure/cpu", "/proc/cmdline",
	"/proc/loadavg", "/proc/self/mountinfo", "/proc/self/cgroup", "/sys/fs/cgroup/cpu.stat",
	"/sys/devices/system/cpu/online"};
static int64_t machine_ns; /* up since; two processors, of which a third is used */

static int open_file(const struct sst_env *env, const char *path)
{
	(void)env;
	for (size_t i = 0; i < COUNT(paths); i++)
		if (strcmp(path, paths[i]) == 0)
			return (int)i;
	errno = ENOENT;
	return -1;
}

static ssize_t read_file(const struct sst_env *env, int handle, void *buffer, size_t size, int64_t *when_ns)
{
	(void)env;
	char text[512] = "quiet\n";
	const unsigned long long ticks = (unsigned long long)(machine_ns / (10 * NS_PER_MS));
	if (handle == 0)
		snprintf(text, sizeof text,
			"cpu  %llu 0 0 %llu 0 0 0 0 0 0\ncpu0 %llu 0 0 %llu 0 0 0 0 0 0\ncpu1 %llu 0 0 %llu 0 0 0 0 0 0\nintr "
			"0\n",
			ticks * 2 / 3, ticks * 4 / 3, ticks / 3, ticks * 2 / 3, ticks / 3, ticks * 2 / 3);
	else if (handle == 1)
		snprintf(text, sizeof text, "%llu\n", (unsigned long long)machine_ns * 2 / 3);
	else if (handle == 2)
		snprintf(text, sizeof text, "some avg10=0.00 avg60=0.00 avg300=0.00 total=%llu\n",
			(unsigned long long)machine_ns / 3000);
	else if (handle == 4)
		snprintf(text, sizeof text, "0.00 0.00 0.00 1/100 1000\n");
	else if (handle == 5)
		snprintf(text, sizeof text, "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	else if (handle == 6)
		snprintf(text, sizeof text, "0::/\n");
	else if (handle == 7)
		snprintf(text, sizeof text, "usage_usec %llu\n", (unsigned long long)machine_ns * 2 / 3000);
	else if (handle == 8)
		snprintf(text, sizeof text, "0-1\n");
	const size_t length = strlen(text) < size ? strlen(text) : size;
	memcpy(buffer, text, length);
	*when_ns = machine_ns;
	return (ssize_t)length;
}

static void close_file(const struct sst_env *env, int handle)
{
	(void)env;
	assert_in_range(handle, 0, COUNT(paths) - 1);
}

static int64_t tree_cpu_time(const struct sst_env *env)
{
	(void)env;
	return machine_ns * 2 / 3;
}

static void check(bool good, const char *what);

static int follow(const struct sst_env *env, const struct sst_stream *stream)
{
	(void)env;
	check(stream->first >= 0 && stream->first <= 1 && stream->silence <= SST_THEN_END && stream->at_end <= SST_THEN_END,
		"what is to be followed is none");
	return 0;
}

static double followed(const struct sst_env *env, int64_t since_ns)
{
	(void)env;
	return since_ns < NS_PER_S ? NAN : 0.5;
}

/* Three times as many in a second before this moment as after it. */
static int64_t calibrated_ns;

static int count_iterations(const struct sst_env *env)
{
	(void)env;
	return 0;
}

static int64_t iterations(const struct sst_env *env)
{
	const int64_t before_ns = machine_ns < calibrated_ns ? machine_ns : calibrated_ns;
	(void)env;
	return (3 * before_ns + machine_ns - before_ns) / NS_PER_MS;
}

/* ---- Loading ----------------------------------------------------------------------------------------------------------- */

/* A value for each option that the module requires, or NULL when it requires none. */
static const char *required(enum sst_kind kind)
{
	static const char *const values[] = {[SST_TIME] = "1s",
		[SST_LOAD] = "1/3",
		[SST_REAL] = "1",
		[SST_INT] = "1",
		[SST_FLAG] = "yes",
		[SST_TEXT] = "text",
		[SST_CPUS] = "0",
		[SST_FILE] = trace_file};
	static char options[1024];
	struct module module;
	char error[MODULE_ERROR_MAX];
	char path[512];
	size_t used = 0;
	snprintf(path, sizeof path, "%s/modules/%s/%s.so", SHOWSTOPPER_BUILD, module_kind_name(kind), name);
	if (module_open(&module, kind, path, error) != 0)
		fail_msg("%s", error);
	for (const struct sst_option *option = module.base->options; option && option->name; option++)
		if (option->required)
			used += (size_t)snprintf(options + used, sizeof options - used, "%s%s=%s", used ? "," : "", option->name,
				option->type == SST_CHOICE ? option->choices[0] : values[option->type]);
	module_unload(&module);
	return used ? options : NULL;
}

/* As the executor `index` of `workloads` would have it. */
static void start(struct module_test *at, enum sst_kind kind, unsigned index, unsigned workloads)
{
	const char *refused = module_test_open(at, kind, name, required(kind));
	if (!refused) {
		at->host.open = open_file;
		at->host.read = read_file;
		at->host.close = close_file;
		at->host.tree_cpu_time = tree_cpu_time;
		at->host.follow = follow;
		at->host.followed = followed;
		at->host.count_iterations = count_iterations;
		at->host.iterations = iterations;
		at->env.workloads = workloads;
		refused = module_test_prepare(at);
	}
	if (refused)
		fail_msg("%s: %s", name, refused);
	at->env.index = index;
	if (at->module.base->init)
		assert_int_equal(at->module.base->init(at->module.state, &at->env), 0);
}

static void check(bool good, const char *what)
{
	if (!good)
		fail_msg("%s module '%s': %s", module_kind_name(test.module.base->kind), name, what);
}

/* Calls a test for each module of a kind, in any order. */
static void for_each(enum sst_kind kind, void (*body)(void))
{
	char folder[512];
	unsigned found = 0;
	bool has_skeleton = false;
	snprintf(folder, sizeof folder, "%s/modules/%s", SHOWSTOPPER_BUILD, module_kind_name(kind));
	DIR *directory = opendir(folder);
	assert_non_null(directory);
	for (struct dirent *entry; (entry = readdir(directory));) {
		char module[256];
		const size_t length = strlen(entry->d_name);
		if (length < 4 || strcmp(entry->d_name + length - 3, ".so") != 0)
			continue;
		snprintf(module, sizeof module, "%.*s", (int)length - 3, entry->d_name);
		name = module;
		has_skeleton = has_skeleton || strcmp(name, "skeleton") == 0;
		found++;
		body();
	}
	closedir(directory);
	assert_true(found > 1);
	assert_true(has_skeleton);
}

/* ---- What all modules have --------------------------------------------------------------------------------------------- */

static void describe(enum sst_kind kind)
{
	start(&test, kind, 0, 3);
	const struct sst_module *base = test.module.base;
	check(strlen(base->summary) > 5 && strlen(base->summary) < 80 && !strchr(base->summary, '\n'), "the summary is no line");
	check(base->summary[strlen(base->summary) - 1] != '.', "the summary ends with a full stop");
	for (const struct sst_option *option = base->options; option && option->name; option++) {
		check(!strchr(option->help, '\n') && option->help[strlen(option->help) - 1] != '.',
			"an option's help is no line without a full stop");
		check(strspn(option->name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(option->name),
			"an option's name is odd");
	}
	/* What is recorded is what can be given again. */
	char printed[sizeof test.printed];
	strcpy(printed, module_test_options(&test));
	module_test_end(&test);
	const char *refused = module_test_open(&other, kind, name, *printed ? printed : NULL);
	if (refused)
		fail_msg("%s: '%s' is not understood again: %s", name, printed, refused);
	module_unload(&other.module);
	free(other.env.shared);
	/* Loaded, never prepared, unloaded: also that must leave nothing. */
	refused = module_test_open(&other, kind, name, required(kind));
	assert_null(refused);
	module_unload(&other.module);
	free(other.env.shared);
}

static void describe_trace(void)
{
	describe(SST_TRACE);
}

static void describe_feedback(void)
{
	describe(SST_FEEDBACK);
}

static void describe_control(void)
{
	describe(SST_CONTROL);
}

static void describe_space(void)
{
	describe(SST_SPACE);
}

static void describe_dithering(void)
{
	describe(SST_DITHERING);
}

static void modules_describe_themselves(void **state)
{
	(void)state;
	for_each(SST_TRACE, describe_trace);
	for_each(SST_FEEDBACK, describe_feedback);
	for_each(SST_CONTROL, describe_control);
	for_each(SST_SPACE, describe_space);
	for_each(SST_DITHERING, describe_dithering);
}

/* ---- Traces ------------------------------------------------------------------------------------------------------------ */

static bool same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static void drive_trace(void)
{
	static const int64_t times[] = {0, 1, 2, 999, NS_PER_MS, NS_PER_S - 1, NS_PER_S, 59 * NS_PER_S, 3600 * NS_PER_S, YEAR,
		100 * YEAR, INT64_MAX / 2, INT64_MAX - 1, INT64_MAX};
	double first[COUNT(times)];
	start(&test, SST_TRACE, 0, 2);
	start(&other, SST_TRACE, 1, 2);
	const struct sst_trace *trace = test.module.trace;
	const int64_t length = trace->length ? trace->length(test.module.state) : -1;
	check(length >= -1, "the length is neither a length nor -1");
	for (size_t i = 0; i < COUNT(times); i++) {
		first[i] = trace->target(test.module.state, times[i]);
		check(isnan(first[i]) || (first[i] >= 0 && first[i] <= 1), "a target is neither free nor a load");
	}
	/* Backwards, and in another executor: the same. */
	for (size_t i = COUNT(times); i-- > 0;) {
		check(same(trace->target(test.module.state, times[i]), first[i]), "a target changes when asked for backwards");
		check(same(trace->target(other.module.state, times[i]), first[i]), "a target differs between executors");
	}
	for (int64_t t = 0; t < 400 * NS_PER_S; t += 100 * NS_PER_MS) {
		const double target = trace->target(test.module.state, t);
		check(isnan(target) || (target >= 0 && target <= 1), "a target is neither free nor a load");
		check(same(trace->target(other.module.state, t), target), "a target differs between executors");
	}
	module_test_end(&other);
	module_test_end(&test);
}

static void traces_give_loads(void **state)
{
	(void)state;
	for_each(SST_TRACE, drive_trace);
}

/* ---- Feedback ---------------------------------------------------------------------------------------------------------- */

/* The time before control in which a module finds out what a load of 1 is; false where it knows. */
static bool calibrate(struct module_test *at)
{
	const struct sst_feedback *feedback = at->module.feedback;
	const int64_t length_ns = feedback->calibration ? feedback->calibration(at->module.state) : 0;
	check(length_ns >= 0, "a calibration has no length");
	if (length_ns == 0)
		return false;
	check(feedback->calibrate, "nothing is to be done in the calibration");
	calibrated_ns = machine_ns + length_ns;
	for (int i = 0; i <= 100; i++) {
		const enum sst_calibration step = i == 0    ? SST_CALIBRATION_BEGINS
						  : i < 100 ? SST_CALIBRATION_GOES_ON
							    : SST_CALIBRATION_IS_OVER;
		machine_ns = calibrated_ns - length_ns + length_ns / 100 * i;
		check(feedback->calibrate(at->module.state, &at->env, step) == 0, "the calibration fails");
	}
	check(!feedback->maximum || feedback->maximum(at->module.state) > 0, "there is no maximum after the calibration");
	return true;
}

static void drive_feedback(void)
{
	static const double processors[] = {0.01, 0.5, 1, 1.5, 2, 128, 8192};
	static const int64_t elapsed[] = {1, 1000, NS_PER_MS, 10 * NS_PER_MS, 83 * NS_PER_MS, NS_PER_S, 3600 * NS_PER_S, YEAR};
	struct sst_reading before = {0};
	struct sst_reading now = {0};
	struct sst_sample sample;
	machine_ns = 1000 * NS_PER_S;
	start(&test, SST_FEEDBACK, 0, 2);
	start(&other, SST_FEEDBACK, 1, 2);
	const struct sst_feedback *feedback = test.module.feedback;
	for (size_t i = 0; i < COUNT(processors); i++) {
		const int64_t interval = feedback->interval(test.module.state, processors[i]);
		check(interval >= 1000 && interval <= 3600 * NS_PER_S, "an interval is absurd");
	}
	check(!feedback->scope || feedback->scope(test.module.state) <= SST_SCOPE_WORKLOADS, "a scope that there isn't");
	check(!feedback->ceiling || feedback->ceiling(test.module.state, &test.env) > 0, "a ceiling that leaves nothing");
	if (calibrate(&test)) {
		machine_ns = 1000 * NS_PER_S;
		calibrate(&other);
	}
	check(feedback->read(test.module.state, &test.env, &before) == 0, "the first reading fails");
	check(before.when_ns == machine_ns && before.processors > 0 && isfinite(before.processors), "a reading is no reading");
	check(!feedback->sample(test.module.state, &before, &before, &sample), "no time gives a sample");
	double load = NAN;
	for (size_t i = 0; i < COUNT(elapsed); i++) {
		machine_ns += elapsed[i];
		/* Readings go from one executor to another. */
		struct module_test *reader = i % 2 ? &test : &other;
		check(feedback->read(reader->module.state, &reader->env, &now) == 0, "a reading fails");
		check(!feedback->sample(test.module.state, &now, &before, &sample), "time that goes back gives a sample");
		sample = (struct sst_sample){NAN, NAN};
		if (!feedback->sample(test.module.state, &before, &now, &sample))
			continue;
		check(isfinite(sample.work) && isfinite(sample.capacity) && sample.capacity > 0, "a sample is no sample");
		load = feedback->estimate(test.module.state, load, &sample);
		check(isfinite(load), "an estimate is no number");
		if (elapsed[i] >= NS_PER_S)
			check(fabs(sample.work / sample.capacity - 1.0 / 3) < 0.05, "a third is not seen as a third");
		before = now;
	}
	static const struct sst_sample samples[] = {{0, 1e-9}, {1e-9, 1e-9}, {0, 1e9}, {1e9, 1e9}, {-0.01, 0.1}, {0.11, 0.1}};
	static const double loads[] = {0, 1e-300, 0.5, 1};
	for (size_t i = 0; i < COUNT(samples); i++) {
		check(isfinite(feedback->estimate(test.module.state, NAN, &samples[i])), "a first estimate is no number");
		for (size_t k = 0; k < COUNT(loads); k++) {
			const double estimate = feedback->estimate(test.module.state, loads[k], &samples[i]);
			check(estimate >= -0.11 && estimate <= 1.11, "an estimate lies outside what it was made of");
		}
	}
	module_test_end(&other);
	module_test_end(&test);
}

static void feedback_gives_samples(void **state)
{
	(void)state;
	for_each(SST_FEEDBACK, drive_feedback);
}

/* ---- Control ----------------------------------------------------------------------------------------------------------- */

static struct sst_control_output step(const struct sst_control_input *in)
{
	struct sst_control_output out = {.published = NAN, .duty = NAN};
	test.module.control->step(test.module.state, in, &out);
	check(isfinite(out.published), "what is published is no number");
	check(isfinite(out.duty), "the duty cycle is no number");
	return out;
}

static void drive_control(void)
{
	static const double fractions[] = {0, 1e-300, 1e-9, 0.3, 0.999999999, 1};
	static const double times[] = {0, 1e-9, 0.08, 3600, 1e9};
	static const double others[] = {0.5, -1e6, 1e6, 0, 1};
	static const double ceilings[] = {1, 1e-5, 0.5, 2, 1e5, INFINITY};
	static const unsigned lives[] = {1, 2, 3, 1000};
	static const double processors[] = {0.01, 1, 2, 8192};
	start(&test, SST_CONTROL, 0, 1000);
	const struct sst_control *control = test.module.control;
	check(!control->peers || control->peers(test.module.state) <= 100000, "it wants too many peers");
	struct sst_control_input in = {.now_ns = 1, .peers = others};
	unsigned steps = 0;
	for (size_t target = 0; target < COUNT(fractions); target++)
		for (size_t load = 0; load < COUNT(fractions); load++)
			for (size_t time = 0; time < COUNT(times); time++)
				for (size_t live = 0; live < COUNT(lives); live++) {
					in.now_ns += (int64_t)(fmin(times[time], 3600) * 1e9) + 1;
					in.target = fractions[target];
					in.load = fractions[load];
					in.ceiling = ceilings[steps % COUNT(ceilings)];
					in.processors = processors[steps % COUNT(processors)];
					in.since = (struct sst_sample){fractions[load] * times[time], times[time]};
					in.total.work += in.since.work;
					in.total.capacity += in.since.capacity;
					in.owed += in.target * in.since.capacity - in.since.work;
					in.live = lives[live];
					in.rank = steps % in.live;
					in.peer_count = in.live - 1 < COUNT(others) ? in.live - 1 : COUNT(others);
					const double duty = step(&in).duty;
					in.duty = duty < 0 ? 0 : duty > 1 ? 1 : duty;
					if (++steps % 37 == 0 && control->resume)
						control->resume(test.module.state);
				}
	/* However wild it was: on a machine whose load is the duty cycle, seen through a filter, it comes to the target. */
	for (int i = 0; i < 20000; i++) {
		in = (struct sst_control_input){.now_ns = in.now_ns + 50 * NS_PER_MS,
			.target = 0.5,
			.load = 0.8 * in.load + 0.2 * in.duty,
			.ceiling = 1,
			.duty = in.duty,
			.since = {in.duty * 0.1, 0.1},
			.total = {in.total.work + in.duty * 0.1, in.total.capacity + 0.1},
			.owed = in.owed + (0.5 - in.duty) * 0.1,
			.processors = 2,
			.live = 2,
			.peers = others,
			.peer_count = 0};
		const double duty = step(&in).duty;
		in.duty = duty < 0 ? 0 : duty > 1 ? 1 : duty;
	}
	check(fabs(in.duty - 0.5) < 0.05, "it doesn't come to the target");
	module_test_end(&test);
}

static void control_gives_numbers(void **state)
{
	(void)state;
	for_each(SST_CONTROL, drive_control);
}

/* ---- Space ------------------------------------------------------------------------------------------------------------- */

static void drive_space(void)
{
	static const double duties[] = {0, 1e-300, 1e-9, 0.001, 0.1, 1.0 / 3, 0.5, 0.75, 0.999999999, 1};
	start(&test, SST_SPACE, 0, 1000);
	for (unsigned live = 1; live <= 1000; live += live < 20 ? 1 : 49)
		for (size_t i = 0; i < COUNT(duties); i++) {
			double sum = 0;
			for (unsigned rank = 0; rank < live; rank++) {
				const double local = test.module.space->local(test.module.state, duties[i], rank, live);
				check(local >= 0 && local <= 1, "a local duty cycle is none");
				sum += local;
			}
			check(fabs(sum / live - duties[i]) < 1e-9, "the mean over the workloads is not the duty cycle");
		}
	module_test_end(&test);
}

static void space_keeps_the_mean(void **state)
{
	(void)state;
	for_each(SST_SPACE, drive_space);
}

/* ---- Dithering --------------------------------------------------------------------------------------------------------- */

/* Runs one workload under a constant duty cycle, with edges up to late_ns late; returns the part of the time that it ran. */
static double run_share(double duty, unsigned rank, unsigned live, int64_t origin_ns, int64_t length_ns, int64_t late_ns)
{
	struct sst_dithering_input in = {
		.now_ns = origin_ns, .due_ns = origin_ns, .origin_ns = origin_ns, .rank = rank, .live = live, .duty = duty};
	unsigned at_once = 0;
	uint32_t random = 1;
	int64_t ran_ns = 0;
	while (in.now_ns < origin_ns + length_ns) {
		struct sst_dithering_output out = {.run = false, .until_ns = INT64_MIN};
		test.module.dithering->next(test.module.state, &in, &out);
		check(out.until_ns <= in.now_ns + LONGEST_ANSWER, "an answer holds for an absurd time");
		check(out.until_ns > in.now_ns - LONGEST_ANSWER, "an answer lies in a distant past");
		at_once = out.until_ns <= in.now_ns ? at_once + 1 : 0;
		check(at_once < 8, "time doesn't go on");
		random = random * 1664525 + 1013904223;
		const int64_t next_ns =
			(out.until_ns > in.now_ns ? out.until_ns : in.now_ns) + (late_ns ? (int64_t)(random >> 8) % late_ns : 0);
		ran_ns += out.run ? next_ns - in.now_ns : 0;
		in.running = out.run;
		in.due_ns = out.until_ns;
		in.now_ns = next_ns;
	}
	return (double)ran_ns / (double)(in.now_ns - origin_ns);
}

static void drive_dithering(void)
{
	static const double duties[] = {0, 0.02, 0.1, 1.0 / 3, 0.5, 0.9, 0.98, 1};
	static const double tiny[] = {1e-300, 1e-12, 1e-6, 1e-4, 0.9999, 0.999999999};
	static const struct {
		unsigned rank, live;
	} places[] = {{0, 1}, {1, 2}, {2, 3}, {0, 1000}, {999, 1000}};
	for (size_t place = 0; place < COUNT(places); place++) {
		for (size_t i = 0; i < COUNT(duties); i++) {
			start(&test, SST_DITHERING, places[place].rank, 1000);
			const double share =
				run_share(duties[i], places[place].rank, places[place].live, 5 * NS_PER_S, 300 * NS_PER_S, 0);
			if (fabs(share - duties[i]) > 0.01)
				fail_msg("dithering module '%s': runs %g of the time, expected %g", name, share, duties[i]);
			/* Late edges by up to 3 ms don't add up. */
			const double late =
				run_share(duties[i], places[place].rank, places[place].live, YEAR, 300 * NS_PER_S, 3 * NS_PER_MS);
			check(fabs(late - duties[i]) < 0.03, "delays add up");
			module_test_end(&test);
		}
		for (size_t i = 0; i < COUNT(tiny); i++) {
			start(&test, SST_DITHERING, places[place].rank, 1000);
			const double share =
				run_share(tiny[i], places[place].rank, places[place].live, 100 * YEAR, 600 * NS_PER_S, 0);
			check(fabs(share - tiny[i]) < 0.02, "a duty cycle next to 0 or 1 is something else");
			module_test_end(&test);
		}
	}
	/* A pause of a day, and a common origin that moved on by it. */
	start(&test, SST_DITHERING, 0, 2);
	struct sst_dithering_input in = {
		.now_ns = YEAR, .due_ns = YEAR - 86400 * NS_PER_S, .origin_ns = YEAR - NS_PER_S, .live = 2, .duty = 0.5};
	struct sst_dithering_output out = {.until_ns = INT64_MIN};
	test.module.dithering->next(test.module.state, &in, &out);
	check(out.until_ns >= YEAR && out.until_ns <= YEAR + LONGEST_ANSWER, "a pause brings a burst of edges");
	/* Before the origin. */
	in.due_ns = in.now_ns;
	in.origin_ns = YEAR + NS_PER_S;
	test.module.dithering->next(test.module.state, &in, &out);
	check(out.until_ns > YEAR && out.until_ns <= YEAR + LONGEST_ANSWER, "before the origin there is no answer");
	module_test_end(&test);
}

static void dithering_keeps_the_mean(void **state)
{
	(void)state;
	for_each(SST_DITHERING, drive_dithering);
}

static int write_trace(void **state)
{
	(void)state;
	static const char text[] = "0 1/10\n20s 6/10\n40s free\n50s 1\n60s 0\n";
	const int fd = mkstemp(trace_file);
	if (fd < 0 || write(fd, text, sizeof text - 1) != (ssize_t)sizeof text - 1)
		return -1;
	return close(fd);
}

static int remove_trace(void **state)
{
	(void)state;
	return unlink(trace_file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modules_describe_themselves),
		cmocka_unit_test(traces_give_loads),
		cmocka_unit_test(feedback_gives_samples),
		cmocka_unit_test(control_gives_numbers),
		cmocka_unit_test(space_keeps_the_mean),
		cmocka_unit_test(dithering_keeps_the_mean),
	};
	return cmocka_run_group_tests(tests, write_trace, remove_trace);
}
