/* SPDX-License-Identifier: MIT */
/*
 * One loop around poll(2), in three stages: starting (until each executor has said that its workload runs or can't), running, and
 * ending. Orders to executors go through shared memory and a nudge by signal; news from them come as their exit.
 *
 * The master is a subreaper: what an executor that was killed leaves behind becomes the master's child and is killed.
 */
#include "master.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "control_log.h"
#include "diag.h"
#include "energy.h"
#include "estimate.h"
#include "executor.h"
#include "export.h"
#include "linux_affinity.h"
#include "linux_descendants.h"
#include "linux_move.h"
#include "linux_spawn.h"
#include "progress.h"
#include "recorder.h"
#include "run.h"
#include "summary.h"
#include "units.h"

#define CLEANUP_LIMIT_NS (10 * NS_PER_S)
/* How long executors may take to end after the grace period, and after the order to kill. */
#define TERMINATE_LIMIT_NS (2 * NS_PER_S)
#define KILL_LIMIT_NS (700 * NS_PER_MS)
/* How long executors may take to stop their workloads before a suspended job is reported as such. */
#define SUSPEND_LIMIT_NS NS_PER_S

enum stage { STARTING, RUNNING, ENDING };

struct master {
	struct run run;
	const struct config *config;
	const struct master_ties *ties;
	enum stage stage;
	pid_t *executor;      /* by workload; 0 once reaped */
	unsigned alive;       /* executors not reaped */
	unsigned lost;        /* executors that died and that the run went on without */
	bool strays;          /* what one of them left may not be dead yet */
	unsigned forked;      /* executors, so far */
	int64_t first_ns;     /* when the first workload is started; 0: not known yet */
	int signals, timer;
	int instant;          /* timer of --start-at, or -1 */
	bool timed;           /* the run has an end */
	int64_t length_ns;    /* … this long after the origin */
	int64_t paused_ns;    /* since when it is paused; 0: it isn't */
	bool begins_paused;
	int64_t suspended_ns; /* … since when */
	int64_t began_ns;     /* end of the hold */
	int64_t ended_ns;     /* end of control */
	bool killing;         /* executors have been ordered to kill */
	bool overdue;         /* … and didn't end in time */
	int interrupted;      /* signal that ended the run, or 0 */
	unsigned interrupts;  /* how many SIGINTs came */
	int status;           /* 0, or what an error demands */
	bool log_failed, source_failed;
	bool live_line;
	struct progress progress;
	struct scheduling_grant grant;
	int64_t started_s;    /* wall clock */
	struct dynamic_pinning dynamic; /* where there are groups with it */
	struct sst_cpus *allowed; /* … what neutral means */
	bool moving;          /* threads may have been missed when the groups were moved */
	struct control_log *log;
	struct recorder logged, sampled;
	struct accuracy accuracy;
	struct energy energy;
};

static int64_t origin(const struct master *master)
{
	return atomic_load(&master->run.shared->origin_ns);
}

/* ---- Orders ----------------------------------------------------------------------------------------------------------- */

static void nudge(const struct master *master)
{
	for (unsigned i = 0; i < master->config->workloads; i++)
		if (master->executor[i])
			kill(master->executor[i], EXECUTOR_NUDGE);
}

static void order(struct master *master, enum shared_phase phase)
{
	if (atomic_load(&master->run.shared->phase) >= (int)phase)
		return;
	atomic_store(&master->run.shared->phase, (int)phase);
	nudge(master);
}

static void arm(const struct master *master, int64_t when_ns)
{
	const struct itimerspec timer = {.it_value = {.tv_sec = when_ns / NS_PER_S, .tv_nsec = when_ns % NS_PER_S}};
	timerfd_settime(master->timer, TFD_TIMER_ABSTIME, &timer, NULL);
}

/* Executors that don't end in time, because they hang in a start or were stopped by somebody, are killed with what is below them. */
static void end(struct master *master, enum shared_phase how)
{
	if (master->stage != ENDING)
		master->ended_ns = clock_now();
	/* What was too short for a row of the log. */
	if (master->stage == RUNNING && !master->paused_ns)
		energy_take(&master->energy, master->ended_ns > origin(master));
	master->stage = ENDING;
	order(master, how);
	const bool kill = atomic_load(&master->run.shared->phase) == SHARED_KILL;
	if (!kill)
		arm(master, clock_now() + master->config->grace_ns + TERMINATE_LIMIT_NS);
	else if (!master->killing)
		arm(master, clock_now() + KILL_LIMIT_NS);
	master->killing = kill;
}

