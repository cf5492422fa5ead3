/* SPDX-License-Identifier: MIT */
/* No part of the control loop, except that dynamic pinning follows the samples. */
#include "supervise/master_state.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/output.h"
#include "base/units.h"
#include "control/estimate.h"
#include "load/processors.h"
#include "placement/pinning.h"
#include "placement/placement.h"

/* A source that can't be read at the end of the run for so long is lost; what comes back is just missed for a while. */
#define LOST_AFTER_NS NS_PER_S

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
	linux_run_usage_close(recording->usage);
	recording->usage = NULL;
	linux_watched_close(recording->watched);
	recording->watched = NULL;
	intervals_free(&recording->intervals);
	free(recording->allowed);
}

/* ---- Our own time ----------------------------------------------------------------------------------------------------- */

/* What looking for new processes may cost: this part of a processor for each workload, and more where rows are shorter than usual. */
#define USAGE_LOOK_SHARE (1.0 / 7000)
#define USUAL_ROW_NS (500 * NS_PER_MS)

static double look_share(const struct config *config)
{
	const double rows = config->log && config->log_interval_ns < USUAL_ROW_NS
				    ? (double)USUAL_ROW_NS / (double)config->log_interval_ns
				    : 1;
	return USAGE_LOOK_SHARE * rows * config->workloads;
}

/* When all executors are there; once more does no harm. Counts nothing where not all of it is part of the load. */
static void begin_usage(struct recording *recording)
{
	const struct run *const run = recording->run;
	const struct config *config = run->config;
	if (recording->usage_has_begun)
		return;
	recording->usage_has_begun = true;
	if (!run_is_measured_whole(run))
		return;
	/* Without memory they are not told apart. */
	pid_t *const free_ones = calloc(config->workloads, sizeof *free_ones);
	unsigned frees = 0;
	for (unsigned i = 0; free_ones && i < config->workloads; i++) {
		const pid_t executor = run->shared->slot[i].free ? atomic_load(&run->shared->slot[i].executor) : 0;
		if (executor)
			free_ones[frees++] = executor;
	}
	recording->tells_free = frees > 0;
	const struct linux_run_usage_heads heads = {.guardian = getppid(),
		.master = getpid(),
		.attached = config->attach,
		.attaches = config->attaches - config->attach_groups,
		.group = run->attached + config->attaches - config->attach_groups,
		.groups = config->attach_groups,
		.free = free_ones,
		.frees = frees,
		.look_share = look_share(config)};
	recording->usage = linux_run_usage_open(config->root, &heads);
	free(free_ones);
}

/* In s since then, of all processes of the run and of those of free workloads; NaN where it isn't counted or can't be read. */
static void read_usage(struct recording *recording)
{
	struct intervals *const intervals = &recording->intervals;
	if (!recording->usage || linux_run_usage_read(recording->usage, &intervals->usage_s) != 0)
		intervals->usage_s = NAN;
	intervals->free_s = recording->usage && recording->tells_free ? linux_run_usage_free(recording->usage) : NAN;
}

/* ---- What is watched -------------------------------------------------------------------------------------------------- */

int recording_watch(struct recording *recording)
{
	const struct config *const config = recording->run->config;
	char error[LINUX_WATCHED_ERROR_MAX];
	for (unsigned i = 0; i < config->watches; i++)
		recording->watched_ended_s[i] = NAN;
	if (!config->watches)
		return 0;
	recording->watched = linux_watched_open(
		config->root, config->watch, config->watches, recording->run->attached, config->attaches, error);
	return recording->watched ? 0 : diag_refuse("--watch: %s", error);
}

/* That one has ended, or is back, is told; before control begins that is at 0 s. */
static void note_end(struct recording *recording, unsigned which)
{
	const struct config *const config = recording->run->config;
	const bool has_ended = linux_watched_has_ended(recording->watched, which);
	double *const ended_s = &recording->watched_ended_s[which];
	if (has_ended == !isnan(*ended_s))
		return;
	const int64_t origin_ns = run_origin(recording->run), now_ns = clock_now();
	*ended_s = !has_ended ? NAN : origin_ns > 0 && now_ns > origin_ns ? (double)(now_ns - origin_ns) / NS_PER_S : 0;
	const struct watch *const watch = &config->watch[which];
	if (config->quiet)
		return;
	if (has_ended)
		diag("--watch: %s %s; the run goes on, and its load is 0 from now on", watch->text,
			watch->pid ? "has ended" : "is gone");
	else
		diag("--watch: %s is there again", watch->text);
}

