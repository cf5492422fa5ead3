/* SPDX-License-Identifier: MIT */
/*
 * The process of a trial is a subreaper, so that whatever the tool starts stays below it: when it has no children any more nothing
 * is left, which no scan of /proc could say as surely. The scan says who is left, and looks for marked processes that got away.
 *
 * Time is counted in steps of 50 ms at most: when the trial itself was kept from running, so was the tool.
 *
 * With the right to it, each trial has a /dev/shm of its own. Else only names that begin as the tool's do are looked at.
 */
#include "trial.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "census.h"
#include "plan.h"
#include "strike.h"

#define STEP_US 50000
#define POLL_US 5000
/* A run that goes on without anybody to end it is a fault, too. */
#define RUN_LIMIT_US 15000000
#define LATE_LIMIT_US 10000000
#define STOP_LOOKS 10

struct trial {
	const struct settings *settings;
	struct result *result;
	struct plan plan;
	char mark[64];
	struct census census;
	int output;
	pid_t guardian, master;
	pid_t executor[EXECUTORS_MAX];
	pid_t attached;
	pid_t *standing; /* stopped at the last look before the last signal, by number */
	size_t standing_count;
	bool guardian_gone; /* reaped */
	bool killed_guardian, killed_master, killed_executor[EXECUTORS_MAX];
	int64_t guardian_gone_us, fatal_us, request_us, begin_us;
	struct strikes strikes;
	bool own_shm;
};

/* ---- Time --------------------------------------------------------------------------------------------------------------- */

static int64_t clock_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

/* The trial's own time. */
static int64_t now_us(void)
{
	static int64_t last;
	static int64_t passed = 1; /* 0 says that something didn't happen */
	const int64_t clock = clock_us();
	if (last)
		passed += clock - last < STEP_US ? clock - last : STEP_US;
	last = clock;
	return passed;
}

static void sleep_us(int64_t us)
{
	const struct timespec time = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
	nanosleep(&time, NULL);
}

static void say(struct trial *trial, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct trial *trial, const char *format, ...)
{
	char *text = trial->result->text;
	const size_t used = strlen(text);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text + used, TRIAL_TEXT - used, format, arguments);
	va_end(arguments);
}

/* ---- The tool --------------------------------------------------------------------------------------------------------- */

/* Who writes to it has its reading end, too, so that it never breaks. */
static int open_full_pipe(int writing_end)
{
	char name[32];
	const char byte = 0;
	fcntl(writing_end, F_SETPIPE_SZ, 4096);
	fcntl(writing_end, F_SETFL, O_NONBLOCK);
	snprintf(name, sizeof name, "/proc/self/fd/%d", writing_end);
	const int both = open(name, O_RDWR | O_CLOEXEC);
	while (write(writing_end, &byte, 1) == 1)
		;
	return both;
}

static int open_output(const struct trial *trial)
{
	int ends[2];
	if (trial->plan.output == OUTPUT_KEPT || pipe2(ends, O_CLOEXEC) != 0)
		return trial->output;
	const int output = trial->plan.output == OUTPUT_FULL ? open_full_pipe(ends[1]) : ends[1];
	close(ends[0]);
	return output;
}

static void become(const struct trial *trial)
{
	const struct settings *settings = trial->settings;
	const struct plan *plan = &trial->plan;
	struct plan_command command;
	plan_command(plan, settings, trial->attached, &command);
	/* A session of its own, as a login has: whoever adopts its orphans stands outside. */
	setsid();
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	const int output = open_output(trial);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	setenv(CENSUS_MARK, trial->mark, 1);
	if (settings->tool != TOOL_CPULIMIT_ATTACHED)
		execvp(command.argument[0], (char *const *)command.argument);
	else if (fork() > 0)
		_exit(0); /* the workload is an orphan: nobody's child but ours */
	else
		execl(settings->workload, settings->workload, plan_workload(plan->kind), (char *)NULL);
	perror(command.argument[0]);
	_exit(125);
}

