/* SPDX-License-Identifier: MIT */
/*
 * Geometric growth and decay (paper 000, Section 3.2.3, equation 3): D ← D·L* / L. L and D are held at 0.001 or above, since neither can leave
 * zero by multiplication; D is held at 1 or below. The own output is published, and what is used is the mean of it and of the
 * peers' latest, which is also the next step's D.
 *
 * `level` and `repay` (additions.h) are ours; without them, this is the paper's.
 */
#include "additions.h"
#include "mean_of_peers.h"
#include "showstopper/module.h"

#define LEAST 0.001
/* Times the time of repayment. */
#define LEARN 4

/* Of all executors. */
struct common {
	_Atomic double time; /* mean that the workloads had */
	struct repay repay;
	_Atomic unsigned starts; /* of control, the first one included */
};

struct geom {
	int64_t peers, level_ns, repay_ns;
	struct common *common;
	double duty; /* without what catches up; 0 before the first step */
	struct equal_time time;
	unsigned starts; /* that this executor knows of */
	bool started;
};

static const struct sst_option options[] = {
	SST_OPTION("peers", INT, struct geom, peers, "executors whose outputs are averaged with the own one (kappa)",
		.initial = "3", .least = "0", .most = "1000"),
	EQUAL_TIME_OPTION(struct geom, level_ns),
	REPAY_OPTION(struct geom, repay_ns),
	{0},
};

static double hold(double value)
{
	return value < LEAST ? LEAST : value > 1 ? 1 : value;
}

/* Who begins first forgives what was owed before; who joins the others later forgives what they did. */
static void start(struct geom *geom, const struct sst_control_input *in)
{
	if (in->joins && in->live > 1) {
		geom->starts = atomic_load(&geom->common->starts);
	} else if (atomic_compare_exchange_strong(&geom->common->starts, &geom->starts, geom->starts + 1)) {
		atomic_store(&geom->common->repay.forgiven, in->owed);
		geom->starts++;
	}
	if (geom->duty == 0)
		geom->duty = hold(in->target);
	geom->time.started = false;
	geom->started = true;
}

static void step(void *state, const struct sst_control_input *in, struct sst_control_output *out)
{
	struct geom *geom = state;
	struct common *common = geom->common;
	if (!geom->started)
		start(geom, in);
	const double target = with_what_is_owed(&common->repay, (double)geom->repay_ns / 1e9, in);
	learn_what_is_owed(&common->repay, LEARN * (double)geom->repay_ns / 1e9, target, in);
	out->published = hold(geom->duty * target / hold(in->load));
	geom->duty = hold(mean_of_peers(out->published, in));
	out->duty = geom->duty + catch_up(&geom->time, &common->time, (double)geom->level_ns / 1e9, in);
}

static unsigned peers(const void *state)
{
	const struct geom *geom = state;
	return (unsigned)geom->peers;
}

static int init(void *state, const struct sst_env *env)
{
	struct geom *geom = state;
	geom->common = env->shared;
	return 0;
}

static void resume(void *state)
{
	struct geom *geom = state;
	geom->started = false;
}

SST_EXPORT const struct sst_control sst_module = {
	SST_BASE(control, SST_CONTROL, .name = "geom", .version = SHOWSTOPPER_VERSION,
		.summary = "geometric growth and decay of the duty cycle", .state_size = sizeof(struct geom),
		.shared_size = sizeof(struct common), .options = options, .init = init),
	.step = step,
	.peers = peers,
	.resume = resume,
};