static void end_with_error(struct master *master, int status)
{
	if (master->status == 0)
		master->status = status;
	end(master, SHARED_KILL);
}

/* ---- Starting --------------------------------------------------------------------------------------------------------- */

/* When a workload is started. What is attached is there already, and doesn't prolong it. */
static int64_t start_of(const struct master *master, unsigned index)
{
	const unsigned started = master->config->workloads - master->config->attaches;
	const unsigned place = index < started ? index : started ? started - 1 : 0;
	return master->first_ns + place * master->config->start_interval_ns;
}

static int fork_executor(struct master *master, unsigned index)
{
	const pid_t pid = fork();
	if (pid == 0)
		_exit(executor_run(&master->run, index));
	if (pid < 0) {
		diag("can't start the executor of workload %u: %s", index, strerror(errno));
		end_with_error(master, EXIT_TROUBLE);
		return -1;
	}
	master->executor[index] = pid;
	master->alive++;
	master->forked++;
	return 0;
}

/* Starts the workloads that are due. */
static void start_workloads(struct master *master)
{
	if (master->stage != STARTING || !master->first_ns || master->begins_paused)
		return;
	while (master->forked < master->config->workloads) {
		const int64_t due = start_of(master, master->forked);
		if (due > clock_now()) {
			arm(master, due);
			return;
		}
		if (fork_executor(master, master->forked) != 0)
			return;
	}
}

/* The instant of --start-at has come, a moment ago. */
static void on_instant(struct master *master)
{
	const int64_t late_ns = clock_ns(CLOCK_REALTIME) - master->config->start_at_ns;
	master->first_ns = clock_now() - (late_ns > 0 ? late_ns : 0);
	start_workloads(master);
}

static void await_instant(const struct master *master)
{
	const int64_t when_ns = master->config->start_at_ns;
	const struct itimerspec timer = {.it_value = {.tv_sec = when_ns / NS_PER_S, .tv_nsec = when_ns % NS_PER_S}};
	timerfd_settime(master->instant, TFD_TIMER_ABSTIME, &timer, NULL);
}

/* ---- Recording -------------------------------------------------------------------------------------------------------- */

static int64_t run_end(const struct master *master)
{
	return master->timed ? origin(master) + master->length_ns : INT64_MAX;
}

static bool read_source(struct master *master, struct sst_reading *reading)
{
	const struct module *feedback = &master->run.module[SST_FEEDBACK];
	if (feedback->feedback->read(feedback->state, &master->run.host[SST_FEEDBACK].env, reading) == 0)
		return true;
	if (!master->source_failed)
		diag("can't read the load: %s; rows without it are left out", strerror(errno));
	master->source_failed = true;
	return false;
}

static void write_log(struct master *master, struct record *record)
{
	if (master->config->dynamics)
		record->pinning = pinning_name(dynamic_pinning_scheme(&master->dynamic));
	if (!master->log || control_log_add(master->log, record, origin(master)) == 0)
		return;
	if (!master->log_failed)
		diag("%s: can't write the log: %s; the run goes on", master->config->log, strerror(errno));
	master->log_failed = true;
}

/* An interval ends where control begins, so that no row is half warm-up. */
static int64_t interval_end(const struct master *master, const struct recorder *recorder, int64_t start_ns)
{
	const int64_t from = origin(master);
	if (start_ns + NS_PER_MS < from)
		return start_ns + recorder->interval_ns < from ? start_ns + recorder->interval_ns : from;
	/* A reading that was late shortens the next interval: ends stay on the grid. */
	const int64_t passed = (start_ns - from + recorder->interval_ns / 4) / recorder->interval_ns;
	return from + (passed + 1) * recorder->interval_ns;
}

static void start_interval(struct master *master, struct recorder *recorder, const struct sst_reading *reading)
{
	recorder_start(recorder, reading, interval_end(master, recorder, reading->when_ns));
}

static void note_progress(struct master *master, const struct record *record)
{
	progress_add(&master->progress, record->target, record->load, record->duty);
	master->progress.elapsed_ns = record->end_ns - origin(master);
	if (master->live_line)
		progress_draw(&master->progress);
}

