/* SPDX-License-Identifier: MIT */
#include "base/diag.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *name = "showstopper";
static bool over_live_line;

void diag_name(const char *program)
{
	name = program;
}

void diag_over_live_line(bool live)
{
	over_live_line = live;
}

static void say(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

static void say(const char *format, va_list arguments)
{
	const int saved = errno;
	char line[4096];
	int used = snprintf(line, sizeof line, "%s%s: ", over_live_line ? "\r\033[K" : "", name);
	const int body = vsnprintf(line + used, sizeof line - (size_t)used - 1, format, arguments);
	/* What a message quotes must not break its line or steer the terminal. */
	for (char *at = line + used; *at; at++)
		if ((unsigned char)*at < ' ' || *at == '\177')
			*at = '?';
	if (body > 0)
		used += body;
	if ((size_t)used > sizeof line - 2)
		used = (int)sizeof line - 2;
	line[used++] = '\n';
	/* Nothing can be said when stderr can't be written. */
	if (write(STDERR_FILENO, line, (size_t)used) < 0)
		errno = saved;
	errno = saved;
}

void diag(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
}

int diag_refuse(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say(format, arguments);
	va_end(arguments);
	return -1;
}
