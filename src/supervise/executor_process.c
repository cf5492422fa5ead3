/* SPDX-License-Identifier: MIT */
/*
 * One loop around ppoll(2): the time at which the executor wakes up, a signalfd for the end of processes and the master's nudges, and
 * the master's pidfd. What is to be done is in shared memory; the executor never waits for anybody but its own workload.
 *
 * The executor is a subreaper, so whatever its workload leaves behind becomes its child. Hence "no children" means "the whole
 * tree is gone", without a look at /proc. A contained workload's orphans go to its init, which is our child as long as there
 * are any.
 */
#include "supervise/processes.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/units.h"
#include "config/config.h"
#include "control/executor.h"
#include "processes/affinity.h"
#include "processes/attached.h"
#include "processes/home_cpu.h"
#include "supervise/executor_leave.h"
#include "workloads/brake.h"
#include "workloads/spawn.h"

/* How long a tree that is being killed may take; what is in an uninterruptible wait can't go sooner. */
#define KILL_LIMIT_NS (10 * NS_PER_S)
/* How long the init of a contained workload may take to reap what was killed. */
#define KILL_IN_ORDER_NS (200 * NS_PER_MS)
/* Looks through trees without a cause: of all executors together so often, each a second at least. */
#define LOOK_OF_ALL_NS (8 * NS_PER_MS)

/* How often it is looked whether the workload stands still by itself. */
#define STANDS_LOOK_NS NS_PER_S

struct executor_process {
	struct executor executor;
	struct run *run;
	struct slot *slot;
	unsigned index;
	struct brake brake;
	pid_t first; /* the workload's first process, or 0 when it is reaped or not ours */
	struct containment containment;
	const struct attached *attached; /* NULL where the workload was started; a process or a group */
	uint64_t ticks_before;           /* … and what that had used when it was attached */
	int64_t used_before_ns;          /* … likewise of a group */
	int64_t stands_looked_ns;        /* when it was looked whether the workload stands still by itself */
	bool warned;                     /* that a process may not be signalled */
	struct linux_mask mask;          /* processors that the user may use */
	struct sst_cpus bound;           /* the one that it is bound to; 0 of them: to none */
	bool has_home_cpu;
	int signals;
};

/* ---- What the executor wants done ------------------------------------------------------------------------------------- */

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

/* A program that took another user's rights (sudo, su) can't be controlled by the one who started it. */
static void warn_of_denied(struct executor_process *process)
{
	/* A freezer asks for nobody's rights; what can't be killed in the end is said then. */
	if (!process->brake.tree.denied || process->warned || process->brake.actuator != ACTUATOR_SIGNALS)
		return;
	process->warned = true;
	diag("workload %u: process %d belongs to another user: it can be neither stopped nor terminated", process->index,
		(int)process->brake.tree.denied);
}

/* Whether its first process stands still though nobody here has stopped it, such as one that wants the terminal from the background. */
static void look_for_standstill(struct executor_process *process, int64_t now_ns)
{
	siginfo_t info = {0};
	process->stands_looked_ns = now_ns;
	/* The status keeps the signal until the process is continued. */
	if (process->first)
		waitid(P_PID, (id_t)process->first, &info, WSTOPPED | WNOHANG | WNOWAIT);
	const bool is_ours =
		info.si_status == SIGSTOP && process->brake.tree.stopped && process->brake.actuator != ACTUATOR_FREEZER;
	atomic_store_explicit(&process->slot->stopped_by, info.si_pid && !is_ours ? info.si_status : 0, memory_order_relaxed);
}

static int64_t hold(void *context, const struct executor_hold *how)
{
	struct executor_process *process = context;
	struct brake *const brake = &process->brake;
	const int64_t before = clock_now();
	if (before - process->stands_looked_ns >= STANDS_LOOK_NS)
		look_for_standstill(process, before);
	if (!how->run)
		brake_stop(brake, how->now_ns);
	else if (how->again || brake->tree.stopped)
		brake_continue(brake);
	warn_of_denied(process);
	brake_limit(brake, &how->limit);
	return clock_now() - before;
}

