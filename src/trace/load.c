/* SPDX-License-Identifier: MIT */
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"

#define BLOCK_SIZE ((size_t)1 << 18)

/* Parses what has been read already and, unless that is all, the rest of the file. */
static int read_text(const struct trace_source *source, const char *start, size_t got, bool ended, struct trace *trace)
{
	struct trace_text parser;
	char *buffer = malloc(BLOCK_SIZE);
	ssize_t more = ended ? 0 : 1;
	int result = -1;
	if (!buffer)
		return trace_source_refuse(source, "%s", strerror(errno));
	trace_text_begin(&parser, trace);
	if (trace_text_feed(&parser, start, got) != 0)
		goto fail;
	while (more) {
		more = trace_source_read(source, buffer, BLOCK_SIZE);
		if (more < 0) {
			trace_source_refuse(source, "%s", strerror(errno));
			goto out;
		}
		if (trace_text_feed(&parser, buffer, (size_t)more) != 0)
			goto fail;
	}
	if (trace_text_end(&parser) != 0)
		goto fail;
	result = 0;
	goto out;
fail:
	if (errno == EINVAL)
		snprintf(source->error, TRACE_ERROR_MAX, "%.300s:%" PRIu64 ":%zu: %s%s", source->name, parser.line, parser.column,
			parser.error,
			trace->count
				? ""
				: " (sstrace --from FORMAT -t -o NEW.trace FILE makes a trace of what another program recorded)");
	else
		trace_source_refuse(source, "%s: after %zu records", strerror(errno), trace->count);
out:
	free(buffer);
	return result;
}

static int read_from(struct trace *trace, struct trace_source *source, size_t copy_max)
{
	unsigned char start[TRACE_BINARY_HEADER_SIZE];
	struct stat status;
	*trace = (struct trace){0};
	if (fstat(source->file, &status) != 0)
		return trace_source_refuse(source, "%s", strerror(errno));
	if (S_ISDIR(status.st_mode))
		return trace_source_refuse(source, "found a directory, expected a trace");
	source->start = lseek(source->file, 0, SEEK_CUR);
	source->regular = S_ISREG(status.st_mode) && source->start >= 0 && source->start <= status.st_size;
	if (source->regular)
		source->size = (uint64_t)(status.st_size - source->start);
	const ssize_t got = trace_source_fill(source, start, sizeof start);
	if (got < 0)
		return trace_source_refuse(source, "%s", strerror(errno));
	if (got == 0)
		return trace_source_refuse(source, "found nothing, expected a trace: it is empty");
	const int result = start[0] == TRACE_BINARY_FIRST
				   ? trace_binary_read(trace, source, start, (size_t)got, copy_max)
				   : read_text(source, (const char *)start, (size_t)got, (size_t)got < sizeof start, trace);
	if (result != 0)
		trace_free(trace);
	else
		mprotect(trace->mapping, trace->mapped, PROT_READ); /* against stray writes; the trace is as good without it */
	return result;
}

int trace_read(struct trace *trace, int file, const char *name, size_t copy_max, char error[static TRACE_ERROR_MAX])
{
	return trace_read_behind(trace, file, name, NULL, copy_max, error);
}

int trace_read_behind(struct trace *trace, int file, const char *name, struct trace_ahead *ahead, size_t copy_max,
	char error[static TRACE_ERROR_MAX])
{
	struct trace_source source = {.file = file, .name = name, .ahead = ahead, .error = error};
	return read_from(trace, &source, copy_max);
}

int trace_load(struct trace *trace, const char *path, struct trace_wait *wait, char error[static TRACE_ERROR_MAX])
{
	struct trace_source source = {.name = path, .wait = wait, .error = error};
	struct stat status;
	/* To open a FIFO would be to wait for a writer, and nobody would hear of it. */
	const int flags = wait && stat(path, &status) == 0 && S_ISFIFO(status.st_mode) ? O_NONBLOCK : 0;
	*trace = (struct trace){0};
	source.file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | flags);
	if (source.file < 0)
		return trace_source_refuse(&source, "%s", strerror(errno));
	if (wait)
		wait->until_ns = clock_now() + NS_PER_S;
	const int result = read_from(trace, &source, TRACE_COPY_MAX);
	close(source.file);
	return result;
}

