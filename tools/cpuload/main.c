/* SPDX-License-Identifier: MIT */
/*
 * cpuload: records the load of the machine, of some of its processors, of a tree of processes or of a cgroup. See cpuload(1).
 *
 * The moments of the readings are start + k × interval on CLOCK_MONOTONIC, so they don't drift. A reading may come late; each row
 * is computed from the times of the two readings that bound it, so a late one makes rows longer or shorter and not wrong.
 *
 * All signals that matter are blocked and fetched between readings. There are no handlers, and no row is ever interrupted.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpus.h"
#include "base/diag.h"
#include "base/row_writer.h"
#include "base/units.h"
#include "base/version.h"
#include "os/frequency.h"
#include "os/load_source.h"
#include "os/power.h"
#include "record/load_meter.h"

#define INTERVAL_DEFAULT (500 * NS_PER_MS)
#define INTERVAL_LEAST (10 * NS_PER_MS)
#define INTERVAL_MOST (86400 * NS_PER_S)
/* A last row shorter than two units of the kernel's counters would say nothing. */
#define LAST_ROW_LEAST (20 * NS_PER_MS)
#define STATUS_CANT_EXECUTE 126
#define STATUS_NOT_FOUND 127

/* ---- Settings --------------------------------------------------------------------------------------------------------- */

enum { SOURCE_IDLE, SOURCE_TICKS, SOURCE_CPUACCT, SOURCE_UNSET };
static const char *const source_names[] = {"idle", "ticks", "cpuacct", NULL};

enum { FORMAT_UNSET = ROW_TABLE + 1 };
static const char *const format_names[] = {"csv", "jsonl", "table", NULL};

/* Optional columns, in the order in which they are written. */
enum { COLUMN_RUNQUEUE, COLUMN_STEAL, COLUMN_FREQUENCY, COLUMN_POWER, COLUMNS };
static const char *const column_names[] = {"runqueue", "steal", "frequency", "power", "all", NULL};

struct settings {
	int64_t interval_ns;
	int64_t count; /* 0: no end */
	int source, format;
	bool column[COLUMNS];
	bool per_cpu;
	struct sst_cpus *cpus; /* NULL: all */
	int64_t pid;           /* 0: none */
	const char *cgroup, *output, *power_source, *sysroot;
	char **command; /* NULL: none */
};

enum takes { CPUS, PER_CPU, PID, CGROUP, SOURCE, COLUMN_LIST, POWER_SOURCE, FORMAT, OUTPUT, SYSROOT, HELP, VERSION };

static const struct row {
	int letter; /* 0: long name only */
	const char *name, *argument, *help;
} rows[] = {
	[CPUS] = {'c', "cpus", "LIST", "measure these processors only, such as 0-3,8"},
	[PER_CPU] = {'P', "per-cpu", NULL, "add the load of each processor"},
	[PID] = {'p', "pid", "PID", "measure this process and its descendants"},
	[CGROUP] = {'g', "cgroup", "PATH", "measure this control group"},
	[SOURCE] = {'s', "source", "NAME", "where the machine's load comes from: idle, ticks, cpuacct (idle)"},
	[COLUMN_LIST] = {'C', "columns", "LIST", "add runqueue, steal, frequency, power, or all"},
	[POWER_SOURCE] = {0, "power-source", "NAME", "rapl, or the hwmon chip that measures the power"},
	[FORMAT] = {'f', "format", "NAME", "csv, jsonl or table (table on a terminal, else csv)"},
	[OUTPUT] = {'o', "output", "FILE", "write to FILE instead of standard output"},
	[SYSROOT] = {0, "sysroot", "DIR", "read DIR/proc and DIR/sys instead of /proc and /sys"},
	[HELP] = {'h', "help", NULL, "print this"},
	[VERSION] = {'V', "version", NULL, "print the version"},
};
#define ROWS (sizeof rows / sizeof *rows)