static void read_watched(struct recording *recording)
{
	struct intervals *const intervals = &recording->intervals;
	const struct run *const run = recording->run;
	if (!recording->watched)
		return;
	linux_watched_read(recording->watched);
	intervals->watches = run->config->watches;
	intervals->processors = run_is_measured_whole(run) ? 0 : linux_processors_online();
	for (unsigned i = 0; i < intervals->watches; i++) {
		intervals->watched_s[i] = linux_watched_used(recording->watched, i);
		note_end(recording, i);
	}
}

/* ---- Readings --------------------------------------------------------------------------------------------------------- */

bool recording_read(struct recording *recording, struct sst_reading *reading)
{
	const struct module *feedback = &recording->run->module[SST_FEEDBACK];
	begin_usage(recording);
	if (feedback->feedback->read(feedback->state, &recording->run->host[SST_FEEDBACK].env, reading) == 0) {
		read_usage(recording);
		read_watched(recording);
		return true;
	}
	const char *const said = recording->run->host[SST_FEEDBACK].refusal;
	if (!recording->source_failed)
		diag("can't read the load: %s; rows without it are left out", *said ? said : strerror(errno));
	recording->source_failed = true;
	return false;
}

/* What the source itself says of it, once. */
static void tell_trouble(struct recording *recording)
{
	const struct module *const feedback = &recording->run->module[SST_FEEDBACK];
	const char *const text = feedback->feedback->trouble ? feedback->feedback->trouble(feedback->state) : NULL;
	if (!text || strcmp(text, recording->trouble) == 0)
		return;
	snprintf(recording->trouble, sizeof recording->trouble, "%s", text);
	if (!recording->run->config->quiet)
		diag("warning: %s", text);
}

/* What hinders the run, each once. */
static void tell_hindrances(struct recording *recording)
{
	const struct run *const run = recording->run;
	char nan[RUN_NOT_A_NUMBER_MAX], stopped[STOPPED_TEXT_MAX];
	uint64_t signals;
	if (run->config->quiet)
		return;
	if (!recording->told_nan && run_not_a_number(run, nan)) {
		recording->told_nan = true;
		diag("warning: %s", nan);
	}
	if (stopped_describe(run->shared, stopped, &signals) && signals & ~recording->told_signals) {
		recording->told_signals |= signals;
		diag("warning: %s", stopped);
	}
}

/* The load has not been known for long enough to say so, or is known again. */
static void set_unknown(struct recording *recording, bool is_unknown, double seconds)
{
	const struct run *const run = recording->run;
	if (is_unknown == recording->is_unknown)
		return;
	recording->is_unknown = is_unknown;
	if (is_unknown)
		diag("the load has not been known for %.1f s: the workloads keep their duty cycle", seconds);
	else
		diag("the load is known again");
	if (!is_unknown)
		atomic_store(&run->shared->blind, false);
}

bool recording_knows_load(struct recording *recording, int64_t now_ns)
{
	const struct run *const run = recording->run;
	/* When nobody looked, nobody could: the machine stood still, or the run was paused. */
	if (!run_knows_load(run) || now_ns - recording->checked_ns > ESTIMATE_STANDSTILL_NS)
		recording->known_ns = now_ns;
	recording->checked_ns = now_ns;
	const int64_t unknown_ns = now_ns - recording->known_ns;
	set_unknown(recording, unknown_ns > ESTIMATE_UNKNOWN_NS + SUMMARY_SAMPLE_NS, (double)unknown_ns / NS_PER_S);
	if (unknown_ns <= ESTIMATE_UNKNOWN_NS + ESTIMATE_BLIND_NS || atomic_load(&run->shared->blind))
		return true;
	recording->was_blind = true;
	atomic_store(&run->shared->blind, run->config->keep_going);
	diag("the load has not been known for %.0f s: %s", (double)unknown_ns / NS_PER_S,
		run->config->keep_going ? "the duty cycle is the target from now on, as with -c open" : "the run ends");
	return run->config->keep_going;
}

