/* SPDX-License-Identifier: MIT */
#include "base/log_columns.h"

#include <ctype.h>

void column_name(const char *name, char *column, size_t size)
{
	size_t length = 0;
	for (; *name && length + 1 < size; name++) {
		if (isalnum((unsigned char)*name))
			column[length++] = *name;
		else if (length > 0 && column[length - 1] != '_')
			column[length++] = '_';
	}
	while (length > 0 && column[length - 1] == '_')
		length--;
	column[length] = '\0';
}
