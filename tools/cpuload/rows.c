/* SPDX-License-Identifier: MIT */
#include "cpuload/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/file_uses.h"
#include "base/log_columns.h"
#include "base/output.h"
#include "base/units.h"
#include "load/core_load.h"
#include "processes/command.h"
#include "self/source.h"

/* Readings for the load of cores take at most this share of a processor. */
#define CORES_COST_SHARE 100

/* ---- Opening ---------------------------------------------------------------------------------------------------------- */

static struct linux_load_source *open_source(const struct settings *settings)
{
	const struct linux_load_settings wanted = {
		.root = settings->sysroot,
		.source = settings->source,
		.cpus = settings->cpus,
		.per_cpu = settings->per_cpu,
		.of_cores = settings->unit == UNIT_CORE,
		.pid = (pid_t)settings->pid,
		.cgroup = settings->cgroup,
	};
	char error[LINUX_LOAD_SOURCE_ERROR_MAX];
	struct linux_load_source *const source = linux_load_source_open(&wanted, error);
	if (!source)
		diag("%s%s",
			settings->cpus     ? "--cpus: "
			: settings->pid    ? "--pid: "
			: settings->cgroup ? "--cgroup: "
					   : "",
			error);
	return source;
}

static int complain_about_opening(const struct settings *settings)
{
	diag("can't create %s: %s", settings->output, strerror(errno));
	return -1;
}

/* Refuses an output that is used for something else or can't be written, without making or emptying it. */
static int check_output(const struct settings *settings)
{
	struct file_uses uses = {0};
	char error[FILE_USES_ERROR_MAX], path[PATH_MAX];
	if (settings->command && command_find(settings->command[0], NULL, path) == 0)
		file_uses_add(&uses, FILE_IS_READ, "the command", path);
	if (settings->command)
		file_uses_add_standard(&uses, STDIN_FILENO);
	file_uses_add(&uses, FILE_IS_WRITTEN, "--output", settings->output);
	file_uses_add_standard(&uses, STDOUT_FILENO);
	file_uses_add_standard(&uses, STDERR_FILENO);
	if (file_uses_check(&uses, error) != 0) {
		diag("%s", error);
		return -1;
	}
	return output_check(settings->output) == 0 ? 0 : complain_about_opening(settings);
}

/* A file stays as it is until there is something to write. Of what else there is, a FIFO waits for its reader here. */
static int open_output(struct rows *rows)
{
	struct settings *const settings = rows->settings;
	if (settings->output && output_is_stdout(settings->output))
		settings->output = NULL;
	if (settings->output && check_output(settings) != 0)
		return -1;
	if (!settings->output && output_check("-") != 0)
		return diag_refuse("can't write %s: %s", output_name("-"), strerror(errno));
	if (!settings->output)
		rows->output = STDOUT_FILENO;
	else if (!output_is_file(settings->output) && (rows->output = output_open(settings->output, 0)) < 0)
		return complain_about_opening(settings);
	rows->is_terminal = rows->output >= 0 && isatty(rows->output);
	if (settings->format == FORMAT_UNSET)
		settings->format = rows->is_terminal ? ROW_TABLE : ROW_CSV;
	return 0;
}

/* … and now there is. */
static int empty_output(struct rows *rows)
{
	const struct settings *const settings = rows->settings;
	if (rows->output < 0 && (rows->output = output_open(settings->output, O_TRUNC)) < 0)
		return complain_about_opening(settings);
	rows->writer = row_writer_new(rows->output, (enum row_format)settings->format, rows->column, rows->columns);
	if (rows->writer)
		return 0;
	diag("%s", strerror(errno));
	return -1;
}

static void add_column(struct rows *rows, const char *name, int decimals, const char *title, int table_decimals, double scale)
{
	struct row_column *const column = &rows->column[rows->columns++];
	*column = (struct row_column){.decimals = decimals, .table_decimals = table_decimals, .table_scale = scale};
	snprintf(column->name, sizeof column->name, "%s", name);
	snprintf(column->title, sizeof column->title, "%s", title);
}

