/* SPDX-License-Identifier: MIT */
/*
 * One loop around poll(2), in three stages: starting (until each executor has said that its workload runs or can't), running, and
 * ending.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/output.h"
#include "base/units.h"
#include "control/estimate.h"
#include "record/outputs.h"
#include "self/terminal.h"
#include "supervise/master_state.h"

/* So long after an interruption it is said how to end what is still there. What ends by itself has mostly done so by then. */
#define HINT_AFTER_NS (200 * NS_PER_MS)
/* How long executors may take to stop their workloads before a suspended job is reported as such. */
#define SUSPEND_LIMIT_NS NS_PER_S

/* ---- Outputs ---------------------------------------------------------------------------------------------------------- */

static int refuse_log(const struct master *master)
{
	return diag_refuse("%s: can't write the log: %s", output_name(master->config->log), strerror(errno));
}

int master_open_log(struct master *master)
{
	const char *const path = master->config->log;
	if (!path || output_is_file(path))
		return 0;
	master->log_file = output_open(path, 0);
	return master->log_file < 0 ? refuse_log(master) : 0;
}

static int begin_log(struct master *master)
{
	const struct config *config = master->config;
	const struct control_log_columns columns = {.free = config->controlled < config->workloads,
		.power = config->log_power,
		.watch = config->watch,
		.watches = config->watches,
		.counted = &master->recording.counted,
		.zone = master->recording.energy.zone,
		.zones = master->recording.energy.zones,
		.workloads = config->log_instances ? config->workloads : 0,
		.pinning = config->dynamics > 0,
		.unit = run_is_of_cores(&master->run),
		.trace = master->run.module[SST_TRACE].trace->position,
		.wall = true};
	const int file = master->log_file < 0 ? output_open(config->log, O_TRUNC) : master->log_file;
	master->log_file = -1;
	master->recording.log = control_log_open(file, &columns, true);
	return master->recording.log ? 0 : refuse_log(master);
}

/* The last step before the first start: makes all files, empties those of workloads, and begins the log. 0, or -1 after a message. */
static int begin_outputs(struct master *master)
{
	const struct config *config = master->config;
	if (outputs_make(config) != 0 || (config->log && begin_log(master) != 0))
		return -1;
	return outputs_empty(config);
}

/* ---- Starting --------------------------------------------------------------------------------------------------------- */

/* When a workload is started. What is attached is there already, and doesn't prolong it. */
static int64_t start_of(const struct master *master, unsigned index)
{
	const unsigned started = master->config->workloads - master->config->attaches;
	const unsigned place = index < started ? index : started ? started - 1 : 0;
	return master->first_ns + place * master->config->start_interval_ns;
}