/* The process that the tool attaches to: a child of ours, which must outlive the run, and run on. */
static pid_t start_attached(const struct trial *trial)
{
	char instance[16];
	const pid_t pid = fork();
	if (pid != 0)
		return pid;
	setsid();
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	snprintf(instance, sizeof instance, "%d", ATTACHED_INSTANCE);
	setenv("SHOWSTOPPER_INSTANCE", instance, 1);
	setenv(CENSUS_MARK, trial->mark, 1);
	execl(trial->settings->workload, trial->settings->workload, plan_workload(trial->plan.kind), (char *)NULL);
	_exit(125);
}

/* Returns when the program has taken the place of ours, whose reactions to signals are none of its. */
static pid_t start(const struct trial *trial)
{
	int ends[2];
	char byte;
	if (pipe2(ends, O_CLOEXEC) != 0)
		_exit(125);
	const pid_t pid = fork();
	if (pid == 0)
		become(trial);
	close(ends[1]);
	while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
		;
	close(ends[0]);
	return pid;
}

/* The numbers of executors follow from the order in which they were forked. */
static int by_start(const void *left, const void *right)
{
	const struct person *const *a = left;
	const struct person *const *b = right;
	if ((*a)->start != (*b)->start)
		return (*a)->start > (*b)->start ? 1 : -1;
	return ((*a)->pid > (*b)->pid) - ((*a)->pid < (*b)->pid);
}

static bool is_of_the_tool(const struct person *person)
{
	return strcmp(person->name, "showstopper") == 0 && !person_has_ended(person);
}

static void note_standing(struct trial *trial)
{
	const struct census *census = &trial->census;
	free(trial->standing);
	trial->standing = calloc(census->count + 1, sizeof *trial->standing);
	trial->standing_count = 0;
	for (size_t i = 0; trial->standing && i < census->count; i++)
		if (person_is_stopped(&census->item[i]))
			trial->standing[trial->standing_count++] = census->item[i].pid;
}

static bool was_standing(const struct trial *trial, pid_t pid)
{
	for (size_t i = 0; i < trial->standing_count; i++)
		if (trial->standing[i] == pid)
			return true;
	return false;
}

/* Who is who. What was found stays found, also when its parents are gone. */
static void look(struct trial *trial)
{
	const struct person *executors[64];
	size_t count = 0;
	census_take(&trial->census, trial->mark);
	note_standing(trial);
	for (size_t i = 0; i < trial->census.count && !trial->master; i++) {
		const struct person *person = &trial->census.item[i];
		if (is_of_the_tool(person) && person->pid != trial->guardian &&
			(person->parent == trial->guardian || person->parent == getpid()))
			trial->master = person->pid;
	}
	for (size_t i = 0; i < trial->census.count; i++) {
		const struct person *person = &trial->census.item[i];
		if (is_of_the_tool(person) && trial->master && person->parent == trial->master && count < 64)
			executors[count++] = person;
	}
	qsort(executors, count, sizeof(const struct person *), by_start);
	unsigned known = 0;
	while (known < trial->plan.executors && trial->executor[known])
		known++;
	for (size_t i = 0; i < count && known < trial->plan.executors; i++) {
		bool seen = false;
		for (unsigned k = 0; k < known; k++)
			seen = seen || trial->executor[k] == executors[i]->pid;
		if (!seen)
			trial->executor[known++] = executors[i]->pid;
	}
}

/* ---- What is done to it ----------------------------------------------------------------------------------------------- */

static bool is_fatal(int signal)
{
	return signal == SIGKILL || signal == SIGSEGV || signal == SIGABRT;
}

static void note_guardian(struct trial *trial)
{
	trial->guardian_gone = true;
	trial->guardian_gone_us = now_us();
}

/* What is done to an attached process is the tool's alone. */
static bool is_to_be_hit(const struct person *person)
{
	return person->instance >= 0 && person->instance < ATTACHED_INSTANCE && !person_has_ended(person);
}

static pid_t some_workload_process(const struct trial *trial, unsigned which)
{
	unsigned count = 0;
	for (size_t i = 0; i < trial->census.count; i++)
		count += is_to_be_hit(&trial->census.item[i]);
	if (!count)
		return 0;
	which %= count;
	for (size_t i = 0; i < trial->census.count; i++)
		if (is_to_be_hit(&trial->census.item[i]) && which-- == 0)
			return trial->census.item[i].pid;
	return 0;
}

