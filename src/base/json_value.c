/* SPDX-License-Identifier: MIT */
#include "base/json_value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"

json_t *json_value_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_value_text(const char *value)
{
	if (!value)
		return json_null();
	json_t *plain = json_string(value);
	if (plain)
		return plain;
	char *copy = malloc(3 * strlen(value) + 1);
	if (!copy)
		return json_null();
	char *to = copy;
	for (; *value; value++) {
		if ((unsigned char)*value < 0x80)
			*to++ = *value;
		else
			to = stpcpy(to, "\xef\xbf\xbd");
	}
	*to = '\0';
	plain = json_string(copy);
	free(copy);
	return plain;
}

int json_value_write(json_t *record, FILE *file, const char *path)
{
	errno = ENOMEM;
	int result = record ? json_dumpf(record, file, JSON_INDENT(2) | JSON_REAL_PRECISION(9)) : -1;
	if (fputc('\n', file) == EOF)
		result = -1;
	if (fclose(file) != 0)
		result = -1;
	if (result != 0)
		half_file_empty(path);
	const int saved = errno;
	json_decref(record);
	errno = saved;
	return result;
}
