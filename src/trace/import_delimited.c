/* SPDX-License-Identifier: MIT */
/* Formats with a row for each sample: a table says what stands in which column. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/row_writer.h"
#include "base/units.h"
#include "trace/import_reader.h"

/* Names of columns have | between alternatives, in lower case. NULL: the format has no such column. */
struct table {
	const char *names; /* the header of files that have none, with commas; NULL: the first line is one */
	const char *time, *end, *machine, *load;
	const char *wall;     /* the time where there are several files, as the other one begins anew in each; NULL: it doesn't */
	char delimiter;       /* 0: found in the first line */
	double unit;          /* the load 1 in it; 0: by the name of its column */
	double time_unit;     /* seconds; 0: as import_time */
	bool since_last_row;  /* the interval of a row begins where the one before ends */
	bool is_file_machine; /* a file is a machine, of its name */
};

/* Where the columns are, from 0; -1: there is none. */
struct columns {
	long time, end, machine, load;
	size_t fields; /* of the header; 0: there is none */
	double unit;
	char name[64]; /* of the load */
};

/* ---- The header ------------------------------------------------------------------------------------------------------- */

static char find_delimiter(const struct import_field *line)
{
	static const char candidate[] = ";,\t";
	for (const char *c = candidate; *c; c++)
		if (memchr(line->text, *c, line->length))
			return *c;
	return ' ';
}

/* The column of that name, out of alternatives the first one that is there; -1. */
static long find_usual(const struct import_text *text, const char *names)
{
	while (names && *names) {
		const size_t length = strcspn(names, "|");
		for (size_t i = 0; i < text->fields; i++)
			if (text->field[i].length == length && strncasecmp(text->field[i].text, names, length) == 0)
				return (long)i;
		names += length + (names[length] == '|');
	}
	return -1;
}

/* What the user has said: its name, or its number; -1. */
static long find_users(const struct import_text *text, const char *name)
{
	for (size_t i = 0; i < text->fields; i++)
		if (import_is(&text->field[i], name))
			return (long)i;
	char *end;
	const long number = strtol(name, &end, 10);
	return isdigit((unsigned char)*name) && !*end && number >= 1 && number <= IMPORT_FIELDS_MAX ? number - 1 : -1;
}

/* What the user's choice is, else the table's. 0, or -1 after a message. */
static int choose(struct import *import, long *column, const char *users, const char *names, const char *what, const char *option)
{
	const struct import_text *const text = &import->text;
	char shown[IMPORT_SHOWN_MAX];
	*column = users ? find_users(text, users) : find_usual(text, names);
	if (*column >= 0 && (size_t)*column < text->fields)
		return 0;
	if (users)
		return import_refuse(import, "found no column '%.60s' for the %s, expected one of the %zu in '%s'", users, what,
			text->fields, import_show(&text->whole, shown));
	return import_refuse(import, "found no column for the %s in '%s', expected %s to say which it is", what,
		import_show(&text->whole, shown), option);
}

static bool says_percent(const char *name)
{
	return strchr(name, '%') || strcasestr(name, "percent") || strcasestr(name, "pct");
}

/* Of the current line, or of the table's own names. */
static int find_columns(struct import *import, const struct table *table, struct columns *columns)
{
	const struct import_rules *const rules = import->rules;
	const bool is_wall = import->is_several && table->wall;
	if (choose(import, &columns->time, rules->time, is_wall ? table->wall : table->time,
		    is_wall ? "time of several files" : "time", "--time") != 0 ||
		choose(import, &columns->load, rules->column, table->load, "load", "--column") != 0)
		return -1;
	columns->end = find_usual(&import->text, table->end);
	columns->machine = find_usual(&import->text, table->machine);
	if (table->end && columns->end < 0)
		return import_refuse(import, "found no column %s", table->end);
	const struct import_field *const load = &import->text.field[columns->load];
	snprintf(columns->name, sizeof columns->name, "%.*s", (int)(load->length < 40 ? load->length : 40), load->text);
	columns->unit = table->unit ? table->unit : says_percent(columns->name) ? 100 : 1;
	if (rules->unit)
		columns->unit = rules->unit == IMPORT_PERCENT ? 100 : 1;
	return 0;
}

/* ---- Rows ------------------------------------------------------------------------------------------------------------- */

