/* SPDX-License-Identifier: MIT */
/* Any text is read without a fault, as rows, as a log, as iterations and as readings of a power meter, and what is refused has a message. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/iterations.h"
#include "report/log.h"
#include "report/meter.h"
#include "report/window.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition)
{
	if (!condition)
		abort();
}

static struct csv *open_text(const char *text, size_t size)
{
	char error[CSV_ERROR_MAX] = "";
	struct csv *const csv = csv_open_text(text, size, "f", error);
	check(csv || (*error && strlen(error) < sizeof error));
	return csv;
}

/* Returns how many rows there are. */
static size_t read_rows(const char *text, size_t size)
{
	size_t rows = 0;
	size_t line = 1;
	int more;
	struct csv *const csv = open_text(text, size);
	if (!csv)
		return 0;
	check(csv_columns(csv) > 0);
	while ((more = csv_next(csv)) > 0) {
		check(csv_line(csv) > line);
		line = csv_line(csv);
		rows++;
		for (size_t i = 0; i < csv_columns(csv); i++) {
			size_t length;
			double value;
			const char *const field = csv_text(csv, i, &length);
			check(length <= size && (length == 0 || memchr(field, field[length - 1], length)));
			if (csv_number(csv, i, &value) == 0)
				check(isnan(value) == (length == 0));
			else
				check(*csv_error(csv));
		}
	}
	check(more == 0 || *csv_error(csv));
	csv_close(csv);
	return rows;
}

static void read_log(const char *text, size_t size)
{
	char error[CSV_ERROR_MAX] = "";
	struct report_log log;
	struct csv *const csv = open_text(text, size);
	if (csv && report_log_is(csv)) {
		if (report_log_read(&log, csv, "f", error) == 0) {
			size_t count = 0;
			check(report_gaps_fill(&log) == 0);
			for (size_t i = 0; i < log.count; i++) {
				const double length = report_log_length(&log, i);
				check(length >= 0);
				/* None stands for what is missing before it. */
				check(i == 0 || isnan(log.load[i]) || length <= 2 * log.interval ||
					log.time[i] - log.interval == log.time[i]);
				check(i == 0 || !log.monotonic || log.monotonic[i] >= log.monotonic[i - 1]);
			}
			const struct report_gaps gaps = report_gaps_measure(&log);
			check(gaps.unknown >= 0 && gaps.unknown <= gaps.whole * (1 + 1e-9));
			struct report_step *const step = report_log_steps(&log, &count);
			for (size_t i = 0; i < count; i++)
				check(step[i].first <= step[i].last && step[i].last < log.count);
			free(step);
			if (log.target) {
				const struct report_accuracy_rules rules = {.window = 1, .settle = 1, .skip_edges = 1};
				struct report_accuracy *const accuracy = report_accuracy(&log, &rules, 1, &count);
				for (size_t i = 1; i < count; i++)
					check(accuracy[i].accuracy.samples <= accuracy[0].accuracy.samples);
				free(accuracy);
			}
			const struct report_mean mean = report_log_mean(&log, 0, 10);
			check(!(mean.load < -1e-9 || mean.load > 1e6 * (1 + 1e-9)));
		} else {
			check(*error);
		}
		report_log_free(&log);
	}
	csv_close(csv);
}

static void read_iterations(const char *text, size_t size)
{
	char error[CSV_ERROR_MAX] = "";
	struct report_iterations iterations = {0};
	struct csv *const csv = open_text(text, size);
	bool is_cut;
	if (csv && report_iterations_is(csv)) {
		if (report_iterations_read(&iterations, csv, "f", &is_cut, error) == 0) {
			const struct report_stretch stretch[] = {{-10, 0}, {0, 1}, {1, 2}, {3, 4}, {4, 1e9}};
			double sum[5];
			double known[5];
			double all = 0;
			check(report_iterations_add_gaps(&iterations, &(struct report_iterations){0}, 0) == 0);
			check(report_iterations_count(&iterations, stretch, 5, sum, known) == 0);
			for (int i = 0; i < 5; i++) {
				check(sum[i] >= 0);
				check(known[i] >= 0 && known[i] <= (stretch[i].end - stretch[i].start) * (1 + 1e-9));
				all += sum[i];
			}
			check(all <= (double)iterations.count * (1 + 1e-9));
		} else {
			check(*error);
		}
		report_iterations_free(&iterations);
	}
	csv_close(csv);
}

static void read_meter(const char *text, size_t size)
{
	char error[CSV_ERROR_MAX] = "";
	struct report_meter meter;
	struct csv *const csv = open_text(text, size);
	if (csv && report_meter_read(&meter, csv, "f", error) == 0) {
		double least = INFINITY;
		double most = 0;
		check(meter.count > 1 && meter.gap >= 0);
		for (size_t i = 0; i < meter.count; i++) {
			check(i == 0 || meter.time[i] >= meter.time[i - 1]);
			least = fmin(least, meter.watts[i]);
			most = fmax(most, meter.watts[i]);
		}
		const double mean = report_meter_mean(&meter, meter.time[0], meter.time[meter.count - 1]);
		check(isnan(mean) || (mean >= least - 1e-9 * most && mean <= most + 1e-9 * most));
	} else {
		check(!csv || *error);
	}
	if (csv)
		report_meter_free(&meter);
	csv_close(csv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *const text = (const char *)data;
	const size_t rows = read_rows(text, size);
	/* A line that is not whole changes nothing. */
	char *const longer = malloc(size + 2);
	check(longer != NULL);
	memcpy(longer, text, size);
	memcpy(longer + size, ",7", 2);
	if (size > 0 && text[size - 1] == '\n')
		check(read_rows(longer, size + 2) == rows);
	free(longer);
	read_log(text, size);
	read_iterations(text, size);
	read_meter(text, size);
	return 0;
}