/* Starts the workloads that are due. */
static void start_workloads(struct master *master)
{
	if (master->stage != STARTING || !master->first_ns || master->begins_paused)
		return;
	while (master->forked < master->config->workloads) {
		const int64_t due = start_of(master, master->forked);
		if (due > clock_now()) {
			master_arm(master, due);
			return;
		}
		if (master->forked == 0 && begin_outputs(master) != 0) {
			master_end_with_error(master, EXIT_TROUBLE);
			return;
		}
		if (executors_fork(master, master->forked) != 0)
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

/* ---- Time ------------------------------------------------------------------------------------------------------------- */

static int64_t run_end(const struct master *master)
{
	return master->timed ? run_origin(&master->run) + master->length_ns : INT64_MAX;
}

/* … to those who don't wait for us then. */
static void announce_end(const struct master *master)
{
	if (master->stage == RUNNING)
		atomic_store(&master->run.heartbeat->end_ns, master->timed ? run_end(master) : 0);
}

static void arm_next(const struct master *master)
{
	int64_t next = intervals_next(&master->recording.intervals);
	if (calibration_next(master) < next)
		next = calibration_next(master);
	if (run_end(master) < next)
		next = run_end(master);
	master_arm(master, next);
}

/* Since control began, pauses left out; long before it as long as nobody knows when. */
static int64_t since_origin(const struct master *master)
{
	const int64_t origin_ns = run_origin(&master->run);
	const int64_t now_ns = master->paused_ns ? master->paused_ns : clock_now();
	return origin_ns ? now_ns - origin_ns : INT64_MIN / 2;
}

/* What comes of targets may end the run earlier, or later, than it was to end before. */
static void follow_live_target(struct master *master)
{
	const int64_t asked_ns = master->config->run_time_ns;
	const int64_t said_ns = master->live.writer.end_ns < 0 ? 0 : master->live.writer.end_ns;
	const int64_t length_ns = asked_ns >= 0 && asked_ns < said_ns ? asked_ns : said_ns;
	if (length_ns == (master->timed ? master->length_ns : INT64_MAX))
		return;
	master->timed = length_ns != INT64_MAX;
	master->length_ns = master->recording.progress.length_ns = master->timed ? length_ns : -1;
	announce_end(master);
	if (master->stage == RUNNING && !master->paused_ns)
		arm_next(master);
}

/* An end that is said for now doesn't wait until control begins. */
static bool end_before_control(struct master *master)
{
	const int64_t since_ns = since_origin(master);
	if (since_ns >= 0 || master->live.writer.end_ns > since_ns || master->suspended)
		return false;
	if (master->stage == RUNNING)
		recording_take(&master->recording, INTERVALS_END);
	master_end(master, master->stage == RUNNING ? SHARED_TERMINATE : SHARED_KILL);
	return true;
}

/* Targets that have come, or that nothing comes. */
static void look_at_live_target(struct master *master, bool there_is_more)
{
	if (!master->live.writer.board)
		return;
	/* Nobody reads them any more: what came then would wake us for ever. */
	if (master->stage == ENDING) {
		live_target_close(&master->live);
		return;
	}
	if (there_is_more)
		live_target_read(&master->live, since_origin(master));
	live_target_look(&master->live, since_origin(master));
	if (!end_before_control(master))
		follow_live_target(master);
}

static void on_timer(struct master *master)
{
	start_workloads(master);
	if (master->stage != RUNNING || master->paused_ns)
		return;
	if (!calibration_step(master))
		return;
	const bool over = clock_now() >= run_end(master);
	recording_take(&master->recording, over ? INTERVALS_END : INTERVALS_GO_ON);
	if (over)
		master_end(master, SHARED_TERMINATE);
	else if (recording_knows_load(&master->recording, clock_now()))
		arm_next(master);
	else
		master_end_with_error(master, EXIT_TROUBLE);
}

/* What the user may do who has interrupted the run and finds that it doesn't end. */
static void say_hint(const struct master *master)
{
	const bool heeded = master->ties->user.action[SIGINT].sa_handler != SIG_IGN;
	const bool here = isatty(STDERR_FILENO) && !terminal_is_of_others(STDERR_FILENO, getpgid(getppid()));
	if (heeded && here)
		diag("ending; Ctrl-C%s kills what is left", master->interrupted == SIGINT ? " again" : "");
	else if (heeded && !master->config->quiet)
		diag("ending; %s SIGINT kills what is left", master->interrupted == SIGINT ? "a second" : "a");
}

static void on_ending_timer(struct master *master)
{
	if (master->hint_due && !master->killing) {
		master->hint_due = false;
		say_hint(master);
		master_arm(master, master->limit_ns);
		return;
	}
	master->overdue = master->killing;
	master_end(master, SHARED_KILL);
}

/* ---- Pauses (Ctrl-Z) -------------------------------------------------------------------------------------------------- */

static bool all_stopped(const struct master *master)
{
	for (unsigned i = 0; i < master->config->workloads; i++) {
		struct slot_record record;
		latch_read(&master->run.shared->slot[i].record, &record, LATCH_SIZE(struct slot_record));
		const struct slot *slot = &master->run.shared->slot[i];
		if ((slot->free || shared_is_live(master->run.shared, i)) && (record.running || record.duty > 0))
			return false;
	}
	return true;
}

static void stop_all(struct master *master)
{
	master->paused_ns = clock_now();
	atomic_store(&master->run.shared->paused, true);
	executors_nudge(master);
	while (!all_stopped(master) && clock_now() < master->paused_ns + SUSPEND_LIMIT_NS) {
		heartbeat_beat(master->run.heartbeat);
		clock_sleep_until(clock_now() + NS_PER_MS);
		/* One that is killed meanwhile would be waited for in vain, and what it leaves would be left. */
		executors_reap(master);
	}
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
		recording_take(&master->recording, INTERVALS_PAUSE);
		recording_stop_meters(&master->recording);
		stop_all(master);
	}
	/* What the shell says next, and what is typed, is on a terminal as it was. */
	live_line_remove(&master->recording.live_line);
	master->suspended = true;
	eventfd_write(master->ties->suspended, 1);
}

static void show_live_line(struct master *master)
{
	if (!master->suspended)
		live_line_draw(&master->recording.live_line, &master->recording.progress);
}

static void resume_run(struct master *master)
{
	struct sst_reading reading;
	master->suspended = false;
	if (master->stage == STARTING && master->begins_paused && master->first_ns)
		master->first_ns +=
			clock_now() - (master->first_ns > master->suspended_ns ? master->first_ns : master->suspended_ns);
	master->begins_paused = false;
	if (!master->paused_ns) {
		start_workloads(master);
		return;
	}
	atomic_fetch_add(&master->run.shared->origin_ns, clock_now() - master->paused_ns);
	calibration_begin_anew(master);
	announce_end(master);
	estimate_break(master->run.shared, clock_now());
	master->paused_ns = 0;
	atomic_store(&master->run.shared->paused, false);
	executors_nudge(master);
	recording_start_meters(&master->recording);
	if (master->stage == RUNNING && recording_read(&master->recording, &reading))
		intervals_start(&master->recording.intervals, &reading);
	on_timer(master);
}

/* ---- Beginning and end of control ------------------------------------------------------------------------------------- */

/* With --start-at the warm-up counts from the last start that was due, so that control begins at the same moment everywhere. */
static int64_t first_origin(const struct master *master)
{
	const int64_t due = start_of(master, master->config->workloads - 1) + run_warmup(&master->run);
	if (!master->config->start_at_ns)
		return master->began_ns + run_warmup(&master->run);
	return due > master->began_ns ? due : master->began_ns;
}

/*
 * The first reading, so that no executor has to begin without one, or without knowing whether readings are dear. Where that one was, a
 * second one says whether they all are.
 */
static bool read_first(struct master *master, struct sst_reading *reading)
{
	int64_t least_ns = INT64_MAX;
	for (int i = 0; i < 2 && least_ns > NS_PER_MS; i++) {
		const int64_t cpu_before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		if (!recording_read(&master->recording, reading))
			return false;
		const int64_t cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_before;
		least_ns = cost_ns < least_ns ? cost_ns : least_ns;
	}
	atomic_store(&master->run.shared->reading_ns, least_ns);
	atomic_store(&master->run.shared->last_reading_ns, least_ns);
	return true;
}

/* All workloads are there: the hold ends for all at once. */
static void begin(struct master *master)
{
	struct sst_reading reading;
	struct estimate_record none;
	master->stage = RUNNING;
	if (!read_first(master, &reading)) {
		master_end_with_error(master, EXIT_TROUBLE);
		return;
	}
	const struct estimate_record first = {.load = NAN, .samples = 1, .known_ns = reading.when_ns, .last = reading};
	shared_post_estimate(master->run.shared, 0, shared_read_estimate(master->run.shared, &none), &first);
	master->began_ns = clock_now();
	atomic_store(&master->run.shared->origin_ns, first_origin(master));
	announce_end(master);
	atomic_store(&master->run.heartbeat->starting, false);
	executors_order(master, SHARED_RUN);
	recording_start_meters(&master->recording);
	/* On a busy machine the origin may come late after the first reading. Where there is no warm-up, what lies between is no row. */
	if (run_origin(&master->run) > reading.when_ns + NS_PER_MS && run_origin(&master->run) <= clock_now())
		recording_read(&master->recording, &reading);
	intervals_start(&master->recording.intervals, &reading);
	arm_next(master);
	if (master->begins_paused)
		stop_all(master);
}

double master_left_s(const struct master *master, int64_t now_ns)
{
	const int64_t end_ns = run_end(master);
	return master->timed && end_ns > now_ns ? (double)(end_ns - now_ns) / NS_PER_S : 0;
}

/* Whoever asked for a time may not notice that it was less. */
static void say_end(const struct master *master, const char *what)
{
	const double left_s = master_left_s(master, clock_now());
	if (left_s >= 1)
		diag("%s, %.1f s before the run's time was over", what, left_s);
	else
		diag("%s", what);
}

/* A client has done its work, most often, and who started it may wait for the end of the run. */
static void tell_of_client(struct master *master)
{
	const struct config *const config = master->config;
	if (master->told_end || config->quiet || config->when_one_ends != ENDS_CONTINUE)
		return;
	for (unsigned i = 0; i < config->workloads && !master->told_end; i++) {
		const struct slot *const slot = &master->run.shared->slot[i];
		if (!slot->free || master->executor[i] || atomic_load(&slot->lost))
			continue;
		diag("workload %u has ended; the run goes on (--when-one-ends=stop ends it then)", i);
		master->told_end = true;
	}
}

/* All workloads, or one where that is to end the run. */
static void end_when_workloads_have(struct master *master)
{
	if (master->stage != RUNNING)
		return;
	const bool one = master->config->when_one_ends == ENDS_STOP && master->alive + master->lost < master->config->workloads;
	const bool controlled = executors_some_are_controlled(master);
	if (controlled && !one) {
		tell_of_client(master);
		return;
	}
	if (!master->paused_ns)
		recording_take(&master->recording, INTERVALS_END);
	unsigned ended = 0;
	while (one && (master->executor[ended] || atomic_load(&master->run.shared->slot[ended].lost)))
		ended++;
	if (!master->config->quiet && controlled)
		diag("workload %u has ended; the run ends", ended);
	else if (!master->config->quiet && master->alive > 0)
		say_end(master, master->lost ? "no controlled workload is left" : "all controlled workloads have ended");
	else if (!master->config->quiet)
		say_end(master, master->lost ? "no workload is left" : "all workloads have ended");
	resume_run(master);
	master_end(master, SHARED_TERMINATE);
}

/* ---- Signals ---------------------------------------------------------------------------------------------------------- */

/* One line, as dd prints on the same signal. */
static void say_status(struct master *master)
{
	char line[PROGRESS_LINE_MAX];
	const struct accuracy *accuracy = &master->recording.intervals.sums.accuracy;
	if (!master->began_ns) {
		diag(master->first_ns ? "starting" : "waiting for the instant of --start-at");
		return;
	}
	master->recording.progress.elapsed_ns = clock_now() - run_origin(&master->run);
	progress_format(&master->recording.progress, 80, false, line);
	if (accuracy->samples)
		diag("%s; so far: target %.2f %%, load %.2f %%, mean error %+.2f pp, MSE %.2f pp^2", line,
			100 * accuracy_mean_target(accuracy), 100 * accuracy_mean_load(accuracy),
			accuracy_mean_error_pp(accuracy), accuracy_mse_pp2(accuracy));
	else
		diag("%s", line);
}

/* Of several signals SIGINT alone means impatience: SIGTERM and SIGHUP come twice from timeout(1) and from shells. */
static void interrupt(struct master *master, int number)
{
	const bool first = !master->interrupted;
	if (first)
		master->interrupted = number;
	if (master->stage == RUNNING && !master->paused_ns)
		recording_take(&master->recording, INTERVALS_END);
	resume_run(master);
	if (master->stage == STARTING || (number == SIGINT && !first)) {
		master_end(master, SHARED_KILL);
	} else if (first && !master->killing) {
		master_end(master, SHARED_TERMINATE);
		master->hint_due = true;
		master_arm(master, clock_now() + HINT_AFTER_NS);
	}
}

static void on_signal(struct master *master, int number)
{
	switch (number) {
	case SIGCHLD:
		executors_reap(master);
		break;
	case SIGTSTP:
		pause_run(master);
		break;
	case SIGCONT:
		resume_run(master);
		show_live_line(master);
		break;
	case SIGWINCH:
		show_live_line(master);
		break;
	case SIGUSR1:
		say_status(master);
		break;
	case SIGINT:
	case SIGTERM:
	case SIGHUP:
		interrupt(master, number);
		break;
	default:
		break;
	}
}

/* How long nothing needs to be looked at that no descriptor tells of. */
static int64_t next_look(const struct master *master, int64_t now_ns)
{
	const int64_t stalls_ns = stalls_next(master, now_ns);
	const int64_t target_ns = live_target_next(&master->live, now_ns);
	if (target_ns >= now_ns + stalls_ns)
		return stalls_ns;
	return target_ns > now_ns ? target_ns - now_ns : 0;
}

void master_supervise(struct master *master)
{
	struct pollfd polled[] = {
		{.fd = master->signals, .events = POLLIN},
		{.fd = master->timer, .events = POLLIN},
		{.fd = master->run.ready, .events = POLLIN},
		{.fd = master->ties->guardian.fd, .events = POLLIN},
		{.fd = master->instant, .events = POLLIN},
		{.fd = -1, .events = POLLIN},
	};
	heartbeat_beat(master->run.heartbeat);
	atomic_store(&master->run.heartbeat->starting, true);
	if (master->config->start_at_ns) {
		await_instant(master);
	} else {
		master->first_ns = clock_now();
		start_workloads(master);
	}
	while ((master->alive > 0 && !master->overdue) || master->stage != ENDING) {
		heartbeat_beat(master->run.heartbeat);
		const int64_t now_ns = clock_now();
		const int64_t wait_ns = next_look(master, now_ns);
		polled[5].fd = live_target_file(&master->live, now_ns);
		if (poll(polled, sizeof polled / sizeof *polled, (int)(wait_ns / NS_PER_MS) + 1) < 0)
			continue;
		if (polled[3].revents) {
			/* The guardian is gone, and with it whoever waits for us. */
			polled[3].fd = -1;
			master_end_with_error(master, EXIT_TROUBLE);
		}
		struct signalfd_siginfo info;
		while (read(master->signals, &info, sizeof info) == sizeof info)
			on_signal(master, (int)info.ssi_signo);
		uint64_t count;
		if (polled[1].revents && read(master->timer, &count, sizeof count) == sizeof count) {
			if (master->stage == ENDING)
				on_ending_timer(master);
			else
				on_timer(master);
		}
		if (polled[4].revents && read(master->instant, &count, sizeof count) == sizeof count)
			on_instant(master);
		look_at_live_target(master, polled[5].revents);
		if (polled[2].revents)
			eventfd_read(master->run.ready, &count);
		if (master->strays)
			master->strays = executors_kill_strays(master);
		if (master->stage == STARTING && executors_all_are_ready(master))
			begin(master);
		stalls_look(master);
		end_when_workloads_have(master);
	}
}
