/* SPDX-License-Identifier: MIT */
#include "base/column_name.h"

#include <ctype.h>
#include <stdbool.h>

void column_name(const char *name, char *column, size_t size)
{
	size_t length = 0;
	for (; *name && length + 1 < size; name++) {
		const bool may_stand = isalnum((unsigned char)*name);
		if (may_stand || (length > 0 && column[length - 1] != '_'))
			column[length++] = may_stand ? *name : '_';
	}
	while (length > 0 && column[length - 1] == '_')
		length--;
	column[length] = '\0';
}