/* Reaps the guardian and the orphans that came here. True when there are no children. */
static bool reap(struct trial *trial)
{
	int status;
	pid_t pid;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == trial->guardian)
			note_guardian(trial);
	return pid < 0 && errno == ECHILD;
}

/* Reaps meanwhile: orphans that end must not fill the table of processes. */
static void sleep_until(struct trial *trial, int64_t when_us)
{
	int64_t left;
	while ((left = when_us - now_us()) > 0) {
		sleep_us(left < POLL_US ? left : POLL_US);
		reap(trial);
	}
}

static void note_killed(struct trial *trial, const struct action *action)
{
	trial->result->kills++;
	trial->fatal_us = now_us();
	if (action->role == ROLE_GUARDIAN)
		trial->killed_guardian = true;
	else if (action->role == ROLE_MASTER)
		trial->killed_master = true;
	else
		trial->killed_executor[action->which] = true;
}

static void take_action(struct trial *trial, const struct action *action)
{
	pid_t pid = 0;
	switch (action->role) {
	case ROLE_GUARDIAN:
		pid = trial->guardian_gone ? 0 : trial->guardian;
		break;
	case ROLE_MASTER:
		pid = trial->master;
		break;
	case ROLE_EXECUTOR:
		pid = trial->executor[action->which];
		break;
	case ROLE_WORKLOAD:
		pid = some_workload_process(trial, action->which);
		break;
	}
	const struct person *person = census_find(&trial->census, pid);
	if (!person)
		return;
	if (action->role == ROLE_WORKLOAD || !is_fatal(action->signal)) {
		const bool done = !person_has_ended(person) && kill(pid, action->signal) == 0;
		trial->result->kills += done;
		if (done && action->role != ROLE_WORKLOAD && !trial->request_us)
			trial->request_us = now_us();
		return;
	}
	const int which = (int)(action - trial->plan.action);
	if (!strike(&trial->strikes, pid, action->signal, which)) {
		trial->result->vanished++;
		/* Unless it has been waited for already; others that were hit are left to strikes_settle. */
		if (pid == trial->guardian && waitpid(pid, NULL, WNOHANG) != 0)
			note_guardian(trial);
	} else if (action->signal != SIGKILL || trial->strikes.count == 0) {
		note_killed(trial, action);
	}
}

/* Of SIGKILL only the death says whether it was in time. */
static void note_death(void *context, const struct strike *strike, bool of_it)
{
	struct trial *trial = context;
	if (strike->pid == trial->guardian && !trial->guardian_gone)
		note_guardian(trial);
	if (of_it)
		note_killed(trial, &trial->plan.action[strike->which]);
	else
		trial->result->vanished++;
}

/* Kills what is meant to die at one instant without looking in between. */
static void disturb(struct trial *trial)
{
	const struct plan *plan = &trial->plan;
	if (plan->suspend) {
		sleep_until(trial, trial->begin_us + plan->moment_us / 2);
		if (!reap(trial) && !trial->guardian_gone)
			kill(trial->guardian, SIGTSTP);
	}
	sleep_until(trial, trial->begin_us + plan->moment_us);
	look(trial);
	trial->result->ran = !trial->guardian_gone;
	for (unsigned i = 0; i < plan->actions; i++) {
		if (plan->action[i].gap_us) {
			strikes_settle(&trial->strikes, note_death, trial);
			sleep_until(trial, now_us() + plan->action[i].gap_us);
			reap(trial);
			look(trial);
		}
		take_action(trial, &plan->action[i]);
	}
	strikes_settle(&trial->strikes, note_death, trial);
	if (plan->suspend && !trial->guardian_gone)
		kill(trial->guardian, SIGCONT);
}

/* ---- The judge -------------------------------------------------------------------------------------------------------- */

static bool killed_any_executor(const struct trial *trial)
{
	for (unsigned i = 0; i < trial->plan.executors; i++)
		if (trial->killed_executor[i])
			return true;
	return false;
}

