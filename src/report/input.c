/* SPDX-License-Identifier: MIT */
#include "report/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "report/gaps.h"
#include "report/join.h"

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
		report_runs_add(input, has_own ? strndup(word->text, length) : strdup(word->group ? word->label : ""));
	if (run) {
		run->is_labelled = has_own || word->group > 0;
		run->group = word->group;
	}
	return run;
}

/* ---- Names ------------------------------------------------------------------------------------------------------------ */

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
			char *const mine = report_runs_name(run->log->name, true);
			char *const its = report_runs_name(input->run[other].log->name, true);
			is_short = mine && its && strcmp(mine, its) != 0;
			free(mine);
			free(its);
		}
		char *const name = report_runs_name(run->log->name, is_short);
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
	if (report_gaps_fill(log) != 0)
		return no_memory(error);
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
			return no_memory(error);
		word->run = (size_t)(run - input->run);
	}
	if (report_iterations_read(&word->iterations, csv, name, &is_cut, error) != 0)
		return -1;
	if (is_cut)
		diag("%s: the last line is not whole and is left out", name);
	const double missing = report_iterations_missing(&word->iterations);
	if (missing > 0)
		diag("%s: the iterations of %.3f s are missing; this time is left out", name, missing);
	return 0;
}

static int read_file(struct report_input *input, struct report_word *word, char error[static CSV_ERROR_MAX])
{
	const char *const name = strcmp(word->path, "-") == 0 ? "standard input" : word->path;
	int result = -1;
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
		result = run ? read_log(run, csv, word->path, error) : no_memory(error);
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

/* ---- All of it -------------------------------------------------------------------------------------------------------- */

int report_input_read(struct report_input *input, char error[static CSV_ERROR_MAX])
{
	for (size_t i = 0; i < input->words; i++)
		if (read_file(input, &input->word[i], error) != 0)
			return -1;
	for (size_t i = 0; i < input->powers; i++)
		if (read_power(&input->power[i], error) != 0)
			return -1;
	if (report_join_files(input, error) != 0)
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
	for (size_t i = 0; i < input->powers; i++)
		report_meter_free(&input->power[i].meter);
	free(input->run);
	free(input->word);
	*input = (struct report_input){0};
}
