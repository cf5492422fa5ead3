/* SPDX-License-Identifier: MIT */
#include "cli/refuse.h"

#include <stdarg.h>
#include <stdio.h>

int refuse(char **error, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	if (vasprintf(error, format, arguments) < 0)
		*error = NULL;
	va_end(arguments);
	return -1;
}