/* Binds all groups with dynamic pinning to the processors of the scheme in force. What is missed is found at the next sample. */
static void move_groups(struct master *master)
{
	master->moving = false;
	for (unsigned i = 0; i < master->config->workloads - master->config->attaches; i++) {
		const struct group *group = run_group(master->config, i);
		const struct sst_cpus *cpus = master->dynamic.is_above ? group->moved : group->cpus;
		if (group->pin == PIN_DYNAMIC && master->executor[i] && !linux_move_tree(master->executor[i], cpus ? cpus : master->allowed))
			master->moving = true;
	}
}

/* After a sample under control: whether the scheme has changed. */
static bool follow_load(struct master *master, const struct record *record)
{
	struct dynamic_pinning *dynamic = &master->dynamic;
	if (!master->config->dynamics || record->end_ns - record->length_ns + NS_PER_MS < origin(master))
		return false;
	if (!dynamic->since_ns)
		dynamic->since_ns = record->end_ns - record->length_ns;
	const bool changed = dynamic_pinning_step(dynamic, record->load, record->end_ns);
	if (changed) {
		/* First, so that what is started from now on is bound where it belongs. */
		atomic_fetch_add(&master->run.shared->moves, 1);
		if (master->config->verbose)
			diag("pinning: %s, at a load of %.1f %%", pinning_name(dynamic_pinning_scheme(dynamic)), 100 * record->load);
	}
	if (changed || master->moving)
		move_groups(master);
	/* One more look after each change, since a process that comes up during a look may be missed by it. */
	master->moving = master->moving || changed;
	return changed;
}

/* Ends the intervals that are due; with `last`, also those that are at least half over. */
static void record_intervals(struct master *master, bool last)
{
	struct recorder *const recorders[] = {&master->logged, &master->sampled};
	struct sst_reading reading;
	bool have_reading = false;
	bool moved = false;
	bool started[2] = {false, false};
	for (int i = 0; i < 2; i++) {
		struct recorder *recorder = recorders[i];
		const int64_t now = clock_now();
		const bool due = recorder->next_ns <= now || (last && now - recorder->start_ns >= recorder->interval_ns / 2);
		if (!due || (!have_reading && !(have_reading = read_source(master, &reading)))) {
			/* Without a reading the interval grows by one. */
			if (due)
				recorder->next_ns += recorder->interval_ns;
			continue;
		}
		struct record record;
		recorder_end(recorder, &reading, &record);
		if (recorder == &master->logged) {
			record.power_w = energy_take(&master->energy, recorder->start_ns + NS_PER_MS > origin(master));
			write_log(master, &record);
		} else {
			energy_poll(&master->energy);
			note_progress(master, &record);
		}
		if (recorder == &master->sampled && !isnan(record.target) && !record.partly_free && !isnan(record.load) &&
		        record.length_ns > recorder->interval_ns / 2)
			accuracy_add(&master->accuracy, record.target, record.load);
		start_interval(master, recorder, &reading);
		started[i] = true;
		moved = recorder == &master->sampled && follow_load(master, &record);
	}
	/* A reading of the new processors to begin with. */
	for (int i = 0; moved && i < 2; i++)
		if (started[i] && read_source(master, &reading))
			start_interval(master, recorders[i], &reading);
}

static void arm_next(const struct master *master)
{
	int64_t next = master->logged.next_ns < master->sampled.next_ns ? master->logged.next_ns : master->sampled.next_ns;
	if (run_end(master) < next)
		next = run_end(master);
	arm(master, next);
}

static void on_timer(struct master *master)
{
	start_workloads(master);
	if (master->stage != RUNNING || master->paused_ns)
		return;
	const bool over = clock_now() >= run_end(master);
	record_intervals(master, over);
	if (over)
		end(master, SHARED_TERMINATE);
	else
		arm_next(master);
}

static void on_overdue(struct master *master)
{
	master->overdue = master->killing;
	end(master, SHARED_KILL);
}

/* ---- Pauses (Ctrl-Z) -------------------------------------------------------------------------------------------------- */

static bool all_stopped(const struct master *master)
{
	for (unsigned i = 0; i < master->config->workloads; i++) {
		struct slot_record record;
		latch_read(&master->run.shared->slot[i].record, &record, LATCH_SIZE(struct slot_record));
		const struct slot *slot = &master->run.shared->slot[i];
		if ((slot->free || atomic_load(&slot->live)) && (record.running || record.duty > 0))
			return false;
	}
	return true;
}

static void stop_all(struct master *master)
{
	master->paused_ns = clock_now();
	atomic_store(&master->run.shared->paused, true);
	nudge(master);
	while (!all_stopped(master) && clock_now() < master->paused_ns + SUSPEND_LIMIT_NS)
		clock_sleep_until(clock_now() + NS_PER_MS);
}

