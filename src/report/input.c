/* SPDX-License-Identifier: MIT */
#include "report/input.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"

/* ---- Words ------------------------------------------------------------------------------------------------------------ */

void report_input_label(struct report_input *input, const char *label)
{
	if (!input->empty)
		input->empty = report_input_empty_label(input);
	input->label = label;
	input->groups++;
	input->is_used = false;
}

const char *report_input_empty_label(const struct report_input *input)
{
	return input->empty ? input->empty : input->is_used ? NULL : input->label;
}

void report_input_files(const struct report_input *input, struct file_uses *uses)
{
	static const char what[] = "one of the files to read";
	for (size_t i = 0; i < input->words; i++) {
		if (strcmp(input->word[i].path, "-") == 0)
			file_uses_add_standard(uses, STDIN_FILENO);
		else
			file_uses_add(uses, FILE_IS_READ, what, input->word[i].path);
	}
	for (size_t i = 0; i < input->powers; i++)
		file_uses_add(uses, FILE_IS_READ, what, input->power[i].path);
}

const char *report_input_text(const struct report_input *input, size_t word)
{
	return input->word[word].text;
}

/* Where the path in LABEL=FILE begins, or NULL when the word is no more than a path: a label has no slash. */
static const char *find_path(const char *word)
{
	const size_t length = strcspn(word, "=/");
	return length > 0 && word[length] == '=' ? word + length + 1 : NULL;
}

int report_input_file(struct report_input *input, const char *text)
{
	struct report_word *const larger = realloc(input->word, (input->words + 1) * sizeof *larger);
	if (!larger)
		return -1;
	input->word = larger;
	struct report_word *const word = &larger[input->words++];
	*word = (struct report_word){.text = text, .path = text, .label = input->label, .group = input->groups};
	if (find_path(text)) {
		word->path = find_path(text);
		word->group = 0;
	} else {
		input->is_used = true;
	}
	return 0;
}

void report_input_power(struct report_input *input, const char *word)
{
	const char *const path = find_path(word);
	struct report_power *const power = &input->power[input->powers++];
	*power = (struct report_power){.path = path ? path : word};
	if (path) {
		power->label = word;
		power->length = (size_t)(path - word) - 1;
	}
}

/* ---- Runs ------------------------------------------------------------------------------------------------------------- */

/* Another run, which owns the label. NULL with errno (also for a label that is NULL). */
static struct report_run *add_run(struct report_input *input, char *label)
{
	struct report_run *const larger = label ? realloc(input->run, (input->runs + 1) * sizeof *larger) : NULL;
	if (!larger) {
		free(label);
		return NULL;
	}
	input->run = larger;
	larger[input->runs] = (struct report_run){.label = label};
	return &larger[input->runs++];
}

/* The run that a word's label asks for; a new one for a log without a label. NULL with errno. */
static struct report_run *find_run(struct report_input *input, const struct report_word *word)
{
	const bool has_own = word->path != word->text;
	const size_t length = has_own ? (size_t)(word->path - word->text) - 1 : 0;
	for (size_t i = 0; i < input->runs; i++) {
		struct report_run *const run = &input->run[i];
		if (has_own ? run->is_labelled && run->group == 0 && strlen(run->label) == length &&
					memcmp(run->label, word->text, length) == 0
			    : word->group > 0 && run->group == word->group)
			return run;
	}
	struct report_run *const run =
		add_run(input, has_own ? strndup(word->text, length) : strdup(word->group ? word->label : ""));
	if (run) {
		run->is_labelled = has_own || word->group > 0;
		run->group = word->group;
	}
	return run;
}

/* ---- Names ------------------------------------------------------------------------------------------------------------ */

char *report_runs_name(const char *path, bool is_short)
{
	const char *const slash = is_short ? strrchr(path, '/') : NULL;
	const char *const start = slash && slash[1] ? slash + 1 : path;
	const size_t length = strlen(start);
	if (strcmp(start, "-") == 0)
		return strdup("stdin");
	return strndup(start, length > 4 && strcmp(start + length - 4, ".csv") == 0 ? length - 4 : length);
}

/* A drift of this is worth a warning where there is no log, whose rows say what is. */
#define ROW_DEFAULT 0.5

/* Of the file that a run without a label is called by, or NULL. */
static const char *file_of(const struct report_run *run)
{
	return run->logs > 0 ? run->log->name : run->traces > 0 ? run->trace->name : NULL;
}