static int make_columns(struct rows *rows)
{
	const bool *const asked = rows->settings->column;
	const size_t most = 4 + rows->ids + COLUMNS + rows->zones + counted_columns(&rows->counted);
	rows->column = calloc(most, sizeof *rows->column);
	rows->value = calloc(most, sizeof *rows->value);
	rows->sum = calloc(most, sizeof *rows->sum);
	rows->weight = calloc(most, sizeof *rows->weight);
	rows->meter = calloc(1 + rows->ids, sizeof *rows->meter);
	if (!rows->column || !rows->value || !rows->sum || !rows->weight || !rows->meter)
		return -1;
	add_column(rows, LOG_TIME, 6, "", 0, 1);
	add_column(rows, LOG_MONOTONIC, 6, "", 0, 1);
	add_column(rows, rows->of_cores ? "load_cores" : "load", 6, rows->of_cores ? "cores %" : "load %", 2, 100);
	for (size_t i = 0; i < rows->ids; i++) {
		char name[32], title[16];
		snprintf(name, sizeof name, "load_cpu%u", rows->id[i]);
		snprintf(title, sizeof title, "cpu%u %%", rows->id[i]);
		add_column(rows, name, 6, title, 2, 100);
	}
	if (asked[COLUMN_RUNQUEUE])
		add_column(rows, "runqueue", 0, "runqueue", 0, 1);
	if (asked[COLUMN_STEAL])
		add_column(rows, "steal", 6, "steal %", 2, 100);
	if (asked[COLUMN_FREQUENCY])
		add_column(rows, "frequency_mhz", 1, "MHz", 0, 1);
	if (asked[COLUMN_POWER])
		add_column(rows, LOG_POWER, 3, "W", 1, 1);
	rows->columns += counted_name(&rows->counted, &rows->column[rows->columns]);
	for (size_t i = 0; i < rows->zones; i++) {
		char name[32], title[16];
		snprintf(name, sizeof name, "power_%s_w", rows->zone[i].name);
		snprintf(title, sizeof title, "%.13s W", rows->zone[i].name);
		add_column(rows, name, 3, title, 1, 1);
	}
	add_column(rows, LOG_WALL, 6, "", 0, 1);
	return 0;
}

/* Processors that get a column: those asked for, or all that are online now. */
static int choose_processors(struct rows *rows)
{
	const struct busy_reading *const now = linux_load_source_now(rows->source);
	const struct sst_cpus *const cpus = rows->settings->cpus;
	if (!rows->settings->per_cpu)
		return 0;
	rows->ids = cpus ? cpus->count : now->count;
	rows->id = calloc(rows->ids + 1, sizeof *rows->id);
	if (!rows->id)
		return -1;
	for (size_t i = 0; i < rows->ids; i++)
		rows->id[i] = cpus ? cpus->cpu[i] : now->cpu[i].id;
	return 0;
}

static double runqueue(const struct rows *rows)
{
	const struct linux_stat *const stat = &linux_load_source_now(rows->source)->stat;
	if (!(stat->present & LINUX_STAT_RUNNING))
		return NAN;
	/* cpuload itself is running while it reads. */
	return stat->running > 0 ? (double)(stat->running - 1) : 0;
}

/* The mean of those that tell theirs, in MHz. A file is opened for each reading: it goes away with its processor. */
static double frequency(const struct rows *rows)
{
	const struct busy_reading *const now = linux_load_source_now(rows->source);
	double sum = 0;
	size_t told = 0;
	for (size_t i = 0; i < now->count; i++) {
		if (rows->settings->cpus && !cpus_contain(rows->settings->cpus, now->cpu[i].id))
			continue;
		char path[96];
		uint64_t khz;
		snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", now->cpu[i].id);
		if (linux_source_number(rows->settings->sysroot, path, &khz)) {
			sum += (double)khz / 1000;
			told++;
		}
	}
	return told > 0 ? sum / (double)told : NAN;
}

/* Opens what the optional columns need, and says once what this machine lacks. */
static void open_columns(struct rows *rows)
{
	const struct settings *const settings = rows->settings;
	const struct linux_stat *const stat = &linux_load_source_now(rows->source)->stat;
	char error[LINUX_POWER_ERROR_MAX];
	if (settings->column[COLUMN_RUNQUEUE] && !(stat->present & LINUX_STAT_RUNNING))
		diag("column runqueue is unavailable: this kernel's /proc/stat has no procs_running");
	if (settings->column[COLUMN_STEAL] && !(stat->present & LINUX_STAT_STEAL))
		diag("column steal is unavailable: this kernel's /proc/stat doesn't count it");
	if (settings->column[COLUMN_FREQUENCY] && isnan(frequency(rows)))
		diag("column frequency is unavailable: no processor has a cpufreq/scaling_cur_freq below "
		     "%s/sys/devices/system/cpu",
			settings->sysroot);
	if (settings->column[COLUMN_POWER]) {
		rows->power = linux_power_open(settings->sysroot, settings->power_source, error);
		if (!rows->power)
			diag("column power is unavailable: %s", error);
	}
	counted_open(&rows->counted, settings, linux_load_source_now(rows->source));
}

