/* SPDX-License-Identifier: MIT */
/* What a run would do, without doing it. */
#ifndef SSREQUEST_DRY_RUN_H
#define SSREQUEST_DRY_RUN_H

#include "ssrequest/options.h"
#include "ssrequest/schedule.h"

/* Prints it to standard output. */
void dry_run_show(const struct settings *settings, const struct schedule_settings *schedule);

#endif