/* Those of the moment, where they change; NULL: all that the user may use, or whatever somebody else gave it. */
static const struct sst_cpus *processors_of(const struct executor_process *process)
{
	if (process->attached)
		return NULL;
	const struct group *group = run_group(process->run->config, process->index);
	if (process->bound.count)
		return &process->bound;
	const struct host_place place = atomic_load(&process->run->shared->place);
	return group->pin == PIN_DYNAMIC && place.above ? group->moved : group->cpus;
}

static double find_width(void *context)
{
	const struct executor_process *process = context;
	if (process->brake.actuator != ACTUATOR_QUOTA)
		return 0;
	const struct sst_cpus *const cpus = processors_of(process);
	const struct linux_mask *const mask = &process->mask;
	const size_t most = cpus ? cpus->count : mask->set ? (size_t)CPU_COUNT_S(mask->size, mask->set) : (size_t)CPU_SETSIZE;
	return (double)workload_group_count(&process->brake.group, most);
}

static void settle(void *context, int64_t until_ns)
{
	struct executor_process *process = context;
	brake_settle(&process->brake, until_ns);
}

static void fetch(void *context, struct slot *late)
{
	(void)context;
	const pid_t pid = atomic_load(&late->executor);
	if (pid > 0)
		linux_home_cpu_fetch(pid, EXECUTOR_NUDGE);
}

/* Whoever was fetched may use all processors again. */
static void move(void *context, bool to_home_cpu)
{
	const struct executor_process *process = context;
	if (to_home_cpu && process->has_home_cpu)
		linux_home_cpu_go(&process->mask, process->index);
	else
		linux_mask_give(&process->mask);
}

