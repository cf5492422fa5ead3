/* SPDX-License-Identifier: MIT */
/* Waiting for all that can happen: signals, the command's end, its output, a time that is up. */
#ifndef SSITERATE_WAIT_H
#define SSITERATE_WAIT_H

#include "ssiterate/iterate.h"

/* Waits for the end of the command, and ends it when the time is up. */
void wait_for_command(struct iterate *iterate);

/* Passes on what the command wrote before it ended, but waits for no descendant that still holds the pipe. Closes the streams. */
void wait_for_output(struct iterate *iterate);

#endif
