/* SPDX-License-Identifier: MIT */
/*
 * One loop around ppoll(2): the time of the next edge, a signalfd for the end of processes and the master's nudges, and the
 * master's pidfd. What is to be done is in shared memory; the executor never waits for anybody but its own workload.
 *
 * The executor is a subreaper, so whatever its workload leaves behind becomes its child. Hence "no children" means "the whole
 * tree is gone", without a look at /proc. A contained workload's orphans go to its init, which is our child as long as there
 * are any.
 */
#include "supervise/executor.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/expand.h"
#include "base/units.h"
#include "control/loop.h"
#include "control/overdue.h"
#include "os/brake.h"
#include "os/home.h"
#include "os/run_mark.h"
#include "os/spawn.h"
#include "supervise/obligations.h"
#include "supervise/respawn.h"
#include "supervise/used_time.h"

/* Away from home for so long: what stood still goes on after 100 or 200 ms. */
#define AWAY_NS (300 * NS_PER_MS)
/* How long a tree that is being killed may take; what is in an uninterruptible wait can't go sooner. */
#define KILL_LIMIT_NS (10 * NS_PER_S)
/* How long the init of a contained workload may take to reap what was killed. */
#define KILL_IN_ORDER_NS (200 * NS_PER_MS)
/* How long the master may take to end a run whose guardian was killed. */
#define ALONE_NS (3 * NS_PER_S)
/* Answers of a dithering module that lie in the past are taken at once, this many in a row. */
#define ANSWERS_AT_ONCE 8
/* Looks through trees without a cause: of all executors together so often, each a second at least. */
#define LOOK_OF_ALL_NS (8 * NS_PER_MS)

struct executor {
	struct run *run;
	struct shared *shared;
	struct slot *slot;
	struct slot_record record;
	struct loop loop;
	struct brake brake;
	pid_t first; /* the workload's first process, or 0 when it is reaped or not ours */
	struct containment containment;
	const struct attached *attached; /* NULL where the workload was started */
	bool started;                    /* left the hold */
	bool paused;
	bool terminating;
	bool warned;        /* that a process may not be signalled */
	bool waiting;       /* no process is left, and the workload is to be started again … */
	int64_t respawn_ns; /* … not before this moment, */
	int64_t delay_ns;   /* so long after it was started the last time */
	int64_t started_ns;
	int64_t cpu_at_start_ns; /* of all that the executor has started, and … */
	int failures_at_start;   /* … how often that failed, when it was started the last time */
	struct used_time used;
	struct overdue others;
	struct linux_mask mask; /* processors that the user may use */
	int64_t fetched_ns;     /* when another executor fetched this one from its home; 0: it is there */
	bool has_home;
	int64_t due_ns;   /* when the next edge is due; 0: never */
	int64_t kill_ns;  /* end of the grace period */
	int64_t wake_ns;  /* when the loop goes round again at the latest; 0: not of itself */
	int64_t alone_ns; /* when it ends by itself, as the guardian is gone; 0: never */
	int signals;
};

static int64_t read_clock(void *context)
{
	(void)context;
	return clock_now();
}

