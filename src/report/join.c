/* SPDX-License-Identifier: MIT */
#include "report/join.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

/* A drift of this is worth a warning where there is no log, whose rows say what is. */
#define ROW_DEFAULT 0.5

static int no_memory(char error[static CSV_ERROR_MAX])
{
	snprintf(error, CSV_ERROR_MAX, "%s", strerror(errno));
	return -1;
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
	snprintf(error, CSV_ERROR_MAX, "%.300s: found no value in a column " LOG_WALL ", expected some for --join wall",
		file->path);
	return -1;
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
			if (!log->clock.is_known) {
				snprintf(error, CSV_ERROR_MAX,
					"%.300s: found no value in a column " LOG_WALL ", expected some for --power", log->name);
				return -1;
			}
			const long rows =
				report_meter_fill(&power->meter, log, offset_of(input, &file) - offset_of(input, &meter));
			if (rows < 0)
				return no_memory(error);
			warn_if_set(input, log);
			known += rows;
		}
	}
	if (known > 0)
		return 0;
	if (last)
		snprintf(error, CSV_ERROR_MAX, "%.200s: found no reading at the time of %.200s, expected some", power->path,
			last->name);
	else
		snprintf(error, CSV_ERROR_MAX, "%.200s: found no log%s%.*s%s to join this power to", power->path,
			power->label ? " of the label '" : "", power->label ? (int)power->length : 0,
			power->label ? power->label : "", power->label ? "'" : "");
	return -1;
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
			snprintf(error, CSV_ERROR_MAX,
				"%.150s: found iterations at the time of both %.100s and %.100s, expected labels that say to "
				"which they "
				"belong",
				word->path, home->log->name, run->log->name);
			return NULL;
		}
		home = run;
	}
	if (!home)
		snprintf(error, CSV_ERROR_MAX, "%.200s: found iterations at the time of none of the logs", word->path);
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
		return no_memory(error);
	const double shift = shift_of(input, &run->reference, &file);
	for (size_t i = 0; i < iterations->count; i++)
		larger[all->count + i] = (struct report_iteration){.start = report_clock_move(iterations->item[i].start, shift),
			.end = report_clock_move(iterations->item[i].end, shift)};
	all->item = larger;
	all->count = all->capacity = count;
	if (report_iterations_add_gaps(all, iterations, shift) != 0)
		return no_memory(error);
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
				!report_runs_add(input, loose > 1 ? strdup("all") : report_runs_name(word->path, true)))
				return no_memory(error);
			word->run = together;
		}
		if (join(input, &input->run[word->run], word, error) != 0)
			return -1;
	}
	return 0;
}

/* ---- All of it -------------------------------------------------------------------------------------------------------- */

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
		snprintf(error, CSV_ERROR_MAX, "--offset: found neither a file '%.*s' nor a label of iterations",
			offset->length < 300 ? (int)offset->length : 300, offset->name);
		return -1;
	}
	return 0;
}

int report_join_files(struct report_input *input, char error[static CSV_ERROR_MAX])
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