/*
 * Lines are parsed where they lie in the caller's buffer; only one that is cut by the buffer's end is copied. A limit on the
 * length of a line keeps that copy small and makes a wrong file (a binary, /dev/zero) fail at once.
 */

#define EXPECTED_TIME UNITS_TIME_EXPECTED
#define EXPECTED_LOAD UNITS_LOAD_EXPECTED ", or free"
#define EXPECTED_MODE "linear or step"

struct word {
	const char *text;
	size_t length; /* 0: the line ended */
	size_t column;
};

/* What is left of a line. */
struct line {
	const char *text;
	size_t length;
	size_t at;
};

void trace_text_begin(struct trace_text *parser, struct trace *trace)
{
	parser->trace = trace;
	parser->line = 1;
	parser->column = 0;
	parser->error[0] = '\0';
	parser->interpolation_given = false;
	parser->held = 0;
}

static int __attribute__((format(printf, 3, 4))) wrong(struct trace_text *parser, size_t column, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(parser->error, sizeof parser->error, format, arguments);
	va_end(arguments);
	parser->column = column;
	errno = EINVAL;
	return -1;
}

/* Longest quotation of a word, with its NUL. */
#define QUOTE_MAX 136

/* The word as a terminal can show it; "…" stands for the rest of a long one. */
static const char *quote(const struct word *word, char text[static QUOTE_MAX])
{
	const size_t most = 32;
	char *out = text;
	if (word->length == 0)
		return "the end of the line";
	*out++ = '"';
	for (size_t i = 0; i < word->length && i < most; i++) {
		const unsigned char c = (unsigned char)word->text[i];
		if (c > ' ' && c < 0x7f && c != '"' && c != '\\')
			*out++ = (char)c;
		else
			out += sprintf(out, "\\x%02x", c);
	}
	sprintf(out, "%s\"", word->length > most ? "…" : "");
	return text;
}