static int64_t read_cpu_clock(void *context)
{
	(void)context;
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void arm(struct executor *executor, int64_t when_ns)
{
	executor->wake_ns = when_ns > 0 ? when_ns : 1;
}

static void disarm(struct executor *executor)
{
	executor->wake_ns = 0;
}

static void publish(struct executor *executor)
{
	latch_write(&executor->slot->record, &executor->record, LATCH_SIZE(struct slot_record));
}

/* A program that took another user's rights (sudo, su) can't be controlled by the one who started it. */
static void warn_of_denied(struct executor *executor)
{
	/* A freezer asks for nobody's rights; what can't be killed in the end is said then. */
	if (!executor->brake.tree.denied || executor->warned || executor->brake.hand != SST_HAND_SIGNALS)
		return;
	executor->warned = true;
	diag("workload %u: process %d belongs to another user: it can be neither stopped nor terminated", executor->loop.index,
		(int)executor->brake.tree.denied);
}

/*
 * A tree that is stopped is stopped again: somebody else may have continued it, or a process of it been forked during the last stop.
 * With `insist` one that runs is continued again as well.
 */
static void set_running(struct executor *executor, bool run, bool insist, int64_t now_ns)
{
	if (!run)
		brake_stop(&executor->brake, now_ns);
	else if (insist || executor->brake.tree.stopped)
		brake_continue(&executor->brake);
	warn_of_denied(executor);
}

/* Outside the loop: before it, or while paused. */
static void record_state(struct executor *executor, double duty, bool running, int64_t now_ns)
{
	slot_record_advance(&executor->record, now_ns);
	executor->record.duty = duty;
	executor->record.running = running;
	executor->record.at_bound = 0;
	publish(executor);
}

/* Control has begun: what was used by now was before it. */
static void note_beginning(struct executor *executor)
{
	const struct config *config = executor->run->config;
	const bool has_run = config->warmup_ns || config->start_at_ns || config->start_interval_ns || executor->attached;
	if (clock_now() >= run_origin(executor->run))
		used_time_begin(&executor->used, has_run);
}

/* ---- Under control ---------------------------------------------------------------------------------------------------- */

/* Those of the moment, where they change. */
static const struct sst_cpus *processors_of(const struct executor *executor)
{
	const struct group *group = run_group(executor->run->config, executor->loop.index);
	return group->pin == PIN_DYNAMIC && atomic_load(&executor->shared->moves) % 2 ? group->moved : group->cpus;
}

/* Where a duty cycle is a bandwidth: as many threads as there are, on as many processors as they may use. */
static void look_at_width(struct executor *executor)
{
	if (executor->brake.hand != SST_HAND_QUOTA)
		return;
	const struct sst_cpus *const cpus = processors_of(executor);
	const struct linux_mask *const mask = &executor->mask;
	const size_t most = cpus ? cpus->count : mask->set ? (size_t)CPU_COUNT_S(mask->size, mask->set) : (size_t)CPU_SETSIZE;
	executor->loop.width = (double)workload_group_count(&executor->brake.group, most);
}

static void change_running(struct executor *executor, const struct loop_answer *answer, int64_t now_ns)
{
	const bool changes = answer->run == executor->brake.tree.stopped;
	const int64_t before = clock_now();
	set_running(executor, answer->run, !answer->free, now_ns);
	brake_limit(&executor->brake, &answer->limit);
	const int64_t after = clock_now();
	if (changes)
		loop_learn_edge(&executor->loop, after - before);
	if (!answer->free)
		slot_count_lateness(executor->slot, after - executor->due_ns);
}

static void take_edges(struct executor *executor)
{
	const int64_t origin = atomic_load(&executor->shared->origin_ns);
	for (int i = 0;; i++) {
		struct loop_answer answer;
		look_at_width(executor);
		const int64_t now = clock_now();
		loop_step(&executor->loop, now, executor->due_ns, origin, &answer);
		change_running(executor, &answer, now);
		loop_publish(&executor->loop, now, &answer, &executor->record);
		executor->due_ns = answer.until_ns;
		if (answer.until_ns > now || i == ANSWERS_AT_ONCE) {
			arm(executor, answer.until_ns > now ? answer.until_ns : now + NS_PER_MS);
			loop_settle(&executor->loop, now, &answer);
			brake_settle(&executor->brake, answer.until_ns);
			return;
		}
	}
}

/* Whoever was fetched may use all processors again, and goes back after a while. */
static void look_after_home(struct executor *executor, bool fetched)
{
	const int64_t now = clock_now();
	if (fetched) {
		executor->fetched_ns = now;
		linux_mask_give(&executor->mask);
	} else if (executor->fetched_ns && now - executor->fetched_ns > AWAY_NS) {
		executor->fetched_ns = 0;
		if (executor->has_home)
			linux_home_go(&executor->mask, executor->loop.index);
		else
			linux_mask_give(&executor->mask);
	}
}

static void fetch_others(struct executor *executor)
{
	for (struct slot *late; (late = overdue_find(&executor->others, clock_now()));) {
		const pid_t pid = atomic_load(&late->executor);
		if (pid > 0)
			linux_home_fetch(pid, EXECUTOR_NUDGE);
	}
}

static void run_free(struct executor *executor, int64_t now_ns)
{
	brake_limit(&executor->brake, &(struct sst_bandwidth){0});
	set_running(executor, true, false, now_ns);
	record_state(executor, 1, true, now_ns);
}

/* A free workload is in no ring. */
static void set_live(const struct executor *executor, bool live)
{
	if (!executor->slot->free)
		shared_set_live(executor->shared, executor->loop.index, live);
}

/* A free workload has no edges: one look at the clock when the others' control begins. */
static void await_beginning(struct executor *executor)
{
	note_beginning(executor);
	if (!executor->used.began)
		arm(executor, run_origin(executor->run));
}

/* Leaves the hold, or a pause: free until control begins. */
static void begin(struct executor *executor)
{
	const int64_t now = clock_now();
	const int64_t origin = atomic_load(&executor->shared->origin_ns);
	executor->started = true;
	executor->paused = false;
	if (executor->waiting)
		return; /* the start of the workload comes back to this */
	executor->record.since_ns = now;
	if (executor->slot->free) {
		run_free(executor, now);
		disarm(executor);
		await_beginning(executor);
	} else if (now < origin) {
		run_free(executor, now);
		executor->due_ns = origin;
		arm(executor, origin);
	} else {
		executor->due_ns = now;
		executor->loop.running = !executor->brake.tree.stopped;
		take_edges(executor);
		note_beginning(executor);
	}
}

static void pause_workload(struct executor *executor)
{
	const int64_t now = clock_now();
	executor->paused = true;
	executor->due_ns = 0;
	disarm(executor);
	set_running(executor, false, false, now);
	record_state(executor, 0, false, now);
	/* The pause belongs to no row. */
	executor->record.since_ns = 0;
	publish(executor);
}

/* An attached tree runs on without us. */
static void let_go(struct executor *executor)
{
	scheduling_step_down();
	tree_signal(&executor->brake.tree, SIGCONT, clock_now());
}

/* SIGTERM first, SIGCONT after it, so that a stopped process meets it when it wakes up. */
static void begin_termination(struct executor *executor)
{
	const int64_t now = clock_now();
	executor->terminating = true;
	executor->due_ns = 0;
	scheduling_step_down();
	used_time_end(&executor->used, used_time_now(&executor->used));
	tree_signal(&executor->brake.tree, SIGTERM, now);
	tree_signal(&executor->brake.tree, SIGCONT, now);
	brake_release(&executor->brake);
	executor->brake.tree.stopped = false;
	record_state(executor, 1, true, now);
	executor->kill_ns = now + executor->run->config->grace_ns;
	arm(executor, executor->kill_ns);
}

/*
 * SIGKILL to all, reaped as an ordinary process. The init of a contained workload goes last, where possible: what it has reaped
 * counts as CPU time of the workload, what the kernel kills after it doesn't. What is left then is said and given up.
 */
static void kill_workload(struct executor *executor)
{
	scheduling_step_down();
	workload_groups_release_one(executor->run->groups, executor->loop.index);
	if (executor->containment.init) {
		tree_signal(&executor->brake.tree, SIGKILL, clock_now());
		containment_await_end(&executor->containment, clock_now() + KILL_IN_ORDER_NS);
	}
	if (workload_groups_kill_one(executor->run->groups, executor->loop.index, clock_now() + KILL_LIMIT_NS))
		return;
	char names[128];
	descendants_name(names, sizeof names);
	diag("workload %u: can't kill what is left of it: %s", executor->loop.index, names);
	atomic_store(&executor->slot->left, true);
}

/* The run is over, and no order has come: the master stands still. So it does when the guardian is gone and it doesn't end the run. */
static bool is_over(const struct executor *executor)
{
	const int64_t now = clock_now();
	if (executor->alone_ns && now >= executor->alone_ns)
		return true;
	return heartbeat_is_over(executor->run->heartbeat, now) && !atomic_load(&executor->shared->paused);
}

static int phase_of(const struct executor *executor)
{
	const int phase = atomic_load(&executor->shared->phase);
	return phase < SHARED_TERMINATE && is_over(executor) ? SHARED_TERMINATE : phase;
}

static void follow_orders(struct executor *executor)
{
	const int phase = phase_of(executor);
	if (phase >= SHARED_TERMINATE && executor->attached) {
		executor->terminating = true;
		let_go(executor);
	} else if (phase == SHARED_KILL) {
		if (!executor->used.ended)
			used_time_end(&executor->used, used_time_now(&executor->used));
		kill_workload(executor);
	} else if (phase == SHARED_TERMINATE) {
		if (!executor->terminating)
			begin_termination(executor);
	} else if (phase == SHARED_RUN) {
		const bool pause = atomic_load(&executor->shared->paused);
		if (pause && !executor->paused)
			pause_workload(executor);
		else if (!pause && (executor->paused || !executor->started))
			begin(executor);
	} else if (executor->run->config->start_interval_ns) {
		/* Those that are there run until the last one is. */
		const bool pause = atomic_load(&executor->shared->paused);
		if (pause && !executor->paused) {
			pause_workload(executor);
		} else if (!pause && executor->paused && !executor->waiting) {
			executor->paused = false;
			run_free(executor, clock_now());
		}
	}
}

static void note_exit(struct executor *executor, int status)
{
	executor->first = 0;
	if (executor->terminating || phase_of(executor) > SHARED_RUN)
		return;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		atomic_store(&executor->slot->failure_status, status);
		atomic_fetch_add(&executor->slot->failures, 1);
	}
	atomic_store(&executor->slot->wait_status, status);
	atomic_store(&executor->slot->ended, true);
}

