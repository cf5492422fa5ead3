/* SPDX-License-Identifier: MIT */
/*
 * The files of a report, sorted into runs. A run is what was recorded together: logs and iteration files. Which kind a file is of,
 * its header tells. In a run all times are of one clock, that of its first log, or of its first file where there is none.
 *
 *	--label LABEL FILE…   the files that follow, up to the next --label, are a run
 *	LABEL=FILE            files with the same label are a run
 *	FILE                  a log is a run of its own, labelled by its name. Iteration files belong to the run with a log at
 *	                      that time; without any log they are a run together
 */
#ifndef REPORT_INPUT_H
#define REPORT_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/csv.h"
#include "base/file_uses.h"
#include "report/runs.h"

/* Add words of the command line; nothing is read yet. Texts must outlive the input. 0, or -1 with errno. */
void report_input_label(struct report_input *input, const char *label);
int report_input_file(struct report_input *input, const char *word);

/* What LABEL=FILE names, for --power; with room for it in input->power. */
void report_input_power(struct report_input *input, const char *word);

/* A label that no file follows, or NULL. */
const char *report_input_empty_label(const struct report_input *input);
/* Adds all files. */
void report_input_files(const struct report_input *input, struct file_uses *uses);

/* A word of the command line as it was given. */
const char *report_input_text(const struct report_input *input, size_t word);

/* Reads all files. Says on stderr which of them ended in half a line. 0, or -1 with a message. */
int report_input_read(struct report_input *input, char error[static CSV_ERROR_MAX]);
void report_input_free(struct report_input *input);

#endif