static void pause_run(struct master *master)
{
	/* Workloads that are being started are held anyway, unless they are started one after the other. */
	if (master->stage == STARTING && !master->begins_paused) {
		master->begins_paused = true;
		master->suspended_ns = clock_now();
		if (master->config->start_interval_ns)
			stop_all(master);
	}
	if (master->stage == RUNNING && !master->paused_ns) {
		record_intervals(master, false);
		energy_take(&master->energy, clock_now() > origin(master));
		stop_all(master);
	}
	eventfd_write(master->ties->suspended, 1);
}

static void resume_run(struct master *master)
{
	struct sst_reading reading;
	if (master->stage == STARTING && master->begins_paused && master->first_ns)
		master->first_ns += clock_now() - (master->first_ns > master->suspended_ns ? master->first_ns : master->suspended_ns);
	master->begins_paused = false;
	if (!master->paused_ns) {
		start_workloads(master);
		return;
	}
	atomic_fetch_add(&master->run.shared->origin_ns, clock_now() - master->paused_ns);
	master->paused_ns = 0;
	atomic_store(&master->run.shared->paused, false);
	nudge(master);
	energy_start(&master->energy);
	if (master->stage == RUNNING && read_source(master, &reading)) {
		start_interval(master, &master->logged, &reading);
		start_interval(master, &master->sampled, &reading);
	}
	on_timer(master);
}

/* With --start-at the warm-up counts from the last start that was due, so that control begins at the same moment everywhere. */
static int64_t first_origin(const struct master *master)
{
	const int64_t due = start_of(master, master->config->workloads - 1) + master->config->warmup_ns;
	if (!master->config->start_at_ns)
		return master->began_ns + master->config->warmup_ns;
	return due > master->began_ns ? due : master->began_ns;
}

/* All workloads are there: the hold ends for all at once. */
static void begin(struct master *master)
{
	struct sst_reading reading;
	master->stage = RUNNING;
	if (!read_source(master, &reading)) {
		end_with_error(master, EXIT_TROUBLE);
		return;
	}
	/* The first reading, so that no executor has to begin without one. */
	const struct estimate_record first = {.load = NAN, .samples = 1, .last = reading};
	latch_write(&master->run.shared->estimate, &first, LATCH_SIZE(struct estimate_record));
	master->began_ns = clock_now();
	atomic_store(&master->run.shared->origin_ns, first_origin(master));
	order(master, SHARED_RUN);
	energy_start(&master->energy);
	start_interval(master, &master->logged, &reading);
	start_interval(master, &master->sampled, &reading);
	arm_next(master);
	if (master->begins_paused)
		stop_all(master);
}

/* ---- Children --------------------------------------------------------------------------------------------------------- */

static bool is_executor(const struct master *master, pid_t pid)
{
	for (unsigned i = 0; i < master->config->workloads; i++)
		if (master->executor[i] == pid)
			return true;
	return false;
}

/* Kills what dead executors left: children of ours that are no executors, with all below them. True when there was something. */
static bool kill_strays(const struct master *master)
{
	struct descendants list = {0};
	bool found = false;
	if (descendants_list(getpid(), &list) != 0)
		return false;
	/* Parents come first in the list, so a process's fate is known when its children are looked at. */
	for (size_t i = 0; i < list.count; i++) {
		struct linux_process *process = &list.item[i].process;
		bool stray = list.item[i].depth == 1 && !is_executor(master, process->pid);
		for (size_t k = 0; k < i && !stray && list.item[i].depth > 1; k++)
			stray = list.item[k].process.pid == process->parent && list.item[k].depth == 0;
		if (!stray)
			continue;
		list.item[i].depth = 0; /* the mark of a stray */
		if (!linux_process_has_ended(process)) {
			process_signal(process, SIGKILL);
			found = true;
		}
	}
	descendants_free(&list);
	return found;
}

static void report_start_failure(struct master *master, unsigned index)
{
	const struct slot *slot = &master->run.shared->slot[index];
	const int error = atomic_load(&slot->start_errno);
	const enum shared_stage stage = (enum shared_stage)atomic_load(&slot->start_stage);
	const struct attached *attached = run_attached(&master->run, index);
	const char *what = attached ? "" : run_group(master->config, index)->command[0];
	if (stage == STAGE_CHDIR)
		what = master->config->directory;
	else if (stage == STAGE_STDOUT)
		what = master->config->stdout_file;
	else if (stage == STAGE_STDERR)
		what = master->config->stderr_file;
	if (master->status == 0 && attached)
		diag("workload %u: can't attach to process %d: %s", index, (int)attached->process.pid, strerror(error));
	else if (master->status == 0)
		diag("workload %u: can't %s: %s: %s", index, spawn_stage_text(stage), what, strerror(error));
	end_with_error(master, stage != STAGE_EXEC ? EXIT_TROUBLE : error == ENOENT ? 127 : 126);
}