/* The first process has ended and is still a zombie. */
static void reap_first(struct executor *executor)
{
	int status = 0;
	tree_leader_ends(&executor->brake.tree, clock_now());
	waitpid(executor->first, &status, 0);
	note_exit(executor, status);
}

/* The same in a containment, where the init reaps it. */
static void hear_from_init(struct executor *executor)
{
	int status;
	if (!containment_read_end(&executor->containment, &status)) {
		/* Without an init nobody keeps the group's number from being given again. */
		if (executor->containment.tie < 0)
			executor->brake.tree.whole_group = false;
		return;
	}
	tree_leader_ends(&executor->brake.tree, clock_now());
	containment_let_go(&executor->containment);
	note_exit(executor, status);
}

/* The init has ended: since nothing is left, or killed by somebody, and with it the workload. */
static void reap_init(struct executor *executor)
{
	int status = 0;
	hear_from_init(executor);
	containment_free(&executor->containment);
	executor->brake.tree.whole_group = false;
	waitpid(executor->containment.init, &status, 0);
	executor->containment.init = 0;
	executor->brake.tree.init = 0;
	if (executor->first)
		note_exit(executor, status);
}

/*
 * Reaps what has ended; true when no process is left. As an ordinary process: reaping flushes the dead process's part of /proc,
 * in which the kernel spins while another dying thread of it, which a real-time process would not let run, is at the same.
 * (Seen on Linux 6.18: both executors spun for a second, until real-time throttling let the others in.)
 */
