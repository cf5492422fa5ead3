/* SPDX-License-Identifier: MIT */
#include "record/request_reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/row_writer.h"
#include "base/units.h"

#define HTTP_ERRORS_FROM 400
/* Numbers up to here are whole in a double. */
#define WHOLE_MAX 9007199254740992.0

enum { REQUEST, URL, PLANNED, ARRIVAL, SENT, END, STATUS, BYTES, WALL, COLUMNS };
static const char *const names[COLUMNS] = {
	"request", "url", "planned_s", "arrival_s", "sent_s", "end_s", "status", "bytes", LOG_WALL};

struct request_reader {
	struct csv *csv;
	int column[COLUMNS];
	bool *is_command; /* by the number of the url, `urls` of them */
	size_t urls;
};

bool request_reader_fits(const struct csv *csv)
{
	for (int i = 0; i <= STATUS; i++)
		if (csv_find(csv, names[i]) < 0)
			return false;
	return true;
}

struct request_reader *request_reader_new(struct csv *csv)
{
	struct request_reader *const reader = calloc(1, sizeof *reader);
	if (!reader)
		return NULL;
	reader->csv = csv;
	for (int i = 0; i < COLUMNS; i++)
		reader->column[i] = csv_find(csv, names[i]);
	return reader;
}

void request_reader_free(struct request_reader *reader)
{
	if (reader)
		free(reader->is_command);
	free(reader);
}

/* A number from 0 on, or UNKNOWN where there is nothing. */
#define UNKNOWN (-1)
static int read_whole(struct request_reader *reader, int column, double most, int64_t *value)
{
	double number;
	*value = UNKNOWN;
	if (reader->column[column] < 0)
		return 0;
	const size_t at = (size_t)reader->column[column];
	if (csv_number(reader->csv, at, &number) != 0)
		return -1;
	if (isnan(number))
		return 0;
	if (!(number >= 0 && number <= most) || floor(number) != number)
		return csv_refuse(reader->csv, at, "found %g, expected a whole number from 0 to %.0f", number, most);
	*value = (int64_t)number;
	return 0;
}

static int read_time(struct request_reader *reader, int column, bool is_needed, int64_t *ns)
{
	const size_t at = (size_t)reader->column[column];
	double seconds;
	if (csv_number(reader->csv, at, &seconds) != 0)
		return -1;
	*ns = REQUEST_LOG_NEVER;
	if (isnan(seconds))
		return is_needed ? csv_refuse(reader->csv, at, "found nothing, expected a time in seconds") : 0;
	/* A difference of two, in ns, has bits to spare. */
	if (!(seconds >= 0 && seconds < (double)INT64_MAX / 4 / (double)NS_PER_S))
		return csv_refuse(reader->csv, at, "found %g, expected a time in seconds, from 0 on", seconds);
	*ns = llround(seconds * (double)NS_PER_S);
	return 0;
}

static int read_status(struct request_reader *reader, struct request_record *record)
{
	const size_t at = (size_t)reader->column[STATUS];
	size_t length;
	const char *const text = csv_text(reader->csv, at, &length);
	double number;
	for (int fate = 0; fate < REQUEST_FATES; fate++) {
		const char *const word = request_fate_word((enum request_fate)fate);
		if (word && strlen(word) == length && memcmp(word, text, length) == 0) {
			record->fate = (enum request_fate)fate;
			return 0;
		}
	}
	record->fate = REQUEST_ANSWERED;
	if (length == 0 || units_parse_real(text, length, &number, NULL) != 0 || !(number >= 0 && number <= 65535) ||
		floor(number) != number)
		return csv_refuse(reader->csv, at, "found '%.*s', expected the number of a status, or a word such as timeout",
			(int)(length < 40 ? length : 40), text);
	record->status = (long)number;
	return 0;
}

static int read_name(struct request_reader *reader, size_t url)
{
	size_t length;
	const char *const name = csv_text(reader->csv, (size_t)reader->column[STATUS], &length);
	if (url >= reader->urls) {
		bool *const larger = realloc(reader->is_command, (url + 1) * sizeof *larger);
		if (!larger)
			return csv_refuse(reader->csv, (size_t)reader->column[URL], "%s", strerror(errno));
		memset(larger + reader->urls, 0, (url + 1 - reader->urls) * sizeof *larger);
		reader->is_command = larger;
		reader->urls = url + 1;
	}
	reader->is_command[url] = !(
		(length >= 7 && strncasecmp(name, "http://", 7) == 0) || (length >= 8 && strncasecmp(name, "https://", 8) == 0));
	return 0;
}

static int read_record(struct request_reader *reader, struct request_record *record)
{
	if (read_time(reader, PLANNED, true, &record->planned_ns) != 0 ||
		read_time(reader, ARRIVAL, true, &record->arrival_ns) != 0 ||
		read_time(reader, SENT, false, &record->sent_ns) != 0 || read_time(reader, END, true, &record->end_ns) != 0 ||
		read_status(reader, record) != 0 || read_whole(reader, BYTES, WHOLE_MAX, &record->bytes) != 0)
		return -1;
	const int64_t begun_ns = record->sent_ns == REQUEST_LOG_NEVER ? record->arrival_ns : record->sent_ns;
	if (record->end_ns >= begun_ns && record->end_ns >= record->planned_ns && record->end_ns >= record->arrival_ns)
		return 0;
	return csv_refuse(reader->csv, (size_t)reader->column[END], "found %.9f, expected a time from those before it on",
		(double)record->end_ns / (double)NS_PER_S);
}

int request_reader_next(struct request_reader *reader, struct request_record *record)
{
	int more;
	while ((more = csv_next(reader->csv)) > 0) {
		int64_t request;
		int64_t url;
		if (read_whole(reader, REQUEST, WHOLE_MAX, &request) != 0 ||
			read_whole(reader, URL, REQUEST_LOG_URLS_MAX - 1, &url) != 0)
			return -1;
		*record = (struct request_record){.bytes = REQUEST_LOG_UNKNOWN, .sent_ns = REQUEST_LOG_NEVER};
		if (request == UNKNOWN && url != UNKNOWN) {
			if (read_name(reader, (size_t)url) != 0)
				return -1;
			continue;
		}
		if (request == UNKNOWN)
			return read_time(reader, PLANNED, true, &record->planned_ns) == 0 &&
					       read_time(reader, END, true, &record->end_ns) == 0
				       ? REQUEST_LINE_MISSING
				       : -1;
		record->request = (uint64_t)request;
		record->url = url == UNKNOWN ? 0 : (unsigned)url;
		return read_record(reader, record) == 0 ? REQUEST_LINE_RECORD : -1;
	}
	return more == 0 ? REQUEST_LINE_END : -1;
}

bool request_reader_is_error(const struct request_reader *reader, const struct request_record *record)
{
	const bool is_command = record->url < reader->urls && reader->is_command[record->url];
	if (record->fate != REQUEST_ANSWERED)
		return record->fate != REQUEST_EXPECTED;
	return is_command ? record->status != 0 : record->status >= HTTP_ERRORS_FROM;
}

int request_reader_wall(struct request_reader *reader, double *wall)
{
	*wall = NAN;
	return reader->column[WALL] >= 0 ? csv_number(reader->csv, (size_t)reader->column[WALL], wall) : 0;
}
