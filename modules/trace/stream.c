/* SPDX-License-Identifier: MIT */
/* Targets that come while the run goes on. The host reads them; this asks for those of a moment. */
#include <stddef.h>

#include "showstopper/module.h"

struct stream {
	const char *source;
	double first;
	int64_t timeout_ns;
	int silence, at_end;
	const struct sst_env *env;
};

static const char *const thens[] = {[SST_THEN_HOLD] = "hold", [SST_THEN_FREE] = "free", [SST_THEN_END] = "end", NULL};

static const struct sst_option options[] = {
	SST_OPTION("source", FILE, struct stream, source,
		"file, FIFO or unix socket that they are read from; -: standard input; without it: showstopper --set"),
	SST_OPTION("first", LOAD, struct stream, first, "target until one has come", .initial = "0"),
	SST_OPTION("timeout", TIME, struct stream, timeout_ns, "time without a line that is silence; without it nothing is",
		.least = "1ms", .most = "1000d"),
	SST_OPTION("silence", CHOICE, struct stream, silence,
		"then the last target holds, the workloads are free, or the run ends", .initial = "hold", .choices = thens),
	SST_OPTION(
		"end", CHOICE, struct stream, at_end, "the same for when the source ends", .initial = "hold", .choices = thens),
	{0},
};

static int prepare(void *state, const struct sst_env *env)
{
	struct stream *stream = state;
	const struct sst_stream how = {
		.source = stream->source,
		.first = stream->first,
		.timeout_ns = stream->timeout_ns,
		.silence = (enum sst_then)stream->silence,
		.at_end = (enum sst_then)stream->at_end,
	};
	stream->env = env;
	if (stream->silence != SST_THEN_HOLD && stream->timeout_ns == SST_UNSET)
		return env->host->refuse(env, "found silence=%s without timeout=TIME, expected both", thens[stream->silence]);
	return env->host->follow(env, &how);
}

static int init(void *state, const struct sst_env *env)
{
	struct stream *stream = state;
	stream->env = env;
	return 0;
}

static double target(void *state, int64_t since_ns)
{
	const struct stream *stream = state;
	return stream->env->host->followed(stream->env, since_ns);
}

SST_EXPORT const struct sst_trace sst_module = {
	SST_BASE(trace, SST_TRACE, .name = "stream", .version = SHOWSTOPPER_VERSION,
		.summary = "targets that come while the run goes on", .state_size = sizeof(struct stream), .options = options,
		.prepare = prepare, .init = init),
	.target = target,
};