bool recording_lost_source(const struct recording *recording, int64_t end_ns)
{
	const int64_t read_ns = intervals_read(&recording->intervals);
	if (!read_ns || end_ns - read_ns <= LOST_AFTER_NS)
		return false;
	diag("the load could not be read in the last %.1f s: what it was is not known", (double)(end_ns - read_ns) / NS_PER_S);
	return true;
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
		if (group->pin == PIN_DYNAMIC && pid && !placement_bind(pid, cpus ? cpus : recording->allowed))
			recording->moving = true;
	}
}

/* After a sample under control: whether the scheme has changed. */
static bool follow_load(struct recording *recording, const struct record *record)
{
	struct pinning_course *dynamic = &recording->dynamic;
	if (!recording->run->config->dynamics || record->end_ns - record->length_ns + NS_PER_MS < run_origin(recording->run))
		return false;
	if (!dynamic->since_ns)
		dynamic->since_ns = record->end_ns - record->length_ns;
	const bool changed = dynamic_pinning_step(dynamic, record->load, record->end_ns);
	if (changed) {
		/* First, so that what is started from now on is bound where it belongs. */
		_Atomic struct host_place *const place = &recording->run->shared->place;
		const struct host_place before = atomic_load(place);
		atomic_store(place, ((struct host_place){before.moves + 1, dynamic->is_above}));
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

static void write_log(struct recording *recording, struct record *record)
{
	if (recording->run->config->dynamics)
		record->pinning = pinning_name(dynamic_pinning_scheme(&recording->dynamic));
	if (!recording->log || !run_knows_load(recording->run) ||
		control_log_add(recording->log, record, run_origin(recording->run)) == 0)
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

/* With --limit the target is no more than a ceiling. */
static void warn_of_miss(struct recording *recording, const struct record *record)
{
	const struct run *const run = recording->run;
	const struct config *const config = run->config;
	struct miss_found found;
	char text[MISS_TEXT_MAX];
	if (config->limit > 0 || !miss_add(&recording->miss, record, &found) || config->quiet)
		return;
	miss_describe(&found, run_is_of_cores(run) ? NAN : capacity_of_controlled(config), run_processors(run),
		config->when_one_ends == ENDS_RESPAWN, text);
	diag("warning: %s", text);
}

static void take_row(void *context, struct record *record)
{
	struct recording *const recording = context;
	const bool counts = record->end_ns - record->length_ns + NS_PER_MS > run_origin(recording->run);
	record->end_unix_ns = record->end_ns + clock_unix_offset();
	record->power_w = energy_take(&recording->energy, counts);
	counted_take(&recording->counted, counts);
	record->zone_w = recording->energy.zone_w;
	write_log(recording, record);
}

static bool take_sample(void *context, const struct record *record, bool counts)
{
	struct recording *const recording = context;
	energy_poll(&recording->energy);
	tell_trouble(recording);
	tell_hindrances(recording);
	if (!isnan(record->load))
		recording->known_ns = record->end_ns;
	if (counts)
		warn_of_miss(recording, record);
	recording->progress.note = miss_note(counts ? recording->miss.now : MISS_NONE);
	note_progress(recording, record);
	return follow_load(recording, record);
}

static bool read_source(void *context, struct sst_reading *reading)
{
	return recording_read(context, reading);
}

int recording_init(struct recording *recording)
{
	const struct run *run = recording->run;
	const bool instances = run->config->log && run->config->log_instances;
	recording->intervals.owner =
		(struct intervals_owner){.read = read_source, .row = take_row, .sample = take_sample, .context = recording};
	return intervals_init(&recording->intervals, run, run->config->log_interval_ns, instances);
}

void recording_take(struct recording *recording, enum intervals_until until)
{
	intervals_take(&recording->intervals, clock_now(), until);
}
