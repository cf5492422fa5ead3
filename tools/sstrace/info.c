/* SPDX-License-Identifier: MIT */
#include "sstrace/info.h"

#include <math.h>
#include <stdbool.h>

#include "base/clock.h"
#include "base/units.h"

/* Loads are NaN where the trace is free throughout. */
struct summary {
	double mean; /* over the time that is not free */
	double least, most;
	double free_share;
};

/*
 * What holds in each stretch of time is what modules/trace/file.c answers there: the first record's load before it, a straight
 * line between two loads, and the load of the record before where the record after is free or loads are held.
 */
static void summarise(const struct trace *trace, struct summary *summary)
{
	double area = 0;
	double controlled = 0;
	double uncontrolled = 0;
	*summary = (struct summary){.mean = NAN, .least = NAN, .most = NAN};
	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_record *next = &trace->records[i];
		const struct trace_record *record = i ? next - 1 : next;
		const double seconds = (double)(i ? next->ns - record->ns : next->ns) / (double)NS_PER_S;
		const bool sloping = trace->interpolation == TRACE_LINEAR && !isnan(next->load);
		summary->least = fmin(summary->least, next->load);
		summary->most = fmax(summary->most, next->load);
		if (isnan(record->load)) {
			uncontrolled += seconds;
		} else {
			area += seconds * (sloping ? (record->load + next->load) / 2 : record->load);
			controlled += seconds;
		}
	}
	if (controlled > 0)
		summary->mean = area / controlled;
	else if (uncontrolled == 0)
		summary->mean = trace->records[trace->count - 1].load;
	if (uncontrolled > 0)
		summary->free_share = uncontrolled / (controlled + uncontrolled);
	else if (controlled == 0 && isnan(summary->mean))
		summary->free_share = 1;
}

static void print_load(FILE *to, const char *name, double load)
{
	if (isnan(load))
		fprintf(to, "%s: none\n", name);
	else
		fprintf(to, "%s: %.6g\n", name, load);
}

void info_print(const struct trace *trace, FILE *to)
{
	struct summary summary;
	char length[UNITS_TEXT_MAX];
	summarise(trace, &summary);
	fprintf(to, "records: %zu\n", trace->count);
	fprintf(to, "length: %s\n", units_print_time(trace->records[trace->count - 1].ns, length));
	fprintf(to, "interpolation: %s\n", trace->interpolation == TRACE_STEP ? "step" : "linear");
	print_load(to, "mean", summary.mean);
	print_load(to, "minimum", summary.least);
	print_load(to, "maximum", summary.most);
	print_load(to, "free", summary.free_share);
}