static bool reap(struct executor *executor)
{
	bool stepped_down = false;
	bool none = false;
	for (;;) {
		siginfo_t info = {0};
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
			none = errno == ECHILD;
			break;
		}
		if (info.si_pid == 0)
			break;
		if (!stepped_down)
			scheduling_step_down();
		stepped_down = true;
		if (info.si_pid == executor->first)
			reap_first(executor);
		else if (info.si_pid == executor->containment.init)
			reap_init(executor);
		else
			waitpid(info.si_pid, NULL, 0);
	}
	if (stepped_down && !executor->terminating && !none)
		scheduling_raise(&executor->run->user);
	return none;
}

/* What all trees are watched by. */
static void set_looks(struct executor *executor)
{
	const int64_t patience = executor->run->config->workloads * LOOK_OF_ALL_NS;
	executor->brake.tree.patience_ns = patience > NS_PER_S ? patience : NS_PER_S;
	executor->brake.tree.budget = &executor->shared->looks;
}

static void begin_tree(struct executor *executor)
{
	tree_init(&executor->brake.tree, executor->first);
	executor->brake.tree.init = executor->containment.init;
	set_looks(executor);
}

static pid_t start_workload(struct executor *executor, enum start_stage *stage)
{
	const struct config *config = executor->run->config;
	const unsigned index = executor->loop.index;
	const unsigned width = expand_width(config->workloads);
	const struct group *const group = run_group(config, index);
	pid_t pid = -1;
	const char *const given[3] = {config->directory, group->stdout_file, group->stderr_file};
	char *expanded[3] = {NULL, NULL, NULL};
	char **command = expand_command(group->command, config->placeholder, index, width);
	*stage = STAGE_FORK;
	brake_release(&executor->brake);
	bool complete = command;
	for (int i = 0; i < 3 && complete; i++)
		if (given[i])
			complete = (expanded[i] = expand(given[i], config->placeholder, index, width)) != NULL;
	if (complete) {
		const struct spawn request = {
			.command = command,
			.directory = expanded[0],
			.stdout_file = expanded[1],
			.stderr_file = expanded[2],
			.inherit_stdin = spawn_hands_input_on(config->workloads - config->attaches),
			.index = index,
			.cpus = processors_of(executor),
			.mask = executor->mask,
			.user = &executor->run->user,
			.containment = config->contain == CONTAIN_PIDNS ? &executor->containment : NULL,
			.group = executor->brake.hand == SST_HAND_SIGNALS ? NULL : &executor->brake.group,
		};
		pid = spawn(&request, stage);
	}
	const int saved = errno;
	for (int i = 0; i < 3; i++)
		free(expanded[i]);
	expand_free(command);
	errno = saved;
	return pid;
}

