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
 * Anti-windup (`windup=clamp`): while D is beyond a bound, an error that would drive it further out is not integrated, and the integral alone never
 * asks for less than 0 or more than 1. `windup=none` is the bare equation.
 */
#include "mean_of_peers.h"
#include "showstopper/module.h"

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
	{.name = "ke", .type = SST_REAL, .offset = offsetof(struct rbpid, ke), .initial = "1", .least = "0", .most = "1000",
		.help = "proportional gain"},
	{.name = "ki", .type = SST_REAL, .offset = offsetof(struct rbpid, ki), .initial = "1", .least = "0", .most = "1000",
		.help = "integral gain, per CPU-second"},
	{.name = "peers", .type = SST_INT, .offset = offsetof(struct rbpid, peers), .initial = "2", .least = "0", .most = "1000",
		.help = "executors whose outputs are averaged with the own one (kappa)"},
	{.name = "windup", .type = SST_CHOICE, .offset = offsetof(struct rbpid, windup), .choices = windups, .initial = "clamp",
		.help = "what happens to the integral at a duty cycle of 0 or 1: held there, or left alone"},
	{0},
};

static void integrate(struct rbpid *rbpid, double error, double time)
{
	const double before = rbpid->ke * error + rbpid->ki * rbpid->integral;
	if (rbpid->windup == WINDUP_CLAMP && ((before >= 1 && error > 0) || (before <= 0 && error < 0)))
		time = 0;
	rbpid->integral += error * time;
	if (rbpid->windup == WINDUP_CLAMP && rbpid->ki > 0) {
		const double most = 1 / rbpid->ki;
		rbpid->integral = rbpid->integral < 0 ? 0 : rbpid->integral > most ? most : rbpid->integral;
	}
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
