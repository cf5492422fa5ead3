/* SPDX-License-Identifier: MIT */
/* No part of the control loop, except that dynamic pinning follows the samples. */
#include "supervise/master_recording.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/output.h"
#include "base/units.h"
#include "os/descendants.h"
#include "placement/pinning.h"
#include "record/summary.h"

/* A source that can't be read at the end of the run for so long is lost; what comes back is just missed for a while. */
#define LOST_AFTER_NS NS_PER_S
/* A shorter row would say nothing: two units of the kernel's counters. */
#define PAUSED_ROW_LEAST_NS (20 * NS_PER_MS)

int recording_init(struct recording *recording)
{
	const struct run *run = recording->run;
	const bool instances = run->config->log && run->config->log_instances;
	if (recorder_init(&recording->logged, run, run->config->log_interval_ns, instances) != 0)
		return -1;
	return recorder_init(&recording->sampled, run, SUMMARY_SAMPLE_NS, false);
}

void recording_close_log(struct recording *recording)
{
	const char *const name = output_name(recording->run->config->log);
	char text[CONTROL_LOG_LOSS_MAX];
	const int result = control_log_close(recording->log, &recording->log_loss);
	recording->log = NULL;
	if (result != 0 && !recording->log_failed)
		diag("%s: can't write the log: %s", name, control_log_error(errno));
	recording->log_unknown = result != 0 && recording->log_loss.ns == 0;
	if (recording->log_loss.ns > 0)
		diag("%s: %s", name, control_log_describe(&recording->log_loss, text));
}

bool recording_has_whole_log(const struct recording *recording)
{
	return recording->log_loss.ns == 0 && !recording->log_unknown;
}

void recording_free(struct recording *recording)
{
	control_log_close(recording->log, NULL);
	energy_close(&recording->energy);
	counted_close(&recording->counted);
	master_others_close(&recording->ours);
	recorder_free(&recording->logged);
	recorder_free(&recording->sampled);
	free(recording->allowed);
}

/* ---- Intervals -------------------------------------------------------------------------------------------------------- */

bool recording_read(struct recording *recording, struct sst_reading *reading)
{
	const struct module *feedback = &recording->run->module[SST_FEEDBACK];
	master_others_begin(&recording->ours, recording->run);
	if (feedback->feedback->read(feedback->state, &recording->run->host[SST_FEEDBACK].env, reading) == 0) {
		recording->read_ns = reading->when_ns;
		recording->ours_s = master_others_read(&recording->ours);
		recording->free_s = master_others_free(&recording->ours);
		return true;
	}
	const char *const said = recording->run->host[SST_FEEDBACK].refusal;
	if (!recording->source_failed)
		diag("can't read the load: %s; rows without it are left out", *said ? said : strerror(errno));
	recording->source_failed = true;
	return false;
}

bool recording_lost_source(const struct recording *recording, int64_t end_ns)
{
	if (!recording->read_ns || end_ns - recording->read_ns <= LOST_AFTER_NS)
		return false;
	diag("the load could not be read in the last %.1f s: what it was is not known",
		(double)(end_ns - recording->read_ns) / NS_PER_S);
	return true;
}

double recording_coverage(const struct recording *recording, int64_t end_ns)
{
	/* What came behind the last reading is in no row. */
	const int64_t origin = run_origin(recording->run);
	const int64_t from = recording->read_ns > origin ? recording->read_ns : origin;
	const int64_t behind_ns = end_ns - from > recording->sampled.interval_ns ? end_ns - from : 0;
	const int64_t whole_ns = recording->under_control_ns + behind_ns;
	return whole_ns > 0 ? (double)recording->sampled_ns / (double)whole_ns : 1;
}

/* An interval ends where control begins, so that no row is half warm-up. */
static int64_t interval_end(const struct recording *recording, const struct recorder *recorder, int64_t start_ns)
{
	const int64_t from = run_origin(recording->run);
	if (start_ns + NS_PER_MS < from)
		return start_ns + recorder->interval_ns < from ? start_ns + recorder->interval_ns : from;
	/* A reading that was late shortens the next interval: ends stay on the grid. */
	const int64_t passed = (start_ns - from + recorder->interval_ns / 4) / recorder->interval_ns;
	return from + (passed + 1) * recorder->interval_ns;
}

static struct others *others_of(struct recording *recording, const struct recorder *recorder)
{
	return recorder == &recording->logged ? &recording->logged_others : &recording->sampled_others;
}

