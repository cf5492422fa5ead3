/* SPDX-License-Identifier: MIT */
/* What the master measures while a run goes on: rows of the log, samples for the summary and the live line, energy. */
#ifndef SUPERVISE_MASTER_RECORDING_H
#define SUPERVISE_MASTER_RECORDING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "control/run.h"
#include "load/run_usage.h"
#include "placement/pinning.h"
#include "record/control_log.h"
#include "record/counted.h"
#include "record/energy.h"
#include "record/intervals.h"
#include "record/progress.h"
#include "record/warnings.h"
#include "supervise/live_line.h"

struct recording {
	const struct run *run;
	const pid_t *executor;   /* the master's: by workload; 0 once reaped */
	struct control_log *log; /* or NULL; recording_close_log closes it */
	struct intervals intervals;
	struct absence absence;
	struct energy energy;
	struct counted counted;        /* events of the workloads */
	struct linux_run_usage *usage; /* processor time of the run, to know the background load; NULL: not known */
	bool usage_has_begun;
	bool tells_free; /* … and of it that of free workloads */
	struct progress progress;
	struct live_line live_line;
	bool log_failed, source_failed; /* told once */
	bool log_unknown;               /* nobody knows whether what was written of the log has arrived */
	struct control_log_loss log_loss;
	struct pinning_course dynamic; /* where there are groups with it */
	struct sst_cpus *allowed;      /* … what neutral means */
	bool moving;                   /* threads may have been missed when the groups were moved */
};

/* With `run` and `log` filled in. 0, or -1 with errno. */
int recording_init(struct recording *recording);

/*
 * At the end, when nothing is left to be cleaned up: writes what waits for a slow reader, for a second at most, and says what of the run is
 * not in the log.
 */
void recording_close_log(struct recording *recording);

/* Whether all rows of the log are written, as far as is known; without one, too. */
bool recording_has_whole_log(const struct recording *recording);

void recording_free(struct recording *recording);

/* Reads the feedback source, and with it our own time. False where that fails, which is told once. */
bool recording_read(struct recording *recording, struct sst_reading *reading);

/* At the end: whether the source has not been readable for so long that nobody knows what the load was. Told. */
bool recording_lost_source(const struct recording *recording, int64_t end_ns);

/* Energy and events are measured from now on, or were up to now, in a stretch that may be shorter than a row. */
void recording_start_meters(struct recording *recording);
void recording_stop_meters(struct recording *recording);

/* Ends the intervals that are due. */
void recording_take(struct recording *recording, enum intervals_until until);

#endif
