/* SPDX-License-Identifier: MIT */
/* The life of the master from set-up to verdict; what lies between is in master_loop.c. */
#include "supervise/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/output.h"
#include "base/units.h"
#include "config/config.h"
#include "placement/placement.h"
#include "processes/affinity.h"
#include "processes/attached.h"
#include "processes/descendants.h"
#include "processes/exec_report.h"
#include "record/export.h"
#include "record/outputs.h"
#include "record/summary.h"
#include "self/terminal.h"
#include "supervise/master_state.h"
#include "workloads/spawn.h"

#define CLEANUP_LIMIT_NS (10 * NS_PER_S)
/* The guardian is to hear of us meanwhile. */
#define CLEANUP_STEP_NS (500 * NS_PER_MS)

/* ---- Setting up ------------------------------------------------------------------------------------------------------- */

static int set_up(struct master *master)
{
	sigset_t all;
	sigset_t watched;
	const int numbers[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGUSR1, SIGWINCH};
	/* From now on there may be something to clean up after the guardian. */
	prctl(PR_SET_PDEATHSIG, SIGCONT);
	/* Out of the terminal's foreground group: the guardian alone hears the keyboard. Writing to the terminal stays allowed since
	 * SIGTTOU is blocked. */
	setpgid(0, 0);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	const struct sigaction quiet = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};
	sigaction(SIGCHLD, &quiet, NULL);
	/* Stop signals that are ignored would never be seen. */
	const struct sigaction plain = {.sa_handler = SIG_DFL};
	sigemptyset(&watched);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		sigaddset(&watched, numbers[i]);
		if (numbers[i] != SIGCHLD)
			sigaction(numbers[i], &plain, NULL);
	}
	if (prctl(PR_SET_CHILD_SUBREAPER, 1UL) != 0)
		return -1;
	master->signals = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
	master->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (master->config->start_at_ns && (master->instant = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK)) < 0)
		return -1;
	master->run.master = pidfd_open(getpid(), 0);
	master->run.ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	master->recording.dynamic.settings = &master->config->dynamic;
	if (master->config->dynamics && !(master->recording.allowed = linux_affinity_get()))
		return -1;
	master->executor = calloc(master->config->workloads, sizeof *master->executor);
	master->stall = calloc(master->config->workloads, sizeof *master->stall);
	if (master->signals < 0 || master->timer < 0 || master->run.master < 0 || master->run.ready < 0 || !master->executor ||
		!master->stall)
		return -1;
	master->recording.run = &master->run;
	master->recording.executor = master->executor;
	return recording_init(&master->recording);
}

static int share(struct master *master)
{
	const char *hint = "";
	if (run_share(&master->run) == 0)
		return 0;
	if (errno == EFBIG)
		hint = " (the limit of file sizes, ulimit -f, holds for shared memory too)";
	return diag_refuse(
		"can't get shared memory for %u workloads in /dev/shm: %s%s", master->config->workloads, strerror(errno), hint);
}

static int make_counters(struct master *master)
{
	if (run_make_counters(&master->run) == 0)
		return 0;
	return diag_refuse("can't make the counters of iterations, one for each workload: %s", strerror(errno));
}

/* The folder of the workloads' control groups, where the actuator needs them. */
static int make_groups(struct master *master)
{
	master->run.groups = master->ties->owed.groups;
	if (workload_groups_make(master->run.groups, &master->run.place) == 0)
		return 0;
	return diag_refuse("actuator module '%s': can't make a control group in %s: %s", master->config->module[KIND_ACTUATOR],
		master->run.place.folder, strerror(errno));
}

static int check_command(const char *command, const char *folder, void *context)
{
	(void)context;
	return command_verify(command, folder);
}

static int check_commands(const struct config *config)
{
	const int status = run_for_each_command(config, check_command, NULL);
	if (status >= 0)
		return status;
	diag("%s", strerror(errno));
	return EXIT_TROUBLE;
}

/* What an executor opens until its workload runs, and what it needs for that itself. */
#define EXECUTOR_FILES 12

/* Else the first start would fail for want of descriptors, when old outputs have been emptied. 0, or -1 with errno. */
static int check_files(const struct master *master)
{
	int spare[EXECUTOR_FILES];
	int count = 0;
	while (count < EXECUTOR_FILES && (spare[count] = fcntl(master->timer, F_DUPFD_CLOEXEC, 0)) >= 0)
		count++;
	const int error = errno;
	for (int i = 0; i < count; i++)
		close(spare[i]);
	errno = error;
	return count == EXECUTOR_FILES ? 0 : -1;
}

