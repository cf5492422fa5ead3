/* SPDX-License-Identifier: MIT */
#include "record/summary.h"

#include <math.h>
#include <string.h>

/* What the start of a process may take. */
#define START_S 0.02

/* The bucket's upper end below which this part of all edges lies. */
static double percentile(const uint64_t count[static LATENESS_BUCKETS], uint64_t total, double part)
{
	uint64_t below = 0;
	for (unsigned bucket = 0; total && bucket < LATENESS_BUCKETS; bucket++) {
		below += count[bucket];
		if ((double)below >= part * (double)total)
			return lateness_bound_us(bucket);
	}
	return 0;
}

static void collect_lateness(struct summary *summary, const struct shared *shared)
{
	uint64_t count[LATENESS_BUCKETS] = {0};
	summary->edges = 0;
	for (unsigned i = 0; i < shared->workloads; i++)
		for (unsigned bucket = 0; bucket < LATENESS_BUCKETS; bucket++)
			count[bucket] += atomic_load(&shared->slot[i].lateness[bucket]);
	for (unsigned bucket = 0; bucket < LATENESS_BUCKETS; bucket++)
		summary->edges += count[bucket];
	summary->lateness_50_us = percentile(count, summary->edges, 0.5);
	summary->lateness_90_us = percentile(count, summary->edges, 0.9);
	summary->lateness_99_us = percentile(count, summary->edges, 0.99);
}

/* Counters that were read at different moments may disagree by their unit. */
struct summary_time summary_time_of(const struct slot *slot)
{
	const double total = (double)atomic_load(&slot->workload_cpu_ns) / 1e9;
	const double until = fmin((double)atomic_load(&slot->cpu_until_ns) / 1e9, total);
	const double before = fmin((double)atomic_load(&slot->cpu_before_ns) / 1e9, until);
	return (struct summary_time){before, until - before, total - until};
}

double summary_there(const struct summary *summary)
{
	const double alive = tally_alive(&summary->tally);
	return alive > 0 ? alive : 1;
}

static void add_time(struct summary_time *sum, const struct slot *slot)
{
	const struct summary_time time = summary_time_of(slot);
	sum->before += time.before;
	sum->control += time.control;
	sum->after += time.after;
}

void summary_collect(struct summary *summary, const struct shared *shared)
{
	double control = 0;
	double saturated = 0;
	double starved = 0;
	unsigned controlled = 0;
	for (unsigned i = 0; i < shared->workloads; i++) {
		struct slot_record record;
		latch_read(&shared->slot[i].record, &record, LATCH_SIZE(struct slot_record));
		controlled += !shared->slot[i].free;
		add_time(shared->slot[i].free ? &summary->free_cpu : &summary->controlled_cpu, &shared->slot[i]);
		control += record.control_ns;
		saturated += record.saturated_ns;
		starved += record.starved_ns;
		summary->executors_cpu_s += (double)atomic_load(&shared->slot[i].executor_cpu_ns) / 1e9;
		summary->lost += atomic_load(&shared->slot[i].lost);
		summary->respawns += atomic_load(&shared->slot[i].respawns);
	}
	summary->controlled_s = controlled ? control / controlled / 1e9 : 0;
	summary->saturated = control > 0 ? saturated / control : 0;
	summary->starved = control > 0 ? starved / control : 0;
	collect_lateness(summary, shared);
}

/* False when fewer than two can be compared. */
static bool compare_group(const struct shared *shared, unsigned group, struct summary_equal *equal)
{
	double total = 0;
	*equal = (struct summary_equal){.group = group, .least_s = INFINITY};
	for (unsigned i = 0; i < shared->workloads; i++) {
		const struct slot *slot = &shared->slot[i];
		if (slot->group != group)
			continue;
		equal->asked++;
		if (atomic_load(&slot->ended) || atomic_load(&slot->respawns) || atomic_load(&slot->lost) ||
			atomic_load(&slot->start_stage))
			continue;
		const double cpu_s = (double)atomic_load(&slot->workload_cpu_ns) / 1e9;
		equal->instances++;
		equal->least_s = fmin(equal->least_s, cpu_s);
		equal->most_s = fmax(equal->most_s, cpu_s);
		total += cpu_s;
	}
	equal->spread = (equal->most_s - equal->least_s) * equal->instances / total;
	return equal->instances > 1 && equal->most_s >= START_S;
}

