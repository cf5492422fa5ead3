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
	/* Without memory they are not told apart. */
	pid_t *const free_ones = calloc(config->workloads, sizeof *free_ones);
	unsigned frees = 0;
	for (unsigned i = 0; free_ones && i < config->workloads; i++) {
		const pid_t executor = run->shared->slot[i].free ? atomic_load(&run->shared->slot[i].executor) : 0;
		if (executor)
			free_ones[frees++] = executor;
	}
	others->tells_free = frees > 0;
	const struct linux_ours_heads heads = {.guardian = getppid(),
		.master = getpid(),
		.attached = config->attach,
		.attaches = config->attaches,
		.free = free_ones,
		.frees = frees,
		.look_share = look_share(config)};
	others->ours = linux_ours_open(config->root, &heads);
	free(free_ones);
}

double master_others_read(struct master_others *others)
{
	double seconds;
	return others->ours && linux_ours_read(others->ours, &seconds) == 0 ? seconds : NAN;
}

double master_others_free(const struct master_others *others)
{
	return others->ours && others->tells_free ? linux_ours_free(others->ours) : NAN;
}

void master_others_close(struct master_others *others)
{
	linux_ours_close(others->ours);
	others->ours = NULL;
}