static int unexpected(struct trace_text *parser, const struct word *word, size_t column, const char *expected)
{
	char text[QUOTE_MAX];
	return wrong(parser, column, "found %s, expected %s", quote(word, text), expected);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct word next_word(struct line *line)
{
	while (line->at < line->length && is_blank(line->text[line->at]))
		line->at++;
	const size_t start = line->at;
	while (line->at < line->length && !is_blank(line->text[line->at]) && line->text[line->at] != '#')
		line->at++;
	return (struct word){.text = line->text + start, .length = line->at - start, .column = start + 1};
}

static bool word_is(const struct word *word, const char *text)
{
	return word->length == strlen(text) && memcmp(word->text, text, word->length) == 0;
}

static int expect_end(struct trace_text *parser, struct line *line)
{
	const struct word word = next_word(line);
	return word.length ? unexpected(parser, &word, word.column, "the end of the line") : 0;
}

static int parse_interpolate(struct trace_text *parser, struct line *line, const struct word *directive)
{
	const struct word mode = next_word(line);
	if (parser->trace->count)
		return unexpected(parser, directive, directive->column, "it before the first record");
	if (parser->interpolation_given)
		return unexpected(parser, directive, directive->column, "it once at most");
	if (word_is(&mode, "step"))
		parser->trace->interpolation = TRACE_STEP;
	else if (word_is(&mode, "linear"))
		parser->trace->interpolation = TRACE_LINEAR;
	else
		return unexpected(parser, &mode, mode.column, EXPECTED_MODE);
	parser->interpolation_given = true;
	return expect_end(parser, line);
}

static int parse_time(struct trace_text *parser, const struct word *word, int64_t *ns)
{
	const int64_t last = parser->trace->count ? parser->trace->records[parser->trace->count - 1].ns : 0;
	const size_t sign = word->text[0] == '+';
	size_t stop;
	const bool malformed = units_parse_time(word->text + sign, word->length - sign, ns, &stop) != 0;
	if (malformed && errno != ERANGE)
		return unexpected(parser, word, word->column + sign + stop, EXPECTED_TIME);
	if (malformed || (sign && __builtin_add_overflow(last, *ns, ns)))
		return unexpected(parser, word, word->column, "a time within 292 years (9223372036854775807n)");
	if (*ns < last) {
		char found[QUOTE_MAX];
		char least[UNITS_TEXT_MAX];
		return wrong(parser, word->column, "found %s, expected %s or later: times don't decrease", quote(word, found),
			units_print_time(last, least));
	}
	return 0;
}

static int parse_record(struct trace_text *parser, struct line *line, const struct word *time)
{
	struct trace_record record;
	size_t stop;
	if (parse_time(parser, time, &record.ns) != 0)
		return -1;
	const struct word load = next_word(line);
	if (word_is(&load, "free"))
		record.load = NAN;
	else if (load.length == 0)
		return unexpected(parser, &load, load.column, EXPECTED_LOAD);
	else if (units_parse_load(load.text, load.length, &record.load, &stop) != 0)
		return unexpected(parser, &load, load.column + stop, EXPECTED_LOAD);
	if (expect_end(parser, line) != 0)
		return -1;
	return trace_append(parser->trace, &record);
}

static int parse_line(struct trace_text *parser, const char *text, size_t length)
{
	struct line line = {.text = text, .length = length};
	if (length && text[length - 1] == '\r')
		line.length--;
	if (line.length > TRACE_TEXT_LINE_MAX)
		return wrong(parser, TRACE_TEXT_LINE_MAX + 1, "the line goes on, expected at most %d bytes", TRACE_TEXT_LINE_MAX);
	const struct word first = next_word(&line);
	if (first.length == 0)
		return 0;
	if (word_is(&first, "interpolate"))
		return parse_interpolate(parser, &line, &first);
	if (first.text[0] == '+' || first.text[0] == '.' || (first.text[0] >= '0' && first.text[0] <= '9'))
		return parse_record(parser, &line, &first);
	return unexpected(parser, &first, first.column, EXPECTED_TIME ", +TIME, interpolate or a # comment");
}

/* A further part of the line being read has come: its bytes before the end of the line, if that was found. */
static int check_part(struct trace_text *parser, const char *text, size_t length)
{
	const size_t room = sizeof parser->hold - parser->held;
	const char *nul = memchr(text, '\0', length < room ? length : room);
	if (nul)
		return wrong(
			parser, parser->held + (size_t)(nul - text) + 1, "found a NUL byte, expected text or a compiled trace");
	if (length > room)
		return wrong(parser, TRACE_TEXT_LINE_MAX + 1, "the line goes on, expected at most %d bytes", TRACE_TEXT_LINE_MAX);
	return 0;
}

int trace_text_feed(struct trace_text *parser, const char *text, size_t length)
{
	while (length) {
		const char *newline = memchr(text, '\n', length);
		size_t part = newline ? (size_t)(newline - text) : length;
		if (check_part(parser, text, part) != 0)
			return -1;
		if (!newline || parser->held) {
			memcpy(parser->hold + parser->held, text, part);
			parser->held += part;
		}
		if (!newline)
			return 0;
		if (parse_line(parser, parser->held ? parser->hold : text, parser->held ? parser->held : part) != 0)
			return -1;
		parser->held = 0;
		parser->line++;
		text += part + 1;
		length -= part + 1;
	}
	return 0;
}

int trace_text_end(struct trace_text *parser)
{
	if (parser->held && parse_line(parser, parser->hold, parser->held) != 0)
		return -1;
	if (parser->trace->count == 0)
		return wrong(parser, 1, "found the end of the text, expected at least one record: TIME LOAD");
	parser->held = 0;
	return 0;
}

int trace_text_print(const struct trace *trace, FILE *to)
{
	if (trace->interpolation == TRACE_STEP)
		fputs("interpolate step\n", to);
	for (size_t i = 0; i < trace->count && !ferror(to); i++) {
		const struct trace_record *record = &trace->records[i];
		if (isnan(record->load))
			fprintf(to, "%" PRId64 "n free\n", record->ns);
		else
			fprintf(to, "%" PRId64 "n %.17g\n", record->ns, record->load);
	}
	return ferror(to) || fflush(to) != 0 ? -1 : 0;
}