static void print_help(void)
{
	printf("usage: cpuload [OPTION]... [INTERVAL [COUNT]] [-- COMMAND [ARG]...]\n"
	       "Records the CPU load every INTERVAL (500m), COUNT times, while COMMAND runs, or until interrupted.\n\n");
	for (size_t i = 0; i < ROWS; i++) {
		char name[48];
		snprintf(name, sizeof name, "--%s%s%s", rows[i].name, rows[i].argument ? " " : "",
			rows[i].argument ? rows[i].argument : "");
		if (rows[i].letter)
			printf("  -%c, %-19s %s\n", rows[i].letter, name, rows[i].help);
		else
			printf("      %-19s %s\n", name, rows[i].help);
	}
}

/* The index of a word among names, or -1. */
static int find_name(const char *const *names, const char *word, size_t length)
{
	for (int i = 0; names[i]; i++)
		if (strlen(names[i]) == length && memcmp(names[i], word, length) == 0)
			return i;
	return -1;
}

static int set_columns(struct settings *settings, const char *list)
{
	for (const char *at = list;; at++) {
		const size_t length = strcspn(at, ",");
		const int found = find_name(column_names, at, length);
		if (found < 0) {
			diag("--columns: '%.*s' is none of runqueue, steal, frequency, power and all", (int)length, at);
			return -1;
		}
		for (int i = 0; i < COLUMNS; i++)
			if (i == found || found == COLUMNS)
				settings->column[i] = true;
		at += length;
		if (!*at)
			return 0;
	}
}

static int set_choice(int *choice, const char *name, const char *const *names, const char *text)
{
	*choice = find_name(names, text, strlen(text));
	if (*choice >= 0)
		return 0;
	diag("--%s: '%s' is none of %s, %s and %s", name, text, names[0], names[1], names[2]);
	return -1;
}

static int set_cpus(struct settings *settings, const char *text)
{
	size_t stop = 0;
	free(settings->cpus);
	settings->cpus = NULL;
	if (cpus_parse(text, strlen(text), &settings->cpus, &stop) == 0)
		return 0;
	if (errno == ENOMEM)
		diag("%s", strerror(errno));
	else
		diag("--cpus: '%s' is not " CPUS_EXPECTED " (see character %zu)", text, stop + 1);
	return -1;
}

static int set_name(const char **name, const struct row *row, const char *text)
{
	if (!*text) {
		diag("--%s: the %s is missing", row->name, row->argument);
		return -1;
	}
	*name = text;
	return 0;
}

static int set_option(struct settings *settings, enum takes option, const char *text)
{
	switch (option) {
	case CPUS:
		return set_cpus(settings, text);
	case PER_CPU:
		settings->per_cpu = true;
		return 0;
	case PID:
		if (units_parse_int(text, strlen(text), &settings->pid, NULL) == 0 && settings->pid > 0 &&
			settings->pid <= INT_MAX)
			return 0;
		diag("--pid: '%s' is not the number of a process", text);
		return -1;
	case CGROUP:
		return set_name(&settings->cgroup, &rows[option], text);
	case SOURCE:
		return set_choice(&settings->source, "source", source_names, text);
	case COLUMN_LIST:
		return set_columns(settings, text);
	case POWER_SOURCE:
		return set_name(&settings->power_source, &rows[option], text);
	case FORMAT:
		return set_choice(&settings->format, "format", format_names, text);
	case OUTPUT:
		return set_name(&settings->output, &rows[option], text);
	case SYSROOT:
		return set_name(&settings->sysroot, &rows[option], text);
	case HELP:
	case VERSION:
		return 0;
	}
	return -1;
}

/*
 * Sets the options and finds where they end (*end). Returns HELP or VERSION when that was asked for, else 0, or -1 after a
 * complaint. *is_command: they ended with --.
 */