/* Logs and traces without a label are called by their names, with folders where two have the same one. */
static int name_runs(struct report_input *input)
{
	for (size_t i = 0; i < input->runs; i++) {
		struct report_run *const run = &input->run[i];
		if (run->is_labelled || !file_of(run))
			continue;
		bool is_short = true;
		for (size_t other = 0; other < input->runs && is_short; other++) {
			if (other == i || input->run[other].is_labelled || !file_of(&input->run[other]))
				continue;
			char *const mine = report_runs_name(file_of(run), true);
			char *const its = report_runs_name(file_of(&input->run[other]), true);
			is_short = mine && its && strcmp(mine, its) != 0;
			free(mine);
			free(its);
		}
		char *const name = report_runs_name(file_of(run), is_short);
		if (!name)
			return -1;
		free(run->label);
		run->label = name;
	}
	return 0;
}

/* ---- Files ------------------------------------------------------------------------------------------------------------ */

static int refuse_columns(const struct csv *csv, const char *name, char error[static CSV_ERROR_MAX])
{
	char columns[160];
	return csv_fail(error,
		"%.160s:1: found the columns %s, expected those of a log (time_s,load and others) or of iterations "
		"(start_s,end_s)",
		name, csv_print_columns(csv, columns, sizeof columns));
}

static int read_log(struct report_run *run, struct csv *csv, const char *name, char error[static CSV_ERROR_MAX])
{
	struct report_log *const larger = realloc(run->log, (run->logs + 1) * sizeof *larger);
	if (!larger)
		return csv_fail(error, "%s", strerror(errno));
	run->log = larger;
	struct report_log *const log = &larger[run->logs++];
	if (report_log_read(log, csv, name, error) != 0)
		return -1;
	if (report_gaps_fill(log) != 0)
		return csv_fail(error, "%s", strerror(errno));
	if (log->is_cut)
		diag("%s: the last line is not whole and is left out", name);
	const struct report_gaps gaps = report_gaps_measure(log);
	if (gaps.unknown > 0 && gaps.unknown < gaps.whole)
		diag("%s: %.3f s of %.3f s have no load, as rows are missing or without one, and are left out", name,
			gaps.unknown, gaps.whole);
	return 0;
}

static int read_iterations(
	struct report_input *input, struct report_word *word, struct csv *csv, const char *name, char error[static CSV_ERROR_MAX])
{
	bool is_cut;
	word->is_iterations = true;
	word->is_loose = word->group == 0 && word->path == word->text;
	if (!word->is_loose) {
		const struct report_run *const run = find_run(input, word);
		if (!run)
			return csv_fail(error, "%s", strerror(errno));
		word->run = (size_t)(run - input->run);
	}
	if (report_iterations_read(&word->iterations, csv, name, &is_cut, error) != 0)
		return -1;
	if (is_cut)
		diag("%s: the last line is not whole and is left out", name);
	const double missing = report_iterations_missing(&word->iterations);
	if (missing > 0)
		diag("%s: the iterations of %.3f s are missing; this time is left out", name, missing);
	const size_t failed = word->iterations.failed;
	if (failed > 0)
		diag("%s: %zu of %zu iterations failed, and are left out", name, failed, failed + word->iterations.count);
	return 0;
}

static int read_trace(struct report_input *input, const struct report_word *word, char error[static CSV_ERROR_MAX])
{
	struct report_run *const run = find_run(input, word);
	return run ? report_trace_add(&run->trace, &run->traces, word->path, error) : csv_fail(error, "%s", strerror(errno));
}

static int read_file(struct report_input *input, struct report_word *word, char error[static CSV_ERROR_MAX])
{
	const char *const name = strcmp(word->path, "-") == 0 ? "standard input" : word->path;
	int result = -1;
	if (input->takes_traces && report_trace_is(word->path))
		return read_trace(input, word, error);
	struct csv *const csv = csv_open(word->path, name, error);
	if (!csv)
		return -1;
	const bool is_log = report_log_is(csv);
	if (!is_log && !report_iterations_is(csv)) {
		result = refuse_columns(csv, name, error);
	} else if (!is_log && input->logs_only) {
		result = 0;
	} else if (!is_log) {
		result = read_iterations(input, word, csv, name, error);
	} else {
		struct report_run *const run = find_run(input, word);
		result = run ? read_log(run, csv, word->path, error) : csv_fail(error, "%s", strerror(errno));
	}
	csv_close(csv);
	return result;
}

