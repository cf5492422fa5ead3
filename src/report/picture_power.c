/* SPDX-License-Identifier: MIT */
/*
 * gnuplot has two vertical axes, for load and throughput. So watts are drawn on that of the load, from 0 to 100, and their axis is
 * made of lines and labels.
 */
#include "report/picture_power.h"

#include <math.h>

#include "report/picture_parts.h"

/* Numbers of an axis, at most. */
#define NUMBERS_MAX 6
/* What stays free above the largest value, at least. */
#define ROOM 1.02
#define TIC_CM 0.08
#define NUMBER_CM 0.12 /* from the axis to its numbers */
/* Of arrows and labels; below those of legends. */
#define FIRST_TAG 51

struct report_power_axis report_power_axis_make(const struct report_series *series, size_t count)
{
	static const double steps[] = {1, 2, 2.5, 5};
	double most = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t at = 0; at < series[i].windows.count; at++)
			if (series[i].windows.item[at].power > most)
				most = series[i].windows.item[at].power;
	if (!(most > 0) || !isfinite(most))
		return (struct report_power_axis){0};
	const double magnitude = pow(10, floor(log10(most * ROOM / (NUMBERS_MAX - 1))));
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		const double step = steps[i] * magnitude;
		const double numbers = ceil(most * ROOM / step);
		if (numbers < NUMBERS_MAX)
			return (struct report_power_axis){.most = numbers * step, .step = step};
	}
	const double step = 10 * magnitude;
	return (struct report_power_axis){.most = ceil(most * ROOM / step) * step, .step = step};
}

void report_power_axis_write(
	struct plot *plot, const struct report_power_axis *axis, const struct report_size *graph, double beyond_cm, bool is_shown)
{
	FILE *const to = plot_script(plot);
	const double x = 1 + beyond_cm / graph->width;
	const int numbers = (int)lround(axis->most / axis->step);
	for (int i = 0; i <= NUMBERS_MAX + 1; i++)
		fprintf(to, "unset arrow %d\nunset label %d\n", FIRST_TAG + i, FIRST_TAG + i);
	if (!is_shown)
		return;
	fprintf(to, "set arrow %d from graph %.4f,0 to graph %.4f,1 nohead lw 0.7 lc rgb 'black'\n", FIRST_TAG + NUMBERS_MAX, x,
		x);
	for (int i = 0; i <= numbers; i++) {
		const double y = (double)i / numbers;
		fprintf(to, "set arrow %d from graph %.4f,%.4f to graph %.4f,%.4f nohead lw 0.7 lc rgb 'black'\n", FIRST_TAG + i,
			x - TIC_CM / graph->width, y, x, y);
		fprintf(to, "set label %d '%g' at graph %.4f,%.4f left\n", FIRST_TAG + i, i * axis->step,
			x + NUMBER_CM / graph->width, y);
	}
}

int report_power_write(struct plot *plot, const struct report_series *series, const struct report_power_axis *axis, double unit,
	size_t number, bool *has_any)
{
	struct report_points points = {0};
	int result = report_picture_add_means(&points, &series->windows, report_picture_power, unit, 100 / axis->most);
	*has_any = points.count > 0;
	if (result == 0)
		report_points_write(&points, plot_script(plot), "power", number);
	for (size_t i = 0; result == 0 && i < series->steps.count; i++) {
		const struct report_window *const step = &series->steps.item[i];
		const double mean = 100 * step->power / axis->most;
		if (report_points_add(&points, step->start * unit, mean) != 0 ||
			report_points_add(&points, step->end * unit, mean) != 0 ||
			report_points_add(&points, step->end * unit, NAN) != 0)
			result = -1;
	}
	if (result == 0)
		report_points_write(&points, plot_script(plot), "powermean", number);
	report_points_free(&points);
	return result;
}
