/* SPDX-License-Identifier: MIT */
/* What a load of 1 is, where the feedback module measures it right before control. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/units.h"
#include "supervise/master_state.h"

int64_t calibration_next(const struct master *master)
{
	const int64_t length_ns = run_calibration(&master->run), origin_ns = run_origin(&master->run);
	const int64_t next_ns = master->calibrated_ns + SST_CALIBRATION_STEP_NS;
	if (!length_ns || master->calibrated)
		return INT64_MAX;
	if (!master->calibrated_ns)
		return origin_ns - length_ns;
	return next_ns < origin_ns ? next_ns : origin_ns;
}

static void say(const struct master *master, enum sst_calibration step)
{
	char text[UNITS_TEXT_MAX];
	if (master->config->quiet)
		return;
	if (step == SST_CALIBRATION_BEGINS)
		diag("calibrating: all workloads run free for %s", units_print_time(run_calibration(&master->run), text));
	else if (step == SST_CALIBRATION_IS_OVER)
		diag("a load of 100 %% is %.6g iterations per second", run_maximum(&master->run));
}

bool calibration_step(struct master *master)
{
	const struct module *feedback = &master->run.module[SST_FEEDBACK];
	struct host_env *const host = &master->run.host[SST_FEEDBACK];
	const int64_t now_ns = clock_now();
	if (now_ns < calibration_next(master))
		return true;
	const enum sst_calibration step = !master->calibrated_ns               ? SST_CALIBRATION_BEGINS
					  : now_ns >= run_origin(&master->run) ? SST_CALIBRATION_IS_OVER
									       : SST_CALIBRATION_GOES_ON;
	*host->refusal = '\0';
	if (feedback->feedback->calibrate(feedback->state, &host->env, step) != 0) {
		diag("can't calibrate: %s", *host->refusal ? host->refusal : strerror(errno));
		master_end_with_error(master, EXIT_TROUBLE);
		return false;
	}
	master->calibrated_ns = now_ns;
	master->calibrated = step == SST_CALIBRATION_IS_OVER;
	say(master, step);
	return true;
}

void calibration_begin_anew(struct master *master)
{
	if (!master->calibrated_ns || master->calibrated)
		return;
	master->calibrated_ns = 0;
	atomic_store(&master->run.shared->origin_ns, clock_now() + run_calibration(&master->run));
}
