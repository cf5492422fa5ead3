/* SPDX-License-Identifier: MIT */
#include "sssim/history.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/units.h"

/* Windows above the target that begin so close together have one cause. */
#define TOGETHER_NS (500 * NS_PER_MS)

/* A change of the target from step to step by this much is a step of the target. */
#define JUMP 0.02

int sim_history_add(struct sim_history *history, int64_t work_ns, double target)
{
	if (history->steps + 1 >= history->room) {
		const size_t room = 2 * history->room + 1024;
		int64_t *work = realloc(history->work_ns, room * sizeof *work);
		if (!work)
			return -1;
		history->work_ns = work;
		float *targets = realloc(history->target, room * sizeof *targets);
		if (!targets)
			return -1;
		history->target = targets;
		if (!history->room) {
			history->room = room;
			work[0] = work_ns;
			return 0;
		}
		history->room = room;
	}
	history->target[history->steps++] = (float)target;
	history->work_ns[history->steps] = work_ns;
	return 0;
}

void sim_history_free(struct sim_history *history)
{
	free(history->work_ns);
	free(history->target);
	*history = (struct sim_history){0};
}

/* Load and mean target of `steps` steps; false when free in part. */
static bool look(const struct sim_history *history, size_t from, size_t steps, double *load, double *target)
{
	double sum = 0;
	for (size_t i = from; i < from + steps; i++)
		sum += (double)history->target[i];
	*target = sum / (double)steps;
	*load = (double)(history->work_ns[from + steps] - history->work_ns[from]) /
		((double)steps * (double)SIM_HISTORY_STEP_NS * history->processors);
	return !isnan(sum);
}

struct accuracy sim_history_accuracy(const struct sim_history *history, int64_t window_ns)
{
	struct accuracy accuracy = {0};
	const size_t steps = (size_t)(window_ns / SIM_HISTORY_STEP_NS);
	for (size_t from = 0; from + steps <= history->steps; from += steps) {
		double load;
		double target;
		if (look(history, from, steps, &load, &target))
			accuracy_add(&accuracy, target, load);
	}
	return accuracy;
}

double sim_history_worst(const struct sim_history *history, int64_t window_ns, size_t from)
{
	const size_t steps = (size_t)(window_ns / SIM_HISTORY_STEP_NS);
	double worst = NAN;
	for (; from + steps <= history->steps; from++) {
		double load;
		double target;
		if (look(history, from, steps, &load, &target))
			worst = fmax(worst, fabs(load - target));
	}
	return worst;
}

unsigned sim_history_times_above(const struct sim_history *history, int64_t window_ns, double by)
{
	const size_t steps = (size_t)(window_ns / SIM_HISTORY_STEP_NS);
	unsigned times = 0;
	for (size_t from = 0; from + steps <= history->steps;) {
		double load;
		double target;
		const bool above = look(history, from, steps, &load, &target) && load > target + by;
		times += above;
		from += above ? TOGETHER_NS / SIM_HISTORY_STEP_NS : 1;
	}
	return times;
}

/* From a step of the target at `from` to the next one at `to`. */
static double settle_once(const struct sim_history *history, size_t from, size_t to, size_t steps, double band)
{
	if (to - from < steps)
		return NAN;
	const size_t last = to - steps;
	for (size_t at = last + 1; at-- > from;) {
		double load;
		double target;
		if (!look(history, at, steps, &load, &target) || fabs(load - target) <= band)
			continue;
		return at == last ? INFINITY : (double)(at + 1 - from) * (double)SIM_HISTORY_STEP_NS / (double)NS_PER_S;
	}
	return 0;
}

double sim_history_settling(const struct sim_history *history, int64_t window_ns, double band)
{
	const size_t steps = (size_t)(window_ns / SIM_HISTORY_STEP_NS);
	double longest = NAN;
	size_t from = 0;
	for (size_t at = 1; at <= history->steps; at++) {
		const bool jumped = at == history->steps || isnan(history->target[at]) != isnan(history->target[at - 1]) ||
				    fabsf(history->target[at] - history->target[at - 1]) >= JUMP;
		if (!jumped)
			continue;
		longest = fmax(longest, settle_once(history, from, at, steps, band));
		from = at;
	}
	return longest;
}