static bool is_unsupervised(const struct trial *trial, int instance)
{
	if (trial->settings->tool != TOOL_SHOWSTOPPER || !trial->killed_guardian || !trial->killed_master)
		return false;
	/*
	 * Nothing contains what was there before. Its executor is the last; where some had ended before they were seen, it may be any. Others
	 * continue it when they can, but may have ended just before, as the master had told them to.
	 */
	if (instance == ATTACHED_INSTANCE)
		return trial->executor[trial->plan.instances] ? trial->killed_executor[trial->plan.instances]
							      : killed_any_executor(trial);
	if (trial->settings->contain || instance < 0 || instance >= (int)trial->plan.instances)
		return false;
	return trial->killed_executor[instance];
}

/*
 * Whether it may still be there. When nobody was left to clean up: the first process of a workload must be dead, and what belongs
 * to the session of the tool must have been continued. The kernel continues only what stands still already when its group
 * becomes an orphan: a stop that is under way is not undone.
 */
static bool is_permitted(const struct trial *trial, const struct person *person)
{
	if (person->instance == ATTACHED_INSTANCE)
		return !person_is_frozen(person) && (!person_is_stopped(person) || is_unsupervised(trial, person->instance));
	if (!is_unsupervised(trial, person->instance) || person_is_frozen(person) || strcmp(person->name, "showstopper") == 0)
		return false;
	if (trial->plan.kind != KIND_SETUID &&
		strcmp(person->name, trial->plan.kind == KIND_JOBS ? "bash" : "faults_workload") == 0 &&
		(trial->plan.kind != KIND_JOBS || person->group == person->pid))
		return false;
	return !(person_is_stopped(person) && person->session == trial->guardian && was_standing(trial, person->pid));
}

/*
 * The master has a child for a moment, before the executors, that finds out which priority they can have. When that was killed in
 * place of an executor, the run rightly goes on: then all executors are there.
 */
static void forgive_executors(struct trial *trial)
{
	unsigned executors = 0;
	if (trial->killed_guardian || trial->killed_master)
		return;
	census_take(&trial->census, trial->mark);
	for (size_t i = 0; i < trial->census.count; i++)
		executors += trial->census.item[i].parent == trial->master && is_of_the_tool(&trial->census.item[i]);
	if (executors == trial->plan.executors)
		trial->fatal_us = 0;
}

/* When the run ended, or -1 while it goes on. */
static int64_t run_end(const struct trial *trial)
{
	if (trial->fatal_us)
		return trial->fatal_us;
	if (trial->guardian_gone)
		return trial->guardian_gone_us;
	if (trial->request_us && now_us() > trial->request_us + trial->plan.grace_us)
		return trial->request_us + trial->plan.grace_us;
	return now_us() - trial->begin_us > RUN_LIMIT_US ? trial->begin_us + trial->plan.run_us : -1;
}

/* How many are left that must not be. With `write_down` all are counted, and some of the wrong ones described. */
static unsigned judge(struct trial *trial, bool write_down)
{
	struct census *census = &trial->census;
	unsigned wrong = 0;
	census_take(census, trial->mark);
	for (size_t i = 0; i < census->count; i++) {
		const struct person *person = &census->item[i];
		/* Zombies have a parent that is alive and counted itself, or the trial, which reaps them in place of init. */
		if (person_has_ended(person))
			continue;
		trial->result->alive += write_down;
		trial->result->stopped += write_down && person_is_stopped(person);
		if (is_permitted(trial, person))
			continue;
		wrong++;
		if (write_down && wrong <= 12)
			say(trial, " [%d %s %c%s, instance %d, parent %d, group %d, session %d%s]", (int)person->pid,
				person->name, person->state, person_is_frozen(person) ? " frozen" : "", person->instance,
				(int)person->parent, (int)person->group, (int)person->session, person->below ? "" : ", escaped");
	}
	return wrong;
}

/* An attached process is there afterwards, so that having no children says nothing: then the census alone does. */
static bool is_over(const struct trial *trial, bool no_children)
{
	return trial->plan.attached ? trial->guardian_gone : no_children;
}

/* What was attached is left running, which takes that it is left. */
static void judge_attached(struct trial *trial)
{
	unsigned alive = 0;
	census_take(&trial->census, trial->mark);
	for (size_t i = 0; i < trial->census.count; i++)
		alive += trial->census.item[i].instance == ATTACHED_INSTANCE && !person_has_ended(&trial->census.item[i]);
	if (alive)
		return;
	trial->result->verdict = VERDICT_LEFT;
	say(trial, " [the attached process is gone]");
}

