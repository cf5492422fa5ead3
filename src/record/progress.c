/* SPDX-License-Identifier: MIT */
/*
 * The parts, from the left: time (a bar and what is left of a finite run, else what has passed), target, load, duty cycle, why the target
 * is missed, sparkline. When there is little room, target and load come first, then the time, then the words, then the duty cycle, then the
 * reason, then the sparkline, and the bar takes what is left.
 */
#include "record/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* So wide is a terminal at least that has room for the names of the numbers, and for the duty cycle. */
#define COLUMNS_OF_WORDS 40u
#define COLUMNS_OF_DUTY 56u
#define LEAST_BAR 6u
#define MOST_BAR 40u
#define LEAST_SPARKS 8u
#define NUMBERS_MAX 80
#define WHEN_MAX 64

void progress_add(struct progress *progress, double target, double load, double duty)
{
	progress->target = target;
	progress->load = load;
	progress->duty = duty;
	if (isnan(load))
		return;
	if (progress->samples == PROGRESS_HISTORY)
		memmove(progress->history, progress->history + 1, (PROGRESS_HISTORY - 1) * sizeof *progress->history);
	else
		progress->samples++;
	progress->history[progress->samples - 1] = load;
}

/* m:ss, h:mm:ss, or, where that would be long, 12h34; rounded up so that 0:00 means the end. */
static void format_time(int64_t ns, char text[static 24])
{
	const int64_t s = (ns + NS_PER_S - 1) / NS_PER_S;
	if (s >= (int64_t)10 * 3600)
		snprintf(text, 24, "%lldh%02lld", (long long)(s / 3600), (long long)(s / 60 % 60));
	else if (s >= 3600)
		snprintf(text, 24, "%lld:%02lld:%02lld", (long long)(s / 3600), (long long)(s / 60 % 60), (long long)(s % 60));
	else
		snprintf(text, 24, "%lld:%02lld", (long long)(s / 60), (long long)(s % 60));
}

static void format_percent(double value, char text[static 16])
{
	if (isnan(value))
		snprintf(text, 16, "   -");
	else
		snprintf(text, 16, "%4.1f", 100 * value);
}

static char *append_bar(char *at, double part, unsigned width)
{
	const unsigned inner = width - 2;
	const unsigned full = (unsigned)(part * inner + 0.5);
	*at++ = '[';
	for (unsigned i = 0; i < inner; i++)
		*at++ = i < full ? '#' : '-';
	*at++ = ']';
	return at;
}

static char *append_sparks(char *at, const struct progress *progress, unsigned width, bool unicode)
{
	static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char ascii[] = "_.-:=+*#";
	const size_t shown = progress->samples < width ? progress->samples : width;
	for (size_t i = progress->samples - shown; i < progress->samples; i++) {
		const int level = (int)(fmin(fmax(progress->history[i], 0), 1) * 7 + 0.5);
		if (unicode)
			at = stpcpy(at, blocks[level]);
		else
			*at++ = ascii[level];
	}
	return at;
}

static void format_numbers(const struct progress *progress, unsigned columns, char text[static NUMBERS_MAX])
{
	char target[16];
	char load[16];
	char duty[16];
	format_percent(progress->target, target);
	format_percent(progress->load, load);
	format_percent(progress->duty, duty);
	if (columns >= COLUMNS_OF_DUTY)
		snprintf(text, NUMBERS_MAX, "target %s %% load %s %% duty %s %%", target, load, duty);
	else if (columns >= COLUMNS_OF_WORDS)
		snprintf(text, NUMBERS_MAX, "target %s %% load %s %%", target, load);
	else
		snprintf(text, NUMBERS_MAX, "%s/%s%%", load + strspn(load, " "), target + strspn(target, " "));
}

/* Whether it is known how much is left. */
static bool is_finite(const struct progress *progress)
{
	return progress->length_ns > 0 && progress->elapsed_ns >= 0;
}

/* `room` is that for a space, too: without enough of it the word goes, or all. */
static void format_when(const struct progress *progress, unsigned room, char text[static WHEN_MAX])
{
	char time[24];
	int64_t shown = progress->elapsed_ns;
	const char *what = "passed";
	if (progress->elapsed_ns < 0) {
		shown = -progress->elapsed_ns;
		what = "warm-up";
	} else if (is_finite(progress)) {
		shown = progress->length_ns > progress->elapsed_ns ? progress->length_ns - progress->elapsed_ns : 0;
		what = "left";
	}
	format_time(shown, time);
	snprintf(text, WHEN_MAX, "%s %s", time, what);
	if (room < strlen(text) + 1)
		snprintf(text, WHEN_MAX, "%s", room < strlen(time) + 1 ? "" : time);
}

/* One column stays free: writing into the last one makes some terminals wrap. */
static unsigned room_in(unsigned columns)
{
	if (columns > PROGRESS_HISTORY * 6)
		return PROGRESS_HISTORY * 6 - 1;
	return columns ? columns - 1 : 0;
}

/* The width of the bar in that room, 0 for none. What the sparkline needs comes off it only as far as that stays readable. */
static unsigned bar_width(unsigned room)
{
	if (room < LEAST_BAR + 1)
		return 0;
	const unsigned width = room - 1 > MOST_BAR ? MOST_BAR : room - 1;
	if (room >= LEAST_BAR + 1 + LEAST_SPARKS + 1 && width > room - 1 - LEAST_SPARKS - 1)
		return room - 1 - LEAST_SPARKS - 1;
	return width;
}

char *progress_format(const struct progress *progress, unsigned columns, bool unicode, char line[static PROGRESS_LINE_MAX])
{
	char numbers[NUMBERS_MAX];
	char when[WHEN_MAX];
	char *at = line;
	unsigned room = room_in(columns);
	format_numbers(progress, columns, numbers);
	if (room < strlen(numbers)) {
		*line = '\0';
		return line;
	}
	room -= (unsigned)strlen(numbers);
	format_when(progress, room, when);
	const bool has_time = *when != '\0';
	if (has_time)
		room -= (unsigned)strlen(when) + 1;
	const char *const note = progress->note && strlen(progress->note) + 2 <= room ? progress->note : "";
	if (*note)
		room -= (unsigned)strlen(note) + 2;
	const unsigned bar = is_finite(progress) && has_time ? bar_width(room) : 0;
	if (bar) {
		const double part = (double)progress->elapsed_ns / (double)progress->length_ns;
		at = append_bar(at, part > 1 ? 1 : part, bar);
		*at++ = ' ';
		room -= bar + 1;
	}
	if (has_time) {
		at = stpcpy(at, when);
		*at++ = ' ';
	}
	at = stpcpy(at, numbers);
	if (*note)
		at = stpcpy(stpcpy(at, ", "), note);
	if (room >= LEAST_SPARKS + 1 && progress->samples) {
		*at++ = ' ';
		at = append_sparks(at, progress, room - 1 > PROGRESS_HISTORY ? PROGRESS_HISTORY : room - 1, unicode);
	}
	*at = '\0';
	return line;
}