static int parse_options(int count, char **arguments, struct settings *settings, int *end, bool *is_command)
{
	struct option long_options[ROWS + 1] = {0};
	char letters[2 * ROWS + 3] = "+:";
	size_t used = strlen(letters);
	for (size_t i = 0; i < ROWS; i++) {
		long_options[i].name = rows[i].name;
		long_options[i].has_arg = rows[i].argument ? required_argument : no_argument;
		long_options[i].val = (int)(UCHAR_MAX + 1 + i);
		if (rows[i].letter) {
			letters[used++] = (char)rows[i].letter;
			if (rows[i].argument)
				letters[used++] = ':';
		}
	}
	for (;;) {
		const int at = optind;
		const char *const word = at < count ? arguments[at] : "";
		const int found = getopt_long(count, arguments, letters, long_options, NULL);
		if (found == -1) {
			*is_command = optind > at;
			*end = optind;
			return 0;
		}
		const int code = found == '?' || found == ':' ? optopt : found;
		size_t row = ROWS;
		for (size_t i = 0; i < ROWS; i++)
			if (code != 0 && (code == rows[i].letter || code == long_options[i].val))
				row = i;
		/* getopt_long takes abbreviations, which would change their meaning when an option is added. */
		const bool is_long = strncmp(word, "--", 2) == 0;
		if (is_long && (row == ROWS || strlen(rows[row].name) != strcspn(word + 2, "="))) {
			diag("unknown option '%.*s' (see cpuload --help)", (int)strcspn(word, "="), word);
			return -1;
		}
		if (row == ROWS) {
			diag("unknown option '-%c' (see cpuload --help)", optopt);
			return -1;
		}
		if (found == ':') {
			diag("--%s: its %s is missing", rows[row].name, rows[row].argument);
			return -1;
		}
		if (found == '?') {
			diag("--%s: takes no value", rows[row].name);
			return -1;
		}
		if (set_option(settings, (enum takes)row, optarg ? optarg : "") != 0)
			return -1;
		if (row == HELP || row == VERSION)
			return (int)row;
	}
}

/* INTERVAL, COUNT, -- and COMMAND. */
static int parse_words(char **word, bool is_command, struct settings *settings)
{
	int64_t least = INTERVAL_LEAST, most = INTERVAL_MOST;
	for (int place = 0; !is_command && *word; word++, place++) {
		char text[2][UNITS_TEXT_MAX];
		if (strcmp(*word, "--") == 0) {
			is_command = true;
		} else if (place == 0) {
			int64_t value;
			if (units_parse_time(*word, strlen(*word), &value, NULL) != 0 || value < least || value > most) {
				diag("interval '%s': expected " UNITS_TIME_EXPECTED ", from %s to %s (a command stands after --)",
					*word, units_print_time(least, text[0]), units_print_time(most, text[1]));
				return -1;
			}
			settings->interval_ns = value;
		} else if (place == 1) {
			if (units_parse_int(*word, strlen(*word), &settings->count, NULL) != 0 || settings->count < 1) {
				diag("count '%s': expected a whole number from 1 on", *word);
				return -1;
			}
		} else {
			diag("'%s': expected nothing after the count, or -- and a command", *word);
			return -1;
		}
	}
	if (!is_command)
		return 0;
	if (!*word) {
		diag("expected a command after --");
		return -1;
	}
	settings->command = word;
	return 0;
}

/* What doesn't go together. */
static int check_settings(const struct settings *settings)
{
	const char *const scope = settings->pid ? "--pid" : "--cgroup";
	if (settings->pid && settings->cgroup) {
		diag("--pid and --cgroup: expected one of them");
		return -1;
	}
	if (!settings->pid && !settings->cgroup)
		return 0;
	const char *const wrong = settings->cpus                     ? "--cpus"
				  : settings->per_cpu                ? "--per-cpu"
				  : settings->source != SOURCE_UNSET ? "--source"
								     : NULL;
	if (!wrong)
		return 0;
	diag("%s can't be had with %s: it is about the load of the machine", wrong, scope);
	return -1;
}

/* ---- Command ---------------------------------------------------------------------------------------------------------- */

struct signals {
	sigset_t fetched; /* blocked, and fetched by next_event */
	sigset_t before;  /* mask that the command gets */
	bool ignores_pipe;
};

