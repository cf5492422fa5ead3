/* SPDX-License-Identifier: MIT */
/*
 * Replays a trace from a file, compiled or text (sstrace(1)).
 *
 * A query looks for the last record that is not later than the moment asked for. It starts where the last query ended and
 * doubles its stride, then halves it: one comparison or two as time moves forward, and the logarithm of what is skipped when
 * the trace is sped up so much that a query passes many records. When time went back it starts from the first record, which
 * is where a loop begins again.
 */
#include <math.h>

#include "showstopper/module.h"
#include "trace/trace.h"

struct file {
	const char *name;
	double speed;
	bool loop;
	int64_t offset_ns; /* within the trace */
	struct trace trace;
	size_t at; /* the record that the last query found */
};

static const struct sst_option options[] = {
	SST_OPTION("file", FILE, struct file, name, "trace to replay, compiled by sstrace or text", .required = true),
	SST_OPTION("speed", REAL, struct file, speed, "how many times faster than recorded", .initial = "1", .least = "0.000001",
		.most = "1000000"),
	SST_OPTION("loop", FLAG, struct file, loop, "start again at the end, for ever", .initial = "no"),
	SST_OPTION("offset", TIME, struct file, offset_ns, "time within the trace (as recorded) to start at", .initial = "0"),
	{0},
};

static int64_t end_ns(const struct file *file)
{
	return file->trace.records[file->trace.count - 1].ns;
}

static void say_wait(void *context, const char *name)
{
	const struct sst_env *env = context;
	env->host->say(env, "%s: still waiting for the end of the trace, before which nothing is started", name);
}

static int prepare(void *state, const struct sst_env *env)
{
	struct file *file = state;
	char error[TRACE_ERROR_MAX];
	struct trace_wait wait = {.say = say_wait, .context = (void *)env};
	if (trace_load(&file->trace, file->name, &wait, error) != 0)
		return env->host->refuse(env, "%s", error);
	if (file->offset_ns > end_ns(file)) {
		const double offset = (double)file->offset_ns / 1e9;
		const double end = (double)end_ns(file) / 1e9;
		trace_free(&file->trace);
		return env->host->refuse(
			env, "%s: found offset=%.9gs beyond the trace's end, expected up to %.9gs", file->name, offset, end);
	}
	return 0;
}

static void fini(void *state, const struct sst_env *env)
{
	struct file *file = state;
	(void)env;
	trace_free(&file->trace);
}

/* The last record at or before `ns`, which is not before the first. */
static size_t find(const struct file *file, int64_t ns)
{
	const struct trace_record *record = file->trace.records;
	const size_t count = file->trace.count;
	size_t low = record[file->at].ns <= ns ? file->at : 0;
	size_t stride = 1;
	while (stride < count - low && record[low + stride].ns <= ns) {
		low += stride;
		stride *= 2;
	}
	size_t high = stride < count - low ? low + stride : count;
	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;
		if (record[middle].ns <= ns)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* In nanoseconds; behind the end where the trace has ended. */
static double position_ns(const struct file *file, int64_t since_ns)
{
	const double end = (double)end_ns(file);
	const double position = (double)file->offset_ns + (double)since_ns * file->speed;
	return file->loop && end > 0 ? fmod(position, end) : position;
}

static double target(void *state, int64_t since_ns)
{
	struct file *file = state;
	const struct trace_record *record = file->trace.records;
	const size_t last = file->trace.count - 1;
	const double position = position_ns(file, since_ns);
	if (position >= (double)end_ns(file))
		return record[last].load;
	const int64_t ns = (int64_t)position;
	if (ns < record[0].ns)
		return record[0].load;
	file->at = find(file, ns);
	record += file->at;
	if (file->at == last || file->trace.interpolation == TRACE_STEP || isnan(record[0].load) || isnan(record[1].load))
		return record->load;
	const double share = (double)(ns - record[0].ns) / (double)(record[1].ns - record[0].ns);
	return fmin(1, record[0].load + share * (record[1].load - record[0].load));
}

static int64_t length(const void *state)
{
	const struct file *file = state;
	if (file->loop)
		return -1;
	const double ns = ceil((double)(end_ns(file) - file->offset_ns) / file->speed);
	return ns < 0x1p63 ? (int64_t)ns : INT64_MAX;
}

static double position(const void *state, int64_t since_ns)
{
	return position_ns(state, since_ns) / 1e9;
}

SST_EXPORT const struct sst_trace sst_module = {
	SST_BASE(trace, SST_TRACE, .name = "file", .version = SHOWSTOPPER_VERSION, .summary = "replays a trace from a file",
		.state_size = sizeof(struct file), .options = options, .prepare = prepare, .fini = fini),
	.target = target,
	.length = length,
	.position = position,
};