static void wait_for_verdict(struct trial *trial)
{
	struct result *result = trial->result;
	int64_t end = -1;
	result->clean_us = -1;
	for (;;) {
		const bool none = reap(trial);
		const int64_t now = now_us();
		if (end < 0)
			end = run_end(trial);
		if (is_over(trial, none) && judge(trial, false) == 0) {
			if (end < 0)
				end = trial->guardian_gone_us;
			result->clean_us = now > end ? now - end : 0;
			result->verdict = VERDICT_CLEAN;
			return;
		}
		if (end >= 0 && now >= end + trial->settings->deadline_us) {
			if (!trial->fatal_us)
				break;
			forgive_executors(trial);
			if (trial->fatal_us)
				break;
			end = -1;
		}
		sleep_us(POLL_US);
	}
	/* The deadline. A process that has just been killed may be on its way still; one look may also fall between two. */
	unsigned wrong = judge(trial, true);
	reap(trial);
	result->verdict = wrong ? VERDICT_LEFT : VERDICT_CLEAN;
	if (!wrong)
		return;
	const int64_t limit = now_us() + LATE_LIMIT_US;
	while (now_us() < limit) {
		const bool none = reap(trial);
		if (none || judge(trial, false) == 0) {
			result->verdict = VERDICT_LATE;
			result->clean_us = now_us() - end;
			say(trial, " Clean %.2f s after the end.", (double)result->clean_us / 1e6);
			return;
		}
		sleep_us(100000);
	}
}

/* The other tool promises nothing; what is counted is what is the case. Stopped: in all of several looks. */
static void count_what_is_left(struct trial *trial)
{
	struct result *result = trial->result;
	pid_t always[256];
	size_t count = 0;
	sleep_until(trial, (trial->fatal_us ? trial->fatal_us : now_us()) + trial->settings->deadline_us);
	for (int looks = 0; looks < STOP_LOOKS; looks++) {
		size_t kept = 0;
		reap(trial);
		census_take(&trial->census, trial->mark);
		for (size_t i = 0; looks == 0 && i < trial->census.count && count < 256; i++)
			always[count++] = trial->census.item[i].pid;
		for (size_t i = 0; i < count; i++) {
			const struct person *person = census_find(&trial->census, always[i]);
			if (person && person_is_stopped(person))
				always[kept++] = always[i];
		}
		count = kept;
		sleep_until(trial, now_us() + 50000);
	}
	result->stopped = (unsigned)count;
	for (size_t i = 0; i < trial->census.count; i++)
		result->alive += !person_has_ended(&trial->census.item[i]);
	result->verdict = VERDICT_CLEAN;
	result->clean_us = -1;
}

/* Whatever it takes; the harness must not leave anything either. */
static void kill_all(struct trial *trial)
{
	const int64_t limit = clock_us() + LATE_LIMIT_US;
	while (!reap(trial) && clock_us() < limit) {
		census_take(&trial->census, trial->mark);
		/* Stopped first, so that chains of forks come to an end. */
		for (int round = 0; round < 2; round++)
			for (size_t i = 0; i < trial->census.count; i++)
				if (!person_has_ended(&trial->census.item[i]))
					kill(trial->census.item[i].pid, round ? SIGKILL : SIGSTOP);
		sleep_us(1000);
	}
}

/* ---- What else may be left -------------------------------------------------------------------------------------------- */

static bool hide_shm(void)
{
	return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("faults", "/dev/shm", "tmpfs", 0, "mode=1777") == 0;
}

static unsigned count_names(const struct trial *trial, char *first, size_t size)
{
	unsigned count = 0;
	DIR *directory = opendir("/dev/shm");
	if (!directory)
		return 0;
	for (struct dirent *entry; (entry = readdir(directory));) {
		static const char prefix[] = "showstopper.";
		if (entry->d_name[0] == '.')
			continue;
		/* Beside others: a name whose maker is alive is theirs. */
		const bool ours = strncmp(entry->d_name, prefix, sizeof prefix - 1) == 0;
		if (!trial->own_shm && (!ours || kill((pid_t)strtol(entry->d_name + sizeof prefix - 1, NULL, 10), 0) == 0))
			continue;
		if (count++ == 0)
			snprintf(first, size, "%s", entry->d_name);
	}
	closedir(directory);
	return count;
}

