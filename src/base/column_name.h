/* SPDX-License-Identifier: MIT */
/* Names that others gave to things, as names of columns. */
#ifndef BASE_COLUMN_NAME_H
#define BASE_COLUMN_NAME_H

#include <stddef.h>

/* Copies a name, cut to the size, with one underscore for whatever is neither a letter nor a digit, and none at its ends. */
void column_name(const char *name, char *column, size_t size);

#endif
