/* SPDX-License-Identifier: MIT */
#include "ssrequest/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/units.h"
#include "self/terminal.h"

#define LINE_SIZE 256
#define COLUMNS_WHERE_UNKNOWN 80u

void progress_line_init(struct progress_line *line, bool is_wanted)
{
	*line = (struct progress_line){.is_shown = is_wanted && terminal_knows_sequences(STDERR_FILENO)};
	line->next_ns = line->is_shown ? NS_PER_S : INT64_MAX;
}

/* Writes a text over what stands there. */
static void write_over(struct progress_line *line, const char *text)
{
	char drawn[LINE_SIZE + LINE_SIZE] = "\r";
	const unsigned width = (unsigned)strlen(text);
	const unsigned padded = width > line->width ? width : line->width;
	const int length = snprintf(drawn, sizeof drawn, "\r%-*s%s", (int)padded, text, width == 0 ? "\r" : "");
	if (!diag_draw(drawn, (size_t)length))
		return;
	line->width = width;
	diag_over_live_line(width);
}

void progress_line_draw(
	struct progress_line *line, const struct outcome *outcome, int64_t now_ns, int64_t length_ns, unsigned unanswered)
{
	char text[LINE_SIZE], length[UNITS_TEXT_MAX + 8] = "", time[OUTCOME_TEXT_MAX];
	struct terminal_size size;
	const uint64_t requests = outcome_requests(outcome);
	const int64_t since_ns = line->next_ns - NS_PER_S;
	const double passed_s = (double)(now_ns - since_ns) / (double)NS_PER_S;
	terminal_size(STDERR_FILENO, &size);
	const unsigned columns = size.columns ? size.columns : COLUMNS_WHERE_UNKNOWN;
	if (length_ns != INT64_MAX)
		snprintf(length, sizeof length, " of %.0f s", (double)length_ns / (double)NS_PER_S);
	snprintf(text, sizeof text, "%.0f s%s  %.1f/s  unanswered %u  p99 %s  errors %" PRIu64, (double)now_ns / (double)NS_PER_S,
		length, (double)(requests - line->requests) / passed_s, unanswered,
		outcome_print_time(outcome_figure(outcome, OUTCOME_P99), time), requests - outcome_good(outcome));
	if (strlen(text) >= columns)
		text[columns - 1] = '\0';
	write_over(line, text);
	line->requests = requests;
	line->next_ns = now_ns + NS_PER_S;
}

void progress_line_remove(struct progress_line *line)
{
	if (line->width)
		write_over(line, "");
}