static int read_power(struct report_power *power, char error[static CSV_ERROR_MAX])
{
	struct csv *const csv = csv_open(power->path, power->path, error);
	const int result = csv ? report_meter_read(&power->meter, csv, power->path, error) : -1;
	if (result == 0 && power->meter.is_cut)
		diag("%s: the last line is not whole and is left out", power->path);
	csv_close(csv);
	return result;
}

/* ---- Clocks ----------------------------------------------------------------------------------------------------------- */

/* As --offset knows it, for iterations. */
static const char *label_of(const struct report_run *run)
{
	return run->is_labelled ? run->label : NULL;
}

/* A file that is to be joined to others. */
struct file {
	const char *path;
	const char *label; /* where it moves the file; or NULL */
	const struct report_clock *clock;
};

static bool is_of(const struct report_offset *offset, const struct file *file)
{
	char name[PATH_MAX];
	const char *const slash = strrchr(file->path, '/');
	if (offset->length >= sizeof name)
		return false;
	memcpy(name, offset->name, offset->length);
	name[offset->length] = '\0';
	return strcmp(name, file->path) == 0 || fnmatch(name, file->path, 0) == 0 ||
	       (slash && fnmatch(name, slash + 1, 0) == 0) || (file->label && strcmp(name, file->label) == 0);
}

/* The last one on the command line that is of the file. */
static double offset_of(const struct report_input *input, const struct file *file)
{
	double seconds = 0;
	for (size_t i = 0; i < input->offsets; i++)
		if (is_of(&input->offset[i], file))
			seconds = input->offset[i].seconds;
	return seconds;
}

static int check_clock(const struct report_input *input, const struct file *file, char error[static CSV_ERROR_MAX])
{
	if (input->join != REPORT_JOIN_WALL || file->clock->is_known)
		return 0;
	return csv_fail(error, "%.300s: found no value in a column " LOG_WALL ", expected some for --join wall", file->path);
}

#define SET_WARNING "warning: the wall clock of %s was set by %+.3f s in the run; it is joined as it mostly was"

/* Where the wall clock joins them it should go as evenly as the other clock does. Told once. */
static void warn(struct report_input *input, const struct report_reference *reference, const struct file *file)
{
	const double moved = report_clock_moved(file->clock);
	const double apart = moved - report_clock_moved(&reference->clock);
	if (input->has_warned || !report_clock_needs_wall(input->join, file->clock, &reference->clock))
		return;
	input->has_warned = true;
	if (fabs(apart) > reference->row)
		diag("warning: the clocks of %s and %s drifted apart by %.3f s in the run; they are joined as they mostly were",
			reference->name, file->path, fabs(apart));
	else if (fabs(moved) > reference->row)
		diag(SET_WARNING, file->path, moved);
	else
		input->has_warned = false;
}

/* What is to be added to the times of a file so that they are of the run's clock. */
static double shift_of(const struct report_input *input, const struct report_reference *reference, const struct file *file)
{
	return report_clock_shift(input->join, file->clock, &reference->clock) + offset_of(input, file) - reference->offset;
}

static void set_reference(const struct report_input *input, struct report_run *run, const struct file *file, double row)
{
	run->reference = (struct report_reference){
		.name = file->path, .clock = *file->clock, .offset = offset_of(input, file), .row = row};
}

/* ---- Power ------------------------------------------------------------------------------------------------------------ */

static bool is_for(const struct report_power *power, const struct report_run *run)
{
	return !power->label ||
	       (run->is_labelled && strlen(run->label) == power->length && memcmp(run->label, power->label, power->length) == 0);
}

static void warn_if_set(struct report_input *input, const struct report_log *log)
{
	const double moved = report_clock_moved(&log->clock);
	if (input->has_warned || fabs(moved) <= log->interval)
		return;
	input->has_warned = true;
	diag(SET_WARNING, log->name, moved);
}