/* ---- Respawning ------------------------------------------------------------------------------------------------------- */

static void begin_life(struct executor *executor, int64_t now)
{
	executor->started_ns = now;
	executor->cpu_at_start_ns = used_time_ended(&executor->used);
	executor->failures_at_start = (int)atomic_load(&executor->slot->failures);
}

/* Nothing of the workload is left, and it stays out of control until it is started again. */
static void leave_the_ring(struct executor *executor)
{
	executor->due_ns = 0;
	disarm(executor);
	if (!executor->record.alive)
		return;
	record_state(executor, 0, false, clock_now());
	executor->record.alive = 0;
	publish(executor);
	set_live(executor, false);
}

/* False when it can't be started any more; the slot says why. */
static bool respawn(struct executor *executor)
{
	enum start_stage stage;
	const bool stopped = executor->brake.tree.stopped;
	const struct sst_bandwidth limit = executor->brake.limit;
	executor->first = start_workload(executor, &stage);
	if (executor->first < 0) {
		executor->first = 0;
		atomic_store(&executor->slot->start_errno, errno);
		atomic_store(&executor->slot->start_stage, (int)stage);
		return false;
	}
	scheduling_raise(&executor->run->user);
	executor->waiting = false;
	begin_life(executor, clock_now());
	begin_tree(executor);
	atomic_store(&executor->slot->pid, executor->first);
	atomic_fetch_add(&executor->slot->respawns, 1);
	if (executor->record.alive) {
		/* It has been away for a moment only: the edge that is due comes as if nothing had happened. */
		set_running(executor, !stopped, false, executor->started_ns);
		brake_limit(&executor->brake, &limit);
		return true;
	}
	brake_stop(&executor->brake, executor->started_ns);
	record_state(executor, 0, false, executor->started_ns);
	executor->record.alive = 1;
	publish(executor);
	set_live(executor, true);
	executor->loop.controlling = false;
	if (executor->started && !executor->paused)
		begin(executor);
	else if (executor->run->config->start_interval_ns && !executor->paused)
		run_free(executor, executor->started_ns);
	return true;
}

