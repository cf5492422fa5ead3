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

static bool parse_head(const char *text, size_t length, size_t *at, struct line *line)
{
	bool has_zone;
	bool has_decimals;
	struct client_word word;
	const char *const bracket = memchr(text, '[', length);
	if (!bracket)
		return false;
	*at = (size_t)(bracket - text) + 1;
	const size_t date = client_log_date(text + *at, length - *at, &line->end_ns, &has_zone, &has_decimals);
	*at += date;
	if (date == 0 || !has_zone || length - *at < 3 || memcmp(text + *at, "] \"", 3) != 0)
		return false;
	*at += 3;
	if (!skip_text(text, length, at) || !client_next_word(text, length, at, &word) || word.length != 3 ||
		!client_word_number(&word, &line->status))
		return false;
	return client_next_word(text, length, at, &word);
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

/* A word behind the head: 0.003, "0.003", rt=0.003 or a moment such as 1767225600.123. */
static void take_word(struct client_word word, struct line *line)
{
	const char *const equals = memchr(word.text, '=', word.length);
	const size_t name = equals ? (size_t)(equals - word.text) : 0;
	size_t from = equals ? name + 1 : 0;
	size_t to = word.length;
	double value;
	while (from < to && (word.text[from] == '"' || word.text[from] == '['))
		from++;
	while (to > from && (word.text[to - 1] == '"' || word.text[to - 1] == ',' || word.text[to - 1] == ']'))
		to--;
	if (!is_time(word.text + from, to - from, &value))
		return;
	if (value >= 1e8 && value * (double)NS_PER_S < (double)CLIENT_NS_MAX) {
		line->end_ns = llround(value * 1e3) * NS_PER_MS;
		line->has_moment = true;
	} else if (value < 1e8 && isnan(line->time) && (!equals || names_time(word.text, name))) {
		line->time = value;
	}
}

static bool parse(const char *text, size_t length, struct line *line)
{
	size_t at;
	struct client_word word;
	*line = (struct line){.time = NAN};
	if (!parse_head(text, length, &at, line))
		return false;
	while (client_next_word(text, length, &at, &word))
		take_word(word, line);
	return true;
}

static bool fits(const char *text, size_t length)
{
	struct line line;
	return parse(text, length, &line);
}

static int read_line(struct client_log *log, const char *text, size_t length, struct request_record *record)
{
	struct line line;
	if (!parse(text, length, &line))
		return csv_refuse_line(log->csv, 0,
			"found '%.*s', expected a line such as … [22/Nov/2026:12:00:00 +0000] \"GET /\" 200 6 …",
			(int)(length < 40 ? length : 40), text);
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
	.fits = fits,
	.read_line = read_line,
};