/* Fills the power of the logs that a meter is for. */
static int fill_power(struct report_input *input, struct report_power *power, char error[static CSV_ERROR_MAX])
{
	const struct file meter = {.path = power->path};
	const struct report_log *last = NULL;
	long known = 0;
	for (size_t i = 0; i < input->runs; i++) {
		for (size_t at = 0; at < input->run[i].logs && is_for(power, &input->run[i]); at++) {
			struct report_log *const log = &input->run[i].log[at];
			const struct file file = {.path = log->name};
			last = log;
			if (!log->clock.is_known)
				return csv_fail(error,
					"%.300s: found no value in a column " LOG_WALL ", expected some for --power", log->name);
			const long rows =
				report_meter_fill(&power->meter, log, offset_of(input, &file) - offset_of(input, &meter));
			if (rows < 0)
				return csv_fail(error, "%s", strerror(errno));
			warn_if_set(input, log);
			known += rows;
		}
	}
	if (known > 0)
		return 0;
	if (last)
		return csv_fail(error, "%.200s: found no reading at the time of %.200s, expected some", power->path, last->name);
	return csv_fail(error, "%.200s: found no log%s%.*s%s to join this power to", power->path,
		power->label ? " of the label '" : "", power->label ? (int)power->length : 0, power->label ? power->label : "",
		power->label ? "'" : "");
}

/* ---- Logs ------------------------------------------------------------------------------------------------------------- */

static int align_logs(struct report_input *input, struct report_run *run, char error[static CSV_ERROR_MAX])
{
	for (size_t i = 0; i < run->logs; i++) {
		struct report_log *const log = &run->log[i];
		const struct file file = {.path = log->name, .clock = &log->clock};
		if (check_clock(input, &file, error) != 0)
			return -1;
		if (i == 0)
			set_reference(input, run, &file, log->interval);
		const double shift = shift_of(input, &run->reference, &file);
		for (size_t row = 0; log->monotonic && row < log->count; row++)
			log->monotonic[row] = report_clock_move(log->monotonic[row], shift);
		warn(input, &run->reference, &file);
	}
	return 0;
}

/* ---- Loose iteration files -------------------------------------------------------------------------------------------- */

static bool overlaps(const struct report_run *run, const struct report_iteration *span)
{
	for (size_t i = 0; i < run->logs; i++) {
		const struct report_log *const log = &run->log[i];
		if (log->monotonic && span->start <= log->monotonic[log->count - 1] &&
			span->end >= report_log_monotonic(log, report_log_start(log, 0)))
			return true;
	}
	return false;
}

static bool is_at_home(const struct report_input *input, const struct report_run *run, const struct report_word *word)
{
	const struct file file = {.path = word->path, .label = label_of(run), .clock = &word->iterations.clock};
	const double shift = shift_of(input, &run->reference, &file);
	struct report_iteration span = report_iterations_span(&word->iterations);
	span.start += shift;
	span.end += shift;
	return overlaps(run, &span);
}

/* The run that iterations without a label belong to. NULL with a message. */
static struct report_run *find_home(
	struct report_input *input, const struct report_word *word, size_t homes, char error[static CSV_ERROR_MAX])
{
	struct report_run *home = NULL;
	for (size_t i = 0; i < input->runs; i++) {
		struct report_run *const run = &input->run[i];
		if (run->logs == 0 || (homes > 1 && !is_at_home(input, run, word)))
			continue;
		if (home) {
			csv_fail(error,
				"%.150s: found iterations at the time of both %.100s and %.100s, expected labels that say to "
				"which they "
				"belong",
				word->path, home->log->name, run->log->name);
			return NULL;
		}
		home = run;
	}
	if (!home)
		csv_fail(error, "%.200s: found iterations at the time of none of the logs", word->path);
	return home;
}

/* Adds a file's iterations to those of a run, as times of its clock. */
static int join(struct report_input *input, struct report_run *run, struct report_word *word, char error[static CSV_ERROR_MAX])
{
	struct report_iterations *const iterations = &word->iterations;
	struct report_iterations *const all = &run->iterations;
	const size_t count = all->count + iterations->count;
	const struct file file = {.path = word->path, .label = label_of(run), .clock = &iterations->clock};
	run->iteration_files++;
	if (iterations->count == 0 && iterations->gaps == 0)
		return 0;
	if (check_clock(input, &file, error) != 0)
		return -1;
	if (!run->reference.name)
		set_reference(input, run, &file, ROW_DEFAULT);
	struct report_iteration *const larger = realloc(all->item, (count + 1) * sizeof *larger);
	if (!larger)
		return csv_fail(error, "%s", strerror(errno));
	const double shift = shift_of(input, &run->reference, &file);
	for (size_t i = 0; i < iterations->count; i++)
		larger[all->count + i] = (struct report_iteration){.start = report_clock_move(iterations->item[i].start, shift),
			.end = report_clock_move(iterations->item[i].end, shift)};
	all->item = larger;
	all->count = all->capacity = count;
	if (report_iterations_add_gaps(all, iterations, shift) != 0)
		return csv_fail(error, "%s", strerror(errno));
	warn(input, &run->reference, &file);
	report_iterations_free(iterations);
	return 0;
}

