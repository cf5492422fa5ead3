/* SPDX-License-Identifier: MIT */
/*
 * The access log of nginx, whose log_format ends with more than that called `combined': `… [date] "request" status bytes …', where somewhere
 * behind it stands $request_time, alone or as rt=, request_time= or the like. $msec, where it is there too, says when the request ended with
 * more than the date's whole seconds.
 */
#include "record/client_formats.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

struct line {
	int64_t end_ns, status;
	double time; /* seconds; NaN: there is none */
	bool has_moment;
};

/* Behind the quote that ends a text which begins before *at; a backslash goes with what is behind it. */
static bool skip_text(const char *text, size_t length, size_t *at)
{
	for (; *at < length; ++*at) {
		if (text[*at] == '\\')
			++*at;
		else if (text[*at] == '"')
			return ++*at, true;
	}
	return false;
}

/* From the date on, which stands in brackets, to the number of bytes. */
static bool parse_head(const char *text, size_t length, size_t *from, struct line *line)
{
	bool has_zone;
	bool has_decimals;
	struct client_word word;
	const size_t date = client_log_date(text + *from, length - *from, &line->end_ns, &has_zone, &has_decimals);
	size_t at = *from + date;
	if (date == 0 || !has_zone || length - at < 3 || memcmp(text + at, "] \"", 3) != 0)
		return false;
	at += 3;
	if (!skip_text(text, length, &at) || !client_next_word(text, length, &at, &word) || word.length != 3 ||
		!client_word_number(&word, &line->status) || !client_next_word(text, length, &at, &word))
		return false;
	*from = at;
	return true;
}

/* Three decimals, as nginx prints times. */
static bool is_time(const char *text, size_t length, double *value)
{
	return length > 4 && text[length - 4] == '.' && text[0] >= '0' && text[0] <= '9' &&
	       units_parse_real(text, length, value, NULL) == 0;
}

static bool names_time(const char *text, size_t length)
{
	static const char *const names[] = {"rt", "request_time", "reqtime", "req_time", "rtime", "time"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0)
			return true;
	return false;
}

/* A word, or a text in quotes with what stands right before it. */
static bool next_field(const char *text, size_t length, size_t *at, struct client_word *field)
{
	if (!client_next_word(text, length, at, field))
		return false;
	const char *const quote = memchr(field->text, '"', field->length);
	if (!quote)
		return true;
	*at = (size_t)(quote - text) + 1;
	if (!skip_text(text, length, at))
		*at = length;
	field->length = (size_t)(text + *at - field->text);
	return true;
}

/* The time in a field such as 0.003, "0.003", rt=0.003 or 1767225600.123. */
static bool read_time(const struct client_word *field, double *value)
{
	const char *const equals = memchr(field->text, '=', field->length);
	size_t from = equals ? (size_t)(equals - field->text) + 1 : 0;
	size_t to = field->length;
	while (from < to && (field->text[from] == '"' || field->text[from] == '['))
		from++;
	while (to > from && (field->text[to - 1] == '"' || field->text[to - 1] == ',' || field->text[to - 1] == ']'))
		to--;
	return is_time(field->text + from, to - from, value);
}

static void take_field(const struct client_word *field, struct line *line)
{
	const char *const equals = memchr(field->text, '=', field->length);
	double value;
	if (!read_time(field, &value))
		return;
	if (value >= 1e8 && value * (double)NS_PER_S < (double)CLIENT_NS_MAX) {
		line->end_ns = llround(value * 1e3) * NS_PER_MS;
		line->has_moment = true;
	} else if (value < 1e8 && isnan(line->time) && (!equals || names_time(field->text, (size_t)(equals - field->text)))) {
		line->time = value;
	}
}

/* Two texts right behind the head are the referer and the client's name, which may be anything, unless both are times. */
static bool are_of_client(const struct client_word field[static 2])
{
	double value;
	return *field[0].text == '"' && *field[1].text == '"' && !(read_time(&field[0], &value) && read_time(&field[1], &value));
}

static bool parse(const char *text, size_t length, struct line *line)
{
	struct client_word field[2];
	size_t at = 0;
	size_t fields = 0;
	*line = (struct line){.time = NAN};
	do {
		if (!client_next_bracket(text, length, &at))
			return false;
	} while (!parse_head(text, length, &at, line));
	while (fields < 2 && next_field(text, length, &at, &field[fields]))
		fields++;
	if (fields < 2 || !are_of_client(field))
		for (size_t i = 0; i < fields; i++)
			take_field(&field[i], line);
	while (next_field(text, length, &at, &field[0]))
		take_field(&field[0], line);
	return true;
}

static int read_line(struct client_log *log, const char *text, size_t length, struct request_record *record)
{
	struct line line;
	if (!parse(text, length, &line))
		return CLIENT_UNLIKE;
	if (isnan(line.time))
		return csv_refuse_line(log->csv, 0,
			"found no time that the request took, expected $request_time in nginx's log_format, such as 0.003");
	log->is_coarse |= !line.has_moment;
	client_set_times(record, line.end_ns - llround(line.time * 1e3) * NS_PER_MS, line.end_ns);
	client_set_status(record, (long)line.status);
	return 1;
}

const struct client_format client_nginx = {
	.program = "the access log of nginx",
	.lacks_schedule = "a server knows when a request came, not when it was due",
	.has_wall = true,
	.looks = "a line such as … [22/Nov/2026:12:00:00 +0000] \"GET /\" 200 6 …",
	.read_line = read_line,
};