static int64_t cpu_ns(int who)
{
	struct rusage usage;
	getrusage(who, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_S +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NS_PER_US;
}

/* Of an attached tree, all as of the last look at it. */
static int64_t find_used(void *context, bool living)
{
	struct executor_process *process = context;
	struct tree *const tree = &process->brake.tree;
	if (process->executor.terminating)
		scheduling_step_down(); /* nothing is urgent now */
	if (!process->attached)
		return cpu_ns(RUSAGE_CHILDREN) + (living ? descendants_living_cpu_ns(getpid()) : 0);
	if (process->attached->group)
		return slot_group_used(process->slot) - process->used_before_ns;
	if (living)
		tree_lives(tree, clock_now());
	return (int64_t)(tree->cpu_ticks - process->ticks_before) * (NS_PER_S / sysconf(_SC_CLK_TCK));
}

/*
 * SIGKILL to all, reaped as an ordinary process. The init of a contained workload goes last, where possible: what it has reaped
 * counts as CPU time of the workload, what the kernel kills after it doesn't. What is left then is said and given up.
 */
static void kill_workload(struct executor_process *process)
{
	workload_groups_release_one(process->run->groups, process->index);
	const pid_t init = process->containment.init;
	if (init && !containment_end(&process->containment, clock_now() + KILL_IN_ORDER_NS))
		kill(init, SIGKILL);
	if (workload_groups_kill_one(process->run->groups, process->index, clock_now() + KILL_LIMIT_NS))
		return;
	char names[128];
	descendants_name(names, sizeof names);
	diag("workload %u: can't kill what is left of it: %s", process->index, names);
	atomic_store(&process->slot->left, true);
}

/* SIGTERM comes first, SIGCONT after it, so that a stopped process meets it when it wakes up. An attached tree runs on without us. */
static void end(void *context, enum executor_end how)
{
	struct executor_process *process = context;
	struct tree *const tree = &process->brake.tree;
	const int64_t now = clock_now();
	scheduling_step_down();
	if (how == EXECUTOR_KILLS) {
		kill_workload(process);
		return;
	}
	if (process->brake.found) {
		brake_let_go(&process->brake);
		return;
	}
	if (how == EXECUTOR_TERMINATES)
		tree_signal(tree, SIGTERM, now);
	tree_signal(tree, SIGCONT, now);
	if (how == EXECUTOR_TERMINATES)
		brake_release(&process->brake);
	tree->stopped = false;
}

/* ---- Starts ----------------------------------------------------------------------------------------------------------- */

/* What all trees are watched by. */
static void set_looks(struct executor_process *process)
{
	const int64_t patience = process->run->config->workloads * LOOK_OF_ALL_NS;
	process->brake.tree.patience_ns = patience > NS_PER_S ? patience : NS_PER_S;
	process->brake.tree.budget = &process->run->shared->looks;
}

static void begin_tree(struct executor_process *process)
{
	tree_init(&process->brake.tree, process->first);
	process->brake.tree.init = process->containment.init;
	set_looks(process);
}

static pid_t start_workload(struct executor_process *process, enum start_stage *stage)
{
	const struct config *config = process->run->config;
	const unsigned index = process->index;
	const unsigned width = expand_width(config->workloads);
	const struct group *const group = run_group(config, index);
	pid_t pid = -1;
	const char *const given[3] = {config->directory, group->stdout_file, group->stderr_file};
	char *expanded[3] = {NULL, NULL, NULL};
	char **command = expand_command(group->command, config->placeholder, index, width);
	*stage = STAGE_FORK;
	brake_release(&process->brake);
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
			.inherit_stdin = run_hands_input_on(process->run),
			.index = index,
			.counter = process->slot->counter,
			.cpus = processors_of(process),
			.mask = process->mask,
			.user = &process->run->user,
			.containment = config->contain == CONTAIN_PIDNS ? &process->containment : NULL,
			.group = process->brake.actuator == ACTUATOR_SIGNALS ? NULL : &process->brake.group,
			.tie = process->run->master,
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

static void note_failed_start(struct executor_process *process, enum start_stage stage)
{
	atomic_store(&process->slot->start_errno, errno);
	atomic_store(&process->slot->start_stage, (int)stage);
}

static int start_again(void *context)
{
	struct executor_process *process = context;
	enum start_stage stage;
	process->first = start_workload(process, &stage);
	if (process->first < 0) {
		process->first = 0;
		note_failed_start(process, stage);
		return -1;
	}
	scheduling_raise(&process->run->user);
	/* A stop meanwhile has looked for what isn't there. */
	tree_free(&process->brake.tree);
	begin_tree(process);
	atomic_store(&process->slot->pid, process->first);
	return 0;
}

static int make_group(struct executor_process *process, enum start_stage *stage)
{
	process->brake.actuator = run_actuator(process->run);
	if (process->brake.actuator == ACTUATOR_SIGNALS)
		return 0;
	*stage = STAGE_GROUP;
	return workload_group_make(&process->brake.group, process->run->groups, process->index);
}

/* Of an attached group. 0, or -1 with errno. */
static int grip_group(struct executor_process *process)
{
	struct brake *const brake = &process->brake;
	if (!process->attached->group)
		return 0;
	brake->actuator = run_actuator(process->run);
	brake->found = process->attached->group;
	process->used_before_ns = slot_group_used(process->slot);
	return attached_group_grip(&brake->group, brake->found, brake->actuator);
}

/* Starts the workload, or attaches to one. 0, or -1 with errno. */
static int begin_workload(struct executor_process *process, enum start_stage *stage)
{
	if (process->attached) {
		if (tree_attach(&process->brake.tree, process->attached, clock_now()) != 0 || grip_group(process) != 0)
			return -1;
		set_looks(process);
		process->ticks_before = process->brake.tree.cpu_ticks;
	} else {
		if (make_group(process, stage) != 0 || (process->first = start_workload(process, stage)) < 0)
			return -1;
		begin_tree(process);
	}
	executor_come_up(&process->executor);
	atomic_store(&process->slot->attached, process->attached != NULL);
	atomic_store(&process->slot->pid, process->attached ? process->attached->process.pid : process->first);
	return 0;
}

/* ---- Ends ------------------------------------------------------------------------------------------------------------- */

static void note_exit(struct executor_process *process, int status)
{
	process->first = 0;
	executor_first_ended(&process->executor, status, !WIFEXITED(status) || WEXITSTATUS(status) != 0);
}

/* The first process has ended and is still a zombie. */
static void reap_first(struct executor_process *process)
{
	int status = 0;
	tree_leader_ends(&process->brake.tree, clock_now());
	waitpid(process->first, &status, 0);
	note_exit(process, status);
}

/* The same in a containment, where the init reaps it. */
static void hear_from_init(struct executor_process *process)
{
	int status;
	if (!containment_read_end(&process->containment, &status)) {
		/* Without an init nobody keeps the group's number from being given again. */
		if (process->containment.tie < 0)
			process->brake.tree.whole_group = false;
		return;
	}
	tree_leader_ends(&process->brake.tree, clock_now());
	containment_let_go(&process->containment);
	note_exit(process, status);
}

/* The init has ended: since nothing is left, or killed by somebody, and with it the workload. */
static void reap_init(struct executor_process *process)
{
	int status = 0;
	hear_from_init(process);
	containment_free(&process->containment);
	process->brake.tree.whole_group = false;
	waitpid(process->containment.init, &status, 0);
	process->containment.init = 0;
	process->brake.tree.init = 0;
	if (process->first)
		note_exit(process, status);
}

/*
 * Reaps what has ended; true when no process is left. As an ordinary process: reaping flushes the dead process's part of /proc,
 * in which the kernel spins while another dying thread of it, which a real-time process would not let run, is at the same.
 * (Seen on Linux 6.18: both executors spun for a second, until real-time throttling let the others in.)
 */
static bool reap(struct executor_process *process)
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
		if (info.si_pid == process->first)
			reap_first(process);
		else if (info.si_pid == process->containment.init)
			reap_init(process);
		else
			waitpid(info.si_pid, NULL, 0);
	}
	if (stepped_down && !process->executor.terminating && !none)
		scheduling_raise(&process->run->user);
	return none;
}

