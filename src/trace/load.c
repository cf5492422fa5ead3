/* SPDX-License-Identifier: MIT */
#include "trace/load.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "trace/binary.h"
#include "trace/text.h"

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
		snprintf(source->error, TRACE_ERROR_MAX, "%.300s:%" PRIu64 ":%zu: %s", source->name, parser.line, parser.column,
			parser.error);
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
	struct trace_source source = {.file = file, .name = name, .error = error};
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