/* It ran, ended, and can't be started again: that is its end, and a failure. */
static void report_respawn_failure(const struct master *master, unsigned index)
{
	const struct slot *slot = &master->run.shared->slot[index];
	diag("workload %u can't be started again: can't %s: %s: %s", index,
	        spawn_stage_text((enum shared_stage)atomic_load(&slot->start_stage)), run_group(master->config, index)->command[0],
	        strerror(atomic_load(&slot->start_errno)));
}

static void note_executor(struct master *master, unsigned index, int wait_status)
{
	const struct slot *slot = &master->run.shared->slot[index];
	master->executor[index] = 0;
	master->alive--;
	estimate_release(master->run.shared, index + 1);
	if (atomic_load(&slot->start_stage)) {
		if (atomic_load(&slot->pid))
			report_respawn_failure(master, index);
		else
			report_start_failure(master, index);
		return;
	}
	if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0)
		return;
	if (atomic_load(&slot->left)) {
		shared_set_live(master->run.shared, index, false);
		if (master->status == 0)
			master->status = EXIT_TROUBLE;
		return;
	}
	const bool goes_on = master->config->keep_going && master->stage != ENDING;
	const char *const then = goes_on ? "the run goes on without it" : "the run ends";
	shared_set_lost(master->run.shared, index, clock_now());
	const struct attached *attached = run_attached(&master->run, index);
	if (attached)
		attached_continue(attached->table);
	master->lost++;
	if (WIFSIGNALED(wait_status))
		diag("the executor of workload %u was killed by signal %d (%s); %s", index, WTERMSIG(wait_status),
		        strsignal(WTERMSIG(wait_status)), then);
	else
		diag("the executor of workload %u ended with status %d; %s", index, WEXITSTATUS(wait_status), then);
	if (!master->config->keep_going)
		end_with_error(master, EXIT_TROUBLE);
	const int64_t deadline = clock_now() + NS_PER_S;
	while ((master->strays = kill_strays(master)) && clock_now() < deadline)
		clock_sleep_until(clock_now() + NS_PER_MS);
}

static void reap(struct master *master)
{
	int wait_status;
	pid_t pid;
	while ((pid = waitpid(-1, &wait_status, WNOHANG)) > 0)
		for (unsigned i = 0; i < master->config->workloads; i++)
			if (master->executor[i] == pid) {
				note_executor(master, i, wait_status);
				break;
			}
}

/* Free workloads alone are no run. */
static bool some_are_controlled(const struct master *master)
{
	for (unsigned i = 0; i < master->config->workloads; i++)
		if (master->executor[i] && !master->run.shared->slot[i].free)
			return true;
	return false;
}

/* All workloads, or one where that is to end the run. */
static void end_when_workloads_have(struct master *master)
{
	if (master->stage != RUNNING)
		return;
	const bool one = master->config->when_one_ends == ENDS_STOP && master->alive + master->lost < master->config->workloads;
	const bool controlled = some_are_controlled(master);
	if (controlled && !one)
		return;
	if (!master->paused_ns)
		record_intervals(master, true);
	unsigned ended = 0;
	while (one && (master->executor[ended] || atomic_load(&master->run.shared->slot[ended].lost)))
		ended++;
	if (!master->config->quiet && controlled)
		diag("workload %u has ended; the run ends", ended);
	else if (!master->config->quiet && master->alive > 0)
		diag("%s", master->lost ? "no controlled workload is left" : "all controlled workloads have ended");
	else if (!master->config->quiet)
		diag("%s", master->lost ? "no workload is left" : "all workloads have ended");
	resume_run(master);
	end(master, SHARED_TERMINATE);
}

/* Whether each workload has been started, or never will be. One that can't be started ends the run when its executor ends. */
static bool all_are_ready(const struct master *master)
{
	if (master->forked < master->config->workloads)
		return false;
	for (unsigned i = 0; i < master->config->workloads; i++)
		if (master->executor[i] && !atomic_load(&master->run.shared->slot[i].pid))
			return false;
	return true;
}

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

