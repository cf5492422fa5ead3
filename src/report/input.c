/* SPDX-License-Identifier: MIT */
#include "report/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

/* A file as the command line names it. */
struct report_word {
	const char *text;  /* the whole word */
	const char *path;  /* the file in it */
	const char *label; /* of --label, or NULL */
	size_t group;      /* which --label, from 1; 0: none */
	/* After reading, for iteration files of which it is not clear yet to which run they belong: */
	bool is_loose;
	struct report_iterations iterations;
};

static int no_memory(char error[static CSV_ERROR_MAX])
{
	snprintf(error, CSV_ERROR_MAX, "%s", strerror(errno));
	return -1;
}

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

bool report_input_has(const struct report_input *input, const struct stat *file)
{
	struct stat status;
	for (size_t i = 0; i < input->words; i++)
		if (stat(input->word[i].path, &status) == 0 && S_ISREG(status.st_mode) && status.st_dev == file->st_dev &&
			status.st_ino == file->st_ino)
			return true;
	return false;
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

/* ---- Runs ------------------------------------------------------------------------------------------------------------- */

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

/* A name without folders (where that is asked for) and without .csv. */
static char *make_name(const char *path, bool is_short)
{
	const char *const slash = is_short ? strrchr(path, '/') : NULL;
	const char *const start = slash && slash[1] ? slash + 1 : path;
	const size_t length = strlen(start);
	if (strcmp(start, "-") == 0)
		return strdup("stdin");
	return strndup(start, length > 4 && strcmp(start + length - 4, ".csv") == 0 ? length - 4 : length);
}

/* Logs without a label are called by their names, with folders where two have the same one. */
static int name_runs(struct report_input *input)
{
	for (size_t i = 0; i < input->runs; i++) {
		struct report_run *const run = &input->run[i];
		if (run->is_labelled || run->logs == 0)
			continue;
		bool is_short = true;
		for (size_t other = 0; other < input->runs && is_short; other++) {
			if (other == i || input->run[other].is_labelled || input->run[other].logs == 0)
				continue;
			char *const mine = make_name(run->log->name, true);
			char *const its = make_name(input->run[other].log->name, true);
			is_short = mine && its && strcmp(mine, its) != 0;
			free(mine);
			free(its);
		}
		char *const name = make_name(run->log->name, is_short);
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
	snprintf(error, CSV_ERROR_MAX,
		"%.160s:1: found the columns %s, expected those of a log (time_s,load and others) or of iterations "
		"(start_s,end_s)",
		name, csv_print_columns(csv, columns, sizeof columns));
	return -1;
}

static int read_log(struct report_run *run, struct csv *csv, const char *name, char error[static CSV_ERROR_MAX])
{
	struct report_log *const larger = realloc(run->log, (run->logs + 1) * sizeof *larger);
	if (!larger)
		return no_memory(error);
	run->log = larger;
	struct report_log *const log = &larger[run->logs++];
	if (report_log_read(log, csv, name, error) != 0)
		return -1;
	if (log->is_cut)
		diag("%s: the last line is not whole and is left out", name);
	return 0;
}

static int read_iterations(
	struct report_iterations *iterations, struct csv *csv, const char *name, char error[static CSV_ERROR_MAX])
{
	bool is_cut;
	if (report_iterations_read(iterations, csv, name, &is_cut, error) != 0)
		return -1;
	if (is_cut)
		diag("%s: the last line is not whole and is left out", name);
	return 0;
}

static int read_file(struct report_input *input, struct report_word *word, char error[static CSV_ERROR_MAX])
{
	const char *const name = strcmp(word->path, "-") == 0 ? "standard input" : word->path;
	const bool is_labelled = word->group > 0 || word->path != word->text;
	int result = -1;
	struct csv *const csv = csv_open(word->path, name, error);
	if (!csv)
		return -1;
	const bool is_log = report_log_is(csv);
	if (!is_log && !report_iterations_is(csv)) {
		result = refuse_columns(csv, name, error);
	} else if (!is_log && input->logs_only) {
		result = 0;
	} else if (!is_log && !is_labelled) {
		word->is_loose = true;
		result = read_iterations(&word->iterations, csv, name, error);
	} else {
		struct report_run *const run = find_run(input, word);
		if (!run)
			no_memory(error);
		else if (is_log)
			result = read_log(run, csv, word->path, error);
		else
			result = read_iterations(&run->iterations, csv, name, error);
		if (run)
			run->iteration_files += !is_log;
	}
	csv_close(csv);
	return result;
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

/* The run that iterations without a label belong to. NULL with a message. */
static struct report_run *find_home(
	struct report_input *input, const struct report_word *word, size_t homes, char error[static CSV_ERROR_MAX])
{
	struct report_run *home = NULL;
	struct report_iteration span = {0};
	if (word->iterations.count > 0)
		span = report_iterations_span(&word->iterations);
	for (size_t i = 0; i < input->runs; i++) {
		struct report_run *const run = &input->run[i];
		if (run->logs == 0 || (homes > 1 && !overlaps(run, &span)))
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

static int join(struct report_run *run, struct report_iterations *iterations)
{
	struct report_iterations *const all = &run->iterations;
	const size_t count = all->count + iterations->count;
	run->iteration_files++;
	if (iterations->count == 0)
		return 0;
	struct report_iteration *const larger = realloc(all->item, count * sizeof *larger);
	if (!larger)
		return -1;
	memcpy(larger + all->count, iterations->item, iterations->count * sizeof *larger);
	*all = (struct report_iterations){.item = larger, .count = count, .capacity = count};
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
		struct report_run *home = NULL;
		/* A workload that finished nothing has an empty file, whose time nobody knows. */
		if (!word->is_loose || (homes > 1 && word->iterations.count == 0))
			continue;
		if (homes > 0) {
			home = find_home(input, word, homes, error);
			if (!home)
				return -1;
		} else {
			if (together == input->runs && !add_run(input, loose > 1 ? strdup("all") : make_name(word->path, true)))
				return no_memory(error);
			home = &input->run[together];
		}
		if (join(home, &word->iterations) != 0)
			return no_memory(error);
	}
	return 0;
}

/* ---- All of it -------------------------------------------------------------------------------------------------------- */

int report_input_read(struct report_input *input, char error[static CSV_ERROR_MAX])
{
	for (size_t i = 0; i < input->words; i++)
		if (read_file(input, &input->word[i], error) != 0)
			return -1;
	if (find_homes(input, error) != 0)
		return -1;
	return name_runs(input) == 0 ? 0 : no_memory(error);
}

void report_input_free(struct report_input *input)
{
	for (size_t i = 0; i < input->runs; i++) {
		struct report_run *const run = &input->run[i];
		for (size_t log = 0; log < run->logs; log++)
			report_log_free(&run->log[log]);
		free(run->log);
		free(run->label);
		report_iterations_free(&run->iterations);
	}
	for (size_t i = 0; i < input->words; i++)
		report_iterations_free(&input->word[i].iterations);
	free(input->run);
	free(input->word);
	*input = (struct report_input){0};
}
