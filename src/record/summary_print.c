/* SPDX-License-Identifier: MIT */
/* In the order in which one asks: was the target held, can I trust it, what did the workloads do, what did it cost. */
#include <math.h>
#include <stdlib.h>

#include "groups/attached_group.h"
#include "groups/group_tree.h"
#include "record/summary.h"

/* A row with a list of workloads that is longer does without. */
#define SCREEN 80
/* What we take at the beginning and at the end is no share of a run that is shorter. */
#define SHARE_FROM_S 1.0
/* Shares and times that would be shown as 0. */
#define SHOWN_SHARE 0.0005
/* More than that is all of the time. */
#define COUNTED_ALWAYS 0.9995
#define SHOWN_S 0.005

/* Returns the columns it took. */
static int row(enum summary_term term, FILE *to)
{
	return fprintf(to, "%-*s", SUMMARY_COLUMN, summary_label(term));
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* What there is to say of one workload, behind its number; false: it isn't in the list. */
typedef bool tell(const struct slot *slot, char text[static 48]);

/* " (0: 1.23, 2: 4.56)", for a line that has `used` columns so far. False where it doesn't fit, or is empty. */
static bool print_list(const struct shared *shared, tell *say, int used, FILE *to)
{
	char list[SCREEN + 1];
	size_t length = 0;
	for (unsigned i = 0; i < shared->workloads; i++) {
		char text[48] = "";
		if (!say(&shared->slot[i], text))
			continue;
		const int more = snprintf(list + length, sizeof list - length, "%s%u%s", length ? ", " : " (", i, text);
		length += (size_t)more;
		if (used + (int)length + 1 > SCREEN)
			return false;
	}
	if (length)
		fprintf(to, "%s)", list);
	return length > 0;
}

/* ---- Was the target held? --------------------------------------------------------------------------------------------- */

/* Of one processor, as it was given. */
static void print_limit(const struct summary *summary, FILE *to)
{
	const struct tally *const tally = &summary->tally;
	const double percent = 100 * ceil(summary->limit);
	row(TERM_USED, to);
	fprintf(to, "%.1f %% of a processor of %.4g %%; held back %.0f %% of the time\n",
		percent * accuracy_mean_load(&summary->accuracy), 100 * summary->limit,
		100 * fmax(1 - tally->duty_ns / tally->length_ns, 0));
}

static void print_accuracy(const struct summary *summary, FILE *to)
{
	const struct accuracy *accuracy = &summary->accuracy;
	const char *whose = summary->of_cores ? " of the cores" : "";
	if (summary->limit > 0 && accuracy->samples) {
		print_limit(summary, to);
		return;
	}
	row(TERM_TARGET, to);
	if (!accuracy->samples) {
		fputs("none: less than one sample of 500 ms under control\n", to);
		return;
	}
	fprintf(to, "%.2f %%%s\n", 100 * accuracy_mean_target(accuracy), whose);
	row(TERM_LOAD, to);
	fprintf(to, "%.2f %%%s\n", 100 * accuracy_mean_load(accuracy), whose);
	row(TERM_ERROR, to);
	fprintf(to, "%+.2f pp\n", accuracy_mean_error_pp(accuracy));
	row(TERM_SQUARED_ERROR, to);
	fprintf(to, "%.2f pp^2 (%llu sample%s of 500 ms)\n", accuracy_mse_pp2(accuracy), (unsigned long long)accuracy->samples,
		plural(accuracy->samples));
	if (accuracy->samples < 2)
		return;
	row(TERM_WORST, to);
	fprintf(to, "%+.2f pp: load %.2f %%, target %.2f %%, at %.1f s\n", tally_worst_error_pp(&summary->tally),
		100 * summary->tally.worst_load, 100 * summary->tally.worst_target, summary->tally.worst_s);
}

/* Of all the time under control, also that in which workloads were gone. */
static void print_bounds(const struct summary *summary, FILE *to)
{
	const double there = summary_there(summary);
	const double whole_s = summary->controlled_s / there;
	row(TERM_SATURATED, to);
	fprintf(to, "%.1f %% of %.1f s under control, below the target (saturated)\n", 100 * summary->saturated * there, whole_s);
	row(TERM_STARVED, to);
	fprintf(to, "%.1f %% of %.1f s under control, above the target (starved)\n", 100 * summary->starved * there, whole_s);
}

/* ---- Can I trust it? -------------------------------------------------------------------------------------------------- */

static void print_measured(const struct summary *summary, FILE *to)
{
	if (!summary->container && !summary->source)
		return;
	row(TERM_MEASURED, to);
	fprintf(to, "%s%s%s\n", summary->container ? summary->container : "the machine", summary->source ? ", by source " : "",
		summary->source ? summary->source : "");
}

static void print_maximum(const struct summary *summary, FILE *to)
{
	if (!(summary->maximum > 0))
		return;
	row(TERM_MAXIMUM, to);
	fprintf(to, "%.6g iterations per second are a load of 100 %%\n", summary->maximum);
}

static void print_others(const struct summary *summary, FILE *to)
{
	if (!summary->accuracy.samples)
		return;
	row(TERM_OTHERS, to);
	if (isnan(summary->others_mean)) {
		fputs("unavailable\n", to);
		return;
	}
	fprintf(to, "%.2f %% of the machine, at most %.2f %%", 100 * summary->others_mean, 100 * summary->others_max);
	if (summary->others_samples < summary->accuracy.samples)
		fprintf(to, " (known in %llu sample%s)", (unsigned long long)summary->others_samples,
			plural(summary->others_samples));
	fputc('\n', to);
}

static void print_watched(const struct summary *summary, FILE *to)
{
	for (unsigned i = 0; i < summary->watches; i++) {
		const struct beside_sums *const load = &summary->watched[i];
		if (i == 0)
			row(TERM_WATCHED, to);
		else
			fprintf(to, "%*s", SUMMARY_COLUMN, "");
		fputs(summary->watch[i].name, to);
		if (load->counted)
			fprintf(to, ": %.2f %% of the machine, at most %.2f %%", 100 * beside_mean(load),
				100 * beside_most(load));
		else
			fputs(": no sample", to);
		if (!isnan(summary->watched_ended_s[i]))
			fprintf(to, ", ended at %.1f s", summary->watched_ended_s[i]);
		fputc('\n', to);
	}
}

/* "workloads 0, 3" in so many columns, or "2 workloads". */
static void name_free(const struct shared *shared, unsigned count, int columns, char name[static SCREEN])
{
	int length = snprintf(name, SCREEN, "workload%s", plural(count));
	unsigned named = 0;
	for (unsigned i = 0; i < shared->workloads && length <= columns; i++)
		if (shared->slot[i].free)
			length += snprintf(name + length, (size_t)(SCREEN - length), "%s%u", named++ ? ", " : " ", i);
	if (length > columns)
		snprintf(name, SCREEN, "%u workloads", count);
}

static void print_free(const struct summary *summary, const struct shared *shared, FILE *to)
{
	unsigned count = 0;
	for (unsigned i = 0; i < shared->workloads; i++)
		count += shared->slot[i].free;
	if (!count)
		return;
	char text[96], most[32], name[SCREEN];
	const double mean = tally_free_mean(&summary->tally);
	int length = snprintf(text, sizeof text, ": CPU time %.2f s", summary->free_cpu.control);
	if (!isnan(mean))
		length += snprintf(text + length, sizeof text - (size_t)length, ", load %.2f %%", 100 * mean);
	name_free(shared, count, SCREEN - SUMMARY_COLUMN - length, name);
	int used = row(TERM_FREE, to);
	used += fprintf(to, "%s%s", name, text);
	/* The last that a narrow screen gets. */
	if (!isnan(mean) &&
		used + snprintf(most, sizeof most, ", at most %.2f %%", 100 * tally_free_most(&summary->tally)) <= SCREEN)
		fputs(most, to);
	fputc('\n', to);
}

static void print_gone(const struct summary *summary, FILE *to)
{
	const double gone = 1 - tally_alive(&summary->tally);
	if (!(gone > SHOWN_SHARE))
		return;
	row(TERM_GONE, to);
	fprintf(to, "%.1f %% of the time: ended, or not yet started again\n", 100 * gone);
}

static bool tell_lost(const struct slot *slot, char text[static 48])
{
	(void)text;
	return atomic_load(&slot->lost);
}

static void print_lost(const struct summary *summary, const struct shared *shared, FILE *to)
{
	if (!summary->lost)
		return;
	int used = row(TERM_LOST, to);
	used += fprintf(to, "%llu of %u workloads", (unsigned long long)summary->lost, (unsigned)shared->workloads);
	print_list(shared, tell_lost, used, to);
	fputc('\n', to);
}

/* ---- What did the workloads do? --------------------------------------------------------------------------------------- */

static bool tell_cpu(const struct slot *slot, char text[static 48])
{
	snprintf(text, 48, ": %.2f", summary_time_of(slot).control);
	return !slot->free;
}

static int compare(const void *a, const void *b)
{
	const double left = *(const double *)a;
	const double right = *(const double *)b;
	return (left > right) - (left < right);
}

static void print_range(const struct shared *shared, FILE *to)
{
	double *const cpu = calloc(shared->workloads, sizeof *cpu);
	unsigned count = 0;
	for (unsigned i = 0; cpu && i < shared->workloads; i++)
		if (!shared->slot[i].free)
			cpu[count++] = summary_time_of(&shared->slot[i]).control;
	if (count) {
		qsort(cpu, count, sizeof *cpu, compare);
		fprintf(to, " (each %.2f to %.2f, median %.2f)", cpu[0], cpu[count - 1], cpu[count / 2]);
	}
	free(cpu);
}

static void print_cpu(const struct summary *summary, const struct shared *shared, FILE *to)
{
	const struct summary_time *const cpu = &summary->controlled_cpu;
	int used = row(TERM_CPU, to);
	used += fprintf(to, "%.2f s", cpu->control);
	if (!print_list(shared, tell_cpu, used, to))
		print_range(shared, to);
	fputc('\n', to);
	if (cpu->before < SHOWN_S && cpu->after < SHOWN_S)
		return;
	row(TERM_OUTSIDE, to);
	fprintf(to, "%.2f s before it began, %.2f s after its end\n", cpu->before, cpu->after);
}

static void print_equal(const struct shared *shared, FILE *to)
{
	struct summary_equal equal;
	bool one = true;
	for (unsigned i = 0; i < shared->workloads; i++)
		one = one && (shared->slot[i].group == 0 || shared->slot[i].group == SHARED_UNLIKE);
	for (unsigned group = 0; summary_next_equal(shared, group, &equal); group = equal.group + 1) {
		row(TERM_EQUAL, to);
		if (!one)
			fprintf(to, "group %u: ", equal.group);
		fprintf(to, "CPU time %.2f to %.2f s (", equal.least_s, equal.most_s);
		if (equal.instances < equal.asked)
			fprintf(to, "%u of %u, ", equal.instances, equal.asked);
		fprintf(to, "spread %.1f %%)\n", 100 * equal.spread);
	}
}

static bool tell_attached(const struct slot *slot, char text[static 48])
{
	const char *const end = atomic_load(&slot->ended) ? ", ended" : "";
	if (slot->attached_group)
		snprintf(text, 48, ": group %.32s%s", group_name(slot->attached_group->folder), end);
	else
		snprintf(text, 48, ": process %d%s", (int)atomic_load(&slot->pid), end);
	return atomic_load(&slot->attached);
}

static void print_attached(const struct shared *shared, FILE *to)
{
	unsigned attached = 0;
	for (unsigned i = 0; i < shared->workloads; i++)
		attached += atomic_load(&shared->slot[i].attached);
	if (!attached)
		return;
	int used = row(TERM_ATTACHED, to);
	used += fprintf(to, "%u", attached);
	print_list(shared, tell_attached, used, to);
	fputc('\n', to);
}

static bool tell_respawns(const struct slot *slot, char text[static 48])
{
	const unsigned respawns = atomic_load(&slot->respawns);
	snprintf(text, 48, ": %u", respawns);
	return respawns > 0;
}

static void print_respawns(const struct summary *summary, const struct shared *shared, FILE *to)
{
	if (!summary->respawns)
		return;
	int used = row(TERM_RESPAWNS, to);
	used += fprintf(to, "%llu time%s", (unsigned long long)summary->respawns, plural(summary->respawns));
	print_list(shared, tell_respawns, used, to);
	fputc('\n', to);
}

static void print_workloads(const struct summary *summary, const struct shared *shared, FILE *to)
{
	if (summary->by_default > 1) {
		row(TERM_INSTANCES, to);
		fprintf(to, "%u: without -n, one for each processor that a group may use\n", summary->by_default);
	}
	print_cpu(summary, shared, to);
	print_equal(shared, to);
	print_attached(shared, to);
	print_respawns(summary, shared, to);
}

/* ---- What did it cost? ------------------------------------------------------------------------------------------------ */

/* The mean is over what could be read; the sum is that of the whole or nothing. */
static void print_energy(const struct summary *summary, FILE *to)
{
	if (!summary->power_asked)
		return;
	row(TERM_ENERGY, to);
	if (isnan(summary->power_w))
		fputs("unavailable\n", to);
	else if (isnan(summary->energy_j))
		fprintf(to, "unavailable in part, mean power %.2f W\n", summary->power_w);
	else
		fprintf(to, "%.1f J, mean power %.2f W\n", summary->energy_j, summary->power_w);
}

static void print_events(const struct summary *summary, FILE *to)
{
	const struct counted *const counted = summary->counted;
	for (size_t i = 0; counted && i < counted->events.count; i++) {
		const struct linux_counter_reading all = counted_of_all(counted, i);
		const double count = counted_value(counted, i, &all), share = linux_counter_share(&all);
		if (i == 0)
			row(TERM_EVENTS, to);
		else
			fprintf(to, "%*s", SUMMARY_COLUMN, "");
		fputs(counted->events.event[i].name, to);
		if (isnan(count) || !(counted->seconds > 0)) {
			fputs(": unavailable\n", to);
			continue;
		}
		fprintf(to, ": %.0f (%.1f per s)", count, count / counted->seconds);
		if (share < COUNTED_ALWAYS)
			fprintf(to, ", counted %.1f %% of the time", 100 * share);
		fputc('\n', to);
	}
}

static void print_own(const struct summary *summary, bool verbose, FILE *to)
{
	const double own = summary->master_cpu_s + summary->guardian_cpu_s + summary->executors_cpu_s;
	row(TERM_OWN, to);
	fprintf(to, "%.3f s", own);
	if (summary->wall_s >= SHARE_FROM_S)
		fprintf(to, " (%.2f %% of one processor)", 100 * own / summary->wall_s);
	fputc('\n', to);
	if (verbose)
		fprintf(to, "  executors %.3f s, master %.3f s, guardian %.3f s; 99 %% of edges less than %.0f us late\n",
			summary->executors_cpu_s, summary->master_cpu_s, summary->guardian_cpu_s, summary->lateness_99_us);
}

void summary_print(const struct summary *summary, const struct shared *shared, bool verbose, FILE *to)
{
	print_accuracy(summary, to);
	if (!(summary->limit > 0))
		print_bounds(summary, to);
	print_measured(summary, to);
	print_maximum(summary, to);
	print_others(summary, to);
	print_watched(summary, to);
	print_free(summary, shared, to);
	print_gone(summary, to);
	print_lost(summary, shared, to);
	print_workloads(summary, shared, to);
	print_events(summary, to);
	print_energy(summary, to);
	print_own(summary, verbose, to);
	warnings_print(summary, shared, to);
}
