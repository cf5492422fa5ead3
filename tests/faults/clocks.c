/* SPDX-License-Identifier: MIT */
#include "clocks.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CPUFREQ "sys/devices/system/cpu/cpufreq"

static const struct {
	const char *name, *text;
} files[] = {{"cpuinfo_min_freq", "800000\n"}, {"cpuinfo_max_freq", "3600000\n"}, {"scaling_min_freq", "1000000\n"},
	{"scaling_max_freq", "3400000\n"}};

static void trouble(const char *what)
{
	perror(what);
	_exit(125);
}

static void path_of(const struct trial *trial, unsigned policy, const char *name, char path[static PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/" CPUFREQ "/policy%u/%s", trial->tree, policy, name);
}

static void write_file(const struct trial *trial, unsigned policy, const char *name, const char *text)
{
	char path[PATH_MAX];
	path_of(trial, policy, name, path);
	FILE *const file = fopen(path, "we");
	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		trouble(path);
}

static void make_folder(const struct trial *trial, const char *name)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/%s", trial->tree, name);
	for (char *slash = path + strlen(trial->tree); (slash = strchr(slash + 1, '/')) != NULL;) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	if (mkdir(path, 0755) != 0 && errno != EEXIST)
		trouble(path);
}

void clocks_make(struct trial *trial)
{
	char path[PATH_MAX], text[64];
	const char *const folder = getenv("TMPDIR");
	cpu_set_t usable;
	if (!trial->plan.frequency)
		return;
	snprintf(trial->tree, sizeof trial->tree, "%s/faults-%s", folder && strlen(folder) < 32 ? folder : "/tmp", trial->mark);
	if (mkdir(trial->tree, 0700) != 0)
		trouble(trial->tree);
	snprintf(path, sizeof path, "%s/proc", trial->tree);
	if (symlink("/proc", path) != 0 || sched_getaffinity(0, sizeof usable, &usable) != 0)
		trouble(path);
	make_folder(trial, "run");
	for (unsigned i = 0; i < CPU_SETSIZE; i++) {
		if (!CPU_ISSET(i, &usable))
			continue;
		snprintf(path, sizeof path, CPUFREQ "/policy%u", i);
		make_folder(trial, path);
		snprintf(text, sizeof text, "%u\n", i);
		write_file(trial, i, "affected_cpus", text);
		for (size_t k = 0; k < sizeof files / sizeof *files; k++)
			write_file(trial, i, files[k].name, files[k].text);
	}
}

static bool says(const struct trial *trial, unsigned policy, const char *name, const char *text)
{
	char path[PATH_MAX], line[64] = "";
	path_of(trial, policy, name, path);
	FILE *const file = fopen(path, "re");
	if (!file)
		return access(path, F_OK) != 0;
	const bool got = fgets(line, sizeof line, file) != NULL;
	fclose(file);
	return got && strcmp(line, text) == 0;
}

static bool has_record(const struct trial *trial)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/run/showstopper", trial->tree);
	return access(path, F_OK) == 0;
}

/* How many limits are not what they were. */
static unsigned count_changed(const struct trial *trial)
{
	unsigned changed = 0;
	for (unsigned i = 0; i < CPU_SETSIZE; i++)
		for (size_t k = 0; k < sizeof files / sizeof *files; k++)
			changed += !says(trial, i, files[k].name, files[k].text);
	return changed;
}

static void run_next(const struct trial *trial)
{
	const pid_t next = fork();
	if (next == 0) {
		dup2(trial->output, STDERR_FILENO);
		execlp(trial->settings->program, trial->settings->program, "-q", "--sysroot", trial->tree, "--frequency", "max",
			"-T", "1", "-n", "1", "-r", "10ms", "sleep", "10", (char *)NULL);
		_exit(125);
	}
	waitpid(next, NULL, 0);
}

static int remove_one(const char *path, const struct stat *file, int kind, struct FTW *place)
{
	(void)file;
	(void)kind;
	(void)place;
	return remove(path);
}

static void complain(struct trial *trial, const char *what)
{
	trial->result->verdict = VERDICT_LEFT;
	trial_say(trial, " [%s]", what);
}

void clocks_judge(struct trial *trial)
{
	if (!*trial->tree)
		return;
	const bool is_changed = count_changed(trial) > 0;
	if (is_changed && (!trial->killed_guardian || !trial->killed_master))
		complain(trial, "limits of clocks");
	/* The guardian makes it, and can be killed when there is no master yet, or none any more. */
	else if (has_record(trial) && !trial->killed_guardian)
		complain(trial, "the record of clocks");
	else if (is_changed || has_record(trial)) {
		trial->result->names++;
		run_next(trial);
		if (count_changed(trial) || has_record(trial))
			complain(trial, "limits of clocks or their record, also after the next run");
	}
	nftw(trial->tree, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
