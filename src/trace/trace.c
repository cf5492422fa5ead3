/* SPDX-License-Identifier: MIT */
/*
 * Records are kept in shared anonymous memory rather than on the heap: children that inherit it see the same pages, and fork
 * has no page tables to copy for it, however long the trace is.
 */
#include "trace/trace.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/units.h"

int trace_reserve(struct trace *trace, size_t count)
{
	if (count <= trace->mapped / sizeof(struct trace_record))
		return 0;
	if (count > SIZE_MAX / sizeof(struct trace_record) / 4)
		return fail(ENOMEM);
	size_t size = trace->mapped ? trace->mapped : (size_t)1 << 16;
	while (size < count * sizeof(struct trace_record))
		size *= 2;
	void *grown = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (grown == MAP_FAILED)
		return -1;
	if (trace->count)
		memcpy(grown, trace->records, trace->count * sizeof(struct trace_record));
	if (trace->mapping)
		munmap(trace->mapping, trace->mapped);
	trace->mapping = grown;
	trace->mapped = size;
	trace->records = grown;
	return 0;
}

int trace_append(struct trace *trace, const struct trace_record *record)
{
	if (trace_reserve(trace, trace->count + 1) != 0)
		return -1;
	((struct trace_record *)trace->mapping)[trace->count++] = *record;
	return 0;
}

void trace_free(struct trace *trace)
{
	if (trace->mapping)
		munmap(trace->mapping, trace->mapped);
	*trace = (struct trace){0};
}

int trace_source_refuse(const struct trace_source *source, const char *format, ...)
{
	const int used = snprintf(source->error, TRACE_ERROR_MAX, "%.300s: ", source->name);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(source->error + used, TRACE_ERROR_MAX - (size_t)used, format, arguments);
	va_end(arguments);
	return -1;
}

/* Until there is something to read, or the end. */
static void wait_for(const struct trace_source *source)
{
	struct trace_wait *const wait = source->wait;
	struct pollfd polled = {.fd = source->file, .events = POLLIN};
	if (!wait || source->regular)
		return;
	while (wait->until_ns) {
		const int64_t left_ns = wait->until_ns - clock_now();
		const int found = left_ns > 0 ? poll(&polled, 1, (int)(left_ns / NS_PER_MS) + 1) : 0;
		if (found > 0)
			return;
		if (found < 0 && errno == EINTR)
			continue;
		wait->until_ns = 0;
		wait->say(wait->context, source->name);
	}
	while (poll(&polled, 1, -1) < 0 && errno == EINTR)
		;
}

ssize_t trace_source_read(const struct trace_source *source, void *buffer, size_t size)
{
	ssize_t got;
	struct trace_ahead *const ahead = source->ahead;
	if (ahead && ahead->length > 0) {
		const size_t part = ahead->length < size ? ahead->length : size;
		memcpy(buffer, ahead->text, part);
		ahead->text += part;
		ahead->length -= part;
		return (ssize_t)part;
	}
	do {
		wait_for(source);
		got = read(source->file, buffer, size);
	} while (got < 0 && (errno == EINTR || (errno == EAGAIN && source->wait)));
	return got;
}

ssize_t trace_source_fill(const struct trace_source *source, void *buffer, size_t size)
{
	size_t done = 0;
	while (done < size) {
		const ssize_t got = trace_source_read(source, (char *)buffer + done, size - done);
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}