static unsigned count_groups(const struct shared *shared)
{
	unsigned groups = 0;
	for (unsigned i = 0; i < shared->workloads; i++)
		if (shared->slot[i].group != SHARED_UNLIKE && shared->slot[i].group >= groups)
			groups = shared->slot[i].group + 1;
	return groups;
}

bool summary_next_equal(const struct shared *shared, unsigned group, struct summary_equal *equal)
{
	const unsigned groups = count_groups(shared);
	while (group < groups && !compare_group(shared, group, equal))
		group++;
	return group < groups;
}

/* Free workloads that there are not make none of the load. */
static void add_bound(struct tally_bound *bound, const struct record *record, double share)
{
	if (share <= 0 || isnan(record->others))
		return;
	const double weight_ns = share * (double)record->length_ns;
	bound->weight_ns += weight_ns;
	bound->load += weight_ns * record->load;
	bound->free += weight_ns * (isnan(record->free) ? 0 : record->free);
	bound->others += weight_ns * record->others;
	bound->watched += weight_ns * (isnan(record->watched_all) ? 0 : record->watched_all);
}

void tally_add(struct tally *tally, const struct record *record, int64_t origin_ns)
{
	const double error = fabs(record->load - record->target);
	if (!tally->samples++ || error > fabs(tally->worst_load - tally->worst_target)) {
		tally->worst_target = record->target;
		tally->worst_load = record->load;
		tally->worst_s = (double)(record->end_ns - origin_ns) / 1e9;
	}
	tally->highest_target = fmax(tally->highest_target, record->target);
	tally->length_ns += (double)record->length_ns;
	tally->alive_ns += record->alive * (double)record->length_ns;
	tally->duty_ns += (isnan(record->duty) ? 1 : record->duty) * (double)record->length_ns;
	if (!isnan(record->free)) {
		tally->free_samples++;
		tally->free_work += record->free * record->machine.capacity;
		tally->free_capacity += record->machine.capacity;
		tally->free_most = fmax(tally->free_most, record->free);
	}
	add_bound(&tally->saturated, record, record->saturated);
	add_bound(&tally->starved, record, record->starved);
}

double tally_worst_error_pp(const struct tally *tally)
{
	return tally->samples ? 100 * (tally->worst_load - tally->worst_target) : NAN;
}

double tally_free_mean(const struct tally *tally)
{
	return tally->free_samples ? tally->free_work / tally->free_capacity : NAN;
}

double tally_free_most(const struct tally *tally)
{
	return tally->free_samples ? tally->free_most : NAN;
}

double tally_alive(const struct tally *tally)
{
	return tally->samples ? tally->alive_ns / tally->length_ns : NAN;
}

struct tally_bound tally_bound_mean(const struct tally_bound *sums)
{
	const double weight_ns = sums->weight_ns;
	if (weight_ns <= 0)
		return (struct tally_bound){0};
	return (struct tally_bound){
		weight_ns, sums->load / weight_ns, sums->free / weight_ns, sums->others / weight_ns, sums->watched / weight_ns};
}

/* The manual's section SUMMARY has the same texts; tests/cli/documentation.sh compares them. */

#define SCREEN 80

