/* SPDX-License-Identifier: MIT */
/* What a user says of a CSV file that no program is known to write. */
#ifndef RECORD_CLIENT_COLUMNS_H
#define RECORD_CLIENT_COLUMNS_H

/* Columns of any CSV, by name; NULL: not given. None: the file is to be one of those that are known. */
struct client_columns {
	const char *start, *end; /* moments */
	const char *time;        /* how long it took */
	double unit;             /* of those whose names don't end with one, in seconds; 0: not given */
};

#endif
