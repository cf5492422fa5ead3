/* SPDX-License-Identifier: MIT */
#include "report/picture.h"

#include <math.h>

static void widen(struct report_point *range, const struct report_windows *windows)
{
	if (windows->count == 0)
		return;
	range->x = fmin(range->x, windows->item[0].start);
	range->y = fmax(range->y, windows->item[windows->count - 1].end);
}

struct report_point report_picture_range(const struct report_series *series, size_t count)
{
	struct report_point range = {INFINITY, -INFINITY};
	for (size_t i = 0; i < count; i++) {
		widen(&range, &series[i].windows);
		widen(&range, &series[i].throughput);
	}
	/* Rows begin a few milliseconds before or after control does; the axis should not. */
	if (fabs(range.x) < 0.01 * (range.y - range.x))
		range.x = 0;
	if (!(range.y > range.x))
		range.y = range.x + 1;
	return range;
}

struct report_unit report_picture_rate(const struct report_series *series, size_t count)
{
	double most = 0;
	for (size_t i = 0; i < count; i++) {
		const struct report_windows *const windows =
			series[i].throughput.count > 0 ? &series[i].throughput : &series[i].windows;
		for (size_t at = 0; at < windows->count; at++)
			if (windows->item[at].throughput > most)
				most = windows->item[at].throughput;
	}
	return report_rate_unit(most);
}

double report_picture_load(const struct report_windows *windows, size_t at)
{
	return windows->item[at].load;
}

double report_picture_target(const struct report_windows *windows, size_t at)
{
	const struct report_window *const window = &windows->item[at];
	const bool is_known = !isnan(window->load) || (at > 0 && report_log_is_same(window[-1].target, window->target)) ||
			      (at + 1 < windows->count && report_log_is_same(window->target, window[1].target));
	return is_known ? window->target : NAN;
}

double report_picture_power(const struct report_windows *windows, size_t at)
{
	return windows->item[at].power;
}

int report_picture_add_means(struct report_points *points, const struct report_windows *windows,
	double (*mean)(const struct report_windows *windows, size_t at), double unit, double factor)
{
	bool goes_on = false;
	for (size_t i = 0; i < windows->count; i++) {
		const struct report_window *const window = &windows->item[i];
		const double value = factor * mean(windows, i);
		const double middle = (window->start + window->end) / 2;
		const bool is_known = isfinite(value);
		const bool is_last = i + 1 == windows->count || !isfinite(mean(windows, i + 1));
		if ((is_known && !goes_on && report_points_add(points, window->start * unit, value) != 0) ||
			((is_known || goes_on) && report_points_add(points, middle * unit, is_known ? value : NAN) != 0) ||
			(is_known && is_last && report_points_add(points, window->end * unit, value) != 0))
			return -1;
		goes_on = is_known;
	}
	return 0;
}

int report_picture_add_steps(struct report_points *points, const struct report_windows *windows, double unit, double rate)
{
	for (size_t i = 0; i < windows->count; i++) {
		const struct report_window *const window = &windows->item[i];
		if (report_points_add(points, window->start * unit, rate * window->throughput) != 0 ||
			report_points_add(points, window->end * unit, rate * window->throughput) != 0)
			return -1;
	}
	return 0;
}
