/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the text of a trace: the parser must not care how they are cut into pieces, and the canonical text of what it
 * accepts must give the same trace, and the same text, again.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static bool parse(struct trace_text *parser, struct trace *trace, const char *text, size_t length, size_t piece)
{
	trace_text_begin(parser, trace);
	int result = 0;
	for (size_t at = 0; at < length && result == 0; at += piece)
		result = trace_text_feed(parser, text + at, length - at < piece ? length - at : piece);
	if (result == 0)
		result = trace_text_end(parser);
	if (result == 0)
		return true;
	require(errno == EINVAL);
	require(parser->line >= 1 && parser->column >= 1 && parser->column <= TRACE_TEXT_LINE_MAX + 2);
	require(parser->error[0] != '\0' && memchr(parser->error, '\0', sizeof parser->error));
	return false;
}

static void require_same(const struct trace *a, const struct trace *b)
{
	require(a->interpolation == b->interpolation && a->count == b->count);
	for (size_t i = 0; i < a->count; i++) {
		require(a->records[i].ns == b->records[i].ns);
		require(a->records[i].load == b->records[i].load || (isnan(a->records[i].load) && isnan(b->records[i].load)));
	}
}

static char *print(const struct trace *trace, size_t *length)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, length);
	require(to && trace_text_print(trace, to) == 0);
	fclose(to);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct trace_text whole;
	static struct trace_text cut;
	struct trace trace = {0};
	struct trace again = {0};
	if (size == 0)
		return 0;
	const char *text = (const char *)data + 1;
	const size_t length = size - 1;
	const bool right = parse(&whole, &trace, text, length, length ? length : 1);
	require(parse(&cut, &again, text, length, (size_t)data[0] + 1) == right);
	if (!right) {
		require(whole.line == cut.line && whole.column == cut.column && strcmp(whole.error, cut.error) == 0);
	} else {
		size_t once_length;
		size_t twice_length;
		require_same(&trace, &again);
		require(trace.count >= 1 && trace.records[0].ns >= 0);
		for (size_t i = 0; i < trace.count; i++) {
			require(i == 0 || trace.records[i].ns >= trace.records[i - 1].ns);
			require(isnan(trace.records[i].load) || (trace.records[i].load >= 0 && trace.records[i].load <= 1));
		}
		char *once = print(&trace, &once_length);
		trace_free(&again);
		require(parse(&cut, &again, once, once_length, once_length));
		require_same(&trace, &again);
		char *twice = print(&again, &twice_length);
		require(once_length == twice_length && memcmp(once, twice, once_length) == 0);
		free(once);
		free(twice);
	}
	trace_free(&trace);
	trace_free(&again);
	return 0;
}
