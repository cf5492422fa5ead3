/* SPDX-License-Identifier: MIT */
#include "record/summary.h"

#include <math.h>
#include <signal.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"

/* What makes so much of the load is named. */
#define NOTABLE_LOAD 0.005
/* Workloads that use so much of what they may could not use more. */
#define NEARLY_ALL 0.95

/* A root mean square error from which on something must be wrong, in pp. */
#define POOR_RMS_PP 5
/* So many workloads are named. */
#define NAMED_MOST 8

static void begin(const char *what, FILE *to)
{
	fprintf(to, "%s the load stayed %s: ", summary_label(TERM_WARNING), what);
}

static const char *plural(double count)
{
	return count == 1 ? "" : "s";
}

/* ---- Below ------------------------------------------------------------------------------------------------------------ */

static void say_gone(const struct summary *summary, double gone, FILE *to)
{
	begin("below the target", to);
	fprintf(to, "the workloads were gone for %.1f %% of the time", 100 * gone);
	if (summary->respawns)
		fprintf(to, " (started again %llu time%s)", (unsigned long long)summary->respawns,
			plural((double)summary->respawns));
	fputs(": such as last longer, or more of them, are needed\n", to);
}

static void say_capacity(const struct summary *summary, FILE *to)
{
	begin("below the target", to);
	fprintf(to,
		"the workloads may use %.4g of %.4g processor%s (%.2f %%), and the target was up to %.2f %%: more processors are "
		"needed (affinity, --cpus, --pin, quota), more instances don't help\n",
		summary->may_use, summary->processors, plural(summary->processors), 100 * summary->may_use / summary->processors,
		100 * summary->tally.highest_target);
}

static void say_saturated(const struct summary *summary, FILE *to)
{
	begin("below the target", to);
	fprintf(to, "the workloads ran all the time for %.1f %% of it", 100 * summary->saturated * summary_there(summary));
}

/* What the workloads used while none of them was ever stopped; where that can't be told, what they used in the mean. */
static void say_used(const struct summary *summary, const struct tally_bound *then, FILE *to)
{
	const bool is_known = then->weight_ns > 0;
	const double may_use = isnan(summary->may_use) ? summary->processors : fmin(summary->may_use, summary->processors);
	const double beside = then->free + then->others + then->watched;
	const double used = is_known ? fmax(then->load - beside, 0) * summary->processors
				     : summary->controlled_cpu.control / summary->controlled_s;
	say_saturated(summary, to);
	/* What processors were used says nothing of cores. */
	if (!summary->of_cores)
		fprintf(to, ", and used %.2f of the %.4g processor%s that they may use%s", used, may_use, plural(may_use),
			is_known ? " then" : " in the mean");
	if (!is_known)
		fputs("; what else ran is not known here\n", to);
	else if (used < NEARLY_ALL * may_use && beside < NOTABLE_SHARE)
		fputs(": more instances, or more threads, are needed\n", to);
	else if (summary->watches)
		fprintf(to, "; the load of free workloads was %.2f %%, that of what is watched %.2f %%, that of others %.2f %%\n",
			100 * then->free, 100 * then->watched, 100 * then->others);
	else
		fprintf(to, "; the load of free workloads was %.2f %%, that of others %.2f %%\n", 100 * then->free,
			100 * then->others);
}

bool stopped_describe(const struct shared *shared, char text[static STOPPED_TEXT_MAX], uint64_t *signals)
{
	char names[256] = "";
	size_t used = 0;
	unsigned count = 0;
	uint64_t seen = 0;
	for (unsigned i = 0; i < shared->workloads; i++) {
		const int number = atomic_load_explicit(&shared->slot[i].stopped_by, memory_order_relaxed);
		if (!number)
			continue;
		if (count++ < NAMED_MOST)
			used += (size_t)snprintf(
				names + used, sizeof names - used, "%s%u (SIG%s)", used ? ", " : "", i, sigabbrev_np(number));
		seen |= UINT64_C(1) << number;
	}
	if (count > NAMED_MOST)
		snprintf(names + used, sizeof names - used, " and %u more", count - NAMED_MOST);
	if (signals)
		*signals = seen;
	snprintf(text, STOPPED_TEXT_MAX, "stopped, though not by Showstopper: workload%s %s: %s", plural(count), names,
		seen & (UINT64_C(1) << SIGTTIN | UINT64_C(1) << SIGTTOU)
			? "the terminal may not be used from the background; redirect input and output (</dev/null, >FILE), or "
			  "put setsid --wait in front of the command"
			: "it has stopped itself, or somebody else has; kill -CONT lets it go on");
	return count > 0;
}