/* No process of the workload is left. True when the workload goes on all the same, since it is started again, now or later. */
static bool comes_back(struct executor *executor)
{
	if (executor->run->config->when_one_ends != ENDS_RESPAWN || executor->attached || executor->terminating ||
		phase_of(executor) > SHARED_RUN)
		return false;
	if (!executor->waiting) {
		const bool stopped = executor->brake.tree.stopped;
		tree_free(&executor->brake.tree);
		executor->brake.tree.stopped = stopped;
		const struct respawn_life life = {
			.lived_ns = clock_now() - executor->started_ns,
			.cpu_ns = used_time_ended(&executor->used) - executor->cpu_at_start_ns,
			.failed = (int)atomic_load(&executor->slot->failures) != executor->failures_at_start,
		};
		executor->delay_ns = respawn_delay(executor->delay_ns, &life);
		executor->respawn_ns = executor->started_ns + executor->delay_ns;
		executor->waiting = true;
	}
	const bool due = clock_now() >= executor->respawn_ns;
	if (due && !executor->paused)
		return respawn(executor);
	leave_the_ring(executor);
	if (!due && !executor->paused)
		arm(executor, executor->respawn_ns);
	return true;
}

/* ---- From start to end ------------------------------------------------------------------------------------------------ */

/* Of a tree that was attached; how its first process ended is known to its parent alone. */
static bool attached_is_over(struct executor *executor, bool look)
{
	if (executor->terminating)
		return true;
	if ((!look && executor->brake.tree.outsiders > 0) || tree_lives(&executor->brake.tree, clock_now()))
		return false;
	atomic_store(&executor->slot->ended, true);
	return true;
}

/*
 * An executor that was killed leaves its attached tree stopped. The master continues it, unless that is killed before it gets to it, when
 * all others have ended already as it had told them to.
 */
static void continue_abandoned(const struct executor *executor)
{
	const struct config *config = executor->run->config;
	for (unsigned i = 0; i < config->attaches; i++) {
		const struct slot *slot = &executor->shared->slot[config->workloads - config->attaches + i];
		const pid_t pid = atomic_load(&slot->executor);
		struct linux_process process;
		if (pid && pid != getpid() && (linux_process_read(pid, &process) != 0 || linux_process_has_ended(&process)))
			obligations_release(executor->run->owed, config->workloads - config->attaches + i);
	}
}

/* Removes the own group. When the master is dead, the guardian and other executors may be, too. */
static void leave_groups(struct executor *executor)
{
	const struct run *const run = executor->run;
	struct pollfd above[] = {{.fd = run->master, .events = POLLIN}, {.fd = run->guardian, .events = POLLIN}};
	workload_group_close(&executor->brake.group);
	poll(above, 2, 0);
	if (above[0].revents)
		obligations_settle_abandoned(run->owed, above[1].revents);
	else
		workload_groups_leave(run->groups, executor->loop.index, atomic_load(&executor->shared->phase) > SHARED_RUN);
}

static void sign_off(struct executor *executor)
{
	record_state(executor, 0, false, clock_now());
	executor->record.alive = 0;
	publish(executor);
	set_live(executor, false);
	used_time_total(&executor->used);
	atomic_store(&executor->slot->executor, 0);
}

static void forget_signals(const struct executor *executor)
{
	struct signalfd_siginfo info[8];
	while (read(executor->signals, info, sizeof info) > 0)
		;
}

/* The master has missed it, as it stood still. */
static void rejoin(struct executor *executor)
{
	/* The standstill was no control. */
	executor->record.at_bound = 0;
	executor->loop.controlling = false;
	slot_record_advance(&executor->record, clock_now());
	publish(executor);
	if (executor->record.alive)
		set_live(executor, true);
}

