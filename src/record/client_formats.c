/* SPDX-License-Identifier: MIT */
#include "record/client_formats.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/instant.h"
#include "base/units.h"

#define SECONDS_MAX ((double)CLIENT_NS_MAX / (double)NS_PER_S)

int client_number_ns(struct client_log *log, int column, double unit, int64_t *ns)
{
	const size_t at = (size_t)column;
	const int64_t unit_ns = llround(unit * (double)NS_PER_S);
	struct client_word word;
	double number;
	word.text = csv_text(log->csv, at, &word.length);
	if (client_word_ns(&word, unit_ns, ns))
		return 0;
	if (csv_number(log->csv, at, &number) != 0)
		return -1;
	if (isnan(number))
		return csv_refuse(log->csv, at, "found nothing, expected a number");
	if (!(number >= 0 && number * unit < SECONDS_MAX))
		return csv_refuse(log->csv, at, "found %g, expected a number from 0 on", number);
	*ns = llround(number * (double)unit_ns);
	return 0;
}

bool client_text_is(const struct client_log *log, int column, const char *text)
{
	size_t length = 0;
	const char *const found = column >= 0 ? csv_text(log->csv, (size_t)column, &length) : "";
	return length == strlen(text) && memcmp(found, text, length) == 0;
}

bool client_text_has(const struct client_log *log, int column, const char *text)
{
	size_t length = 0;
	const char *const found = column >= 0 ? csv_text(log->csv, (size_t)column, &length) : "";
	return memmem(found, length, text, strlen(text)) != NULL;
}

/* A number since 1970: whatever its unit, it is a moment from 1973 to 5138. */
static double scale_of(double number)
{
	return number < 1e11 ? 1 : number < 1e14 ? 1e-3 : number < 1e17 ? 1e-6 : 1e-9;
}

int client_moment_ns(struct client_log *log, int column, int64_t *ns)
{
	size_t length;
	const char *const text = csv_text(log->csv, (size_t)column, &length);
	double number;
	char copy[64];
	if (units_parse_real(text, length, &number, NULL) == 0 && number >= 0 && number < SECONDS_MAX * 1e9) {
		log->is_coarse |= scale_of(number) == 1 && floor(number) == number;
		return client_number_ns(log, column, scale_of(number), ns);
	}
	if (length < sizeof copy) {
		memcpy(copy, text, length);
		copy[length] = '\0';
		if (strlen(copy) == length && instant_parse_zoned(copy, ns) == 0 && *ns >= 0 && *ns <= CLIENT_NS_MAX) {
			log->is_coarse |= !strchr(copy, '.');
			return 0;
		}
	}
	return csv_refuse(log->csv, (size_t)column,
		"found '%.*s', expected a time since 1970, or one such as 2026-01-01T12:00:00.5Z",
		(int)(length < 40 ? length : 40), text);
}

void client_set_times(struct request_record *record, int64_t begin_ns, int64_t end_ns)
{
	record->planned_ns = record->arrival_ns = record->sent_ns = begin_ns;
	record->end_ns = end_ns;
}

void client_set_status(struct request_record *record, long status)
{
	record->fate = status > 0 ? REQUEST_ANSWERED : REQUEST_FAILED;
	record->status = status;
}

/* ---- Words ------------------------------------------------------------------------------------------------------------ */

bool client_next_word(const char *line, size_t length, size_t *at, struct client_word *word)
{
	while (*at < length && (line[*at] == ' ' || line[*at] == '\t'))
		++*at;
	const size_t start = *at;
	while (*at < length && line[*at] != ' ' && line[*at] != '\t')
		++*at;
	*word = (struct client_word){line + start, *at - start};
	return word->length > 0;
}

bool client_next_bracket(const char *line, size_t length, size_t *at)
{
	const char *const bracket = *at < length ? memchr(line + *at, '[', length - *at) : NULL;
	if (bracket)
		*at = (size_t)(bracket - line) + 1;
	return bracket != NULL;
}

bool client_word_is(const struct client_word *word, const char *text)
{
	return word->length == strlen(text) && memcmp(word->text, text, word->length) == 0;
}