static bool read_time(const struct table *table, const struct import_field *field, int64_t *ns, struct import_counts *counts)
{
	bool is_zoned = true;
	double number;
	if (table->time_unit)
		return import_number(field, &number) && import_seconds(number * table->time_unit, ns);
	if (!import_time(field, ns, &is_zoned))
		return false;
	counts->unzoned += !is_zoned;
	return true;
}

/* A number; or one among others, in the notation of a record: {'cpus': 0.25, 'memory': 0.1}. */
static bool read_load(const struct import_field *field, double *value)
{
	if (import_number(field, value))
		return true;
	const char *const end = field->text + field->length;
	const char *at = memmem(field->text, field->length, "cpus", 4);
	if (!at)
		return false;
	at += 4;
	while (at < end && strchr("'\": =", *at))
		at++;
	struct import_field number = {at, 0};
	while (at + number.length < end && (isalnum((unsigned char)at[number.length]) || strchr(".-+", at[number.length])))
		number.length++;
	return number.length > 0 && import_number(&number, value);
}

/* The last component of a path, up to its first point. */
static void name_of_file(const char *path, struct import_sample *sample)
{
	const char *const slash = strrchr(path, '/');
	sample->machine = slash ? slash + 1 : path;
	sample->machine_length = strcspn(sample->machine, ".");
}

/* One row. `last_ns` is the end of the one before, INT64_MIN where there is none. */
static int read_row(struct import *import, const struct table *table, const struct columns *columns, int64_t *last_ns)
{
	const struct import_text *const text = &import->text;
	struct import_sample sample = {.weight = 1};
	char shown[IMPORT_SHOWN_MAX];
	int64_t end_ns;
	const long most = columns->load > columns->time ? columns->load : columns->time;
	if (text->fields <= (size_t)most || (columns->machine >= 0 && text->fields <= (size_t)columns->machine) ||
		(columns->end >= 0 && text->fields <= (size_t)columns->end))
		return import_wrong(import, "found %zu fields, expected at least %ld", text->fields, most + 1);
	/* A decimal comma makes two numbers of one. */
	for (size_t i = columns->fields; columns->fields > 0 && i < text->fields; i++)
		if (text->field[i].length > 0)
			return import_wrong(
				import, "found %zu fields, expected %zu as in the first line", text->fields, columns->fields);
	const struct import_field *const time = &text->field[columns->time];
	const struct import_field *const load = &text->field[columns->load];
	const int64_t before_ns = *last_ns;
	*last_ns = INT64_MIN;
	if (!read_time(table, time, &sample.ns, &import->counts))
		return import_wrong(import, "found '%s', expected a time: a number, or such as 2026-03-01T18:30:00Z",
			import_show(time, shown));
	*last_ns = sample.ns;
	if (table->since_last_row && before_ns != INT64_MIN && sample.ns > before_ns)
		sample.length_ns = sample.ns - before_ns;
	if (!read_load(load, &sample.value))
		return import_wrong(import, "found '%s', expected a load: a number such as 10.5", import_show(load, shown));
	sample.value /= columns->unit;
	if (columns->end >= 0) {
		const struct import_field *const end = &text->field[columns->end];
		if (!read_time(table, end, &end_ns, &import->counts) || end_ns <= sample.ns)
			return import_wrong(import, "found '%s', expected an end behind the start", import_show(end, shown));
		sample.length_ns = end_ns - sample.ns;
	}
	if (columns->machine >= 0) {
		sample.machine = text->field[columns->machine].text;
		sample.machine_length = text->field[columns->machine].length;
	} else if (table->is_file_machine) {
		name_of_file(import->path, &sample);
	}
	return import_add(import, &sample);
}

/* Whether the current line is no sample but names: it has no number, or, in csv, no time where one belongs. */
static bool is_header(const struct import *import, const struct table *table)
{
	const struct import_text *const text = &import->text;
	const char *const users = import->rules->time;
	double number;
	int64_t ns;
	bool is_zoned;
	if (table->names) {
		for (size_t i = 0; i < text->fields; i++)
			if (text->field[i].length > 0 && import_number(&text->field[i], &number))
				return false;
		return true;
	}
	char *end = NULL;
	const long column = users ? strtol(users, &end, 10) : 1;
	if (users && (*end || column < 1 || column > IMPORT_FIELDS_MAX))
		return true;
	return (size_t)column > text->fields || !import_time(&text->field[column - 1], &ns, &is_zoned);
}

