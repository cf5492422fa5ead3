/* SPDX-License-Identifier: MIT */
#include "trace/source.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

int trace_source_refuse(const struct trace_source *source, const char *format, ...)
{
	const int used = snprintf(source->error, TRACE_ERROR_MAX, "%.300s: ", source->name);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(source->error + used, TRACE_ERROR_MAX - (size_t)used, format, arguments);
	va_end(arguments);
	return -1;
}

ssize_t trace_source_fill(const struct trace_source *source, void *buffer, size_t size)
{
	size_t done = 0;
	while (done < size) {
		const ssize_t got = read(source->file, (char *)buffer + done, size - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}
