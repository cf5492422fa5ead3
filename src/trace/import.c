/* SPDX-License-Identifier: MIT */
/* Which format it is, one file after another, and what is said of them. */
#include "trace/import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "trace/import_reader.h"

const char *const import_format_names[] = {
	"cpuload", "log", "sadf", "mpstat", "prometheus", "collectd", "alibaba", "azure", "google", "bitbrains", "csv", NULL};

/* In the order in which they are looked for; several may have one name. csv, which fits anything, is never found. */
static const struct import_format *const formats[] = {&import_delimited[0], &import_delimited[1], &import_delimited[2],
	&import_delimited[3], &import_delimited[4], &import_delimited[5], &import_sadf, &import_sadf_json, &import_mpstat,
	&import_prometheus, &import_collectd, &import_csv, NULL};

/* The format that a file begins like, or that has the name, where one is given; NULL. */
static const struct import_format *find_format(const char *name, const char *start, size_t length)
{
	const struct import_format *named = NULL;
	if (import_begins(start, length, IMPORT_BOM)) {
		start += strlen(IMPORT_BOM);
		length -= strlen(IMPORT_BOM);
	}
	for (const struct import_format *const *at = formats; *at; at++) {
		if (name && strcmp((*at)->name, name) != 0)
			continue;
		if ((*at)->fits && (*at)->fits(start, length))
			return *at;
		/* The first of several forms. */
		if (name && !named)
			named = *at;
	}
	return named;
}

const char *import_guess(const char *start, size_t length, bool *is_compressed)
{
	const struct import_format *const format = find_format(NULL, start, length);
	*is_compressed = import_begins(start, length, "\x1f\x8b") ||
			 import_begins(start, length,
				 "\xfd"
				 "7zXZ") ||
			 import_begins(start, length, "\x28\xb5\x2f\xfd");
	return format ? format->name : NULL;
}

/* ---- Files ------------------------------------------------------------------------------------------------------------ */

