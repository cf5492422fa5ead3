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
 * What the paper leaves to each executor, all do together (`integral=common`): its integrals see the smoothed load at other moments
 * each, so they walk apart, as the mean of a few peers never reaches them, and what they add up to differs from the error that
 * there was. One integral, of the error of the samples, to which each executor adds its share, does neither. Beyond 12 processors, the paper's
 * machine, ΔT counts as there: a gain per second that grows with the machine makes it swing. `integral=own` is the paper's.
 * Where samples are rare it is slower (`caution_of`), and so is ke.
 * `level` and `repay` (additions.h) are ours as well.
 *
 * Anti-windup (`windup=clamp`): the integral alone never asks for less than -1 or more than 2, so that a saturation of any length is
 * over within what one CPU-second of full error takes. The bounds are that wide, and errors are integrated also while D is beyond
 * 0 or 1, because with many threads per workload D oscillates through a bound at every epoch: leaving out the errors on one side
 * biased the load by several percentage points. `windup=none` is the bare equation.
 */
#include <math.h>

#include "additions.h"
#include "apart.h"
#include "mean_of_peers.h"
#include "showstopper/module.h"

/* What the integral alone may ask for, as a duty cycle. */
#define WINDUP_LEAST (-1.0)
#define WINDUP_MOST 2.0
/* Processors whose time counts fully in the common integral. */
#define PROCESSORS 12.0

enum windup { WINDUP_CLAMP, WINDUP_NONE };
enum integral { INTEGRAL_COMMON, INTEGRAL_OWN };

static const char *const windups[] = {"clamp", "none", NULL};
static const char *const integrals[] = {"common", "own", NULL};

/* Of all executors. */
struct common {
	_Atomic double integral; /* of the error, in CPU-seconds */
	_Atomic double time;     /* mean that the workloads had */
	struct repay repay;
	struct apart apart;
	_Atomic unsigned starts; /* of control, the first one included */
};

struct rbpid {
	double ke, ki;
	int64_t peers, level_ns, repay_ns;
	int windup, integral_of;
	struct common *common;
	double integral; /* the own one */
	double owed;     /* at the last step */
	struct equal_time time;
	unsigned starts; /* that this executor knows of */
	bool started;
};

static const struct sst_option options[] = {
	SST_OPTION("ke", REAL, struct rbpid, ke, "proportional gain", .initial = "1", .least = "0", .most = "1000"),
	SST_OPTION("ki", REAL, struct rbpid, ki, "integral gain, per CPU-second", .initial = "1", .least = "0", .most = "1000"),
	SST_OPTION("peers", INT, struct rbpid, peers, "executors whose outputs are averaged with the own one (kappa)",
		.initial = "2", .least = "0", .most = "1000"),
	SST_OPTION("windup", CHOICE, struct rbpid, windup,
		"the integral is held to what a duty cycle from -1 to 2 takes, or left alone", .initial = "clamp",
		.choices = windups),
	SST_OPTION("integral", CHOICE, struct rbpid, integral_of,
		"one integral of all executors, or one of each, as in the paper", .initial = "common", .choices = integrals),
	EQUAL_TIME_OPTION(struct rbpid, level_ns),
	REPAY_OPTION(struct rbpid, repay_ns),
	{0},
};

static double hold(const struct rbpid *rbpid, double integral)
{
	if (rbpid->windup == WINDUP_NONE || rbpid->ki <= 0)
		return integral;
	return fmin(WINDUP_MOST / rbpid->ki, fmax(WINDUP_LEAST / rbpid->ki, integral));
}

/* Who begins first sets what is common; who joins the others later finds it. */
static void start(struct rbpid *rbpid, const struct sst_control_input *in)
{
	struct common *common = rbpid->common;
	rbpid->integral = rbpid->ki > 0 ? in->target / rbpid->ki : 0;
	if (in->joins && in->live > 1) {
		rbpid->starts = atomic_load(&common->starts);
	} else if (atomic_compare_exchange_strong(&common->starts, &rbpid->starts, rbpid->starts + 1)) {
		atomic_store(&common->integral, rbpid->integral);
		atomic_store(&common->repay.forgiven, in->owed);
		apart_start(&common->apart, in);
		rbpid->starts++;
	}
	rbpid->owed = in->owed;
	rbpid->time.started = false;
	rbpid->started = true;
}

/* `more` is what is to be repaid, as a load. */
static double common_integral(struct rbpid *rbpid, double more, double caution, const struct sst_control_input *in)
{
	const double error = in->owed - rbpid->owed + more * in->since.capacity;
	const double share = caution * error * fmin(1, PROCESSORS / in->processors) / in->live;
	double before = atomic_load(&rbpid->common->integral);
	double after;
	do
		after = hold(rbpid, before + share);
	while (!atomic_compare_exchange_weak(&rbpid->common->integral, &before, after));
	return after;
}

/*
 * Where readings are so dear that samples are rare, an answer to one is in force until the next, and with all of the gain the load would
 * swing between 0 and 1. The steps of the integral grow with the time between two samples; by its square they become smaller instead.
 */
static double caution_of(struct common *common, const struct sst_control_input *in)
{
	const double apart = apart_s(&common->apart, in);
	return apart > APART_S ? APART_S / apart * (APART_S / apart) : 1;
}

static void step(void *state, const struct sst_control_input *in, struct sst_control_output *out)
{
	struct rbpid *rbpid = state;
	struct common *common = rbpid->common;
	if (!rbpid->started)
		start(rbpid, in);
	const double target = with_what_is_owed(&common->repay, (double)rbpid->repay_ns / 1e9, in);
	const double error = target - in->load;
	const double caution = rbpid->integral_of == INTEGRAL_COMMON ? caution_of(common, in) : 1;
	if (rbpid->integral_of == INTEGRAL_COMMON)
		rbpid->integral = common_integral(rbpid, target - in->target, caution, in);
	else
		rbpid->integral = hold(rbpid, rbpid->integral + error * in->since.capacity);
	rbpid->owed = in->owed;
	out->published = caution * rbpid->ke * error + rbpid->ki * rbpid->integral;
	out->duty = mean_of_peers(out->published, in) + catch_up(&rbpid->time, &common->time, (double)rbpid->level_ns / 1e9, in);
}

static unsigned peers(const void *state)
{
	const struct rbpid *rbpid = state;
	return (unsigned)rbpid->peers;
}

static int init(void *state, const struct sst_env *env)
{
	struct rbpid *rbpid = state;
	rbpid->common = env->shared;
	return 0;
}

static void resume(void *state)
{
	struct rbpid *rbpid = state;
	rbpid->started = false;
}

SST_EXPORT const struct sst_control sst_module = {
	SST_BASE(control, SST_CONTROL, .name = "rbpid", .version = SHOWSTOPPER_VERSION,
		.summary = "proportional-integral control of the paper", .state_size = sizeof(struct rbpid),
		.shared_size = sizeof(struct common), .options = options, .init = init),
	.step = step,
	.peers = peers,
	.resume = resume,
};