static bool is_blank_line(const struct import_text *text)
{
	for (size_t i = 0; i < text->whole.length; i++)
		if (!isspace((unsigned char)text->whole.text[i]))
			return false;
	return true;
}

/* Reads a file whose first line has been split. */
static int read_rows(struct import *import, const struct table *table, struct columns *columns, char delimiter, bool is_headed)
{
	int64_t last_ns = INT64_MIN;
	int more = 1;
	if (!is_headed && read_row(import, table, columns, &last_ns) != 0)
		return -1;
	while ((more = import_next_line(import)) > 0) {
		if (is_blank_line(&import->text))
			continue;
		import_split(&import->text, delimiter);
		if (read_row(import, table, columns, &last_ns) != 0)
			return -1;
	}
	return more;
}

/* csv: by the user's names or numbers, else by usual names or, without a header, the first two. */
static int find_csv_columns(struct import *import, bool is_headed, struct columns *columns)
{
	static const struct table usual = {.time = "time_s|time|timestamp|time_stamp|datetime|date|epoch|ts",
		.load = "load|cpu|cpu_load|util|utilization|utilisation|usage|cpu_util_percent|cpu_percent|value"};
	const struct import_rules *const rules = import->rules;
	struct import_rules users = *rules;
	if (!users.time && !is_headed)
		users.time = "1";
	if (!users.column && !is_headed)
		users.column = "2";
	import->rules = &users;
	const int result = find_columns(import, &usual, columns);
	import->rules = rules;
	if (!is_headed && !rules->unit)
		columns->unit = 1;
	return result;
}

/* A file without a header has the columns of the table's names. */
static int find_named_columns(struct import *import, const struct table *table, struct columns *columns)
{
	struct import_text *const text = &import->text;
	const struct import_field line = text->whole;
	text->whole = (struct import_field){table->names, strlen(table->names)};
	import_split(text, ',');
	const int result = find_columns(import, table, columns);
	text->whole = line;
	return result;
}

static int read_table(struct import *import)
{
	const struct table *const table = import->format->table;
	struct import_text *const text = &import->text;
	struct columns columns = {0};
	bool is_headed = true;
	int result;
	int more;
	do
		more = import_next_line(import);
	while (more > 0 && is_blank_line(text));
	if (more <= 0)
		return more < 0 ? -1 : import_refuse(import, "found blank lines alone, expected samples");
	char delimiter = import->rules->delimiter;
	if (!delimiter)
		delimiter = table->delimiter;
	if (!delimiter)
		delimiter = find_delimiter(&text->whole);
	import_split(text, delimiter);
	if (table->names || !table->load)
		is_headed = is_header(import, table);
	if (!table->load)
		result = find_csv_columns(import, is_headed, &columns);
	else if (is_headed)
		result = find_columns(import, table, &columns);
	else
		result = find_named_columns(import, table, &columns);
	import_split(text, delimiter);
	columns.fields = is_headed ? text->fields : 0;
	return result == 0 ? read_rows(import, table, &columns, delimiter, is_headed) : -1;
}

/* ---- What files begin with -------------------------------------------------------------------------------------------- */

static size_t first_line(const char *start, size_t length)
{
	const char *const newline = memchr(start, '\n', length);
	return newline ? (size_t)(newline - start) : length;
}

static bool fits_log(const char *start, size_t length)
{
	return import_begins(start, length, LOG_TIME ",") &&
	       import_contains(start, first_line(start, length), "," LOG_TARGET "," LOG_LOAD ",");
}

static bool fits_cpuload(const char *start, size_t length)
{
	return import_begins(start, length, LOG_TIME ",") && import_contains(start, first_line(start, length), "," LOG_LOAD);
}

static bool fits_alibaba(const char *start, size_t length)
{
	size_t commas = 0;
	const size_t end = first_line(start, length);
	if (import_begins(start, length, "machine_id,time_stamp,cpu_util_percent"))
		return true;
	for (size_t i = 0; i < end; i++)
		commas += start[i] == ',';
	return end < length && import_begins(start, length, "m_") && isdigit((unsigned char)start[2]) && commas == 8;
}

