/* SPDX-License-Identifier: MIT */
/*
 * JSON of sysstat: `sadf -j FILE -- -u` and `mpstat -o JSON`. Both have hosts with statistics, each with a time and the shares of processors in
 * the interval before it. sadf says how long that was; mpstat has the time of day alone, and the date once.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/units.h"
#include "trace/import_counter.h"
#include "trace/import_json.h"

#define HOST "sysstat.hosts[]"
#define STATISTICS HOST ".statistics[]"
#define DAY_S 86400.0

struct text {
	char text[64];
	size_t length;
};

struct reader {
	struct import *import;
	bool is_mpstat;
	struct text host, date, time;
	/* sadf */
	double interval;
	bool is_utc;
	/* mpstat: of the sample before, since the host's date */
	double last_s;
	bool has_last;
	struct import_counter shares; /* of the host */
	/* A processor, in percent */
	struct text cpu;
	double idle, iowait, sum;
	bool is_wrong; /* one of them is no number */
	bool has_cpu;  /* there was one in the file */
};

static void forget(struct text *text)
{
	text->text[0] = '\0';
	text->length = 0;
}

static void keep(struct text *to, const struct import_field *from)
{
	to->length = from->length < sizeof to->text - 1 ? from->length : sizeof to->text - 1;
	memcpy(to->text, from->text, to->length);
	to->text[to->length] = '\0';
}

/* ---- Times ------------------------------------------------------------------------------------------------------------ */

/* Three numbers of up to four digits with one mark between them: the mark, or 0. What follows is at *rest. */
static char read_three(const char *text, unsigned number[static 3], const char **rest)
{
	const char *at = text;
	char mark = '\0';
	for (int i = 0; i < 3; i++) {
		char *end;
		if (!isdigit((unsigned char)*at))
			return '\0';
		const unsigned long value = strtoul(at, &end, 10);
		if (end - at > 4 || (i < 2 && (!*end || (mark && *end != mark))))
			return '\0';
		number[i] = (unsigned)value;
		if (i < 2)
			mark = *end;
		at = i < 2 ? end + 1 : end;
	}
	*rest = at;
	return mark;
}

/* As the locale has it: 2026-03-01, 01.03.2026, or 03/01/26. What it is matters only where there are several files. */
static bool write_date(const char *text, char date[static 16])
{
	unsigned number[3];
	const char *rest;
	const char mark = read_three(text, number, &rest);
	if (!mark || mark == ':' || *rest)
		return false;
	const unsigned year = number[mark == '-' ? 0 : 2];
	const unsigned month = number[mark == '/' ? 0 : 1];
	const unsigned day = number[mark == '-' ? 2 : mark == '/' ? 1 : 0];
	snprintf(date, 16, "%04u-%02u-%02u", (year < 100 ? year + 2000 : year) % 10000, month % 100, day % 100);
	return true;
}

/* Seconds of the day: 16:05:21, or 04:05:21 PM. */
static bool read_time_of_day(const char *text, double *seconds)
{
	unsigned number[3];
	const char *half;
	if (read_three(text, number, &half) != ':' || number[0] > 23 || number[1] > 59 || number[2] > 60)
		return false;
	if (strcasecmp(half, " AM") == 0 || strcasecmp(half, " PM") == 0)
		number[0] = number[0] % 12 + (toupper((unsigned char)half[1]) == 'P' ? 12 : 0);
	else if (*half)
		return false;
	*seconds = number[0] * 3600.0 + number[1] * 60.0 + number[2];
	return true;
}

static bool read_mpstat_time(struct reader *reader, int64_t *ns)
{
	char date[16];
	int64_t day_ns;
	double seconds;
	bool is_zoned;
	char start[32];
	if (!write_date(reader->date.text, date) || !read_time_of_day(reader->time.text, &seconds))
		return false;
	snprintf(start, sizeof start, "%s 00:00:00 UTC", date);
	if (!import_time(&(struct import_field){start, strlen(start)}, &day_ns, &is_zoned))
		return false;
	/* It was midnight where the time of day falls by so much. */
	while (reader->has_last && reader->last_s - seconds > DAY_S / 2)
		seconds += DAY_S;
	reader->last_s = seconds;
	reader->has_last = true;
	*ns = day_ns + (int64_t)seconds * NS_PER_S;
	return true;
}

static bool read_sadf_time(struct reader *reader, int64_t *ns)
{
	char text[160];
	bool is_zoned;
	const int length =
		snprintf(text, sizeof text, "%s %s%s", reader->date.text, reader->time.text, reader->is_utc ? " UTC" : "");
	if (!import_time(&(struct import_field){text, (size_t)length}, ns, &is_zoned))
		return false;
	reader->import->counts.unzoned += !is_zoned;
	return true;
}

/* ---- Samples ---------------------------------------------------------------------------------------------------------- */

static bool is_wanted(const struct reader *reader)
{
	const char *const wanted = reader->import->rules->cpu;
	if (wanted && strcmp(wanted, "all") != 0)
		return strcmp(reader->cpu.text, wanted) == 0;
	return strcmp(reader->cpu.text, "all") == 0 || strcmp(reader->cpu.text, "-1") == 0;
}

