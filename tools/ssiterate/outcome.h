/* SPDX-License-Identifier: MIT */
/* What has come of all iterations together: some lines for people, and a record for programs. */
#ifndef SSITERATE_OUTCOME_H
#define SSITERATE_OUTCOME_H

#include <stdio.h>

#include "ssiterate/options.h"
#include "ssiterate/statistics.h"

/* Writes the lines to stderr; what can't be written at once is left out. */
void outcome_print(const struct settings *settings, const struct statistics *statistics);

/* Writes the record, and closes the file. 0, or -1 with errno; then the file is left empty. Sorts the kept times. */
int outcome_export(FILE *file, const struct settings *settings, struct statistics *statistics);

#endif
