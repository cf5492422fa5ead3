/* SPDX-License-Identifier: MIT */
#include "base/json_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