static double *free_before(struct recording *recording, const struct recorder *recorder)
{
	return recorder == &recording->logged ? &recording->logged_free_s : &recording->sampled_free_s;
}

static void start_interval(struct recording *recording, struct recorder *recorder, const struct sst_reading *reading)
{
	recorder_start(recorder, reading, interval_end(recording, recorder, reading->when_ns));
	others_start(others_of(recording, recorder), recording->ours_s);
	*free_before(recording, recorder) = recording->free_s;
}

static void end_interval(
	struct recording *recording, struct recorder *recorder, const struct sst_reading *reading, struct record *record)
{
	recorder_end(recorder, reading, record);
	record->others = others_end(others_of(recording, recorder), &record->machine, recording->ours_s);
	const double free_s = recording->free_s - *free_before(recording, recorder);
	if (record->machine.capacity > 0 && !isnan(free_s))
		record->free = fmin(free_s / record->machine.capacity, 1);
	record->end_unix_ns = record->end_ns + clock_unix_offset();
}

void recording_start(struct recording *recording, const struct sst_reading *reading)
{
	start_interval(recording, &recording->logged, reading);
	start_interval(recording, &recording->sampled, reading);
}

void recording_start_meters(struct recording *recording)
{
	energy_start(&recording->energy);
	counted_start(&recording->counted);
}

void recording_stop_meters(struct recording *recording)
{
	const bool counts = clock_now() > run_origin(recording->run);
	energy_take(&recording->energy, counts);
	counted_take(&recording->counted, counts);
}

int64_t recording_next(const struct recording *recording)
{
	return recording->logged.next_ns < recording->sampled.next_ns ? recording->logged.next_ns : recording->sampled.next_ns;
}

/* ---- Dynamic pinning -------------------------------------------------------------------------------------------------- */

/* Binds all groups with dynamic pinning to the processors of the scheme in force. What is missed is found at the next sample. */
static void move_groups(struct recording *recording)
{
	const struct config *config = recording->run->config;
	recording->moving = false;
	for (unsigned i = 0; i < config->workloads - config->attaches; i++) {
		const struct group *group = run_group(config, i);
		const struct sst_cpus *cpus = recording->dynamic.is_above ? group->moved : group->cpus;
		const pid_t pid = recording->executor[i];
		if (group->pin == PIN_DYNAMIC && pid && !descendants_bind(pid, cpus ? cpus : recording->allowed))
			recording->moving = true;
	}
}

/* After a sample under control: whether the scheme has changed. */
static bool follow_load(struct recording *recording, const struct record *record)
{
	struct dynamic_pinning *dynamic = &recording->dynamic;
	if (!recording->run->config->dynamics || record->end_ns - record->length_ns + NS_PER_MS < run_origin(recording->run))
		return false;
	if (!dynamic->since_ns)
		dynamic->since_ns = record->end_ns - record->length_ns;
	const bool changed = dynamic_pinning_step(dynamic, record->load, record->end_ns);
	if (changed) {
		/* First, so that what is started from now on is bound where it belongs. */
		atomic_fetch_add(&recording->run->shared->moves, 1);
		if (recording->run->config->verbose)
			diag("pinning: %s, at a load of %.1f %%", pinning_name(dynamic_pinning_scheme(dynamic)),
				100 * record->load);
	}
	if (changed || recording->moving)
		move_groups(recording);
	/* One more look after each change, since a process that comes up during a look may be missed by it. */
	recording->moving = recording->moving || changed;
	return changed;
}

/* ---- Records ---------------------------------------------------------------------------------------------------------- */

/* Nobody can say of it what was held. */
static bool has_standstill(const struct recording *recording, const struct record *record)
{
	return recording->still || record->end_ns - record->length_ns < recording->still_until_ns;
}

static void write_log(struct recording *recording, struct record *record)
{
	if (has_standstill(recording, record))
		record->target = NAN;
	if (recording->run->config->dynamics)
		record->pinning = pinning_name(dynamic_pinning_scheme(&recording->dynamic));
	if (!recording->log || control_log_add(recording->log, record, run_origin(recording->run)) == 0)
		return;
	if (!recording->log_failed)
		diag("%s: can't write the log: %s; the run goes on", output_name(recording->run->config->log),
			control_log_error(errno));
	recording->log_failed = true;
}

static void note_progress(struct recording *recording, const struct record *record)
{
	progress_add(&recording->progress, record->target, record->load, record->duty);
	recording->progress.elapsed_ns = record->end_ns - run_origin(recording->run);
	live_line_draw(&recording->live_line, &recording->progress);
}