/* Of a tree that was attached; how its first process ended is known to its parent alone. */
static bool attached_is_over(struct executor_process *process, bool look)
{
	if (process->executor.terminating)
		return true;
	/* Nothing else looks who has left a group that isn't stopped by signals. */
	look = look || (process->brake.found && clock_now() - process->brake.tree.scanned_ns >= NS_PER_S);
	if ((!look && process->brake.tree.outsiders > 0) || tree_lives(&process->brake.tree, clock_now()))
		return false;
	atomic_store(&process->slot->ended, true);
	return true;
}

/* ---- From start to end ------------------------------------------------------------------------------------------------ */

static void forget_signals(const struct executor_process *process)
{
	struct signalfd_siginfo info[8];
	while (read(process->signals, info, sizeof info) > 0)
		;
}

/* Until something happens, or it is time. A child that ended is something. */
static int await(struct executor_process *process, struct pollfd *polled, nfds_t count)
{
	const int64_t wake_ns = executor_sleep(&process->executor);
	const int64_t left = wake_ns - clock_now();
	const struct timespec timeout = {.tv_sec = left > 0 ? left / NS_PER_S : 0, .tv_nsec = left > 0 ? left % NS_PER_S : 0};
	const int result = ppoll(polled, count, wake_ns == INT64_MAX ? NULL : &timeout, NULL);
	executor_awake(&process->executor);
	return result;
}

/* True when nothing is left of the workload that would be looked after. */
static bool is_gone(struct executor_process *process, bool look)
{
	if (process->attached)
		return attached_is_over(process, look);
	if (!reap(process))
		return false;
	/* Its numbers may be those of others from now on. */
	tree_free(&process->brake.tree);
	return !executor_comes_back(&process->executor);
}

enum { SIGNALS, MASTER, TIE, GUARDIAN };

/* Returns when the workload is gone (0) or the master is (EXIT_TROUBLE). */
static int watch(struct executor_process *process)
{
	struct executor *const executor = &process->executor;
	struct pollfd polled[] = {
		[SIGNALS] = {.fd = process->signals, .events = POLLIN},
		[MASTER] = {.fd = process->run->master, .events = POLLIN},
		[TIE] = {.fd = -1, .events = POLLIN}, /* the containment, or one process of an attached tree */
		[GUARDIAN] = {.fd = process->run->guardian, .events = POLLIN},
	};
	for (bool news = true;;) {
		/* What is news doesn't matter: orders and children are looked at. An edge alone is none. */
		if (news) {
			if (process->slot->free && !executor->paused)
				look_for_standstill(process, clock_now());
			executor_look(executor);
			if (is_gone(process, polled[TIE].revents))
				return 0;
			if (atomic_load(&process->slot->left))
				return EXIT_TROUBLE;
			polled[TIE].fd =
				process->attached ? process->brake.tree.outsider[0].process.fd : process->containment.tie;
		}
		if (await(process, polled, sizeof polled / sizeof *polled) < 0)
			continue;
		/* First: nothing is stopped any more once that is known. */
		if (polled[MASTER].revents) {
			end(process, process->attached ? EXECUTOR_LETS_GO : EXECUTOR_KILLS);
			return EXIT_TROUBLE;
		}
		const bool edge_alone = executor_on_time(executor);
		news = !edge_alone || polled[SIGNALS].revents || polled[TIE].revents;
		if (polled[GUARDIAN].revents) {
			polled[GUARDIAN].fd = -1;
			executor_left_alone(executor);
		}
		/* Nobody else would end it. */
		if (executor_has_outlived(executor))
			pidfd_send_signal(process->run->master, SIGKILL, NULL, 0);
		if (polled[TIE].revents && !process->attached)
			hear_from_init(process);
		if (polled[SIGNALS].revents)
			forget_signals(process);
	}
}