/* ---- Signals ---------------------------------------------------------------------------------------------------------- */

/* One line, as dd prints on the same signal. */
static void say_status(struct master *master)
{
	char line[PROGRESS_LINE_MAX];
	const struct accuracy *accuracy = &master->accuracy;
	if (!master->began_ns) {
		diag(master->first_ns ? "starting" : "waiting for the instant of --start-at");
		return;
	}
	master->progress.elapsed_ns = clock_now() - origin(master);
	progress_format(&master->progress, 80, false, line);
	if (accuracy->samples)
		diag("%s; so far: target %.2f %%, load %.2f %%, mean error %+.2f pp, MSE %.2f pp^2", line,
		        100 * accuracy_mean_target(accuracy), 100 * accuracy_mean_load(accuracy), accuracy_mean_error_pp(accuracy),
		        accuracy_mse_pp2(accuracy));
	else
		diag("%s", line);
}

static void on_signal(struct master *master, int number)
{
	switch (number) {
	case SIGCHLD:
		reap(master);
		break;
	case SIGTSTP:
		pause_run(master);
		break;
	case SIGCONT:
		resume_run(master);
		break;
	case SIGUSR1:
		say_status(master);
		break;
	case SIGINT:
	case SIGTERM:
	case SIGHUP:
		if (!master->interrupted)
			master->interrupted = number;
		master->interrupts += number == SIGINT;
		if (master->stage == RUNNING && !master->paused_ns)
			record_intervals(master, true);
		resume_run(master);
		end(master, master->interrupts > 1 || master->stage == STARTING ? SHARED_KILL : SHARED_TERMINATE);
		break;
	default:
		break;
	}
}

static void supervise(struct master *master)
{
	struct pollfd polled[] = {
	        {.fd = master->signals, .events = POLLIN},
	        {.fd = master->timer, .events = POLLIN},
	        {.fd = master->run.ready, .events = POLLIN},
	        {.fd = master->ties->guardian, .events = POLLIN},
	        {.fd = master->instant, .events = POLLIN},
	};
	while ((master->alive > 0 && !master->overdue) || master->stage != ENDING) {
		if (poll(polled, sizeof polled / sizeof *polled, -1) < 0)
			continue;
		if (polled[3].revents) {
			/* The guardian is gone, and with it whoever waits for us. */
			polled[3].fd = -1;
			end_with_error(master, EXIT_TROUBLE);
		}
		struct signalfd_siginfo info;
		while (read(master->signals, &info, sizeof info) == sizeof info)
			on_signal(master, (int)info.ssi_signo);
		uint64_t count;
		if (polled[1].revents && read(master->timer, &count, sizeof count) == sizeof count) {
			if (master->stage == ENDING)
				on_overdue(master);
			else
				on_timer(master);
		}
		if (polled[4].revents && read(master->instant, &count, sizeof count) == sizeof count)
			on_instant(master);
		if (polled[2].revents)
			eventfd_read(master->run.ready, &count);
		if (master->strays)
			master->strays = kill_strays(master);
		if (master->stage == STARTING && all_are_ready(master))
			begin(master);
		end_when_workloads_have(master);
	}
}

/* ---- Setting up and ending -------------------------------------------------------------------------------------------- */

static int set_up(struct master *master)
{
	sigset_t all;
	sigset_t watched;
	const int numbers[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT, SIGUSR1};
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
	master->dynamic = master->config->dynamic;
	if (master->config->dynamics && !(master->allowed = linux_affinity_get()))
		return -1;
	master->executor = calloc(master->config->workloads, sizeof *master->executor);
	if (master->signals < 0 || master->timer < 0 || master->run.master < 0 || master->run.ready < 0 || !master->executor)
		return -1;
	if (recorder_init(&master->logged, &master->run, master->config->log_interval_ns, master->log && master->config->log_instances) != 0 ||
	        recorder_init(&master->sampled, &master->run, SUMMARY_SAMPLE_NS, false) != 0)
		return -1;
	return 0;
}

static int share(struct master *master)
{
	const char *hint = "";
	if (run_share(&master->run) == 0)
		return 0;
	if (errno == EFBIG)
		hint = " (the limit of file sizes, ulimit -f, holds for shared memory too)";
	else if (errno == ENOENT)
		hint = " (expected a tmpfs on /dev/shm)";
	diag("can't get shared memory for %u workloads in /dev/shm: %s%s", master->config->workloads, strerror(errno), hint);
	return -1;
}

