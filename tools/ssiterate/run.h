/* SPDX-License-Identifier: MIT */
/* One call of ssiterate: the command is run again and again, or once with its lines looked at. */
#ifndef SSITERATE_RUN_H
#define SSITERATE_RUN_H

#include "ssiterate/options.h"

/* Returns the status to exit with; ends the process by the signal that told us to end. */
int ssiterate_run(const struct settings *settings);

#endif
