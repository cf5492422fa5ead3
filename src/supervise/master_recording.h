/* SPDX-License-Identifier: MIT */
/* What the master measures while a run goes on: rows of the log, samples for the summary and the live line, energy. */
#ifndef SUPERVISE_MASTER_RECORDING_H
#define SUPERVISE_MASTER_RECORDING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/accuracy.h"
#include "control/run.h"
#include "placement/pinning.h"
#include "record/control_log.h"
#include "record/counted.h"
#include "record/energy.h"
#include "record/load_meter.h"
#include "record/progress.h"
#include "record/recorder.h"
#include "record/summary.h"
#include "record/warnings.h"
#include "supervise/live_line.h"
#include "supervise/master_others.h"

/* What samples have come to. */
struct recording_sums {
	struct accuracy accuracy;
	struct tally tally;
	int64_t sampled_ns;
	struct sst_sample others;
	double others_most;
	uint64_t others_counted;
};

struct recording {
	const struct run *run;
	const pid_t *executor;   /* the master's: by workload; 0 once reaped */
	struct control_log *log; /* or NULL; recording_close_log closes it */
	struct recorder logged, sampled;
	struct accuracy accuracy;
	struct tally tally;
	struct absence absence;
	int64_t under_control_ns,
		sampled_ns; /* with a target all the time, pauses left out, and the part of it that samples cover */
	int64_t read_ns;    /* when the source was read last */
	struct energy energy;
	struct counted counted; /* events of the workloads */
	struct master_others ours;
	double ours_s, free_s; /* as of the newest reading of the source: all of our time, and that of free workloads */
	double logged_free_s, sampled_free_s;        /* … and when the intervals of the recorders of these names began */
	struct others logged_others, sampled_others; /* with the recorders of these names */
	struct progress progress;
	struct live_line live_line;
	bool log_failed, source_failed; /* told once */
	struct recording_sums heard;    /* as of the last moment at which all executors were known to be on their way */
	bool still;                     /* one of them stands still … */
	int64_t still_until_ns;         /* … or did until then */
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

/* The part of the time under control that samples cover, 0 to 1; 1 where that was too short for one. */
double recording_coverage(const struct recording *recording, int64_t end_ns);

/* Both intervals begin at a reading. */
void recording_start(struct recording *recording, const struct sst_reading *reading);

/* Energy and events are measured from now on, or were up to now, in a stretch that may be shorter than a row. */
void recording_start_meters(struct recording *recording);
void recording_stop_meters(struct recording *recording);

/*
 * What is known of the executors now: whether one that controls stands still, and whether all have been heard of. The time of a standstill
 * isn't under control. It is noticed late, so that samples since all were heard of are taken back.
 */
void recording_hear(struct recording *recording, bool still, bool all_heard, int64_t now_ns);

/* When the next one ends. */
int64_t recording_next(const struct recording *recording);

/*
 * Ends the intervals that are due. At the end of the run also those that are at least half over, and before a pause the row of the log: what
 * comes after it begins a row of its own.
 */
enum recording_until { RECORDING_GOES_ON, RECORDING_PAUSES, RECORDING_ENDS };
void recording_take(struct recording *recording, enum recording_until until);

#endif