/* A number, a long name, and three numbers. */
static bool fits_azure(const char *start, size_t length)
{
	const char *at = start;
	const char *const end = start + first_line(start, length);
	for (int i = 0; i < 5; i++) {
		const char *const comma = memchr(at, ',', (size_t)(end - at));
		const struct import_field field = {at, (size_t)((comma ? comma : end) - at)};
		double number;
		const size_t cut_length =
			field.length > 0 && field.text[field.length - 1] == '\r' ? field.length - 1 : field.length;
		const struct import_field cut_field = {field.text, cut_length};
		if ((comma == NULL) != (i == 4))
			return false;
		if (i == 1 ? field.length < 20 : cut_length == 0 || !import_number(&cut_field, &number))
			return false;
		at = comma ? comma + 1 : end;
	}
	return true;
}

static bool fits_google(const char *start, size_t length)
{
	const size_t end = first_line(start, length);
	return import_contains(start, end, "start_time") && import_contains(start, end, "end_time") &&
	       import_contains(start, end, "machine_id") && import_contains(start, end, ",");
}

static bool fits_bitbrains(const char *start, size_t length)
{
	return import_begins(start, length, "Timestamp [ms];");
}

/* ---- The formats ------------------------------------------------------------------------------------------------------ */

static const struct table log_table = {
	.time = LOG_TIME, .wall = LOG_WALL, .load = LOG_LOAD, .delimiter = ',', .unit = 1, .since_last_row = true};
static const struct table alibaba_table = {
	.names = "machine_id,time_stamp,cpu_util_percent,mem_util_percent,mem_gps,mkpi,net_in,net_out,disk_io_percent",
	.time = "time_stamp",
	.machine = "machine_id",
	.load = "cpu_util_percent",
	.delimiter = ',',
	.unit = 100,
	.time_unit = 1};
static const struct table azure_table = {.names = "timestamp,vm id,minimum,maximum,average",
	.time = "timestamp",
	.machine = "vm id",
	.load = "average",
	.delimiter = ',',
	.unit = 100,
	.time_unit = 1};
static const struct table google_table = {.time = "start_time",
	.end = "end_time",
	.machine = "machine_id",
	.load = "average_usage.cpus|average_usage_cpus|average_usage|cpus",
	.delimiter = ',',
	.unit = 1,
	.time_unit = 1e-6};
static const struct table bitbrains_table = {.time = "timestamp [ms]",
	.load = "cpu usage [%]",
	.delimiter = ';',
	.unit = 100,
	.time_unit = 1,
	.is_file_machine = true};
static const struct table csv_table = {.unit = 0};

const struct import_format import_delimited[] = {
	{"log", IMPORT_STAMP_END, 0, IMPORT_FIRST, fits_log, read_table, &log_table, IMPORT_LACKS_MACHINES | IMPORT_LACKS_CPUS},
	{"cpuload", IMPORT_STAMP_END, 0, IMPORT_FIRST, fits_cpuload, read_table, &log_table,
		IMPORT_LACKS_MACHINES | IMPORT_LACKS_CPUS},
	{"alibaba", IMPORT_STAMP_START, 10 * NS_PER_S, IMPORT_FIRST, fits_alibaba, read_table, &alibaba_table, IMPORT_LACKS_CPUS},
	{"azure", IMPORT_STAMP_START, 300 * NS_PER_S, IMPORT_FIRST, fits_azure, read_table, &azure_table, IMPORT_LACKS_CPUS},
	{"google", IMPORT_STAMP_START, 300 * NS_PER_S, IMPORT_USERS, fits_google, read_table, &google_table, IMPORT_LACKS_CPUS},
	{"bitbrains", IMPORT_STAMP_START, 300 * NS_PER_S, IMPORT_FIRST, fits_bitbrains, read_table, &bitbrains_table,
		IMPORT_LACKS_CPUS},
};
const size_t import_delimited_count = sizeof import_delimited / sizeof *import_delimited;

const struct import_format import_csv = {
	"csv", IMPORT_STAMP_START, 0, IMPORT_FIRST, NULL, read_table, &csv_table, IMPORT_LACKS_MACHINES | IMPORT_LACKS_CPUS};
