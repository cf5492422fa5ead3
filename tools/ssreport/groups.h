/* SPDX-License-Identifier: MIT */
/* Numbers from a column of any CSV files, sorted into groups that are to be looked at together. */
#ifndef SSREPORT_GROUPS_H
#define SSREPORT_GROUPS_H

#include <stdbool.h>

#include "report/input.h"
#include "report/values.h"
#include "ssreport/options.h"

struct group {
	char *label;
	struct report_values values, beside; /* `beside` of a second column, as many */
};

/* Start with {0}. */
struct groups {
	struct group *item;
	size_t count;
	const char *column,
		*second; /* their names; NULL: the first column of the first file, and the second, whose field in its first row is a number */
	char *found, *found_second; /* those, which other files must have, too */
	const char *by;             /* the column whose text is the label of a group, where there is one */
	bool needs_by;              /* a file without that column is refused */
	bool is_whole;              /* so is a row without a value */
	bool has_second;            /* a second column is read, too; rows that lack one of both are passed over */
};

/* Adds the values of a file, "-" for standard input; all of them to the group of that label, if it isn't NULL. 0, or -1 after a message. */
int groups_read(struct groups *groups, const char *path, const char *label);
/* As command.check: groups are made in one way. */
int check_by(const struct settings *settings);

/* The files of the command line, each into the group of its label, where it has one. */
int groups_read_words(struct groups *groups, const struct report_input *input);
void groups_free(struct groups *groups);

#endif
