/* SPDX-License-Identifier: MIT */
#include "trace/import_intervals.h"

#include <math.h>

static int append(struct trace *trace, int64_t ns, double load)
{
	return trace_append(trace, &(struct trace_record){ns, load});
}

/* Equal loads that follow one another are one record. */
int import_intervals_steps(const struct import_interval *interval, size_t count, struct trace *trace)
{
	int64_t start = 0;
	trace->interpolation = TRACE_STEP;
	for (size_t i = 0; i < count; i++) {
		if ((i == 0 || interval[i].load != interval[i - 1].load) && append(trace, start, interval[i].load) != 0)
			return -1;
		start = interval[i].end_ns;
	}
	return append(trace, start, interval[count - 1].load);
}

/*
 * Two straight lines in each interval: from the load at its start over one in its middle to the one at its end. With the ends a and c, the
 * middle 2m - (a + c)/2 makes the mean m. It lies within 0 and 1 when both ends lie within 2m - 1 and 2m, and so does an end that suits both
 * of its neighbours. Where none does, since their means are more than a half apart, the load jumps.
 */
int import_intervals_lines(const struct import_interval *interval, size_t count, struct trace *trace)
{
	int64_t start = 0;
	double from = interval[0].load;
	int result = append(trace, 0, from);
	trace->interpolation = TRACE_LINEAR;
	for (size_t i = 0; i < count && result == 0; i++) {
		const double mean = interval[i].load;
		const int64_t length = interval[i].end_ns - start;
		double to = mean;
		double next = mean;
		if (i + 1 < count) {
			const double other = interval[i + 1].load;
			const double least = fmax(0, fmax(2 * mean - 1, 2 * other - 1));
			const double most = fmin(1, fmin(2 * mean, 2 * other));
			to = next = fmin(fmax((mean + other) / 2, least), most);
			if (least > most) {
				to = mean;
				next = other;
			}
		}
		const double middle = fmin(fmax(2 * mean - (from + to) / 2, 0), 1) + 0.0;
		if (length > 1)
			result = append(trace, start + length / 2, middle);
		start = interval[i].end_ns;
		if (result == 0)
			result = append(trace, start, to);
		if (result == 0 && next != to)
			result = append(trace, start, next);
		from = next;
	}
	return result;
}
