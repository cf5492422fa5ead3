/* SPDX-License-Identifier: MIT */
/*
 * What is drawn is written as a whole, with the cursor back where it was, so that others may write at any time. A program that sets the
 * rows that scroll for itself (those with ncurses do) takes the last row away. It is taken again with each drawing, and from time to time
 * the cursor is brought out of it as well. Not each time: that makes some terminals forget that a row is full.
 */
#include "supervise/live_line.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/units.h"

/* With fewer rows than that, none is spared for the line; with fewer columns nothing of it fits. */
#define LEAST_ROWS 4u
#define LEAST_COLUMNS 12u
#define COLUMNS_WHERE_UNKNOWN 80u
/* Every so often the cursor is brought out of the last row. */
#define DRAWS_TO_LEAVE 10u
#define GIVE_BACK_LIMIT_NS NS_PER_S

/* Who reads the output of workloads from a pipe may draw on the whole terminal, as pagers do. */
static bool is_pipe(int fd)
{
	struct stat status;
	return fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

static bool is_unicode(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);
		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

void live_line_init(struct live_line *line, const struct config *config, int kept, pid_t group)
{
	const bool always = config->progress == PROGRESS_ALWAYS && !config->quiet;
	const bool by_default = config->progress == PROGRESS_AUTO && !config->quiet && !is_pipe(STDOUT_FILENO);
	*line = (struct live_line){
		.last_row = (always || by_default) && terminal_knows_sequences(STDERR_FILENO),
		.in_place = always,
		.kept = kept,
		.group = group,
	};
}

static void give_back_row(struct live_line *line)
{
	char text[TERMINAL_SEQUENCE_MAX];
	struct terminal_size size;
	eventfd_t count;
	terminal_size(STDERR_FILENO, &size);
	if (diag_draw(text, (size_t)(terminal_give_back(text, size.rows) - text)))
		eventfd_read(line->kept, &count);
	line->drawn = false;
}

static void draw_in_last_row(struct live_line *line, const struct progress *progress, const struct terminal_size *size)
{
	char text[PROGRESS_LINE_MAX + 3 * TERMINAL_SEQUENCE_MAX];
	char *at = text;
	const bool resized = line->drawn && (size->rows != line->size.rows || size->columns != line->size.columns);
	if (!line->drawn) {
		eventfd_write(line->kept, 1);
		line->draws = 0;
		line->size = *size;
	}
	if (resized || line->draws % DRAWS_TO_LEAVE == 0)
		at = terminal_leave_last_row(at, resized);
	at = terminal_begin_last_row(at, size->rows);
	progress_format(progress, size->columns, is_unicode(), at);
	at = terminal_end_last_row(at + strlen(at));
	line->drawn = true;
	if (!diag_draw(text, (size_t)(at - text)))
		return;
	line->size = *size;
	line->draws++;
}

/* Columns of the text: bytes that don't continue a UTF-8 sequence. */
static unsigned width_of(const char *text)
{
	unsigned columns = 0;
	for (; *text; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

static void draw_in_place(struct live_line *line, const struct progress *progress, unsigned columns)
{
	char text[2 * PROGRESS_LINE_MAX] = "\r";
	progress_format(progress, columns, is_unicode(), text + 1);
	const unsigned width = width_of(text + 1);
	const unsigned over = line->width > width ? line->width - width : 0;
	char *const end = text + strlen(text);
	memset(end, ' ', over);
	if (!diag_draw(text, (size_t)(end - text) + over))
		return;
	line->width = width;
	diag_over_live_line(width);
}

void live_line_draw(struct live_line *line, const struct progress *progress)
{
	struct terminal_size size;
	if (!line->last_row && !line->in_place)
		return;
	terminal_size(STDERR_FILENO, &size);
	const bool fits = line->last_row && size.rows >= LEAST_ROWS && size.columns >= LEAST_COLUMNS;
	const bool hidden = line->last_row && terminal_is_of_others(STDERR_FILENO, line->group);
	if (fits && !hidden) {
		draw_in_last_row(line, progress, &size);
		return;
	}
	if (line->drawn)
		give_back_row(line);
	if (line->in_place && !hidden)
		draw_in_place(line, progress, size.columns ? size.columns : COLUMNS_WHERE_UNKNOWN);
}

void live_line_remove(struct live_line *line)
{
	char text[PROGRESS_LINE_MAX + 2] = "\r";
	if (line->drawn)
		give_back_row(line);
	if (!line->width)
		return;
	memset(text + 1, ' ', line->width);
	text[line->width + 1] = '\r';
	diag_draw(text, line->width + 2);
	line->width = 0;
	diag_over_live_line(0);
}

void live_line_give_back(int kept)
{
	const int64_t deadline = clock_now() + GIVE_BACK_LIMIT_NS;
	char text[TERMINAL_SEQUENCE_MAX];
	struct terminal_size size;
	eventfd_t count;
	if (eventfd_read(kept, &count) != 0)
		return;
	terminal_size(STDERR_FILENO, &size);
	const size_t length = (size_t)(terminal_give_back(text, size.rows) - text);
	while (!diag_draw(text, length) && clock_now() < deadline)
		clock_sleep_until(clock_now() + 10 * NS_PER_MS);
}
