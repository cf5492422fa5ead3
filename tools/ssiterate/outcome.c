/* SPDX-License-Identifier: MIT */
/* Lines and record are in hyperfine's form, so that those who know it can read them, and scripts for its records work. */
#include "ssiterate/outcome.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/json_value.h"
#include "processes/command.h"

static const struct unit {
	const char *name;
	double per_s;
	int decimals;
} seconds = {"s", 1, 3}, milliseconds = {"ms", 1e3, 1}, microseconds = {"µs", 1e6, 1};

static const struct unit *unit_for(double time_s)
{
	if (time_s >= 1)
		return &seconds;
	return time_s >= 1e-3 ? &milliseconds : &microseconds;
}

/* `12.3 ms ± 0.4 ms`, or the first time alone. */
static void print_times(FILE *to, const char *what, const struct unit *unit, double first_s, const char *joint, double second_s)
{
	fprintf(to, "  %s%.*f %s", what, unit->decimals, first_s * unit->per_s, unit->name);
	if (joint)
		fprintf(to, " %s %.*f %s", joint, unit->decimals, second_s * unit->per_s, unit->name);
	fputc('\n', to);
}

static void print_lines(FILE *to, const struct settings *settings, const struct statistics *statistics)
{
	const size_t count = statistics->count;
	const size_t total = count + statistics->failed;
	fputs("ssiterate: ", to);
	if (settings->is_numbered)
		fprintf(to, "instance %lld: ", (long long)settings->instance);
	fprintf(to, "%zu iteration%s of %.200s\n", total, total == 1 ? "" : "s", settings->command[0]);
	if (statistics->failed > 0)
		fprintf(to, "  Failed:              %zu of %zu\n", statistics->failed, total);
	if (count == 0)
		return;
	const double mean_s = statistics->mean_s;
	const struct unit *const unit = unit_for(mean_s);
	if (count == 1) {
		print_times(to, "Time:                ", unit, mean_s, NULL, 0);
		return;
	}
	print_times(to, "Time (mean ± σ):     ", unit, mean_s, "±", statistics_deviation(statistics));
	print_times(to, "Range (min … max):   ", unit, statistics->min_s, "…", statistics->max_s);
}

void outcome_print(const struct settings *settings, const struct statistics *statistics)
{
	char *text = NULL;
	size_t length = 0;
	FILE *const memory = open_memstream(&text, &length);
	if (!memory)
		return;
	print_lines(memory, settings, statistics);
	if (fclose(memory) == 0) {
		diag_never_wait();
		diag_write(text, length);
	}
	free(text);
}

static json_t *kept_times(const struct statistics *statistics)
{
	json_t *const array = json_array();
	for (size_t i = 0; i < statistics->kept; i++)
		json_array_append_new(array, json_real(statistics->time_s[i]));
	return array;
}

/* NULL without memory. */
static json_t *record(const struct settings *settings, struct statistics *statistics)
{
	const size_t count = statistics->count;
	char *const line = command_text(settings->command);
	if (!line)
		return NULL;
	/* Before they are sorted. */
	json_t *const times = kept_times(statistics);
	json_t *const command = json_value_text(line);
	free(line);
	return json_pack("{s:[{s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}]}", "results", "command", command, "instance",
		(json_int_t)settings->instance, "iterations", (json_int_t)count + (json_int_t)statistics->failed, "failed",
		(json_int_t)statistics->failed, "mean", json_value_number(count ? statistics->mean_s : NAN), "stddev",
		json_value_number(count > 1 ? statistics_deviation(statistics) : NAN), "median",
		json_value_number(statistics_median(statistics)), "min", json_value_number(count ? statistics->min_s : NAN),
		"max", json_value_number(count ? statistics->max_s : NAN), "times", times);
}

int outcome_export(FILE *file, const struct settings *settings, struct statistics *statistics)
{
	return json_value_write(record(settings, statistics), file, settings->files.export_json);
}
