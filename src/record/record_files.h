/* SPDX-License-Identifier: MIT */
/* The two files of a program that records pieces of work: each of them, and what has come of all. */
#ifndef RECORD_RECORD_FILES_H
#define RECORD_RECORD_FILES_H

#include "base/file_uses.h"

struct record_files {
	const char *output, *export_json; /* what options of these names say; NULL for none */
	const char *content;              /* of the first one, for messages: `records of requests` */
};

/*
 * Adds them and standard output and error to those that are used, frees that list, and refuses what can be seen to fail before a file is
 * emptied. 0, or -1 after a message.
 */
int record_files_check(const struct record_files *files, struct file_uses *uses);

/* That records are being lost, by errno. */
void record_files_complain(const struct record_files *files);

/* That it could not be written, by errno. Returns -1. */
int record_files_refuse_output(const struct record_files *files);
int record_files_refuse_export(const struct record_files *files);

#endif