static int set_up(struct executor_process *process)
{
	sigset_t all;
	sigset_t watched;
	/* Children that stop or go on are our own doing and no news, unless nobody here stops them. */
	const struct sigaction quiet = {.sa_handler = SIG_DFL, .sa_flags = process->slot->free ? 0 : SA_NOCLDSTOP};
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	sigaction(SIGCHLD, &quiet, NULL);
	sigemptyset(&watched);
	sigaddset(&watched, SIGCHLD);
	sigaddset(&watched, EXECUTOR_NUDGE);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1UL) != 0)
		return -1;
	process->signals = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
	/* Where executors aren't real-time processes, edges are in time all the same. */
	prctl(PR_SET_TIMERSLACK, 1UL);
	if (process->signals < 0 || run_init_modules(process->run, process->index) != 0)
		return -1;
	return loop_init(&process->executor.loop, &process->run->host[SST_FEEDBACK].env);
}

/* The processor of one that --bind is for; its group's begin again where there are more instances. */
static struct sst_cpus find_bound(const struct config *config, unsigned index)
{
	const struct group *group = config->group;
	while (index >= group->instances)
		index -= group++->instances;
	return group->bind ? (struct sst_cpus){.count = 1, .cpu = &group->cpus->cpu[index % group->cpus->count]}
			   : (struct sst_cpus){0};
}

int executor_process_run(struct run *run, unsigned index)
{
	static const struct executor_hands hands = {
		.hold = hold,
		.width = find_width,
		.settle = settle,
		.fetch = fetch,
		.move = move,
		.used = find_used,
		.end = end,
		.start = start_again,
	};
	struct slot *const slot = &run->shared->slot[index];
	struct executor_process process = {
		.run = run,
		.slot = slot,
		.index = index,
		.attached = run_attached(run, index),
		.containment = {.tie = -1},
		.brake = {.group = WORKLOAD_GROUP_NONE},
		.signals = -1,
	};
	if (!process.attached)
		process.bound = find_bound(run->config, index);
	executor_init(&process.executor, run, index, &hands, &process);
	process.executor.is_attached = process.attached;
	process.executor.loop.estimator.clock = read_clock;
	process.executor.loop.estimator.cpu_clock = read_cpu_clock;
	enum start_stage stage = STAGE_EXECUTOR;
	int result = EXIT_TROUBLE;
	/* Who stands still then is to let its workload go all the same. */
	prctl(PR_SET_PDEATHSIG, SIGCONT);
	atomic_store(&slot->executor, getpid());
	run_mark_set(RUN_MARK_WITHIN);
	bool begun = set_up(&process) == 0;
	if (begun) {
		process.has_home_cpu = scheduling_raise(&run->user).grant == GRANT_FIFO;
		if (linux_mask_take(&process.mask) == 0 && process.has_home_cpu)
			linux_home_cpu_go(&process.mask, index);
		begun = begin_workload(&process, &stage) == 0;
	}
	if (!begun)
		note_failed_start(&process, stage);
	if (eventfd_write(run->ready, 1) == 0 && begun)
		result = watch(&process);
	executor_leave(run, index, &process.brake.group, process.executor.terminating);
	executor_sign_off(&process.executor);
	atomic_store(&slot->executor_cpu_ns, cpu_ns(RUSAGE_SELF));
	linux_mask_free(&process.mask);
	run_mark_clear();
	return result;
}