static int find_homes(struct report_input *input, char error[static CSV_ERROR_MAX])
{
	size_t homes = 0;
	size_t loose = 0;
	size_t together = input->runs; /* index of the run of iterations without any log */
	for (size_t i = 0; i < input->runs; i++)
		homes += input->run[i].logs > 0;
	for (size_t i = 0; i < input->words; i++)
		loose += input->word[i].is_loose;
	for (size_t i = 0; i < input->words; i++) {
		struct report_word *const word = &input->word[i];
		if (!word->is_loose)
			continue;
		/* A workload that finished nothing has an empty file, whose time nobody knows. */
		if (homes > 1 && word->iterations.count == 0)
			continue;
		if (homes > 0) {
			const struct report_run *const home = find_home(input, word, homes, error);
			if (!home)
				return -1;
			word->run = (size_t)(home - input->run);
		} else {
			if (together == input->runs &&
				!add_run(input, loose > 1 ? strdup("all") : report_runs_name(word->path, true)))
				return csv_fail(error, "%s", strerror(errno));
			word->run = together;
		}
		if (join(input, &input->run[word->run], word, error) != 0)
			return -1;
	}
	return 0;
}

/* ---- Offsets ---------------------------------------------------------------------------------------------------------- */

static bool has_file_of(const struct report_input *input, const struct report_offset *offset)
{
	for (size_t i = 0; i < input->words; i++) {
		const struct report_word *const word = &input->word[i];
		const struct file file = {
			.path = word->path, .label = word->is_iterations ? label_of(&input->run[word->run]) : NULL};
		if (is_of(offset, &file))
			return true;
	}
	for (size_t i = 0; i < input->powers; i++)
		if (is_of(offset, &(struct file){.path = input->power[i].path}))
			return true;
	return false;
}

static int check_offsets(const struct report_input *input, char error[static CSV_ERROR_MAX])
{
	for (size_t i = 0; i < input->offsets; i++) {
		const struct report_offset *const offset = &input->offset[i];
		if (has_file_of(input, offset))
			continue;
		return csv_fail(error, "--offset: found neither a file '%.*s' nor a label of iterations",
			offset->length < 300 ? (int)offset->length : 300, offset->name);
	}
	return 0;
}

/*
 * Makes all times of a run those of one clock, finds the runs of iterations without a label, and puts all iterations into their runs. 0, or -1
 * with a message.
 */
static int join_files(struct report_input *input, char error[static CSV_ERROR_MAX])
{
	for (size_t i = 0; i < input->powers; i++)
		if (fill_power(input, &input->power[i], error) != 0)
			return -1;
	for (size_t i = 0; i < input->runs; i++)
		if (align_logs(input, &input->run[i], error) != 0)
			return -1;
	for (size_t i = 0; i < input->words; i++) {
		struct report_word *const word = &input->word[i];
		if (word->is_iterations && !word->is_loose && join(input, &input->run[word->run], word, error) != 0)
			return -1;
	}
	if (find_homes(input, error) != 0)
		return -1;
	return check_offsets(input, error);
}

/* ---- All of it -------------------------------------------------------------------------------------------------------- */

int report_input_read(struct report_input *input, char error[static CSV_ERROR_MAX])
{
	for (size_t i = 0; i < input->words; i++)
		if (read_file(input, &input->word[i], error) != 0)
			return -1;
	for (size_t i = 0; i < input->powers; i++)
		if (read_power(&input->power[i], error) != 0)
			return -1;
	if (join_files(input, error) != 0)
		return -1;
	return name_runs(input) == 0 ? 0 : csv_fail(error, "%s", strerror(errno));
}

void report_input_free(struct report_input *input)
{
	for (size_t i = 0; i < input->runs; i++) {
		struct report_run *const run = &input->run[i];
		for (size_t log = 0; log < run->logs; log++)
			report_log_free(&run->log[log]);
		free(run->log);
		for (size_t trace = 0; trace < run->traces; trace++)
			trace_free(&run->trace[trace].trace);
		free(run->trace);
		free(run->label);
		report_iterations_free(&run->iterations);
	}
	for (size_t i = 0; i < input->words; i++)
		report_iterations_free(&input->word[i].iterations);
	for (size_t i = 0; i < input->powers; i++)
		report_meter_free(&input->power[i].meter);
	free(input->run);
	free(input->word);
	*input = (struct report_input){0};
}