static void say_line(const char *line)
{
	diag("%s", line);
}

static bool has_many_by_default(const struct group *group)
{
	return group->by_default && group->instances > 1;
}

static void say_what_was_set_up(const struct master *master)
{
	const struct scheduling_grant *grant = &master->grant;
	module_say(master->run.module);
	for (unsigned i = 0; i < master->config->groups; i++) {
		const struct group *group = &master->config->group[i];
		if (has_many_by_default(group))
			diag("group %u: %u instances, one for each processor that it may use (-n sets another number)", i,
				group->instances);
	}
	char container[RUN_CONTAINER_MAX];
	if (run_container(&master->run, container))
		diag("container: %s", container);
	if (*master->run.groups->folder)
		diag("control groups: version %d, in %s", master->run.groups->unified ? 2 : 1, master->run.groups->folder);
	if (grant->grant == GRANT_NOTHING)
		diag("priority above the workloads: none: not permitted");
	else
		diag("priority above the workloads: %s %d", grant->grant == GRANT_FIFO ? "SCHED_FIFO" : "nice", grant->value);
	replaced_say(master->config, say_line);
}

/* ---- What it has come to ---------------------------------------------------------------------------------------------- */

static double guardian_cpu_s(void)
{
	int64_t used_ns;
	return linux_process_clock(getppid(), &used_ns) ? (double)used_ns / NS_PER_S : 0;
}

/* Workloads that ended by themselves with a failure, each told once. */
static bool report_failures(const struct master *master)
{
	bool failed = false;
	for (unsigned i = 0; i < master->config->workloads; i++) {
		const struct slot *slot = &master->run.shared->slot[i];
		const int status = atomic_load(&slot->failure_status);
		const unsigned failures = atomic_load(&slot->failures);
		char often[64] = "";
		failed = failed || failures || atomic_load(&slot->start_stage);
		if (!failures)
			continue;
		if (failures > 1)
			snprintf(often, sizeof often, " failed %u times, the last time it", failures);
		if (WIFSIGNALED(status))
			diag("workload %u%s was killed by signal %d (%s)", i, often, WTERMSIG(status),
				strsignal(WTERMSIG(status)));
		else
			diag("workload %u%s ended with status %d%s", i, often, WEXITSTATUS(status),
				atomic_load(&slot->failed_at_stop)
					? ", right after it had been stopped and continued for the first time: it "
					  "may take an interrupted system call (EINTR) for an error; -a "
					  "quota holds it without stopping it"
					: "");
	}
	return failed;
}

/* What --require looks at must be of nearly all of the run. */
#define COVERAGE_LEAST 0.95

static bool exceeds(const char *what, double value, double most, const char *unit)
{
	if (isnan(most) || value <= most)
		return false;
	diag("%s %.3f %s, required at most %.3f %s", what, value, unit, most, unit);
	return true;
}

/* Whether less than the whole run can be judged. */
static bool misses_a_part(const struct master *master)
{
	const double covered = intervals_coverage(&master->recording.intervals, master->ended_ns);
	const double left_s = master_left_s(master, master->ended_ns);
	bool missed = false;
	if (master->config->when_one_ends != ENDS_STOP && left_s > (double)SUMMARY_SAMPLE_NS / NS_PER_S) {
		diag("the run ended %.1f s early, and --require is for all of it", left_s);
		missed = true;
	}
	if (covered < COVERAGE_LEAST) {
		diag("samples cover %.1f %% of the time under control, required at least %.0f %%", 100 * covered,
			100 * COVERAGE_LEAST);
		missed = true;
	}
	/* Whoever judges by its rows must have all of them. */
	if (!recording_has_whole_log(&master->recording)) {
		diag("rows of the log are missing, and --require is for all of the run");
		missed = true;
	}
	return missed;
}

static bool misses_requirement(const struct master *master)
{
	const struct config *config = master->config;
	const struct accuracy *const accuracy = &master->recording.intervals.sums.accuracy;
	const double others = 100 * beside_mean(&master->recording.intervals.sums.others);
	if (isnan(config->require_error) && isnan(config->require_mse) && isnan(config->require_others))
		return false;
	if (!accuracy->samples) {
		diag("there is no sample to judge, which --require needs");
		return true;
	}
	bool missed = misses_a_part(master);
	const double error = accuracy_mean_error_pp(accuracy);
	missed |= exceeds("mean error", config->limit > 0 ? fmax(error, 0) : fabs(error), config->require_error, "pp");
	missed |= exceeds("mean squared error", accuracy_mse_pp2(accuracy), config->require_mse, "pp^2");
	if (isnan(config->require_others) || !isnan(others))
		return exceeds("others made a load of", others, config->require_others, "pp") || missed;
	diag("the load made by others is not known, required at most %.3f pp", config->require_others);
	return true;
}

