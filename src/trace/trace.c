/* SPDX-License-Identifier: MIT */
/*
 * Records are kept in shared anonymous memory rather than on the heap: children that inherit it see the same pages, and fork
 * has no page tables to copy for it, however long the trace is.
 */
#include "trace/trace.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

int trace_reserve(struct trace *trace, size_t count)
{
	if (count <= trace->mapped / sizeof(struct trace_record))
		return 0;
	if (count > SIZE_MAX / sizeof(struct trace_record) / 4) {
		errno = ENOMEM;
		return -1;
	}
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
