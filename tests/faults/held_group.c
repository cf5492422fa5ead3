/* SPDX-License-Identifier: MIT */
#include "held_group.h"

#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RELEASED_LIMIT_US 2000000

void held_group_find(char place[static 128])
{
	FILE *const mounts = setmntent("/proc/mounts", "re");
	char path[256];
	*place = '\0';
	for (const struct mntent *entry; mounts && !*place && (entry = getmntent(mounts));)
		if (strcmp(entry->mnt_type, "cgroup2") == 0 && strlen(entry->mnt_dir) < 128)
			strcpy(place, entry->mnt_dir);
	if (mounts)
		endmntent(mounts);
	snprintf(path, sizeof path, "%.127s/faults-%d", place, (int)getpid());
	if (!*place || mkdir(path, 0755) != 0 || rmdir(path) != 0)
		*place = '\0';
}

void held_group_make(struct trial *trial)
{
	if (!trial->plan.in_group)
		return;
	snprintf(trial->group, sizeof trial->group, "%s/faults-%s", trial->settings->group_place, trial->mark);
	if (mkdir(trial->group, 0755) != 0)
		abort();
}

static bool is_held(struct trial *trial)
{
	census_take(&trial->census, trial->mark);
	for (size_t i = 0; i < trial->census.count; i++) {
		const struct person *const person = &trial->census.item[i];
		if (person->instance == ATTACHED_INSTANCE && !person_has_ended(person) &&
			(person_is_stopped(person) || person_is_frozen(person)))
			return true;
	}
	return false;
}

void held_group_judge(struct trial *trial)
{
	const int64_t limit = trial_now_us() + RELEASED_LIMIT_US;
	if (!trial->group[0])
		return;
	const pid_t release = fork();
	if (release == 0) {
		dup2(trial->output, STDERR_FILENO);
		execlp(trial->settings->program, trial->settings->program, "--release", trial->group, (char *)NULL);
		_exit(125);
	}
	waitpid(release, NULL, 0);
	while (is_held(trial)) {
		if (trial_now_us() >= limit) {
			trial->result->verdict = VERDICT_LEFT;
			trial_say(trial, " [the attached group is held, also after --release]");
			return;
		}
		trial_pause_us(POLL_US);
	}
}

void held_group_remove(const struct trial *trial)
{
	if (trial->group[0])
		rmdir(trial->group);
}
