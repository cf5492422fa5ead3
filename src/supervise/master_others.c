/* SPDX-License-Identifier: MIT */
#include "supervise/master_others.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/units.h"

/* What looking for new processes may cost: this part of a processor for each workload, and more where rows are shorter than usual. */
#define OTHERS_LOOK_SHARE (1.0 / 7000)
#define USUAL_ROW_NS (500 * NS_PER_MS)

static double look_share(const struct config *config)
{
	const double rows = config->log && config->log_interval_ns < USUAL_ROW_NS
				    ? (double)USUAL_ROW_NS / (double)config->log_interval_ns
				    : 1;
	return OTHERS_LOOK_SHARE * rows * config->workloads;
}

void master_others_begin(struct master_others *others, const struct run *run)
{
	const struct config *config = run->config;
	if (others->has_begun)
		return;
	others->has_begun = true;
	if (!run_measures_all_of_ours(run))
		return;
	const struct linux_ours_heads heads = {.guardian = getppid(),
		.master = getpid(),
		.attached = config->attach,
		.attaches = config->attaches,
		.look_share = look_share(config)};
	others->ours = linux_ours_open(config->root, &heads);
}

double master_others_read(struct master_others *others)
{
	double seconds;
	return others->ours && linux_ours_read(others->ours, &seconds) == 0 ? seconds : NAN;
}

void master_others_close(struct master_others *others)
{
	linux_ours_close(others->ours);
	others->ours = NULL;
}
