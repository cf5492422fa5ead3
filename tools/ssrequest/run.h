/* SPDX-License-Identifier: MIT */
/* One call of ssrequest: requests are sent when they are due, until all that were planned have ended or somebody ends it. */
#ifndef SSREQUEST_RUN_H
#define SSREQUEST_RUN_H

#include "ssrequest/options.h"

/* `words` is the command line, for the record. Returns the status to exit with; ends the process by the signal that told it to end. */
int run(const struct settings *settings, char *const *words);

#endif
