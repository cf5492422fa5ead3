/* SPDX-License-Identifier: MIT */
#include "record/short_run.h"

#include <math.h>

#include "base/diag.h"
#include "base/short_time.h"
#include "record/summary.h"

_Static_assert(SHORT_TIME_NS == SUMMARY_SAMPLE_NS, "a short run is one without a sample");

int short_run_check(const struct run *run)
{
	const struct config *config = run->config;
	const bool required = !isnan(config->require_error) || !isnan(config->require_mse) || !isnan(config->require_others);
	const struct {
		const char *what;
		int64_t ns;
	} times[] = {{"--run-time", config->run_time_ns}, {"--warmup", config->warmup_ns},
		{"the trace's length", run_trace_length(run)}};
	char text[SHORT_TIME_MAX];
	int result = 0;
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		if (!short_time(times[i].ns, text))
			continue;
		diag("%s%s: %s", required ? "--require: " : "", times[i].what, text);
		result = required ? -1 : 0;
	}
	return result;
}