bool client_word_number(const struct client_word *word, int64_t *number)
{
	const char *at = word->text;
	uint64_t value;
	if (!linux_number(&at, word->text + word->length, &value) || at != word->text + word->length || value > CLIENT_NS_MAX)
		return false;
	*number = (int64_t)value;
	return true;
}

bool client_word_ns(const struct client_word *word, int64_t unit_ns, int64_t *ns)
{
	const char *const end = word->text + word->length;
	const char *const point = memchr(word->text, '.', word->length);
	const struct client_word whole = {word->text, (size_t)((point ? point : end) - word->text)};
	if (!client_word_number(&whole, ns) || __builtin_mul_overflow(*ns, unit_ns, ns) || *ns > CLIENT_NS_MAX)
		return false;
	for (const char *at = point ? point + 1 : end; at < end; at++) {
		if (*at < '0' || *at > '9')
			return false;
		unit_ns /= 10;
		*ns += unit_ns * (*at - '0');
	}
	return true;
}

/* Two digits or four. */
static bool read_digits(const char **at, const char *end, int count, int *value)
{
	*value = 0;
	for (int i = 0; i < count; i++, ++*at) {
		if (*at >= end || **at < '0' || **at > '9')
			return false;
		*value = 10 * *value + (**at - '0');
	}
	return true;
}

static bool pass(const char **at, const char *end, char wanted)
{
	return *at < end && *(*at)++ == wanted;
}

static bool read_month(const char **at, const char *end, int *month)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	for (*month = 0; *month < 12; ++*month) {
		if (end - *at >= 3 && memcmp(*at, names + (ptrdiff_t)3 * *month, 3) == 0) {
			*at += 3;
			return true;
		}
	}
	return false;
}

/* Whether a month has that day. */
static bool is_day(const struct tm *tm)
{
	struct tm noon = {.tm_year = tm->tm_year, .tm_mon = tm->tm_mon, .tm_mday = tm->tm_mday, .tm_hour = 12};
	timegm(&noon);
	return noon.tm_mday == tm->tm_mday;
}

size_t client_log_date(const char *text, size_t length, int64_t *ns, bool *has_zone, bool *has_decimals)
{
	const char *at = text;
	const char *const end = text + length;
	struct tm tm = {.tm_isdst = -1};
	int64_t fraction = 0;
	int hours = 0;
	int minutes = 0;
	if (!read_digits(&at, end, 2, &tm.tm_mday) || !pass(&at, end, '/') || !read_month(&at, end, &tm.tm_mon) ||
		!pass(&at, end, '/') || !read_digits(&at, end, 4, &tm.tm_year) || !pass(&at, end, ':') ||
		!read_digits(&at, end, 2, &tm.tm_hour) || !pass(&at, end, ':') || !read_digits(&at, end, 2, &tm.tm_min) ||
		!pass(&at, end, ':') || !read_digits(&at, end, 2, &tm.tm_sec))
		return 0;
	if (tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_sec > 60 || tm.tm_year < 1970)
		return 0;
	tm.tm_year -= 1900;
	if (!is_day(&tm))
		return 0;
	*has_decimals = at < end && *at == '.';
	if (*has_decimals) {
		int64_t unit = NS_PER_S;
		for (at++; at < end && *at >= '0' && *at <= '9'; at++) {
			unit /= 10;
			fraction += unit * (*at - '0');
		}
	}
	const bool is_west = end - at > 1 && at[0] == ' ' && at[1] == '-';
	*has_zone = is_west || (end - at > 1 && at[0] == ' ' && at[1] == '+');
	if (*has_zone) {
		at += 2;
		if (!read_digits(&at, end, 2, &hours) || !read_digits(&at, end, 2, &minutes))
			return 0;
	}
	const time_t seconds = *has_zone ? timegm(&tm) - (is_west ? -1 : 1) * (hours * 3600 + minutes * 60) : mktime(&tm);
	if (seconds < 0 || seconds > CLIENT_NS_MAX / NS_PER_S)
		return 0;
	*ns = (int64_t)seconds * NS_PER_S + fraction;
	return (size_t)(at - text);
}