/* A name that a SIGKILL between two system calls left is removed by the next run. */
static void look_for_names(struct trial *trial)
{
	char name[256];
	int status;
	if (trial->settings->tool != TOOL_SHOWSTOPPER)
		return;
	trial->result->names = count_names(trial, name, sizeof name);
	if (!trial->result->names)
		return;
	const pid_t next = fork();
	if (next == 0) {
		dup2(trial->output, STDERR_FILENO);
		execlp(trial->settings->program, trial->settings->program, "-q", "-n", "1", "-r", "10m", "sleep", "10",
			(char *)NULL);
		_exit(125);
	}
	waitpid(next, &status, 0);
	if (count_names(trial, name, sizeof name) > 0) {
		trial->result->verdict = VERDICT_LEFT;
		say(trial, " [/dev/shm/%s]", name);
	}
}

static void keep_output(const struct trial *trial)
{
	const off_t length = lseek(trial->output, 0, SEEK_END);
	const off_t from = length < TRIAL_TEXT ? 0 : length - TRIAL_TEXT + 1;
	const ssize_t got = pread(trial->output, trial->result->output, TRIAL_TEXT - 1, from);
	trial->result->output[got > 0 ? got : 0] = '\0';
}

/* ---- All of it -------------------------------------------------------------------------------------------------------- */

/* cpulimit -p on a workload that runs already. */
static pid_t attach(struct trial *trial)
{
	char number[32];
	pid_t workload = 0;
	waitpid(start(trial), NULL, 0);
	census_take(&trial->census, trial->mark);
	for (size_t i = 0; i < trial->census.count && !workload; i++)
		if (trial->census.item[i].parent == getpid())
			workload = trial->census.item[i].pid;
	snprintf(number, sizeof number, "%d", (int)workload);
	const pid_t pid = fork();
	if (pid == 0) {
		setsid();
		dup2(trial->output, STDOUT_FILENO);
		dup2(trial->output, STDERR_FILENO);
		execlp(trial->settings->program, trial->settings->program, "-q", "-l", "50", "-p", number, (char *)NULL);
		_exit(125);
	}
	return pid;
}

void trial_run(const struct settings *settings, uint64_t seed, struct result *result)
{
	struct trial trial = {.settings = settings, .result = result};
	const struct rlimit no_core = {0};
	plan_make(&trial.plan, settings, seed);
	*result = (struct result){.seed = seed,
		.kind = trial.plan.kind,
		.shape = trial.plan.shape,
		.victims = trial.plan.victims,
		.instances = trial.plan.instances,
		.clean_us = -1};
	plan_describe(&trial.plan, result->text, sizeof result->text);
	snprintf(trial.mark, sizeof trial.mark, "%d.%llu", (int)getpid(), (unsigned long long)seed);
	setrlimit(RLIMIT_CORE, &no_core);
	trial.own_shm = hide_shm();
	trial.output = memfd_create("output", MFD_CLOEXEC);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1UL) != 0 || trial.output < 0)
		return;
	trial.begin_us = now_us();
	if (trial.plan.attached)
		trial.attached = start_attached(&trial);
	trial.guardian = settings->tool == TOOL_CPULIMIT_ATTACHED ? attach(&trial) : start(&trial);
	if (trial.guardian < 0)
		return;
	disturb(&trial);
	for (unsigned i = 0; i < trial.plan.executors; i++)
		result->unsupervised = result->unsupervised || is_unsupervised(&trial, (int)i);
	if (settings->tool == TOOL_SHOWSTOPPER)
		wait_for_verdict(&trial);
	if (settings->tool == TOOL_SHOWSTOPPER && trial.plan.attached && result->verdict == VERDICT_CLEAN)
		judge_attached(&trial);
	if (result->verdict == VERDICT_CLEAN && result->vanished && !result->kills)
		result->verdict = VERDICT_VANISHED;
	if (settings->tool != TOOL_SHOWSTOPPER)
		count_what_is_left(&trial);
	kill_all(&trial);
	look_for_names(&trial);
	keep_output(&trial);
	census_free(&trial.census);
	free(trial.standing);
	close(trial.output);
}