static struct recording_sums sums_of(const struct recording *recording)
{
	const struct others *const others = &recording->sampled_others;
	return (struct recording_sums){
		recording->accuracy, recording->tally, recording->sampled_ns, others->total, others->most, others->counted};
}

static void take_back(struct recording *recording)
{
	const struct recording_sums *const heard = &recording->heard;
	recording->accuracy = heard->accuracy;
	recording->tally = heard->tally;
	recording->sampled_ns = heard->sampled_ns;
	recording->sampled_others.total = heard->others;
	recording->sampled_others.most = heard->others_most;
	recording->sampled_others.counted = heard->others_counted;
}

void recording_hear(struct recording *recording, bool still, bool all_heard, int64_t now_ns)
{
	if (still && !recording->still)
		take_back(recording);
	else if (!still && recording->still)
		recording->still_until_ns = now_ns;
	recording->still = still;
	if (all_heard)
		recording->heard = sums_of(recording);
}

/* While there is still something to be done about it. */
static void warn_of_absence(struct recording *recording, const struct record *record)
{
	const struct config *const config = recording->run->config;
	struct absence_found found;
	if (!absence_add(&recording->absence, record, &found) || config->quiet)
		return;
	diag("warning: the workloads were gone for %.1f %% of the last %.1f s, and the load is %.1f pp below the target%s",
		100 * found.gone, found.seconds, found.missing_pp,
		config->when_one_ends == ENDS_RESPAWN
			? ": there are 100 ms or more between starts; ssiterate in front of the command "
			  "leaves none"
			: "");
}

/* A row of several intervals is one whose readings failed: one sample, which says nothing of the time that is missing. */
static void count_sample(struct recording *recording, const struct record *record)
{
	const int64_t interval_ns = recording->sampled.interval_ns;
	if (isnan(record->target) || record->partly_free || record->length_ns <= interval_ns / 2)
		return;
	recording->under_control_ns += record->length_ns;
	if (isnan(record->load) || has_standstill(recording, record))
		return;
	recording->sampled_ns += record->length_ns < 2 * interval_ns ? record->length_ns : interval_ns;
	accuracy_add(&recording->accuracy, record->target, record->load);
	tally_add(&recording->tally, record, run_origin(recording->run));
	warn_of_absence(recording, record);
	others_count(&recording->sampled_others);
}

static void complain_about_power(struct recording *recording)
{
	char text[LINUX_POWER_COMMAND_TEXT_MAX];
	if (energy_complaint(&recording->energy, text))
		diag("warning: --power-command: %s; rows without an answer have no power", text);
}

static bool is_due(const struct recording *recording, const struct recorder *recorder, enum recording_until until)
{
	const int64_t now = clock_now();
	const int64_t length_ns = now - recorder->start_ns;
	return recorder->next_ns <= now || (until == RECORDING_ENDS && length_ns >= recorder->interval_ns / 2) ||
	       (until == RECORDING_PAUSES && recorder == &recording->logged && length_ns >= PAUSED_ROW_LEAST_NS);
}

void recording_take(struct recording *recording, enum recording_until until)
{
	struct recorder *const recorders[] = {&recording->logged, &recording->sampled};
	struct sst_reading reading;
	bool have_reading = false;
	bool moved = false;
	bool started[2] = {false, false};
	for (int i = 0; i < 2; i++) {
		struct recorder *recorder = recorders[i];
		const bool due = is_due(recording, recorder, until);
		if (!due || (!have_reading && !(have_reading = recording_read(recording, &reading)))) {
			/* Without a reading the interval grows by one. */
			if (due)
				recorder->next_ns += recorder->interval_ns;
			continue;
		}
		struct record record;
		end_interval(recording, recorder, &reading, &record);
		if (recorder == &recording->logged) {
			const bool counts = recorder->start_ns + NS_PER_MS > run_origin(recording->run);
			record.power_w = energy_take(&recording->energy, counts);
			counted_take(&recording->counted, counts);
			record.zone_w = recording->energy.zone_w;
			complain_about_power(recording);
			write_log(recording, &record);
		} else {
			energy_poll(&recording->energy);
			note_progress(recording, &record);
		}
		if (recorder == &recording->sampled)
			count_sample(recording, &record);
		start_interval(recording, recorder, &reading);
		started[i] = true;
		moved = recorder == &recording->sampled && follow_load(recording, &record);
	}
	/* A reading of the new processors to begin with. */
	for (int i = 0; moved && i < 2; i++)
		if (started[i] && recording_read(recording, &reading))
			start_interval(recording, recorders[i], &reading);
}