static int verdict(struct master *master)
{
	const bool failed = report_failures(master);
	if (master->status || master->lost || master->recording.was_blind)
		return master->status ? master->status : EXIT_TROUBLE;
	if (master->interrupted)
		return -master->interrupted;
	if (recording_lost_source(&master->recording, master->ended_ns))
		return EXIT_TROUBLE;
	if (failed && !master->config->ignore_failures)
		return 1;
	return misses_requirement(master) ? 3 : 0;
}

static void write_record(
	const struct export *export, int (*write)(const struct export *, const char *), const char *file, int *status)
{
	if (!file || write(export, file) == 0)
		return;
	diag("%s: can't write the record: %s", output_name(file), strerror(errno));
	*status = EXIT_TROUBLE;
}

static void write_records(struct master *master, const struct summary *summary, int *status)
{
	const struct config *config = master->config;
	const struct export export = {
		.run = &master->run,
		.summary = summary,
		.grant = &master->grant,
		.trace_length_ns = run_trace_length(&master->run),
		.started_s = master->started_s,
		.exit_status = *status,
	};
	write_record(&export, export_json, config->export_json, status);
	heartbeat_beat(master->run.heartbeat);
	write_record(&export, export_csv, config->export_csv, status);
}

/* So late is what a priority would spare; it costs accuracy, but not much yet. */
#define LATE_US 1000

/* The whole of it at once, since whoever reads stderr may not be waited for. */
static void say_summary(const struct master *master, const struct summary *summary)
{
	char *text = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&text, &length);
	if (!to)
		return;
	char container[RUN_CONTAINER_MAX];
	struct summary shown = *summary;
	shown.source = run_source(&master->run);
	shown.container = run_measures_container(&master->run) && run_container(&master->run, container) ? container : NULL;
	if (master->config->limit > 0) {
		const double processors = ceil(master->config->limit);
		snprintf(container, sizeof container, "the workloads alone; 100 %% is %.0f processor%s", processors,
			processors == 1 ? "" : "s");
		shown.container = container;
	}
	summary_print(&shown, master->run.shared, master->config->verbose, to);
	char remedy[SCHEDULING_REMEDY_MAX];
	if (master->grant.grant != GRANT_FIFO && summary->lateness_99_us > LATE_US && scheduling_remedy(remedy))
		fprintf(to,
			"%s one of a hundred edges was about %.1f ms late or more, and a priority that prevents that isn't "
			"permitted: %s\n",
			summary_label(TERM_WARNING), summary->lateness_99_us / 1000, remedy);
	fputs("what these mean: showstopper --explain\n", to);
	if (fclose(to) == 0) {
		diag_wrap(text);
		diag_write(text, length);
	}
	free(text);
}

/* NaN without a log, or where what has become of it is not known. */
static double log_seconds(const struct master *master, int64_t ns)
{
	return master->config->log && !master->recording.log_unknown ? (double)ns / NS_PER_S : NAN;
}