static int add_sample(struct reader *reader)
{
	struct import *const import = reader->import;
	struct import_sample sample = {.weight = 1, .machine = reader->host.text, .machine_length = reader->host.length};
	reader->has_cpu = true;
	if (!is_wanted(reader))
		return 0;
	if (reader->is_wrong || isnan(reader->idle))
		return import_wrong(import, "found no idle time, or no number, expected percentages");
	if (reader->is_mpstat ? !read_mpstat_time(reader, &sample.ns) : !read_sadf_time(reader, &sample.ns))
		return import_wrong(
			import, "found '%.30s' and '%.30s', expected a date and a time", reader->date.text, reader->time.text);
	if (!(reader->interval >= 0 && reader->interval < 1e8))
		return import_wrong(import, "found %g, expected the length of an interval", reader->interval);
	sample.length_ns = (int64_t)(reader->interval * (double)NS_PER_S);
	/* A processor that is turned off has no time at all. */
	sample.value = reader->sum > 0 ? 1 - (reader->idle + reader->iowait) / 100 : NAN;
	/* Of one machine all distances tell how long its samples are, but means of several need that at once. */
	if (reader->is_mpstat && import->rules->mean_of)
		return import_counter_add(import, &reader->shares, sample.ns, sample.value);
	return import_add(import, &sample);
}

static void begin_host(struct reader *reader)
{
	forget(&reader->host);
	reader->has_last = false;
	reader->shares = (struct import_counter){.state = IMPORT_STATE_LOAD, .unit = 1, .machine = reader->host.text};
}

static void forget_cpu(struct reader *reader)
{
	forget(&reader->cpu);
	reader->idle = NAN;
	reader->iowait = reader->sum = 0;
	reader->is_wrong = false;
}

static void forget_time(struct reader *reader)
{
	if (!reader->is_mpstat)
		forget(&reader->date);
	forget(&reader->time);
	reader->interval = 0;
	reader->is_utc = false;
}

/* What is behind that beginning, or NULL. */
static const char *behind(const char *path, const char *start)
{
	const size_t length = strlen(start);
	return strncmp(path, start, length) == 0 ? path + length : NULL;
}

/* Of a processor; older versions have another name for what is in full. */
static const char *behind_cpu(const char *path)
{
	const char *const name = behind(path, STATISTICS ".cpu-load[]");
	return name ? name : behind(path, STATISTICS ".cpu-load-all[]");
}

static void take_share(struct reader *reader, const char *name, const struct import_field *text)
{
	double number;
	if (strcmp(name, ".cpu") == 0) {
		keep(&reader->cpu, text);
		return;
	}
	if (text->length == 0 || !import_number(text, &number)) {
		reader->is_wrong = true;
		return;
	}
	reader->sum += number;
	if (strcmp(name, ".idle") == 0)
		reader->idle = number;
	else if (strcmp(name, ".iowait") == 0)
		reader->iowait = number;
}

static int take_value(void *context, const char *path, const struct import_field *text)
{
	struct reader *const reader = context;
	const char *const share = behind_cpu(path);
	const char *const stamp = behind(path, STATISTICS ".timestamp");
	if (share) {
		take_share(reader, share, text);
	} else if (stamp) {
		if (!*stamp || strcmp(stamp, ".time") == 0)
			keep(&reader->time, text);
		else if (strcmp(stamp, ".date") == 0)
			keep(&reader->date, text);
		else if (strcmp(stamp, ".utc") == 0)
			reader->is_utc = import_is(text, "1");
		else if (strcmp(stamp, ".tz") == 0)
			reader->is_utc = import_is(text, "UTC");
		else if (strcmp(stamp, ".interval") == 0 && (text->length == 0 || !import_number(text, &reader->interval)))
			reader->interval = NAN;
	} else if (strcmp(path, HOST ".nodename") == 0) {
		keep(&reader->host, text);
		reader->shares.machine_length = reader->host.length;
	} else if (strcmp(path, HOST ".date") == 0) {
		keep(&reader->date, text);
	}
	return 0;
}

static int end(void *context, const char *path)
{
	struct reader *const reader = context;
	const char *const share = behind_cpu(path);
	int result = 0;
	if (share && !*share) {
		result = add_sample(reader);
		forget_cpu(reader);
	} else if (strcmp(path, STATISTICS) == 0) {
		forget_time(reader);
	} else if (strcmp(path, HOST) == 0) {
		result = import_counter_flush(reader->import, &reader->shares);
		begin_host(reader);
	}
	return result;
}

static int read_sysstat(struct import *import)
{
	static const struct import_json_events events = {take_value, end};
	struct reader reader = {.import = import, .is_mpstat = import->format == &import_mpstat};
	forget_cpu(&reader);
	begin_host(&reader);
	if (import_json_read(import, &events, &reader) != 0)
		return -1;
	if (!reader.has_cpu)
		return import_refuse(import, "found no \"cpu-load\", expected it (%s)",
			reader.is_mpstat ? "mpstat -o JSON -u 1" : "sadf -j FILE -- -u");
	return 0;
}

static bool fits_sysstat(const char *start, size_t length)
{
	return import_json_begins(start, length) && import_contains(start, length, "\"sysstat\"");
}

static bool fits_sadf(const char *start, size_t length)
{
	return fits_sysstat(start, length) && import_contains(start, length, "\"file-date\"");
}

const struct import_format import_sadf_json = {
	"sadf", IMPORT_STAMP_END, 0, IMPORT_FIRST, fits_sadf, read_sysstat, NULL, IMPORT_LACKS_CHOICE};
const struct import_format import_mpstat = {
	"mpstat", IMPORT_STAMP_END, 0, IMPORT_FIRST, fits_sysstat, read_sysstat, NULL, IMPORT_LACKS_CHOICE};