/* What can be found out about a command before anything is started. 0, or the exit status after a message. */
static int check_commands(const struct config *config)
{
	for (unsigned i = 0; i < config->groups; i++) {
		/* A folder that differs from instance to instance is looked at by each. */
		if (config->directory && *config->placeholder && strstr(config->directory, config->placeholder))
			return 0;
		if (spawn_check_command(config->group[i].command[0], config->directory) != 0) {
			if (errno == ENOMEM) {
				diag("can't look for %s: %s", config->group[i].command[0], strerror(errno));
				return EXIT_TROUBLE;
			}
			diag("%s: %s", config->group[i].command[0], errno == ENOENT ? "command not found" : strerror(errno));
			return errno == ENOENT ? 127 : 126;
		}
	}
	return 0;
}

/* Files that are written at the end must not turn out then to be unwritable. 0, or EXIT_TROUBLE after a message. */
static int check_exports(const struct config *config)
{
	const char *const paths[] = {config->export_json, config->export_csv};
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		if (!paths[i])
			continue;
		const int fd = open(paths[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		if (fd < 0) {
			diag("%s: can't write the record: %s", paths[i], strerror(errno));
			return EXIT_TROUBLE;
		}
		close(fd);
	}
	return 0;
}

static void say_what_was_set_up(const struct master *master)
{
	const struct scheduling_grant *grant = &master->grant;
	static const char *const names[] = {[GRANT_NOTHING] = "none: not permitted", [GRANT_NICE] = "nice", [GRANT_FIFO] = "SCHED_FIFO"};
	for (int kind = 0; kind < SST_KINDS; kind++) {
		const struct module *module = &master->run.module[kind];
		char *options = NULL;
		size_t size = 0;
		FILE *text = open_memstream(&options, &size);
		if (!text)
			return;
		option_print(module->base->options, module->state, text);
		fclose(text);
		diag("%s %s %s", module_kind_name((enum sst_kind)kind), module->base->name, options);
		free(options);
	}
	char container[RUN_CONTAINER_MAX];
	if (run_container(&master->run, container))
		diag("container: %s", container);
	if (grant->grant == GRANT_NOTHING)
		diag("priority above the workloads: %s", names[GRANT_NOTHING]);
	else
		diag("priority above the workloads: %s %d", names[grant->grant], grant->value);
}

static double guardian_cpu_s(void)
{
	clockid_t clock;
	struct timespec used;
	if (clock_getcpuclockid(getppid(), &clock) != 0 || clock_gettime(clock, &used) != 0)
		return 0;
	return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
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
			diag("workload %u%s was killed by signal %d (%s)", i, often, WTERMSIG(status), strsignal(WTERMSIG(status)));
		else
			diag("workload %u%s ended with status %d", i, often, WEXITSTATUS(status));
	}
	return failed;
}

static bool misses_requirement(const struct master *master)
{
	const struct config *config = master->config;
	const double error = fabs(accuracy_mean_error_pp(&master->accuracy));
	const double mse = accuracy_mse_pp2(&master->accuracy);
	bool missed = false;
	/* Written so that a run without samples, where both are NaN, misses. */
	if (!isnan(config->require_error) && !(error <= config->require_error)) {
		diag("mean error %.3f pp, required at most %.3f pp", error, config->require_error);
		missed = true;
	}
	if (!isnan(config->require_mse) && !(mse <= config->require_mse)) {
		diag("mean squared error %.3f pp^2, required at most %.3f pp^2", mse, config->require_mse);
		missed = true;
	}
	return missed;
}

static int verdict(struct master *master)
{
	const bool failed = report_failures(master);
	if (master->status || master->lost)
		return master->status ? master->status : EXIT_TROUBLE;
	if (master->interrupted)
		return -master->interrupted;
	if (failed && !master->config->ignore_failures)
		return 1;
	return misses_requirement(master) ? 3 : 0;
}