/* When to go round again: 0: not of itself. While paused, or ending, nobody asks for the end. */
static int64_t wake_of(const struct executor *executor)
{
	const int64_t end_ns = atomic_load(&executor->run->heartbeat->end_ns);
	int64_t wake = executor->wake_ns ? executor->wake_ns : INT64_MAX;
	if (executor->alone_ns && !executor->terminating && executor->alone_ns < wake)
		wake = executor->alone_ns;
	if (end_ns && !executor->terminating && !executor->paused && end_ns + HEARTBEAT_EXECUTORS_NS < wake)
		wake = end_ns + HEARTBEAT_EXECUTORS_NS;
	return wake;
}

/* Until something happens, or it is time. A child that ended is something. */
static int await(struct executor *executor, struct pollfd *polled, nfds_t count)
{
	const int64_t wake_ns = wake_of(executor);
	if (wake_ns == INT64_MAX)
		return ppoll(polled, count, NULL, NULL);
	const int64_t left = wake_ns - clock_now();
	const struct timespec timeout = {.tv_sec = left > 0 ? left / NS_PER_S : 0, .tv_nsec = left > 0 ? left % NS_PER_S : 0};
	if (executor->due_ns && !executor->terminating)
		overdue_sleep(executor->slot, executor->wake_ns);
	const int result = ppoll(polled, count, &timeout, NULL);
	look_after_home(executor, overdue_wake(executor->slot));
	return result;
}

/* Returns when the workload is gone (0) or the master is (EXIT_TROUBLE). */
static int watch(struct executor *executor)
{
	struct pollfd polled[] = {
		{.fd = executor->signals, .events = POLLIN},
		{.fd = executor->run->master, .events = POLLIN},
		{.fd = -1, .events = POLLIN}, /* the containment, or one process of an attached tree */
		{.fd = executor->run->guardian, .events = POLLIN},
	};
	for (bool news = true;;) {
		/* What is news doesn't matter: orders and children are looked at. An edge alone is none. */
		if (news) {
			follow_orders(executor);
			if (executor->attached ? attached_is_over(executor, polled[2].revents)
					       : reap(executor) && !comes_back(executor))
				return 0;
			if (atomic_load(&executor->slot->left))
				return EXIT_TROUBLE;
			polled[2].fd =
				executor->attached ? executor->brake.tree.outsider[0].process.fd : executor->containment.tie;
		}
		if (await(executor, polled, sizeof polled / sizeof *polled) < 0)
			continue;
		atomic_fetch_add_explicit(&executor->slot->rounds, 1, memory_order_relaxed);
		if (atomic_exchange_explicit(&executor->slot->stood_still, false, memory_order_relaxed))
			rejoin(executor);
		const bool time = executor->wake_ns && clock_now() >= executor->wake_ns;
		const bool edge = time && executor->due_ns && !executor->terminating;
		news = !edge || executor->attached || polled[0].revents || polled[1].revents || polled[2].revents ||
		       is_over(executor);
		if (edge) {
			take_edges(executor);
			if (!executor->used.began)
				note_beginning(executor);
			fetch_others(executor);
		} else if (time) {
			disarm(executor);
			if (executor->slot->free && executor->started && !executor->paused && !executor->terminating)
				await_beginning(executor);
		}
		if (polled[1].revents) {
			if (executor->attached)
				let_go(executor);
			else
				kill_workload(executor);
			return EXIT_TROUBLE;
		}
		if (polled[3].revents) {
			polled[3].fd = -1;
			executor->alone_ns = clock_now() + ALONE_NS;
		}
		/* Nobody else would end it. */
		if (executor->alone_ns && clock_now() >= executor->alone_ns)
			pidfd_send_signal(executor->run->master, SIGKILL, NULL, 0);
		if (polled[2].revents && !executor->attached)
			hear_from_init(executor);
		if (time && executor->terminating)
			kill_workload(executor);
		if (polled[0].revents)
			forget_signals(executor);
	}
}