static const struct {
	const char *label, *text;
} terms[SUMMARY_TERMS] = {
	[TERM_USED] = {"used",
		"With --limit, instead of the rows down to \"stood still\": processor time of the workloads under control, as a "
		"share "
		"of one processor, beside the most that they may use, and the part of that time in which they were held back."},
	[TERM_TARGET] = {"target load",
		"Mean of the target over the samples. A sample is 500 ms under control; the warm-up and samples in "
		"which the trace leaves the workloads free are none. Where \"of the cores\" is said, it is about cores, by "
		"unit=core of the feedback."},
	[TERM_LOAD] = {"achieved load",
		"Mean of the load over the same samples: processor time that the machine worked, divided by that "
		"which it had. It is the load of all programs, not of the workloads alone."},
	[TERM_ERROR] = {"mean error",
		"Achieved load minus target load, in percentage points (pp). 0 means that the target was held in "
		"the mean; within 0.1 is usual from a minute on. For more, the next rows or a warning have the cause."},
	[TERM_SQUARED_ERROR] = {"mean squared error",
		"Mean of the square of load minus target of each sample, in pp^2. Its root is how far "
		"a sample is from the target, typically. Below 1 is good and usual, below 5 fair, from 5 on poor. "
		"Where it is poor, others may have come and gone: see their maximum."},
	[TERM_WORST] = {"worst sample",
		"The sample with the largest error, whatever its sign, and when it ended, in seconds since "
		"control began. A few pp are usual; one at the start goes with a warm-up (-w)."},
	[TERM_SATURATED] = {"ran all the time",
		"Share of the time under control in which the workloads were never stopped and the load was "
		"below the target all the same. They could not make more. 0 is usual; more instances, more processors for "
		"them or a lower target help."},
	[TERM_STARVED] = {"stood still",
		"Share of that time in which the workloads were stopped and the load was above the target all the "
		"same. Something else made it. 0 is usual; end what else runs, or set a higher target."},
	[TERM_MEASURED] = {"measured",
		"What the load is of: the machine, or what a container leaves of it (a quota, or processors), or with --limit "
		"the workloads; and by which source of -f realtime, which showstopper-modules(7) explains."},
	[TERM_MAXIMUM] = {"maximum",
		"What a load of 100 % is with -f throughput: so many iterations per second, measured before control "
		"or given."},
	[TERM_OTHERS] = {"others",
		"Load of all that is neither a workload, nor watched, nor Showstopper: other programs, the kernel's threads, "
		"interrupts, time that a hypervisor took. Mean and maximum over the samples. Unavailable where only a "
		"part of the machine is measured. Below 2 % is a quiet machine, as runs that are compared need."},
	[TERM_WATCHED] = {"watched", "Load of each process, with its descendants, and of each control group that --watch names, "
				     "mean and maximum over the "
				     "samples, and when it ended."},
	[TERM_FREE] = {"free",
		"Workloads of groups with --free, which run uncontrolled: which they are, their processor time under control, "
		"and the load of the machine that they made, mean and maximum over the samples, where it is known. With a client "
		"among them "
		"that ends, --when-one-ends=stop ends the run then; without it the run's end may cost its last lines."},
	[TERM_GONE] = {"were gone",
		"Share of the workloads' time, over the samples, in which a controlled workload was not there: it had "
		"ended, or waited to be started again. 0 is usual; --when-one-ends=respawn, ssiterate or a longer program help."},
	[TERM_LOST] = {"lost",
		"Workloads whose executor was killed. None is usual; the kernel's log says whether memory ran out."},
	[TERM_INSTANCES] = {"instances", "How many workloads the default made, where -n is not given."},
	[TERM_CPU] = {"workloads' CPU time",
		"Processor time of the controlled workloads under control, in all and of each by its number, or "
		"the least, the largest and the median of many."},
	[TERM_OUTSIDE] = {"outside control",
		"Their processor time before control began, in the warm-up and while others were started, and "
		"after its end, in the grace period."},
	[TERM_EQUAL] = {"equal instances",
		"How even instances of one group were: the least and the largest processor time of those that "
		"were there from beginning to end, warm-up and grace period included. The spread is what lies "
		"between, divided by the mean."},
	[TERM_ATTACHED] = {"attached",
		"Processes and control groups that ran before and were controlled by --attach and --attach-group."},
	[TERM_RESPAWNS] = {"started again", "How often workloads that had ended were started again, in all and each."},
	[TERM_EVENTS] = {"events",
		"Events of all workloads under control, and how many per second, with --log-counters. Where the processor "
		"counted them in turns, the share of the time in which it did; the number is scaled up."},
	[TERM_ENERGY] = {"energy", "Electric energy of the time under control, in joules, and mean power, with --log-power."},
	[TERM_OWN] = {"Showstopper's",
		"Processor time of Showstopper's own processes, and what that is of one processor from the start of "
		"the workloads to the end of control. Half a percent is usual with a few workloads; many take more."},
	[TERM_WARNING] = {"warning:", "Why the target was missed, with the figures that show it."},
};

const char *summary_label(enum summary_term term)
{
	return terms[term].label;
}

/* In lines that fit the screen, each after the first behind the label's column. */
static void print_wrapped(const char *text, FILE *to)
{
	int column = SUMMARY_COLUMN;
	while (*text) {
		const int length = (int)strcspn(text, " ");
		if (column > SUMMARY_COLUMN && column + 1 + length > SCREEN) {
			fprintf(to, "\n%*s", SUMMARY_COLUMN, "");
			column = SUMMARY_COLUMN;
		}
		column += fprintf(to, "%s%.*s", column > SUMMARY_COLUMN ? " " : "", length, text);
		text += length + (text[length] == ' ');
	}
	fputc('\n', to);
}

void summary_explain(FILE *to)
{
	for (enum summary_term term = 0; term < SUMMARY_TERMS; term++) {
		fprintf(to, "%-*s", SUMMARY_COLUMN, terms[term].label);
		print_wrapped(terms[term].text, to);
	}
}