/* An option that the format makes nothing of is no option to pass over. */
static int check_options(struct import *import)
{
	const struct import_rules *const rules = import->rules;
	const struct import_format *const format = import->format;
	const bool is_summed = rules->mean_of || format->merge == IMPORT_USERS;
	const struct {
		bool is_wrong;
		const char *option, *why;
	} wrong[] = {
		{rules->machine && format->lacks & IMPORT_LACKS_MACHINES, "machine", "has no names of machines"},
		{rules->mean_of && format->lacks & IMPORT_LACKS_MACHINES, "mean-of", "has no names of machines"},
		{rules->cpu && format->lacks & IMPORT_LACKS_CPUS, "cpu", "has no single processors"},
		{rules->column && format->lacks & IMPORT_LACKS_COLUMNS, "column", "has its own columns"},
		{rules->time && format->lacks & IMPORT_LACKS_TABLE, "time", "has its own times"},
		{rules->unit && format->lacks & IMPORT_LACKS_COLUMNS, "unit", "has its own unit"},
		{rules->delimiter && format->lacks & IMPORT_LACKS_TABLE, "delimiter", "has its own"},
		{rules->capacity > 0 && format->merge != IMPORT_USERS, "capacity", "has loads, which nothing divides"},
		{rules->step_ns > 0 && !is_summed, "step", "is averaged over time only with --mean-of"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (wrong[i].is_wrong)
			return import_refuse(
				import, "found --%s, expected none of that: %s %s", wrong[i].option, format->name, wrong[i].why);
	return 0;
}

static int check_rules(struct import *import)
{
	const struct import_rules *const rules = import->rules;
	if (check_options(import) != 0)
		return -1;
	if (import->format->merge == IMPORT_USERS && !(rules->capacity > 0) && !rules->list)
		return import_refuse(import, "--capacity is missing: expected what a machine's usage is to be divided by");
	return 0;
}

/* Reads what the input has. It is the caller's. */
static int read_input(struct import *import, struct input *input)
{
	import->text = (struct import_text){.input = input};
	int result = import_fill(import, IMPORT_START_MAX);
	const char *const start = import->text.buffer;
	const size_t length = import->text.end;
	const struct import_format *const format = result == 0 ? find_format(import->rules->format, start, length) : NULL;
	if (result == 0 && length == 0)
		result = import_refuse(import, "found nothing, expected a recording: it is empty");
	else if (result == 0 && !format)
		result = import_refuse(import, "found no format that is known, expected --from to say which it is");
	else if (result == 0 && import->format && import->format != format)
		result = import_refuse(import, "found %s, expected %s as in the file before", format->name, import->format->name);
	if (result == 0 && format) {
		import->format = format;
		result = check_rules(import) == 0 ? format->read(import) : -1;
	}
	free(import->text.buffer);
	return result;
}

static int read_file(struct import *import, const char *path)
{
	const bool is_standard = strcmp(path, "-") == 0;
	/* What was read of a pipe can't be read again, and it may be at its end: it is not opened again either. */
	const bool is_begun = import->rules->ahead && !import->format;
	const int open_file = is_begun ? import->rules->ahead_file : is_standard ? STDIN_FILENO : -1;
	const int file = open_file >= 0 ? fcntl(open_file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
					: open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	import->path = path;
	import->is_later = import->format != NULL;
	import->name = is_standard ? "standard input" : path;
	if (file < 0)
		return import_refuse(import, "%s", strerror(errno));
	posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL);
	struct input *const input = input_new(file, is_begun ? import->rules->ahead : NULL, import->rules->ahead_length);
	if (!input) {
		close(file);
		return import_refuse(import, "%s", strerror(errno));
	}
	const int result = read_input(import, input);
	input_free(input);
	return result;
}

/* ---- What is said ----------------------------------------------------------------------------------------------------- */

static void __attribute__((format(printf, 2, 3))) note(char *notes, const char *format, ...)
{
	const size_t used = strlen(notes);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(notes + used, IMPORT_NOTES_MAX - used, format, arguments);
	va_end(arguments);
}

static void note_count(char *notes, uint64_t count, const char *one, const char *many)
{
	if (count > 0)
		note(notes, "; %llu %s", (unsigned long long)count, count == 1 ? one : many);
}

static void describe(const struct import *import, char *notes)
{
	const struct import_counts *const counts = &import->counts;
	char text[UNITS_TEXT_MAX];
	note(notes, "%s, %llu sample%s", import->format->name, (unsigned long long)counts->samples,
		counts->samples == 1 ? "" : "s");
	if (counts->wrong > 0)
		note(notes, "; %llu line%s left out, the first is %s", (unsigned long long)counts->wrong,
			counts->wrong == 1 ? "" : "s", counts->first_wrong);
	note_count(notes, counts->missing, "sample without a load left out", "samples without a load left out");
	note_count(notes, counts->unsorted, "sample out of order, put in its place", "samples out of order, put in their place");
	note_count(notes, counts->duplicates, "sample left out for an earlier one of its time",
		"samples left out for earlier ones of their times");
	note_count(notes, counts->overlaps, "sample begins before the end of the one before and counts from there",
		"samples begin before the end of those before and count from there");
	note_count(notes, counts->outside, "load outside 0 to 1, cut", "loads outside 0 to 1, cut");
	note_count(notes, counts->resets, "reset of a counter, a gap", "resets of counters, gaps");
	if (counts->gaps > 0)
		note(notes, "; %llu gap%s of %s, in which the load before holds", (unsigned long long)counts->gaps,
			counts->gaps == 1 ? "" : "s in all", units_print_time(counts->gaps_ns, text));
	note_count(notes, counts->unzoned, "time without a zone, taken as UTC", "times without a zone, taken as UTC");
}

/* What is left out, cut or filled makes a recording wrong where the user is strict. */
static int check_strictly(struct import *import)
{
	const struct import_counts *const c = &import->counts;
	char notes[IMPORT_NOTES_MAX] = "";
	if (c->wrong + c->missing + c->unsorted + c->duplicates + c->overlaps + c->outside + c->resets + c->gaps + c->unzoned ==
		0)
		return 0;
	describe(import, notes);
	return import_refuse(import, "%.500s: expected none of that, with --strict", notes);
}

static int finish(struct import *import, struct trace *trace, FILE *list, char *notes)
{
	const struct import_rules *const rules = import->rules;
	char error[IMPORT_ERROR_MAX];
	if (!import->format) {
		snprintf(import->error, IMPORT_ERROR_MAX, "found no file, expected one");
		return -1;
	}
	if (rules->list) {
		import_series_list(&import->series, import->format->merge, list);
	} else if (import_series_finish(&import->series, rules, import->format->merge, import_stamp_of(import),
			   import->format->step_ns, &import->counts, trace, error) != 0) {
		return import_refuse(import, "%.400s", error);
	}
	if (import->counts.loads > 1 && import->counts.outside > import->counts.loads / 2)
		return import_refuse(import,
			"found %llu of %llu loads outside 0 to 1, expected fractions (--unit percent, --column)",
			(unsigned long long)import->counts.outside, (unsigned long long)import->counts.loads);
	if (rules->strict && check_strictly(import) != 0)
		return -1;
	describe(import, notes);
	return 0;
}

static void end(struct import *import)
{
	if (import->kept)
		import->kept_free(import->kept);
	import_series_free(&import->series);
	free(import);
}

static struct import *begin(const struct import_rules *rules, char *notes, char *error)
{
	struct import *const import = calloc(1, sizeof *import);
	*notes = '\0';
	if (!import) {
		snprintf(error, IMPORT_ERROR_MAX, "%s", strerror(errno));
		return NULL;
	}
	import->rules = rules;
	import->error = error;
	return import;
}

int import_read(const struct import_rules *rules, const char *const *path, size_t paths, struct trace *trace, FILE *list,
	char notes[static IMPORT_NOTES_MAX], char error[static IMPORT_ERROR_MAX])
{
	struct import *const import = begin(rules, notes, error);
	int result = import ? 0 : -1;
	if (import)
		import->is_several = paths > 1;
	for (size_t i = 0; i < paths && result == 0; i++)
		result = read_file(import, path[i]);
	if (result == 0)
		result = finish(import, trace, list, notes);
	if (import)
		end(import);
	return result;
}

int import_read_text(const struct import_rules *rules, const char *path, const char *text, size_t length, struct trace *trace,
	FILE *list, char notes[static IMPORT_NOTES_MAX], char error[static IMPORT_ERROR_MAX])
{
	struct import *const import = begin(rules, notes, error);
	struct input *const input = import ? input_new_text(text, length) : NULL;
	int result = -1;
	if (input) {
		import->path = import->name = path;
		result = read_input(import, input);
		if (result == 0)
			result = finish(import, trace, list, notes);
	}
	input_free(input);
	if (import)
		end(import);
	return result;
}
