/* SPDX-License-Identifier: MIT */
/*
 * What a test can't try on this machine. A program that left something out, and in which nothing failed, ends with the status that CTest
 * counts as skipped. Tests may run in processes of their own: the count is shared.
 */
#ifndef LEFT_OUT_H
#define LEFT_OUT_H

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define LEFT_OUT_STATUS 77

static _Atomic unsigned *parts_left_out;

/* Before any test is run. */
static inline void left_out_begin(void)
{
	void *const memory = mmap(NULL, sizeof *parts_left_out, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		abort();
	parts_left_out = memory;
}

static inline void left_out(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline void left_out(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fputs("left out: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	atomic_fetch_add(parts_left_out, 1);
}

/* The program's status, by how many tests failed. */
static inline int left_out_status(int failed)
{
	if (failed)
		return EXIT_FAILURE;
	return atomic_load(parts_left_out) ? LEFT_OUT_STATUS : EXIT_SUCCESS;
}

#endif
