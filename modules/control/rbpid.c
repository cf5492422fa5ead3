/* SPDX-License-Identifier: MIT */
/*
 * Proportional–integral control (paper 000, Section 3.2.3, equation 4):
 *
 *	e = L* − L,  I ← I + e·ΔT,  D = ke·e + ki·I
 *
 * ΔT is the processor-time since this executor's own last step. The raw D is published, and what is used is the mean of it and
 * of the peers' latest.
 *
 * The paper does not say where I begins. Here it begins where D equals the target, so that a run of single-threaded workloads, one
 * per processor, starts at its target instead of climbing to it for seconds.
 *
 * Anti-windup (`windup=clamp`): the integral alone never asks for less than -1 or more than 2, so that a saturation of any length is
 * over within what one CPU-second of full error takes. The bounds are that wide, and errors are integrated also while D is beyond
 * 0 or 1, because with many threads per workload D oscillates through a bound at every epoch: leaving out the errors on one side
 * biased the load by several percentage points. `windup=none` is the bare equation.
 */
#include <math.h>

#include "mean_of_peers.h"
#include "showstopper/module.h"

/* What the integral alone may ask for, as a duty cycle. */
#define WINDUP_LEAST (-1.0)
#define WINDUP_MOST 2.0

enum windup { WINDUP_CLAMP, WINDUP_NONE };

static const char *const windups[] = {"clamp", "none", NULL};

struct rbpid {
	double ke, ki;
	int64_t peers;
	int windup;
	double integral; /* of the error, in CPU-seconds */
	bool started;
};

static const struct sst_option options[] = {
	{.name = "ke",
		.type = SST_REAL,
		.offset = offsetof(struct rbpid, ke),
		.initial = "1",
		.least = "0",
		.most = "1000",
		.help = "proportional gain"},
	{.name = "ki",
		.type = SST_REAL,
		.offset = offsetof(struct rbpid, ki),
		.initial = "1",
		.least = "0",
		.most = "1000",
		.help = "integral gain, per CPU-second"},
	{.name = "peers",
		.type = SST_INT,
		.offset = offsetof(struct rbpid, peers),
		.initial = "2",
		.least = "0",
		.most = "1000",
		.help = "executors whose outputs are averaged with the own one (kappa)"},
	{.name = "windup",
		.type = SST_CHOICE,
		.offset = offsetof(struct rbpid, windup),
		.choices = windups,
		.initial = "clamp",
		.help = "the integral is held to what a duty cycle from -1 to 2 takes, or left alone"},
	{0},
};

static void integrate(struct rbpid *rbpid, double error, double time)
{
	rbpid->integral += error * time;
	if (rbpid->windup == WINDUP_CLAMP && rbpid->ki > 0)
		rbpid->integral = fmin(WINDUP_MOST / rbpid->ki, fmax(WINDUP_LEAST / rbpid->ki, rbpid->integral));
}

static void step(void *state, const struct sst_control_input *in, struct sst_control_output *out)
{
	struct rbpid *rbpid = state;
	const double error = in->target - in->load;
	if (!rbpid->started && rbpid->ki > 0)
		rbpid->integral = in->target / rbpid->ki;
	rbpid->started = true;
	integrate(rbpid, error, in->since.capacity);
	out->published = rbpid->ke * error + rbpid->ki * rbpid->integral;
	out->duty = mean_of_peers(out->published, in);
}

static unsigned peers(const void *state)
{
	const struct rbpid *rbpid = state;
	return (unsigned)rbpid->peers;
}

SST_EXPORT const struct sst_control sst_module = {
	SST_BASE(control, SST_CONTROL, .name = "rbpid", .version = SHOWSTOPPER_VERSION,
		.summary = "proportional-integral control of the paper", .state_size = sizeof(struct rbpid), .options = options),
	.step = step,
	.peers = peers,
};