/* Tried in a child: the master itself stays an ordinary process. */
static struct scheduling_grant what_executors_get(const struct scheduling *user)
{
	struct scheduling_grant grant = {0};
	int pipe_ends[2];
	if (pipe2(pipe_ends, O_CLOEXEC) != 0)
		return grant;
	const pid_t pid = fork();
	if (pid == 0) {
		grant = scheduling_raise(user);
		_exit(write(pipe_ends[1], &grant, sizeof grant) == sizeof grant ? 0 : EXIT_TROUBLE);
	}
	close(pipe_ends[1]);
	if (pid < 0 || read(pipe_ends[0], &grant, sizeof grant) != sizeof grant)
		grant = (struct scheduling_grant){0};
	close(pipe_ends[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return grant;
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
	if (config->export_json && export_json(&export, config->export_json) != 0) {
		diag("%s: can't write the record: %s", config->export_json, strerror(errno));
		*status = EXIT_TROUBLE;
	}
	if (config->export_csv && export_csv(&export, config->export_csv) != 0) {
		diag("%s: can't write the record: %s", config->export_csv, strerror(errno));
		*status = EXIT_TROUBLE;
	}
}

/* Summary and records; a record that can't be written makes the status trouble. */
static void report(struct master *master, int *status)
{
	struct summary summary = {
	        .accuracy = master->accuracy,
	        .master_cpu_s = (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9,
	        .guardian_cpu_s = guardian_cpu_s(),
	        .power_asked = master->config->log_power,
	        .energy_j = energy_sum(&master->energy),
	        .power_w = energy_mean_power(&master->energy),
	        .wall_s = (double)(master->ended_ns - master->began_ns) / 1e9,
	};
	summary_collect(&summary, master->run.shared);
	if (!master->config->quiet)
		summary_print(&summary, master->run.shared, master->config->verbose, stderr);
	write_records(master, &summary, status);
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

int master_run(const struct config *config, const struct master_ties *ties)
{
	struct master master = {.config = config, .ties = ties, .signals = -1, .timer = -1, .instant = -1};
	die_by_signals(&ties->user);
	if (run_prepare(&master.run, config) != 0) {
		run_release(&master.run);
		return EXIT_TROUBLE;
	}
	int status = check_commands(config);
	if (status == 0 && config->log) {
		const unsigned columns = config->log_instances ? config->workloads : 0;
		master.log = config->dynamics ? control_log_open_with_pinning(config->log, config->log_power, columns) : control_log_open(config->log, config->log_power, columns);
		if (!master.log) {
			diag("%s: can't write the log: %s", config->log, strerror(errno));
			status = EXIT_TROUBLE;
		}
	}
	if (status == 0)
		status = check_exports(config);
	char error[LINUX_POWER_ERROR_MAX];
	if (status == 0 && config->log_power && !energy_open(&master.energy, config->root, error))
		diag("--log-power: unavailable: %s; the run goes on without", error);
	if (status == 0 && set_up(&master) != 0) {
		diag("can't set the run up: %s", strerror(errno));
		status = EXIT_TROUBLE;
	}
	if (status == 0 && share(&master) != 0)
		status = EXIT_TROUBLE;
	if (status == 0) {
		master.run.user = ties->user;
		master.run.attached = ties->attached;
		const int64_t length = run_trace_length(&master.run);
		master.length_ns = config->run_time_ns;
		if (length >= 0 && (master.length_ns < 0 || length < master.length_ns))
			master.length_ns = length;
		master.timed = master.length_ns >= 0;
		scheduling_raise_nice();
		master.grant = what_executors_get(&ties->user);
		master.started_s = time(NULL);
		master.progress = (struct progress){.length_ns = master.length_ns, .target = NAN, .load = NAN, .duty = NAN};
		master.live_line = !config->quiet && (config->progress == PROGRESS_ALWAYS ||
		                                             (config->progress == PROGRESS_AUTO && isatty(STDERR_FILENO)));
		diag_over_live_line(master.live_line);
		if (config->verbose)
			say_what_was_set_up(&master);
		if (config->start_at_ns) {
			await_instant(&master);
		} else {
			master.first_ns = clock_now();
			start_workloads(&master);
		}
		supervise(&master);
		if (!descendants_kill(clock_now() + CLEANUP_LIMIT_NS)) {
			name_what_is_left(&master);
			master.status = EXIT_TROUBLE;
		}
		for (unsigned i = 0; master.overdue && i < config->attaches; i++)
			attached_continue(master.run.attached[i].table);
		if (master.live_line)
			progress_draw(NULL);
		diag_over_live_line(false);
		status = verdict(&master);
		if (master.began_ns)
			report(&master, &status);
	}
	if (control_log_close(master.log) != 0 && !master.log_failed)
		diag("%s: can't write the log: %s", config->log, strerror(errno));
	energy_close(&master.energy);
	recorder_free(&master.logged);
	recorder_free(&master.sampled);
	free(master.executor);
	free(master.allowed);
	run_release(&master.run);
	return status;
}
