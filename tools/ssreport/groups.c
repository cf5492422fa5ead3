/* SPDX-License-Identifier: MIT */
#include "ssreport/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/diag.h"
#include "base/units.h"
#include "ssreport/parts.h"

/* Where a file has what is wanted; -1 where it has not. */
struct places {
	int column, second, label;
};

/* The group of that label, which is a new one where there is none. NULL after a message. */
static struct group *find_group(struct groups *groups, const char *label, size_t length)
{
	for (size_t i = 0; i < groups->count; i++)
		if (strlen(groups->item[i].label) == length && memcmp(groups->item[i].label, label, length) == 0)
			return &groups->item[i];
	struct group *const larger = realloc(groups->item, (groups->count + 1) * sizeof *larger);
	if (larger) {
		groups->item = larger;
		larger[groups->count] = (struct group){.label = strndup(label, length)};
		if (larger[groups->count].label)
			return &larger[groups->count++];
	}
	complain_about_memory();
	return NULL;
}

/* The next column behind `after`, but for that of the labels, whose field in this row is a number, or -1. */
static int find_number(const struct csv *csv, int after, int label)
{
	for (int i = after + 1; i < (int)csv_columns(csv); i++) {
		size_t length;
		double value;
		if (i == label)
			continue;
		const char *const text = csv_text(csv, (size_t)i, &length);
		if (length > 0 && units_parse_real(text, length, &value, NULL) == 0)
			return i;
	}
	return -1;
}

static int find_column(const struct csv *csv, const char *name, const char *column, bool is_users, int after, int label)
{
	char found[160];
	const int at = column ? csv_find(csv, column) : find_number(csv, after, label);
	if (at >= 0)
		return at;
	csv_print_columns(csv, found, sizeof found);
	if (column)
		diag("%s:1: found the columns %s, expected %s as %s", name, found, column,
			is_users ? "--column says" : "in the first file");
	else
		diag("%s:%zu: found no %snumber in the columns %s, expected one, or --column NAME", name, csv_line(csv),
			after < 0 ? "" : "second ", found);
	return -1;
}

/* Those of the first file. */
static int keep_names(struct groups *groups, const struct csv *csv, const struct places *places)
{
	if (!groups->found && !(groups->found = strdup(csv_column_name(csv, (size_t)places->column))))
		return complain_about_memory();
	if (places->second >= 0 && !groups->found_second &&
		!(groups->found_second = strdup(csv_column_name(csv, (size_t)places->second))))
		return complain_about_memory();
	return 0;
}

static int find_places(struct groups *groups, const struct csv *csv, const char *name, struct places *places)
{
	char found[160];
	const char *const column = groups->column ? groups->column : groups->found;
	const char *const second = groups->second ? groups->second : groups->found_second;
	places->label = groups->by ? csv_find(csv, groups->by) : -1;
	if (groups->needs_by && places->label < 0) {
		diag("%s:1: found the columns %s, expected %s as --by says", name, csv_print_columns(csv, found, sizeof found),
			groups->by);
		return -1;
	}
	places->column = find_column(csv, name, column, groups->column != NULL, -1, places->label);
	places->second = -1;
	if (places->column < 0)
		return -1;
	if (groups->has_second)
		places->second =
			find_column(csv, name, second, groups->second != NULL, column ? -1 : places->column, places->label);
	return groups->has_second && places->second < 0 ? -1 : keep_names(groups, csv, places);
}

static int read_row(struct groups *groups, struct csv *csv, const struct places *places, const char *label)
{
	size_t length = strlen(label);
	const char *const text = places->label < 0 ? label : csv_text(csv, (size_t)places->label, &length);
	struct group *const group = find_group(groups, text, length);
	double value;
	double second = 0;
	if (!group)
		return -1;
	if (csv_number(csv, (size_t)places->column, &value) != 0 ||
		(groups->has_second && csv_number(csv, (size_t)places->second, &second) != 0))
		return complain(csv_error(csv));
	if (groups->is_whole && !isfinite(value)) {
		csv_refuse(csv, (size_t)places->column, "found no value, expected one in each row with --paired");
		return complain(csv_error(csv));
	}
	if (!isfinite(value) || !isfinite(second))
		return 0;
	if (report_values_add(&group->values, value) != 0 ||
		(groups->has_second && report_values_add(&group->beside, second) != 0))
		return complain_about_memory();
	return 0;
}

static int read_rows(struct groups *groups, struct csv *csv, const char *name, const char *label)
{
	struct places places = {.column = -1};
	int more = 0;
	/* A column that is named is missed also where there is no row. */
	if ((groups->column || groups->found) && find_places(groups, csv, name, &places) != 0)
		return -1;
	/* A file without a row is a group without values, which is said where some are needed. */
	if ((label || !groups->by) && !find_group(groups, label ? label : name, strlen(label ? label : name)))
		return -1;
	while ((more = csv_next(csv)) > 0) {
		if (places.column < 0 && find_places(groups, csv, name, &places) != 0)
			return -1;
		if (label)
			places.label = -1;
		if (read_row(groups, csv, &places, label ? label : name) != 0)
			return -1;
	}
	if (more != 0)
		return complain(csv_error(csv));
	if (csv_is_cut(csv))
		diag("%s: the last line is not whole and is left out", name);
	return 0;
}

int groups_read(struct groups *groups, const char *path, const char *label)
{
	const char *const name = strcmp(path, "-") == 0 ? "standard input" : path;
	char error[CSV_ERROR_MAX];
	struct csv *const csv = csv_open(path, name, error);
	if (!csv)
		return complain(error);
	const int result = read_rows(groups, csv, name, label);
	csv_close(csv);
	return result;
}

int check_by(const struct settings *settings)
{
	for (size_t i = 0; settings->by && i < settings->input.words; i++)
		if (settings->input.word[i].label || settings->input.word[i].path != settings->input.word[i].text)
			return complain("found --by beside labels or --, expected one of them to make groups");
	return 0;
}

int groups_read_words(struct groups *groups, const struct report_input *input)
{
	for (size_t i = 0; i < input->words; i++) {
		const struct report_word *const word = &input->word[i];
		char *label = NULL;
		if (word->path != word->text)
			label = strndup(word->text, (size_t)(word->path - word->text - 1));
		else if (word->label)
			label = strdup(word->label);
		if (!label && (word->label || word->path != word->text))
			return complain_about_memory();
		const int result = groups_read(groups, word->path, label);
		free(label);
		if (result != 0)
			return -1;
	}
	return 0;
}

void groups_free(struct groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		free(groups->item[i].label);
		report_values_free(&groups->item[i].values);
		report_values_free(&groups->item[i].beside);
	}
	free(groups->item);
	free(groups->found);
	free(groups->found_second);
}
