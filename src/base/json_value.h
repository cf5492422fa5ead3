/* SPDX-License-Identifier: MIT */
/* Values of JSON that can hold what isn't known, and any text; and records, which are files of one such value. */
#ifndef BASE_JSON_VALUE_H
#define BASE_JSON_VALUE_H

#include <jansson.h>
#include <stdio.h>

/* JSON has no NaN: what is no finite number is null. */
json_t *json_value_number(double value);

/* NULL is null. Arguments and file names may be no UTF-8, JSON must be: such bytes become U+FFFD. */
json_t *json_value_text(const char *value);

/*
 * Writes a record to a file that is open, closes the file, and frees the record; NULL is one that there was no memory for. 0, or -1 with
 * errno; then half_file_empty(path).
 */
int json_value_write(json_t *record, FILE *file, const char *path);

#endif
