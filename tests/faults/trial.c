/* SPDX-License-Identifier: MIT */
/*
 * The process of a trial is a subreaper, so that whatever the tool starts stays below it: when it has no children any more nothing
 * is left, which no scan of /proc could say as surely. The scan says who is left, and looks for marked processes that got away.
 *
 * With the right to it, each trial has a /dev/shm of its own. Else only names that begin as the tool's do are looked at.
 */
#include "trial.h"

#include <dirent.h>
#include <glob.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "disturb.h"
#include "held_group.h"
#include "judge.h"
#include "launch.h"
#include "state.h"

#define KILL_LIMIT_US 10000000

/* Whatever it takes; the harness must not leave anything either. */
static void kill_all(struct trial *trial)
{
	const int64_t limit = trial_now_us() + KILL_LIMIT_US;
	while (!trial_reap(trial) && trial_now_us() < limit) {
		census_take(&trial->census, trial->mark);
		/* Stopped first, so that chains of forks come to an end. */
		for (int round = 0; round < 2; round++)
			for (size_t i = 0; i < trial->census.count; i++)
				if (!person_has_ended(&trial->census.item[i]))
					kill(trial->census.item[i].pid, round ? SIGKILL : SIGSTOP);
		trial_pause_us(1000);
	}
}

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

/*
 * The folders of the run's control groups, which carry the guardian's number. They may lie there only when guardian and master were killed;
 * then they are removed by the next run.
 */
static unsigned count_groups(const struct trial *trial)
{
	static const char *const places[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/freezer",
		"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"};
	char line[PATH_MAX], pattern[2 * PATH_MAX];
	unsigned count = 0;
	FILE *const own = fopen("/proc/self/cgroup", "re");
	while (own && fgets(line, sizeof line, own)) {
		const char *const colon = strrchr(line, ':');
		if (!colon || (strncmp(line, "0::", 3) != 0 && !strstr(line, ":freezer:") && !strstr(line, ":cpu:") &&
				      !strstr(line, ":cpu,")))
			continue;
		for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
			glob_t found;
			snprintf(pattern, sizeof pattern, "%s%.*s/showstopper-%d-*", places[i], (int)strcspn(colon + 1, "\n"),
				colon + 1, (int)trial->guardian);
			if (glob(pattern, GLOB_ONLYDIR, NULL, &found) == 0)
				count += (unsigned)found.gl_pathc;
			globfree(&found);
		}
	}
	if (own)
		fclose(own);
	return count;
}

static void look_for_groups(struct trial *trial)
{
	int status;
	if (trial->plan.actuator == ACTUATOR_SIGNALS || !count_groups(trial))
		return;
	if (!trial->killed_guardian || !trial->killed_master) {
		trial->result->verdict = VERDICT_LEFT;
		trial_say(trial, " [control groups]");
		return;
	}
	trial->result->names++;
	const pid_t next = fork();
	if (next == 0) {
		dup2(trial->output, STDERR_FILENO);
		execlp(trial->settings->program, trial->settings->program, "-q", "-a", actuator_name(trial->plan.actuator), "-T",
			"1", "-n", "1", "-r", "10ms", "sleep", "10", (char *)NULL);
		_exit(125);
	}
	waitpid(next, &status, 0);
	if (count_groups(trial)) {
		trial->result->verdict = VERDICT_LEFT;
		trial_say(trial, " [control groups, also after the next run]");
	}
}

/* A name that a SIGKILL between two system calls left is removed by the next run. */
static void look_for_names(struct trial *trial)
{
	char name[256];
	int status;
	if (trial->settings->tool != TOOL_SHOWSTOPPER)
		return;
	if (!count_names(trial, name, sizeof name))
		return;
	trial->result->names++;
	const pid_t next = fork();
	if (next == 0) {
		dup2(trial->output, STDERR_FILENO);
		execlp(trial->settings->program, trial->settings->program, "-q", "-l", "100%", "-n", "1", "-r", "10ms", "sleep",
			"10", (char *)NULL);
		_exit(125);
	}
	waitpid(next, &status, 0);
	if (count_names(trial, name, sizeof name) > 0) {
		trial->result->verdict = VERDICT_LEFT;
		trial_say(trial, " [/dev/shm/%s]", name);
	}
}

static void keep_output(const struct trial *trial)
{
	const off_t length = lseek(trial->output, 0, SEEK_END);
	const off_t from = length < TRIAL_TEXT ? 0 : length - TRIAL_TEXT + 1;
	const ssize_t got = pread(trial->output, trial->result->output, TRIAL_TEXT - 1, from);
	trial->result->output[got > 0 ? got : 0] = '\0';
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
		.actuator = trial.plan.actuator,
		.clean_us = -1};
	plan_describe(&trial.plan, result->text, sizeof result->text);
	snprintf(trial.mark, sizeof trial.mark, "%d.%llu", (int)getpid(), (unsigned long long)seed);
	setrlimit(RLIMIT_CORE, &no_core);
	trial.own_shm = hide_shm();
	trial.output = memfd_create("output", MFD_CLOEXEC);
	if (prctl(PR_SET_CHILD_SUBREAPER, 1UL) != 0 || trial.output < 0)
		return;
	trial.begin_us = trial_now_us();
	held_group_make(&trial);
	if (trial.plan.attached)
		trial.attached = launch_attached(&trial);
	trial.guardian = settings->tool == TOOL_CPULIMIT_ATTACHED ? launch_beside(&trial) : launch(&trial);
	if (trial.guardian < 0)
		return;
	disturb(&trial);
	for (unsigned i = 0; i < trial.plan.executors; i++)
		result->unsupervised = result->unsupervised || judge_is_unsupervised(&trial, (int)i);
	if (settings->tool == TOOL_SHOWSTOPPER)
		judge_wait(&trial);
	if (settings->tool == TOOL_SHOWSTOPPER && trial.plan.attached && result->verdict == VERDICT_CLEAN)
		judge_attached(&trial);
	if (result->verdict == VERDICT_CLEAN)
		held_group_judge(&trial);
	if (result->verdict == VERDICT_CLEAN && result->vanished && !result->kills)
		result->verdict = VERDICT_VANISHED;
	if (settings->tool != TOOL_SHOWSTOPPER)
		judge_count(&trial);
	/* First, as what is frozen may not die before. */
	look_for_groups(&trial);
	kill_all(&trial);
	held_group_remove(&trial);
	look_for_names(&trial);
	keep_output(&trial);
	census_free(&trial.census);
	free(trial.standing);
	close(trial.output);
}