static void open_zones(struct rows *rows)
{
	char error[LINUX_POWER_ERROR_MAX];
	if (rows->settings->zones)
		rows->zones = linux_power_zones_open(rows->settings->sysroot, &rows->zone, error);
	if (rows->settings->zones && rows->zones == 0)
		diag("columns of zones are unavailable: %s", error);
}

int rows_open(struct rows *rows, struct settings *settings)
{
	*rows = (struct rows){.settings = settings, .output = -1};
	rows->source = open_source(settings);
	if (!rows->source)
		return -1;
	rows->of_cores = settings->unit == UNIT_CORE;
	if (open_output(rows) != 0)
		return -1;
	open_columns(rows);
	open_zones(rows);
	if (choose_processors(rows) == 0 && make_columns(rows) == 0)
		return 0;
	diag("%s", strerror(errno));
	return -1;
}

/* ---- Rows ------------------------------------------------------------------------------------------------------------- */

static int complain_about_output(struct rows *rows)
{
	const char *const output = rows->settings->output;
	diag("can't write %s: %s", output ? output : "standard output", strerror(errno));
	rows->is_unwritable = true;
	return -1;
}

static void time_of_day(char *text, size_t size)
{
	struct timespec now;
	struct tm local;
	char clock[16];
	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &local);
	strftime(clock, sizeof clock, "%H:%M:%S", &local);
	snprintf(text, size, "%s.%02ld", clock, now.tv_nsec / 10000000);
}

int rows_begin(struct rows *rows)
{
	const struct settings *const settings = rows->settings;
	const double processors = linux_load_source_processors(rows->source);
	struct utsname system;
	char heading[1024], scope[512], interval[UNITS_TEXT_MAX];
	if (settings->pid)
		snprintf(scope, sizeof scope, "process %" PRId64 " and its descendants", settings->pid);
	else if (settings->cgroup)
		snprintf(scope, sizeof scope, "cgroup %.400s", settings->cgroup);
	else
		snprintf(scope, sizeof scope, "%ssource %s", rows->of_cores ? "load of cores, " : "",
			source_names[linux_load_source_kind(rows->source)]);
	if (empty_output(rows) != 0)
		return -1;
	uname(&system);
	snprintf(heading, sizeof heading, "%s %s (%s), %.0f processor%s, %s, every %s", system.sysname, system.release,
		system.nodename, processors, processors == 1 ? "" : "s", scope,
		units_print_time(settings->interval_ns, interval));
	return settings->stream || row_writer_header(rows->writer, heading) == 0 ? 0 : complain_about_output(rows);
}

/* A load beyond the whole, which the counters' unit can make of it, is the whole. Where none is known, the reader holds the last one. */
static int write_target(struct rows *rows, double load)
{
	char line[32];
	if (isnan(load))
		return 0;
	snprintf(line, sizeof line, "%.6f", load < 0 ? 0 : load > 1 ? 1 : load);
	return row_writer_line(rows->writer, line);
}

/* Once for each thing that is wrong. */
static void tell_trouble(struct rows *rows)
{
	char text[LINUX_MACHINE_TROUBLE_MAX];
	if (!linux_load_source_trouble(rows->source, text) || strcmp(text, rows->trouble) == 0)
		return;
	memcpy(rows->trouble, text, sizeof text);
	diag("warning: %s", text);
}

int rows_add(struct rows *rows)
{
	const int64_t from_ns = rows->last_ns;
	const int64_t when_ns = linux_load_source_when(rows->source);
	const bool *const asked = rows->settings->column;
	double *const value = rows->value;
	struct sst_sample sample;
	size_t i = 0;
	tell_trouble(rows);
	value[i++] = (double)(when_ns - rows->start_ns) / (double)NS_PER_S;
	value[i++] = (double)when_ns / (double)NS_PER_S;
	const double processors = linux_load_source_processors(rows->source);
	const bool has_sample = linux_load_source_sample(rows->source, &sample);
	value[i++] =
		load_meter_add(&rows->meter[0], has_sample ? &sample : NULL, linux_load_source_noise(rows->source, processors));
	for (size_t cpu = 0; cpu < rows->ids; cpu++)
		value[i++] = load_meter_add(&rows->meter[1 + cpu],
			linux_load_source_sample_cpu(rows->source, rows->id[cpu], &sample) ? &sample : NULL,
			linux_load_source_noise(rows->source, 1));
	const size_t first_other = i;
	if (asked[COLUMN_RUNQUEUE])
		value[i++] = runqueue(rows);
	if (asked[COLUMN_STEAL])
		value[i++] = linux_load_source_steal(rows->source);
	if (asked[COLUMN_FREQUENCY])
		value[i++] = frequency(rows);
	if (asked[COLUMN_POWER])
		value[i++] = rows->power ? linux_power_watts(rows->power) : NAN;
	i += counted_take(&rows->counted, &value[i]);
	for (size_t zone = 0; zone < rows->zones; zone++)
		value[i++] = linux_power_watts(rows->zone[zone].power);
	for (size_t other = first_other; other < i; other++) {
		if (isfinite(value[other])) {
			rows->sum[other] += value[other] * (double)(when_ns - from_ns);
			rows->weight[other] += (double)(when_ns - from_ns);
		}
	}
	value[i] = (double)(when_ns + clock_unix_offset()) / (double)NS_PER_S;
	rows->last_ns = when_ns;
	rows->written++;
	char label[32];
	time_of_day(label, sizeof label);
	const int result = rows->settings->stream ? write_target(rows, value[2]) : row_writer_row(rows->writer, label, value);
	return result == 0 ? 0 : complain_about_output(rows);
}