static void explain_below(const struct summary *summary, FILE *to)
{
	const struct tally_bound then = tally_bound_mean(&summary->tally.saturated);
	const double gone = 1 - tally_alive(&summary->tally);
	/* What else runs may be on the processors that the workloads may not use. */
	const double reach =
		summary->may_use / summary->processors + (then.weight_ns > 0 ? then.others + then.watched + then.free : 0);
	if (gone > NOTABLE_SHARE)
		say_gone(summary, gone, to);
	if (summary->saturated * summary_there(summary) <= NOTABLE_SHARE)
		return;
	if (summary->tally.highest_target > reach + NOTABLE_LOAD)
		say_capacity(summary, to);
	else if (!(gone > NOTABLE_SHARE))
		say_used(summary, &then, to);
}

/* ---- Above ------------------------------------------------------------------------------------------------------------ */

static void say_part(const char *whose, double load, bool *is_first, FILE *to)
{
	if (load < NOTABLE_LOAD)
		return;
	fprintf(to, *is_first ? "; then the load of %s was %.2f %%" : ", that of %s %.2f %%", whose, 100 * load);
	*is_first = false;
}

static void explain_above(const struct summary *summary, FILE *to)
{
	const struct tally_bound then = tally_bound_mean(&summary->tally.starved);
	const double share = summary->starved * summary_there(summary);
	bool is_first = true;
	if (share <= NOTABLE_SHARE)
		return;
	begin("above the target", to);
	fprintf(to, "the workloads stood still for %.1f %% of the time", 100 * share);
	if (then.weight_ns > 0) {
		say_part("free workloads", then.free, &is_first, to);
		say_part("what is watched", then.watched, &is_first, to);
		say_part("others", then.others, &is_first, to);
		say_part("the controlled workloads and Showstopper", then.load - then.free - then.watched - then.others,
			&is_first, to);
		fputc('\n', to);
		return;
	}
	if (summary->free_cpu.control > 0)
		fprintf(to, "; free workloads used %.2f s of processor time under control", summary->free_cpu.control);
	fputs("; what else ran is not known here\n", to);
}

/* Where neither the workloads nor others are the cause. */
static void explain_poor(const struct summary *summary, FILE *to)
{
	const double rms_pp = sqrt(accuracy_mse_pp2(&summary->accuracy));
	const double there = summary_there(summary);
	if (!(rms_pp > POOR_RMS_PP) || summary->saturated * there > NOTABLE_SHARE || summary->starved * there > NOTABLE_SHARE ||
		1 - there > NOTABLE_SHARE)
		return;
	fprintf(to,
		"%s the load was %.1f pp from the target (root mean square), though the workloads were neither saturated nor "
		"starved: control "
		"module '%s' doesn't hold it\n",
		summary_label(TERM_WARNING), rms_pp, summary->control);
}

void warnings_print(const struct summary *summary, const struct shared *shared, FILE *to)
{
	const double error = accuracy_mean_error_pp(&summary->accuracy);
	char text[STOPPED_TEXT_MAX];
	const bool are_stopped = shared && stopped_describe(shared, text, NULL);
	if (are_stopped)
		fprintf(to, "%s %s\n", summary_label(TERM_WARNING), text);
	if (error > NOTABLE_ERROR_PP)
		explain_above(summary, to);
	/* Less than a limit is no miss. */
	else if (error < -NOTABLE_ERROR_PP && !(summary->limit > 0) && !are_stopped)
		explain_below(summary, to);
	if (!are_stopped && !(summary->limit > 0))
		explain_poor(summary, to);
}

_Static_assert(SHORT_TIME_NS == SUMMARY_SAMPLE_NS, "a short run is one without a sample");

int short_run_check(const struct run *run)
{
	const struct config *config = run->config;
	const bool required = !isnan(config->require_error) || !isnan(config->require_mse) || !isnan(config->require_others);
	const struct {
		const char *what;
		int64_t ns;
	} times[] = {{"--run-time", config->run_time_ns}, {"--warmup", config->warmup_ns},
		{"the trace's length", run_trace_length(run)}};
	char text[SHORT_TIME_MAX];
	int result = 0;
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		if (!short_time(times[i].ns, text))
			continue;
		diag("%s%s: %s", required ? "--require: " : "", times[i].what, text);
		result = required ? -1 : 0;
	}
	return result;
}