/* Those that end a recording, or are passed on to a command. One that was ignored at the start stays ignored, as nohup needs it. */
static void take_signals(struct signals *signals, bool has_command)
{
	static const int ending[] = {SIGINT, SIGTERM, SIGHUP}, passed_on[] = {SIGQUIT, SIGUSR1, SIGUSR2};
	struct sigaction action;
	sigemptyset(&signals->fetched);
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		if (sigaction(ending[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&signals->fetched, ending[i]);
	for (size_t i = 0; has_command && i < sizeof passed_on / sizeof *passed_on; i++)
		if (sigaction(passed_on[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&signals->fetched, passed_on[i]);
	if (has_command) {
		sigaddset(&signals->fetched, SIGCHLD);
		signal(SIGCHLD, SIG_DFL);
		/* Whoever reads the rows may leave; the command must be waited for all the same. */
		signals->ignores_pipe = sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler != SIG_IGN;
		if (signals->ignores_pipe)
			signal(SIGPIPE, SIG_IGN);
	}
	sigprocmask(SIG_BLOCK, &signals->fetched, &signals->before);
}

/* In the new process: executes the command, or reports why that failed. */
static _Noreturn void become(char **command, const struct signals *signals, int report)
{
	if (signals->ignores_pipe)
		signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &signals->before, NULL);
	execvp(command[0], command);
	const int error = errno;
	/* When the report can't be written either, the end of the pipe without one says the same as success; nothing can be done. */
	_exit(write(report, &error, sizeof error) < 0 ? EXIT_TROUBLE : STATUS_NOT_FOUND);
}

/* Starts the command and waits until it is executed. 0, or the status to exit with after a complaint. */
static int start_command(char **command, const struct signals *signals, pid_t *pid)
{
	int report[2], error = 0;
	if (pipe2(report, O_CLOEXEC) != 0) {
		diag("can't execute '%s': %s", command[0], strerror(errno));
		return EXIT_TROUBLE;
	}
	const pid_t child = fork();
	if (child == 0)
		become(command, signals, report[1]);
	const int saved = errno;
	close(report[1]);
	ssize_t got = -1;
	if (child > 0)
		while ((got = read(report[0], &error, sizeof error)) < 0 && errno == EINTR)
			;
	close(report[0]);
	if (child > 0 && got == 0) {
		*pid = child;
		return 0;
	}
	if (child > 0)
		waitpid(child, NULL, 0);
	else
		error = saved;
	diag("can't execute '%s': %s", command[0], strerror(error));
	if (child < 0)
		return EXIT_TROUBLE;
	return error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANT_EXECUTE;
}

/* ---- Recording -------------------------------------------------------------------------------------------------------- */

struct recorder {
	const struct settings *settings;
	struct linux_load_source *source;
	struct linux_power *power;
	unsigned *id; /* of the processors that have a column */
	size_t ids;
	struct row_writer *writer;
	struct row_column *column;
	size_t columns;
	double *value;
	/* For the last line of the table: */
	struct load_meter *meter; /* total, then each processor */
	double *sum, *weight;     /* of the other columns */
	int64_t start_ns, last_ns, rows;
	bool is_terminal, is_unwritable;
};

static void add_column(
	struct recorder *recorder, const char *name, int decimals, const char *title, int table_decimals, double scale)
{
	struct row_column *const column = &recorder->column[recorder->columns++];
	*column = (struct row_column){.decimals = decimals, .table_decimals = table_decimals, .table_scale = scale};
	snprintf(column->name, sizeof column->name, "%s", name);
	snprintf(column->title, sizeof column->title, "%s", title);
}

static int make_columns(struct recorder *recorder)
{
	const bool *const asked = recorder->settings->column;
	const size_t most = 3 + recorder->ids + COLUMNS;
	recorder->column = calloc(most, sizeof *recorder->column);
	recorder->value = calloc(most, sizeof *recorder->value);
	recorder->sum = calloc(most, sizeof *recorder->sum);
	recorder->weight = calloc(most, sizeof *recorder->weight);
	recorder->meter = calloc(1 + recorder->ids, sizeof *recorder->meter);
	if (!recorder->column || !recorder->value || !recorder->sum || !recorder->weight || !recorder->meter)
		return -1;
	add_column(recorder, "time_s", 6, "", 0, 1);
	add_column(recorder, "monotonic_s", 6, "", 0, 1);
	add_column(recorder, "load", 6, "load %", 2, 100);
	for (size_t i = 0; i < recorder->ids; i++) {
		char name[32], title[16];
		snprintf(name, sizeof name, "load_cpu%u", recorder->id[i]);
		snprintf(title, sizeof title, "cpu%u %%", recorder->id[i]);
		add_column(recorder, name, 6, title, 2, 100);
	}
	if (asked[COLUMN_RUNQUEUE])
		add_column(recorder, "runqueue", 0, "runqueue", 0, 1);
	if (asked[COLUMN_STEAL])
		add_column(recorder, "steal", 6, "steal %", 2, 100);
	if (asked[COLUMN_FREQUENCY])
		add_column(recorder, "frequency_mhz", 1, "MHz", 0, 1);
	if (asked[COLUMN_POWER])
		add_column(recorder, "power_w", 3, "W", 1, 1);
	return 0;
}

/* Processors that get a column: those asked for, or all that are online now. */
static int choose_processors(struct recorder *recorder)
{
	const struct linux_load_reading *const now = linux_load_source_now(recorder->source);
	const struct sst_cpus *const cpus = recorder->settings->cpus;
	if (!recorder->settings->per_cpu)
		return 0;
	recorder->ids = cpus ? cpus->count : now->count;
	recorder->id = calloc(recorder->ids + 1, sizeof *recorder->id);
	if (!recorder->id)
		return -1;
	for (size_t i = 0; i < recorder->ids; i++)
		recorder->id[i] = cpus ? cpus->cpu[i] : now->cpu[i].id;
	return 0;
}

static double runqueue(const struct recorder *recorder)
{
	const struct linux_stat *const stat = &linux_load_source_now(recorder->source)->stat;
	if (!(stat->present & LINUX_STAT_RUNNING))
		return NAN;
	/* cpuload itself is running while it reads. */
	return stat->running > 0 ? (double)(stat->running - 1) : 0;
}

static double frequency(const struct recorder *recorder)
{
	const struct linux_load_reading *const now = linux_load_source_now(recorder->source);
	double sum = 0;
	size_t told = 0;
	for (size_t i = 0; i < now->count; i++) {
		const double mhz = linux_frequency_mean(recorder->settings->sysroot, &now->cpu[i].id, 1);
		if (!isnan(mhz)) {
			sum += mhz;
			told++;
		}
	}
	return told > 0 ? sum / (double)told : NAN;
}

/* Opens what the optional columns need, and says once what this machine lacks. */
static void open_columns(struct recorder *recorder)
{
	const struct settings *const settings = recorder->settings;
	const struct linux_stat *const stat = &linux_load_source_now(recorder->source)->stat;
	char error[LINUX_POWER_ERROR_MAX];
	if (settings->column[COLUMN_RUNQUEUE] && !(stat->present & LINUX_STAT_RUNNING))
		diag("column runqueue is unavailable: this kernel's /proc/stat has no procs_running");
	if (settings->column[COLUMN_STEAL] && !(stat->present & LINUX_STAT_STEAL))
		diag("column steal is unavailable: this kernel's /proc/stat doesn't count it");
	if (settings->column[COLUMN_FREQUENCY] && isnan(frequency(recorder)))
		diag("column frequency is unavailable: no processor has a cpufreq/scaling_cur_freq below "
		     "%s/sys/devices/system/cpu",
			settings->sysroot);
	if (settings->column[COLUMN_POWER]) {
		recorder->power = linux_power_open(settings->sysroot, settings->power_source, error);
		if (!recorder->power)
			diag("column power is unavailable: %s", error);
	}
}

static int complain_about_output(struct recorder *recorder)
{
	const char *const output = recorder->settings->output;
	diag("can't write %s: %s", output ? output : "standard output", strerror(errno));
	recorder->is_unwritable = true;
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

static int begin(struct recorder *recorder)
{
	const struct settings *const settings = recorder->settings;
	const unsigned processors = linux_load_source_now(recorder->source)->stat.processors;
	struct utsname system;
	char heading[1024], scope[512], interval[UNITS_TEXT_MAX];
	if (settings->pid)
		snprintf(scope, sizeof scope, "process %" PRId64 " and its descendants", settings->pid);
	else if (settings->cgroup)
		snprintf(scope, sizeof scope, "cgroup %.400s", settings->cgroup);
	else
		snprintf(scope, sizeof scope, "source %s",
			source_names[settings->source == SOURCE_UNSET ? SOURCE_IDLE : settings->source]);
	uname(&system);
	snprintf(heading, sizeof heading, "%s %s (%s), %u processor%s, %s, every %s", system.sysname, system.release,
		system.nodename, processors, processors == 1 ? "" : "s", scope,
		units_print_time(settings->interval_ns, interval));
	return row_writer_header(recorder->writer, heading) == 0 ? 0 : complain_about_output(recorder);
}

/* Takes a reading and writes the row from the last one to it. 0, or -1 after a complaint. */
static int add_row(struct recorder *recorder)
{
	const int64_t from_ns = recorder->last_ns;
	const int64_t when_ns = linux_load_source_when(recorder->source);
	const bool *const asked = recorder->settings->column;
	double *const value = recorder->value;
	struct sst_sample sample;
	size_t i = 0;
	value[i++] = (double)(when_ns - recorder->start_ns) / (double)NS_PER_S;
	value[i++] = (double)when_ns / (double)NS_PER_S;
	const unsigned processors = linux_load_source_now(recorder->source)->stat.processors;
	value[i++] = load_meter_add(&recorder->meter[0], linux_load_source_sample(recorder->source, &sample) ? &sample : NULL,
		linux_load_source_noise(recorder->source, processors));
	for (size_t cpu = 0; cpu < recorder->ids; cpu++)
		value[i++] = load_meter_add(&recorder->meter[1 + cpu],
			linux_load_source_sample_cpu(recorder->source, recorder->id[cpu], &sample) ? &sample : NULL,
			linux_load_source_noise(recorder->source, 1));
	const size_t first_other = i;
	if (asked[COLUMN_RUNQUEUE])
		value[i++] = runqueue(recorder);
	if (asked[COLUMN_STEAL])
		value[i++] = linux_load_source_steal(recorder->source);
	if (asked[COLUMN_FREQUENCY])
		value[i++] = frequency(recorder);
	if (asked[COLUMN_POWER])
		value[i++] = recorder->power ? linux_power_watts(recorder->power) : NAN;
	for (size_t other = first_other; other < i; other++) {
		if (isfinite(value[other])) {
			recorder->sum[other] += value[other] * (double)(when_ns - from_ns);
			recorder->weight[other] += (double)(when_ns - from_ns);
		}
	}
	recorder->last_ns = when_ns;
	recorder->rows++;
	char label[32];
	time_of_day(label, sizeof label);
	return row_writer_row(recorder->writer, label, value) == 0 ? 0 : complain_about_output(recorder);
}

/* The means over all rows, of which a table has a line. */
static int end(struct recorder *recorder)
{
	if (recorder->settings->format != ROW_TABLE || recorder->rows == 0)
		return 0;
	for (size_t i = 2; i < recorder->columns; i++)
		recorder->value[i] = i <= 2 + recorder->ids    ? load_meter_mean(&recorder->meter[i - 2])
				     : recorder->weight[i] > 0 ? recorder->sum[i] / recorder->weight[i]
							       : NAN;
	return row_writer_row(recorder->writer, "Average", recorder->value) == 0 ? 0 : complain_about_output(recorder);
}

/* ---- Life ------------------------------------------------------------------------------------------------------------- */

struct life {
	struct recorder *recorder;
	const struct signals *signals;
	pid_t command; /* 0: none, or it has ended */
	int status;    /* to exit with */
	bool is_over;  /* a signal, or the end of the command */
};

static void reap(struct life *life)
{
	int wait_status;
	if (life->command <= 0 || waitpid(life->command, &wait_status, WNOHANG) != life->command)
		return;
	life->command = 0;
	life->is_over = true;
	life->status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

static void handle(struct life *life, const siginfo_t *info)
{
	const bool is_of_terminal = info->si_code > 0;
	/* Behind the ^C that the terminal shows. What comes next fails too if this does. */
	if (info->si_signo == SIGINT && is_of_terminal && life->recorder->is_terminal)
		row_writer_line(life->recorder->writer, "");
	if (info->si_signo == SIGCHLD) {
		reap(life);
	} else if (!life->recorder->settings->command) {
		life->is_over = true;
	} else if (life->command > 0 && !is_of_terminal) {
		/* One of the terminal has reached the command already: it is in the same process group. */
		kill(life->command, info->si_signo);
	}
}

/* Waits for a signal until that moment (INT64_MAX: for ever) and handles it. */
static void wait_until(struct life *life, int64_t when_ns)
{
	siginfo_t info;
	const int64_t left_ns = when_ns - clock_now();
	const struct timespec left = {
		.tv_sec = left_ns > 0 ? left_ns / NS_PER_S : 0, .tv_nsec = left_ns > 0 ? left_ns % NS_PER_S : 0};
	if (sigtimedwait(&life->signals->fetched, &info, when_ns == INT64_MAX ? NULL : &left) > 0)
		handle(life, &info);
}

/* Waits until then, or until it is over; meanwhile looks after counters that wrap around. */
static void rest(struct life *life, int64_t deadline_ns)
{
	struct linux_power *const power = life->recorder->power;
	int64_t poll_ns = power ? clock_now() + LINUX_POWER_POLL_NS : INT64_MAX;
	/* Signals are looked for at least once, also when rows take longer than the interval. */
	do {
		wait_until(life, deadline_ns < poll_ns ? deadline_ns : poll_ns);
		if (power && clock_now() >= poll_ns) {
			linux_power_poll(power);
			poll_ns += LINUX_POWER_POLL_NS;
		}
	} while (!life->is_over && clock_now() < deadline_ns);
}

/* Records until it is over. 0, or -1 after a complaint. */
static int record(struct life *life)
{
	struct recorder *const recorder = life->recorder;
	const int64_t interval_ns = recorder->settings->interval_ns, count = recorder->settings->count;
	while (!life->is_over && (count == 0 || recorder->rows < count)) {
		const int64_t passed = (recorder->last_ns - recorder->start_ns) / interval_ns;
		rest(life, recorder->start_ns + (passed + 1) * interval_ns);
		if (life->is_over && clock_now() - recorder->last_ns < LAST_ROW_LEAST)
			return 0;
		if (linux_load_source_read(recorder->source) != 0) {
			diag("can't read the load: %s", strerror(errno));
			return -1;
		}
		const bool has_ended = life->command <= 0 && linux_load_source_has_ended(recorder->source);
		struct sst_sample sample;
		if (has_ended && !linux_load_source_sample(recorder->source, &sample))
			return 0;
		if (add_row(recorder) != 0)
			return -1;
		if (has_ended)
			return 0;
	}
	return 0;
}

static int run(struct recorder *recorder)
{
	const struct settings *const settings = recorder->settings;
	struct signals signals = {0};
	struct life life = {.recorder = recorder, .signals = &signals};
	take_signals(&signals, settings->command != NULL);
	if (begin(recorder) != 0)
		return EXIT_TROUBLE;
	if (linux_load_source_read(recorder->source) != 0) {
		diag("can't read the load: %s", strerror(errno));
		return EXIT_TROUBLE;
	}
	if (recorder->power)
		linux_power_watts(recorder->power);
	recorder->start_ns = recorder->last_ns = linux_load_source_when(recorder->source);
	if (settings->command) {
		const int status = start_command(settings->command, &signals, &life.command);
		if (status != 0)
			return status;
	}
	int result = record(&life);
	if (result == 0)
		result = end(recorder);
	/* The command is never left alone, even when nothing more is recorded. */
	while (life.command > 0) {
		wait_until(&life, INT64_MAX);
		reap(&life);
	}
	return result == 0 ? life.status : EXIT_TROUBLE;
}

static int open_output(struct settings *settings)
{
	int fd = STDOUT_FILENO;
	if (settings->output)
		fd = open(settings->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		diag("can't create %s: %s", settings->output, strerror(errno));
	else if (settings->format == FORMAT_UNSET)
		settings->format = isatty(fd) ? ROW_TABLE : ROW_CSV;
	return fd;
}

static struct linux_load_source *open_source(const struct settings *settings)
{
	static const enum linux_load_kind kinds[] = {[SOURCE_IDLE] = LINUX_LOAD_KIND_IDLE,
		[SOURCE_TICKS] = LINUX_LOAD_KIND_TICKS,
		[SOURCE_CPUACCT] = LINUX_LOAD_KIND_CPUACCT,
		[SOURCE_UNSET] = LINUX_LOAD_KIND_IDLE};
	const struct linux_load_settings wanted = {
		.root = settings->sysroot,
		.kind = settings->pid      ? LINUX_LOAD_KIND_TREE
			: settings->cgroup ? LINUX_LOAD_KIND_CGROUP
					   : kinds[settings->source],
		.cpus = settings->cpus,
		.per_cpu = settings->per_cpu,
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

static int cpuload(struct settings *settings)
{
	int status = EXIT_TROUBLE;
	struct recorder recorder = {.settings = settings};
	recorder.source = open_source(settings);
	if (!recorder.source)
		return status;
	const int output = open_output(settings);
	if (output < 0)
		goto out;
	recorder.is_terminal = isatty(output);
	open_columns(&recorder);
	if (choose_processors(&recorder) != 0 || make_columns(&recorder) != 0)
		goto no_memory;
	recorder.writer = row_writer_new(output, (enum row_format)settings->format, recorder.column, recorder.columns);
	if (!recorder.writer)
		goto no_memory;
	status = run(&recorder);
	if (settings->output && close(output) != 0 && !recorder.is_unwritable) {
		complain_about_output(&recorder);
		status = EXIT_TROUBLE;
	}
	goto out;
no_memory:
	diag("%s", strerror(errno));
out:
	row_writer_free(recorder.writer);
	free(recorder.column);
	free(recorder.value);
	free(recorder.sum);
	free(recorder.weight);
	free(recorder.meter);
	free(recorder.id);
	linux_power_close(recorder.power);
	linux_load_source_close(recorder.source);
	return status;
}

/* Prints what was asked for instead of working. */
static int print_information(int what)
{
	if (what == HELP)
		print_help();
	else
		printf("cpuload %s\n", version_text);
	if (fflush(stdout) == 0)
		return 0;
	diag("can't write standard output: %s", strerror(errno));
	return EXIT_TROUBLE;
}

int main(int count, char **arguments)
{
	struct settings settings = {
		.interval_ns = INTERVAL_DEFAULT, .source = SOURCE_UNSET, .format = FORMAT_UNSET, .sysroot = ""};
	int status = EXIT_TROUBLE, end_of_options;
	bool is_command;
	diag_name("cpuload");
	const int what = parse_options(count, arguments, &settings, &end_of_options, &is_command);
	if (what == HELP || what == VERSION)
		status = print_information(what);
	else if (what == 0 && parse_words(arguments + end_of_options, is_command, &settings) == 0 &&
		 check_settings(&settings) == 0)
		status = cpuload(&settings);
	free(settings.cpus);
	return status;
}