int rows_end(struct rows *rows)
{
	if (rows->settings->format != ROW_TABLE || rows->settings->stream || rows->written == 0)
		return 0;
	for (size_t i = 2; i < rows->columns; i++)
		rows->value[i] = i <= 2 + rows->ids    ? load_meter_mean(&rows->meter[i - 2])
				 : rows->weight[i] > 0 ? rows->sum[i] / rows->weight[i]
						       : NAN;
	return row_writer_row(rows->writer, "Average", rows->value) == 0 ? 0 : complain_about_output(rows);
}

int rows_read(struct rows *rows)
{
	if (linux_load_source_read(rows->source) == 0 && counted_read(&rows->counted, linux_load_source_now(rows->source)) == 0)
		return 0;
	diag("can't read the load: %s", strerror(errno));
	return -1;
}

/* How long power may be left alone; 0: there is none that has to be looked after. */
static int64_t power_every(const struct rows *rows)
{
	return rows->power || rows->zones ? LINUX_POWER_POLL_NS : 0;
}

static void poll_power(struct rows *rows)
{
	if (rows->power)
		linux_power_poll(rows->power);
	for (size_t i = 0; i < rows->zones; i++)
		linux_power_poll(rows->zone[i].power);
}

int64_t rows_look_when(const struct rows *rows)
{
	const int64_t power_ns = power_every(rows) ? rows->power_next_ns : INT64_MAX;
	const int64_t cores_ns = rows->of_cores ? rows->cores_next_ns : INT64_MAX;
	return power_ns < cores_ns ? power_ns : cores_ns;
}

/* Between rows, so often that it takes a hundredth of a processor at most. */
static int look_at_cores(struct rows *rows)
{
	const int64_t now_ns = clock_now(), before_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (linux_load_source_look(rows->source) != 0) {
		diag("can't read the load: %s", strerror(errno));
		return -1;
	}
	const int64_t least_ns = CORES_COST_SHARE * (clock_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns);
	rows->cores_next_ns = now_ns + (least_ns > LINUX_CORE_LOAD_STEP_NS ? least_ns : LINUX_CORE_LOAD_STEP_NS);
	return 0;
}

int rows_look(struct rows *rows)
{
	const int64_t now_ns = clock_now();
	if (power_every(rows) && now_ns >= rows->power_next_ns) {
		poll_power(rows);
		rows->power_next_ns = now_ns + power_every(rows);
	}
	return rows->of_cores && now_ns >= rows->cores_next_ns ? look_at_cores(rows) : 0;
}

int rows_start(struct rows *rows)
{
	if (rows_read(rows) != 0)
		return -1;
	if (rows->power)
		linux_power_watts(rows->power);
	for (size_t i = 0; i < rows->zones; i++)
		linux_power_watts(rows->zone[i].power);
	rows->start_ns = rows->last_ns = linux_load_source_when(rows->source);
	rows->power_next_ns = rows->start_ns + power_every(rows);
	return 0;
}

int rows_close(struct rows *rows)
{
	int result = 0;
	if (rows->settings->output && rows->output >= 0 && close(rows->output) != 0 && !rows->is_unwritable)
		result = complain_about_output(rows);
	row_writer_free(rows->writer);
	free(rows->column);
	free(rows->value);
	free(rows->sum);
	free(rows->weight);
	free(rows->meter);
	free(rows->id);
	linux_power_close(rows->power);
	counted_close(&rows->counted);
	linux_power_zones_close(rows->zone, rows->zones);
	linux_load_source_close(rows->source);
	return result;
}
