/* SPDX-License-Identifier: MIT */
/*
 * A control module to start from. It does something small and real: it moves the duty cycle by a fixed amount towards the side
 * that the error asks for, and leaves it alone within a dead band.
 *
 * Copy it to NAME.c, rename the struct, and change what the numbers below mark:
 *   1. the state: option values and whatever is remembered from step to step; each executor has its own copy. What all executors must see
 *      alike goes to env->shared (ask for it with .shared_size, keep the pointer in init, use C11 atomics);
 *   2. the options;
 *   3. step: called at every edge of this executor's workload. It answers with the global duty cycle; what one workload gets of
 *      it is the space module's business. in->since says how much processor-time has passed since this executor's last step.
 */
#include <math.h>

#include "showstopper/module.h"

/* 1 */
struct skeleton {
	double rate, band;
};

/* 2 */
static const struct sst_option options[] = {
	SST_OPTION("rate", REAL, struct skeleton, rate, "change of the duty cycle per CPU-second", .initial = "0.1", .least = "0",
		.most = "10"),
	SST_OPTION("band", LOAD, struct skeleton, band, "errors up to this are left alone", .initial = "1%"),
	{0},
};

/* 3 */
static void step(void *state, const struct sst_control_input *in, struct sst_control_output *out)
{
	const struct skeleton *skeleton = state;
	const double error = in->target - in->load;
	const double direction = fabs(error) <= skeleton->band ? 0 : error > 0 ? 1 : -1;
	out->duty = fmin(1, fmax(0, in->duty + direction * skeleton->rate * in->since.capacity));
	out->published = out->duty; /* for modules that average with peers; see modules/control/rbpid.c of the sources */
}

SST_EXPORT const struct sst_control sst_module = {
	SST_BASE(control, SST_CONTROL, .name = "skeleton", .version = "1", .summary = "fixed steps towards the target",
		.state_size = sizeof(struct skeleton), .options = options),
	.step = step,
};
