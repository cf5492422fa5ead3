/* SPDX-License-Identifier: MIT */
/*
 * Geometric growth and decay (paper 000, Section 3.2.3, equation 3): D ← D·L* / L. L and D are held at 0.001 or above, since neither can leave
 * zero by multiplication; D is held at 1 or below. The own output is published, and what is used is the mean of it and of the
 * peers' latest, which is also the next step's D.
 */
#include "mean_of_peers.h"
#include "showstopper/module.h"

#define LEAST 0.001

struct geom {
	int64_t peers;
	double duty; /* 0 before the first step */
};

static const struct sst_option options[] = {
	{.name = "peers",
		.type = SST_INT,
		.offset = offsetof(struct geom, peers),
		.initial = "3",
		.least = "0",
		.most = "1000",
		.help = "executors whose outputs are averaged with the own one (kappa)"},
	{0},
};

static double hold(double value)
{
	return value < LEAST ? LEAST : value > 1 ? 1 : value;
}

static void step(void *state, const struct sst_control_input *in, struct sst_control_output *out)
{
	struct geom *geom = state;
	if (geom->duty == 0)
		geom->duty = hold(in->target);
	out->published = hold(geom->duty * in->target / hold(in->load));
	out->duty = geom->duty = hold(mean_of_peers(out->published, in));
}

static unsigned peers(const void *state)
{
	const struct geom *geom = state;
	return (unsigned)geom->peers;
}

SST_EXPORT const struct sst_control sst_module = {
	SST_BASE(control, SST_CONTROL, .name = "geom", .version = SHOWSTOPPER_VERSION,
		.summary = "geometric growth and decay of the duty cycle", .state_size = sizeof(struct geom), .options = options),
	.step = step,
	.peers = peers,
};
