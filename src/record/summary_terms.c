/* SPDX-License-Identifier: MIT */
/* The manual's section SUMMARY has the same texts; tests/cli/documentation.sh compares them. */
#include "record/summary_terms.h"

#include <string.h>

#define SCREEN 80

static const struct {
	const char *label, *text;
} terms[SUMMARY_TERMS] = {
	[TERM_TARGET] = {"target load",
		"Mean of the target over the samples. A sample is 500 ms under control; the warm-up and samples in "
		"which the trace leaves the workloads free are none. Where \"of the cores\" is said, it is about cores, by "
		"unit=core of the feedback."},
	[TERM_LOAD] = {"achieved load",
		"Mean of the load over the same samples: processor time that the machine worked, divided by that "
		"which it had. It is the load of all programs, not of the workloads alone."},
	[TERM_ERROR] = {"mean error",
		"Achieved load minus target load, in percentage points (pp). 0 means that the target was held in "
		"the mean."},
	[TERM_SQUARED_ERROR] = {"mean squared error",
		"Mean of the square of load minus target of each sample, in pp^2. Its root is how far "
		"a sample is from the target, typically."},
	[TERM_WORST] = {"worst sample",
		"The sample with the largest error, whatever its sign, and when it ended, in seconds since "
		"control began."},
	[TERM_SATURATED] = {"ran all the time",
		"Share of the time under control in which the workloads were never stopped and the load was "
		"below the target all the same. They could not make more."},
	[TERM_STARVED] = {"stood still",
		"Share of that time in which the workloads were stopped and the load was above the target all the "
		"same. Something else made it."},
	[TERM_MEASURED] = {"measured", "What the load is of, where a container takes away a part of the machine (a quota, or "
				       "processors), and with --limit."},
	[TERM_FREQUENCY] = {"frequency", "At which clock which processors were held, with --frequency."},
	[TERM_OTHERS] = {"others",
		"Load of all that is neither a workload nor Showstopper: other programs, the kernel's threads, "
		"interrupts, time that a hypervisor took. Mean and maximum over the samples. Unavailable where only a "
		"part of the machine is measured."},
	[TERM_FREE] = {"free",
		"Workloads of groups with --free, which run uncontrolled: which they are, their processor time under control, "
		"and the load of the machine that they made, mean and maximum over the samples, where it is known. With a client "
		"among them "
		"that ends, --when-one-ends=stop ends the run then; without it the run's end may cost its last lines."},
	[TERM_GONE] = {"were gone",
		"Share of the workloads' time, over the samples, in which a controlled workload was not there: it had "
		"ended, or waited to be started again. What happens then is up to --when-one-ends."},
	[TERM_LOST] = {"lost", "Workloads whose executor was killed."},
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
	[TERM_ATTACHED] = {"attached", "Processes that ran before and were controlled by --attach."},
	[TERM_RESPAWNS] = {"started again", "How often workloads that had ended were started again, in all and each."},
	[TERM_EVENTS] = {"events",
		"Events of all workloads under control, and how many per second, with --log-counters. Where the processor "
		"counted them in turns, the share of the time in which it did; the number is scaled up."},
	[TERM_ENERGY] = {"energy",
		"Electric energy of the time under control, in joules, and mean power, with --log-power or --power-command."},
	[TERM_OWN] = {"Showstopper's",
		"Processor time of Showstopper's own processes, and what that is of one processor from the start of "
		"the workloads to the end of control."},
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