static int set_up(struct executor *executor)
{
	sigset_t all;
	sigset_t watched;
	/* Children that stop or go on are our own doing and no news. */
	const struct sigaction quiet = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP};
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigaction(SIGCHLD, &quiet, NULL);
	sigemptyset(&watched);
	sigaddset(&watched, SIGCHLD);
	sigaddset(&watched, EXECUTOR_NUDGE);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1UL) != 0)
		return -1;
	executor->signals = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
	/* Where executors aren't real-time processes, edges are in time all the same. */
	prctl(PR_SET_TIMERSLACK, 1UL);
	if (executor->signals < 0 || run_init_modules(executor->run, executor->loop.index) != 0)
		return -1;
	return loop_init(&executor->loop, &executor->run->host[SST_FEEDBACK].env);
}

static int make_group(struct executor *executor, enum start_stage *stage)
{
	executor->brake.hand = executor->run->module[SST_ACTUATOR].actuator->hand;
	if (executor->brake.hand == SST_HAND_SIGNALS)
		return 0;
	*stage = STAGE_GROUP;
	return workload_group_make(&executor->brake.group, executor->run->groups, executor->loop.index);
}

/* Starts the workload, held stopped unless starts are staggered, or attaches to one, which runs on until control begins. 0, or -1 with errno. */
static int begin_workload(struct executor *executor, enum start_stage *stage)
{
	const int64_t now = clock_now();
	if (executor->attached) {
		if (tree_attach(&executor->brake.tree, executor->attached, now) != 0)
			return -1;
		set_looks(executor);
		executor->used.ticks_before = executor->brake.tree.cpu_ticks;
	} else {
		if (make_group(executor, stage) != 0 || (executor->first = start_workload(executor, stage)) < 0)
			return -1;
		begin_tree(executor);
		if (!executor->run->config->start_interval_ns)
			brake_stop(&executor->brake, clock_now());
	}
	begin_life(executor, now);
	executor->record.alive = 1;
	atomic_store(&executor->slot->attached, executor->attached != NULL);
	record_state(executor, executor->brake.tree.stopped ? 0 : 1, !executor->brake.tree.stopped, clock_now());
	atomic_store(&executor->slot->pid, executor->attached ? executor->attached->process.pid : executor->first);
	set_live(executor, true);
	return 0;
}

int executor_run(struct run *run, unsigned index)
{
	struct executor executor = {
		.run = run,
		.shared = run->shared,
		.slot = &run->shared->slot[index],
		.attached = run_attached(run, index),
		.record = {.load = __builtin_nan("")},
		.containment = {.tie = -1},
		.brake = {.group = WORKLOAD_GROUP_NONE},
		.others = {.shared = run->shared, .index = index},
		.signals = -1,
	};
	executor.used = (struct used_time){.slot = executor.slot, .attached = executor.attached ? &executor.brake.tree : NULL};
	executor.loop = (struct loop){
		.module = run->module,
		.shared = run->shared,
		.index = index,
		.estimator = {.owner = index + 1, .clock = read_clock, .cpu_clock = read_cpu_clock},
	};
	enum start_stage stage = STAGE_EXECUTOR;
	int result = EXIT_TROUBLE;
	bool begun = false;
	atomic_store(&executor.slot->executor, getpid());
	run_mark_set(RUN_MARK_WITHIN);
	if (set_up(&executor) == 0) {
		executor.has_home = scheduling_raise(&run->user).grant == GRANT_FIFO;
		if (linux_mask_take(&executor.mask) == 0 && executor.has_home)
			linux_home_go(&executor.mask, index);
		begun = begin_workload(&executor, &stage) == 0;
	}
	if (!begun) {
		atomic_store(&executor.slot->start_errno, errno);
		atomic_store(&executor.slot->start_stage, (int)stage);
	}
	if (eventfd_write(run->ready, 1) == 0 && begun)
		result = watch(&executor);
	continue_abandoned(&executor);
	leave_groups(&executor);
	sign_off(&executor);
	linux_mask_free(&executor.mask);
	run_mark_clear();
	return result;
}