/* Summary and records; a record that can't be written makes the status trouble. */
static void report(struct master *master, int *status)
{
	struct summary summary = {
		.accuracy = master->recording.intervals.sums.accuracy,
		.tally = master->recording.intervals.sums.tally,
		.control = master->config->module[SST_CONTROL],
		.limit = master->config->limit,
		.of_cores = run_is_of_cores(&master->run),
		.may_use = run_is_of_cores(&master->run) ? NAN : capacity_of_controlled(master->config),
		.processors = run_processors(&master->run),
		.maximum = run_maximum(&master->run),
		.master_cpu_s = (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9,
		.guardian_cpu_s = guardian_cpu_s(),
		.power_asked = master->config->log_power,
		.energy_j = energy_sum(&master->recording.energy),
		.power_w = energy_mean_power(&master->recording.energy),
		.counted = &master->recording.counted,
		.wall_s = (double)(master->ended_ns - master->began_ns) / 1e9,
		.others_mean = beside_mean(&master->recording.intervals.sums.others),
		.others_max = beside_most(&master->recording.intervals.sums.others),
		.watch = master->config->watch,
		.watches = master->config->watches,
		.watched = master->recording.intervals.sums.watched,
		.watched_ended_s = master->recording.watched_ended_s,
		.others_samples = master->recording.intervals.sums.others.counted,
		.log_missing_s = log_seconds(master, master->recording.log_loss.ns),
		.log_missing_at_end_s = log_seconds(master, master->recording.log_loss.at_end_ns),
	};
	for (unsigned i = 0; i < master->config->groups; i++)
		if (has_many_by_default(&master->config->group[i]))
			summary.by_default += master->config->group[i].instances;
	summary_collect(&summary, master->run.shared);
	if (!master->config->quiet)
		say_summary(master, &summary);
	write_records(master, &summary, status);
}

/* ---- From beginning to end -------------------------------------------------------------------------------------------- */

/* Unless an executor has. */
static void name_what_is_left(const struct master *master)
{
	char names[128];
	for (unsigned i = 0; i < master->config->workloads; i++)
		if (atomic_load(&master->run.shared->slot[i].left))
			return;
	descendants_name(names, sizeof names);
	diag("can't kill what is left of the workloads: %s", names);
}

/* True when nothing is. */
static bool kill_what_is_left(struct master *master)
{
	const int64_t limit = clock_now() + CLEANUP_LIMIT_NS;
	for (;;) {
		heartbeat_beat(master->run.heartbeat);
		const int64_t step = clock_now() + CLEANUP_STEP_NS;
		if (workload_groups_kill(master->run.groups, step < limit ? step : limit))
			return true;
		/* Before its time: for what is left nothing can be done. */
		if (clock_now() < step || clock_now() >= limit)
			return false;
	}
}

/*
 * As long as nothing has been started, what ends a process ends us. (Opening a trace or a log that is a FIFO waits for the other end
 * for as long as it takes.) set_up blocks all again.
 */
static void die_by_signals(const struct scheduling *user)
{
	sigset_t mask;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (size_t i = 0; i < 3; i++) {
		const int number = (const int[]){SIGINT, SIGTERM, SIGHUP}[i];
		if (!sigismember(&user->mask, number))
			sigdelset(&mask, number);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

/* The events that were asked for, and what this machine lacks of them. 0, or EXIT_TROUBLE after a message. */
static int open_counters(struct master *master)
{
	const struct config *config = master->config;
	struct counted *const counted = &master->recording.counted;
	struct linux_counter_events events;
	char error[LINUX_COUNTER_ERROR_MAX];
	unsigned *const group = calloc(config->workloads, sizeof *group);
	for (unsigned i = 0; group && i < config->workloads; i++)
		group[i] = (unsigned)(run_group(config, i) - config->group);
	const bool is_open = group && linux_counter_events_parse(config->log_counters, &events, error) == 0 &&
			     counted_open(counted, config->root, &events, config->workloads, group) == 0;
	free(group);
	if (!is_open) {
		diag("--log-counters: %s", strerror(errno));
		return EXIT_TROUBLE;
	}
	for (size_t i = 0; i < events.count; i++)
		if (counted_lacks(counted, i))
			diag("--log-counters: %s is unavailable: %s; the run goes on without", events.event[i].name,
				counted_lacks(counted, i));
	return 0;
}

static void open_energy(struct master *master)
{
	const struct config *config = master->config;
	struct energy *energy = &master->recording.energy;
	char error[LINUX_POWER_ERROR_MAX];
	if (config->log_power && !energy_open(energy, config->root, error))
		diag("--log-power: unavailable: %s; the run goes on without", error);
	if (config->log_zones && !energy_open_zones(energy, config->root, error))
		diag("--log-zones: unavailable: %s; the run goes on without", error);
}

/* All that can fail before anything is started. 0, or the exit status after a message. */
static int get_ready(struct master *master)
{
	const struct config *config = master->config;
	int status = check_commands(config);
	if (status == 0)
		open_energy(master);
	if (status == 0 && config->log_counters)
		status = open_counters(master);
	if (status == 0 && (outputs_check(&master->run) != 0 || master_open_log(master) != 0))
		status = EXIT_TROUBLE;
	if (status != 0)
		return status;
	if (set_up(master) != 0) {
		diag("can't set the run up: %s", strerror(errno));
		return EXIT_TROUBLE;
	}
	if (recording_watch(&master->recording) != 0 || share(master) != 0 || make_counters(master) != 0 ||
		make_groups(master) != 0 ||
		live_target_open(&master->live, &master->run.host[SST_TRACE], master->ties->owed.run, master->config->quiet) != 0)
		return EXIT_TROUBLE;
	if (check_files(master) != 0) {
		diag("can't start executors: %s", strerror(errno));
		return EXIT_TROUBLE;
	}
	return 0;
}

/* The trace's length or the time that the user gave, whichever is shorter. */
static void set_length(struct master *master)
{
	const int64_t length = run_trace_length(&master->run);
	master->length_ns = master->config->run_time_ns;
	if (length >= 0 && master->length_ns > length && !master->config->quiet) {
		char asked[UNITS_TEXT_MAX], there[UNITS_TEXT_MAX];
		diag("warning: --run-time: %s is longer than the trace, which ends after %s and the run with it",
			units_print_time(master->length_ns, asked), units_print_time(length, there));
	}
	if (length >= 0 && (master->length_ns < 0 || length < master->length_ns))
		master->length_ns = length;
	master->timed = master->length_ns >= 0;
}

static void begin_live_line(struct master *master)
{
	const struct config *config = master->config;
	struct recording *recording = &master->recording;
	recording->progress = (struct progress){
		.elapsed_ns = -run_warmup(&master->run), .length_ns = master->length_ns, .target = NAN, .load = NAN, .duty = NAN};
	live_line_init(&recording->live_line, config, master->ties->owed.last_row, getpgid(getppid()));
	live_line_draw(&recording->live_line, &recording->progress);
}

/*
 * What is meant for a workload and reaches none, as several don't get it. Looked for at the beginning, and at the end for what a pipe
 * has brought since. True after a warning.
 */
static bool warn_of_unread_input(const struct run *run)
{
	const struct config *const config = run->config;
	if (config->quiet || run_reads_input(run) || config->workloads - config->attaches < 2 || !unread_input(STDIN_FILENO))
		return false;
	diag("warning: standard input reaches none of the workloads, only one that is alone gets it: -n 1 makes it one "
	     "(</dev/null: none is meant to)");
	return true;
}

/* Supervises the workloads until none is left; returns the exit status. */
static int run_workloads(struct master *master)
{
	const struct config *config = master->config;
	struct recording *recording = &master->recording;
	master->run.user = master->ties->user;
	heartbeat_beat(master->run.heartbeat);
	set_length(master);
	scheduling_raise_nice();
	master->grant = scheduling_try(&master->ties->user);
	master->started_s = time(NULL);
	begin_live_line(master);
	if (config->verbose)
		say_what_was_set_up(master);
	if (!config->quiet)
		replaced_warn(config, say_line);
	const bool warned = warn_of_unread_input(&master->run);
	master_supervise(master);
	if (!kill_what_is_left(master)) {
		name_what_is_left(master);
		master->status = EXIT_TROUBLE;
	}
	live_line_remove(&recording->live_line);
	live_target_close(&master->live);
	heartbeat_beat(master->run.heartbeat);
	obligations_settle(&master->ties->owed, master->overdue);
	if (!warned)
		warn_of_unread_input(&master->run);
	heartbeat_beat(master->run.heartbeat);
	if (recording->log)
		recording_close_log(recording);
	heartbeat_beat(master->run.heartbeat);
	int status = verdict(master);
	if (master->began_ns)
		report(master, &status);
	return status;
}

int master_run(const struct config *config, const struct master_ties *ties)
{
	struct master master = {.config = config, .ties = ties, .signals = -1, .timer = -1, .instant = -1, .log_file = -1};
	/* First of all: nobody else would end a master that stands still, or waits for the other end of a FIFO, or make it clean up. */
	exec_report_die_with(ties->guardian.pid);
	die_by_signals(&ties->user);
	run_mark_set(RUN_MARK_WITHIN);
	if (run_prepare(&master.run, config, ties->guardian.pid) != 0 || short_run_check(&master.run) != 0) {
		run_release(&master.run);
		return EXIT_TROUBLE;
	}
	master.run.heartbeat = ties->heartbeat;
	master.run.guardian = ties->guardian.fd;
	master.run.attached = ties->owed.attached;
	master.run.owed = &ties->owed;
	int status = get_ready(&master);
	if (status == 0)
		status = run_workloads(&master);
	else
		obligations_settle(&ties->owed, false); /* the guardian may be dead */
	live_target_close(&master.live);
	heartbeat_beat(ties->heartbeat);
	recording_free(&master.recording);
	free(master.executor);
	free(master.stall);
	run_release(&master.run);
	return status;
}
