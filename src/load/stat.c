/* SPDX-License-Identifier: MIT */
/*
 * Executors parse /proc/stat a dozen times a second, so each byte is looked at once, and lines that nobody asked for only by
 * memchr (the line `intr` alone may have 10 kB).
 */
#include "load/stat.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/units.h"

#define COLUMNS 8
#define COLUMNS_LEAST 4

_Static_assert(sizeof(struct linux_stat_times) == COLUMNS * sizeof(uint64_t), "times are the columns in the kernel's order");

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && *at == ' ')
		at++;
	return at;
}

/* The columns of a line, from behind its name. Returns how many of those known there are, or 0 when the line is not usable. */
static int parse_times(const char *at, const char *end, struct linux_stat_times *times)
{
	uint64_t column[COLUMNS] = {0};
	int count = 0;
	while (count < COLUMNS) {
		at = skip_blanks(at, end);
		if (at == end)
			break;
		if (!linux_number(&at, end, &column[count]) || (at < end && *at != ' '))
			return 0;
		count++;
	}
	memcpy(times, column, sizeof *times);
	return count >= COLUMNS_LEAST ? count : 0;
}

static void add_times(struct linux_stat_times *sum, const struct linux_stat_times *times)
{
	sum->user += times->user;
	sum->nice += times->nice;
	sum->system += times->system;
	sum->idle += times->idle;
	sum->iowait += times->iowait;
	sum->irq += times->irq;
	sum->softirq += times->softirq;
	sum->steal += times->steal;
}

enum line_kind { LINE_SUMMARY, LINE_PROCESSOR, LINE_OTHER };

/* Tells what a line is; *at is moved behind the name of a summary or processor line. */
static enum line_kind line_kind(const char **at, const char *end, unsigned *id)
{
	const char *p = *at;
	if (end - p < 4 || memcmp(p, "cpu", 3) != 0)
		return LINE_OTHER;
	p += 3;
	if (*p == ' ') {
		*at = p;
		return LINE_SUMMARY;
	}
	uint64_t value;
	if (!linux_number(&p, end, &value) || value > UINT32_MAX || p == end || *p != ' ')
		return LINE_OTHER;
	*id = (unsigned)value;
	*at = p;
	return LINE_PROCESSOR;
}

/* Takes a line that is not of processors. */
static void parse_other(const char *at, const char *end, struct linux_stat *stat)
{
	static const struct {
		const char *name; /* with the blank behind it */
		size_t length;
		unsigned present;
		size_t offset;
	} fields[] = {
#define FIELD(name, bit, member) {name, sizeof(name) - 1, bit, offsetof(struct linux_stat, member)}
		FIELD("ctxt ", LINUX_STAT_CONTEXT_SWITCHES, context_switches),
		FIELD("btime ", LINUX_STAT_BOOT_TIME, boot_time),
		FIELD("processes ", LINUX_STAT_FORKS, forks),
		FIELD("procs_running ", LINUX_STAT_RUNNING, running),
		FIELD("procs_blocked ", LINUX_STAT_BLOCKED, blocked),
#undef FIELD
	};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		if ((size_t)(end - at) < fields[i].length || memcmp(at, fields[i].name, fields[i].length) != 0)
			continue;
		at = skip_blanks(at + fields[i].length, end);
		uint64_t value;
		if (linux_number(&at, end, &value) && at == end) {
			memcpy((char *)stat + fields[i].offset, &value, sizeof value);
			stat->present |= fields[i].present;
		}
		return;
	}
}

int linux_stat_parse(const char *text, size_t length, const struct sst_cpus *subset, struct linux_stat *stat)
{
	const char *at = text, *const end = text + length;
	bool summary = false;
	memset(stat, 0, sizeof *stat);
	for (const char *newline; at < end && (newline = memchr(at, '\n', (size_t)(end - at))) != NULL; at = newline + 1) {
		struct linux_stat_times times;
		unsigned id;
		int columns = 0;
		switch (line_kind(&at, newline, &id)) {
		case LINE_SUMMARY:
			if (!subset && !summary && (columns = parse_times(at, newline, &times)) > 0) {
				stat->total = times;
				summary = true;
			}
			break;
		case LINE_PROCESSOR:
			/* With a summary the processors are only counted, which saves most of the work. */
			if (subset && !cpus_contain(subset, id))
				break;
			if (summary) {
				stat->processors++;
			} else if ((columns = parse_times(at, newline, &times)) > 0) {
				add_times(&stat->total, &times);
				stat->processors++;
			}
			break;
		case LINE_OTHER:
			stat->present |= LINUX_STAT_ALL_PROCESSORS;
			parse_other(at, newline, stat);
			break;
		}
		if (columns == COLUMNS)
			stat->present |= LINUX_STAT_STEAL;
	}
	/* Kernels for one processor had the summary alone once. */
	if (summary && stat->processors == 0)
		stat->processors = 1;
	if (stat->processors == 0) {
		errno = EINVAL;
		return -1;
	}
	return 0;
}

size_t linux_stat_parse_cpus(
	const char *text, size_t length, const struct sst_cpus *subset, struct linux_stat_cpu *cpu, size_t room)
{
	const char *at = text, *const end = text + length;
	size_t count = 0;
	for (const char *newline; at < end && (newline = memchr(at, '\n', (size_t)(end - at))) != NULL; at = newline + 1) {
		struct linux_stat_times times;
		unsigned id;
		if (line_kind(&at, newline, &id) != LINE_PROCESSOR || (subset && !cpus_contain(subset, id)) ||
			!parse_times(at, newline, &times))
			continue;
		if (count < room)
			cpu[count] = (struct linux_stat_cpu){.id = id, .times = times};
		count++;
	}
	return count;
}

double linux_stat_hz(void)
{
	const long hz = sysconf(_SC_CLK_TCK);
	return hz > 0 ? (double)hz : 100.0;
}

uint64_t linux_stat_busy(const struct linux_stat_times *times)
{
	return times->user + times->nice + times->system + times->irq + times->softirq + times->steal;
}

uint64_t linux_stat_idle(const struct linux_stat_times *times)
{
	return times->idle + times->iowait;
}

/* ---- Processors that come and go ------------------------------------------------------------------------------------ */

void linux_online_open(struct linux_online *online, const struct sst_env *env)
{
	*online = (struct linux_online){.handle = env->host->open(env, "/sys/devices/system/cpu/online")};
}

void linux_online_close(struct linux_online *online, const struct sst_env *env)
{
	if (online->handle >= 0)
		env->host->close(env, online->handle);
	*online = LINUX_ONLINE_NONE;
}

bool linux_online_changed(struct linux_online *online, const struct sst_env *env)
{
	char text[sizeof online->text];
	int64_t ignored;
	if (online->handle < 0)
		return false;
	const ssize_t length = env->host->read(env, online->handle, text, sizeof text, &ignored);
	if (length <= 0 || ((size_t)length == online->length && memcmp(text, online->text, (size_t)length) == 0))
		return false;
	memcpy(online->text, text, (size_t)length);
	online->length = (size_t)length;
	return true;
}
