/* SPDX-License-Identifier: MIT */
#include "sstrace/shape.h"

#include <errno.h>
#include <math.h>

#include "base/fail.h"

/* A trace that is made of another one. */
struct making {
	struct trace trace;
	bool has_failed; /* for want of memory */
};

static void append(struct making *making, int64_t ns, double load)
{
	if (trace_append(&making->trace, &(struct trace_record){ns, load}) != 0)
		making->has_failed = true;
}

/* The first record that is later than `ns` or, unless it is to be later, at it. */
static size_t find(const struct trace *trace, int64_t ns, bool is_later)
{
	size_t low = 0;
	size_t high = trace->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (trace->records[middle].ns < ns || (is_later && trace->records[middle].ns == ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_sloping(const struct trace *trace, size_t next)
{
	const struct trace_record *const record = trace->records;
	return trace->interpolation == TRACE_LINEAR && !isnan(record[next - 1].load) && !isnan(record[next].load);
}

/* The load at a moment before the record `next` and not before the one in front of it. */
static double load_at(const struct trace *trace, size_t next, int64_t ns)
{
	const struct trace_record *const record = trace->records;
	if (next == 0)
		return record[0].load;
	if (next == trace->count || !is_sloping(trace, next))
		return record[next - 1].load;
	const struct trace_record *const from = &record[next - 1];
	const double share = (double)(ns - from->ns) / (double)(record[next].ns - from->ns);
	return share >= 1 ? record[next].load : from->load + share * (record[next].load - from->load);
}

static void cut_part(struct making *making, const struct trace *trace, int64_t from_ns, int64_t to_ns)
{
	const size_t first = find(trace, from_ns, true);
	const size_t end = find(trace, to_ns, false);
	append(making, 0, load_at(trace, first, from_ns));
	for (size_t i = first; i < end; i++)
		append(making, trace->records[i].ns - from_ns, trace->records[i].load);
	append(making, to_ns - from_ns, load_at(trace, end, to_ns));
}

/* Puts a record where a line crosses a bound. */
static void cross(struct making *making, const struct trace_record *from, const struct trace_record *to, double bound)
{
	const double share = (bound - from->load) / (to->load - from->load);
	const int64_t ns = from->ns + llround(share * (double)(to->ns - from->ns));
	append(making, ns < to->ns ? ns : to->ns, bound);
}

static void bound_loads(struct making *making, const struct trace *trace, const struct trace_shape *shape, size_t *cut)
{
	struct trace_record before = {0, NAN};
	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_record record = {trace->records[i].ns, trace->records[i].load * shape->scale};
		if (i > 0 && is_sloping(trace, i) && record.ns > before.ns) {
			const bool is_rising = record.load > before.load;
			const double bound[] = {is_rising ? shape->low : shape->high, is_rising ? shape->high : shape->low};
			for (size_t b = 0; b < 2; b++)
				if ((before.load < bound[b] && record.load > bound[b]) ||
					(before.load > bound[b] && record.load < bound[b]))
					cross(making, &before, &record, bound[b]);
		}
		const double load = isnan(record.load) ? record.load : fmin(fmax(record.load, shape->low), shape->high);
		*cut += !isnan(load) && load != record.load;
		append(making, record.ns, load);
		before = record;
	}
}

static int64_t stretch(int64_t ns, int64_t length_ns, int64_t old_ns)
{
	return (int64_t)(((__int128)ns * length_ns + old_ns / 2) / old_ns);
}

int trace_shape(struct trace *trace, const struct trace_shape *shape, size_t *cut)
{
	const int64_t end_ns = trace->records[trace->count - 1].ns;
	const int64_t to_ns = shape->to_ns == TRACE_SHAPE_WHOLE ? end_ns : shape->to_ns;
	const bool is_part = shape->from_ns > 0 || to_ns < end_ns;
	struct making part = {.trace.interpolation = trace->interpolation};
	struct making made = {.trace.interpolation = trace->interpolation};
	*cut = 0;
	if (is_part)
		cut_part(&part, trace, shape->from_ns, to_ns);
	if (!part.has_failed)
		bound_loads(&made, is_part ? &part.trace : trace, shape, cut);
	trace_free(&part.trace);
	if (part.has_failed || made.has_failed) {
		trace_free(&made.trace);
		return fail(ENOMEM);
	}
	if (shape->length_ns > 0) {
		struct trace_record *const record = made.trace.mapping;
		for (size_t i = 0; i < made.trace.count; i++)
			record[i].ns = stretch(record[i].ns, shape->length_ns, to_ns - shape->from_ns);
	}
	trace_free(trace);
	*trace = made.trace;
	return 0;
}

/* ---- Over time -------------------------------------------------------------------------------------------------------- */

/* No record before `next` is later than from_ns. */
static double mean_between(const struct trace *trace, size_t next, int64_t from_ns, int64_t to_ns)
{
	double area = 0;
	for (int64_t ns = from_ns; ns < to_ns;) {
		while (next < trace->count && trace->records[next].ns <= ns)
			next++;
		const int64_t stop_ns = next < trace->count && trace->records[next].ns < to_ns ? trace->records[next].ns : to_ns;
		area += (load_at(trace, next, ns) + load_at(trace, next, stop_ns)) / 2 * (double)(stop_ns - ns);
		ns = stop_ns;
	}
	return area / (double)(to_ns - from_ns);
}

void trace_means(const struct trace *trace, int64_t stretch_ns, double *mean, size_t count)
{
	size_t next = 0;
	for (size_t i = 0; i < count; i++) {
		const int64_t start_ns = (int64_t)i * stretch_ns;
		while (next < trace->count && trace->records[next].ns <= start_ns)
			next++;
		mean[i] = mean_between(trace, next, start_ns, start_ns + stretch_ns);
	}
}
