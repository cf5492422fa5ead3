/* SPDX-License-Identifier: MIT */
/* Values of JSON that can hold what isn't known, and any text. */
#ifndef BASE_JSON_VALUE_H
#define BASE_JSON_VALUE_H

#include <jansson.h>

/* JSON has no NaN: what is no finite number is null. */
json_t *json_value_number(double value);

/* NULL is null. Arguments and file names may be no UTF-8, JSON must be: such bytes become U+FFFD. */
json_t *json_value_text(const char *value);

#endif
