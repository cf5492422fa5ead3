/* SPDX-License-Identifier: MIT */
/* --limit: the workloads get so much of one processor and no more. A short way to write a trace and a feedback module with their options. */
#ifndef CLI_LIMIT_H
#define CLI_LIMIT_H

#include "config/config.h"

/* Of struct option_target; stores what --limit takes. 0, or -1 with a message in its *error. */
int option_set_limit(void *settings, const char *source, const char *text);

/* With all options known: puts the modules in place. 0, or -1 with a message in *error. */
int limit_complete(struct config *config, char **error);

#endif
