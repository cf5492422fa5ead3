/* SPDX-License-Identifier: MIT */
#include "load/group_sum.h"

#include <errno.h>
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/latch.h"
#include "base/lease.h"
#include "groups/cgroup_text.h"
#include "self/host_text.h"

/* Children of the root; systemd makes about five. What more of them use is missing. */
#define GROUPS_MAX 4096
/* Reading one takes about 10 µs (tools/bench/sources). */
#define GROUPS_FEW 64
#define NAMES_SIZE ((size_t)16 << 10)

/* By a hash of the name: a group that was made again under its name has used less than before. */
struct group {
	uint64_t name, used_ns;
};

struct record {
	int64_t when_ns; /* 0: nothing was read yet */
	uint64_t used_ns;
};

struct shared {
	struct latch record;
	struct lease lease;
	uint32_t groups;
	struct group group[GROUPS_MAX];
};

struct group_sum {
	char point[PATH_MAX]; /* of the root */
	int clock;            /* handle of a short file, which is read for the time alone */
	char *names;
	size_t size;
	struct group *found; /* room for GROUPS_MAX */
	struct shared *shared;
};

/* ---- The root --------------------------------------------------------------------------------------------------------- */

static bool exists(const struct sst_env *env, const char *point, const char *name)
{
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s/%s", point, name) >= PATH_MAX)
		return false;
	const int handle = env->host->open(env, path);
	if (handle >= 0)
		env->host->close(env, handle);
	return handle >= 0;
}

/* Finds the mount of the whole hierarchy. All groups but the machine's root have a type, also those that a namespace shows as its root. */
static int find_root(struct group_sum *sum, const struct sst_env *env, char error[static GROUP_SUM_ERROR_MAX])
{
	char part[PATH_MAX];
	size_t length = 0;
	char *const mounts = host_text(env, "/proc/self/mountinfo", &length);
	const int found = mounts ? linux_cgroup_find_mount(mounts, length, "cgroup2", NULL, sum->point, part, PATH_MAX) : -1;
	free(mounts);
	if (found != 0) {
		snprintf(error, GROUP_SUM_ERROR_MAX, "no control groups of version 2 are mounted");
		return -1;
	}
	if (strcmp(part, "/") == 0 && exists(env, sum->point, "cgroup.controllers") && !exists(env, sum->point, "cgroup.type"))
		return 0;
	snprintf(error, GROUP_SUM_ERROR_MAX, "%.100s is not the machine's root group, but that of a container", sum->point);
	return -1;
}

/* ---- Reading ---------------------------------------------------------------------------------------------------------- */

/* FNV-1a */
static uint64_t hash(const char *name)
{
	uint64_t value = UINT64_C(14695981039346656037);
	for (; *name; name++)
		value = (value ^ (unsigned char)*name) * UINT64_C(1099511628211);
	return value;
}

static bool read_group(const struct group_sum *sum, const struct sst_env *env, const char *name, uint64_t *used_ns)
{
	char path[PATH_MAX], text[1024];
	int64_t ignored;
	if (snprintf(path, sizeof path, "%s/%s/cpu.stat", sum->point, name) >= PATH_MAX)
		return false;
	const int handle = env->host->open(env, path);
	if (handle < 0)
		return false;
	const ssize_t length = env->host->read(env, handle, text, sizeof text, &ignored);
	env->host->close(env, handle);
	return length > 0 && linux_cgroup_usage_parse(LINUX_CGROUP_V2, text, (size_t)length, used_ns, 1) == 1;
}

/* The names, of which `*length` bytes are there. 0, or -1 with errno. */
static int list(struct group_sum *sum, const struct sst_env *env, size_t *length)
{
	for (;;) {
		const ssize_t needed = env->host->list(env, sum->point, sum->names, sum->size);
		if (needed < 0)
			return -1;
		*length = (size_t)needed;
		if (*length <= sum->size)
			return 0;
		char *const larger = realloc(sum->names, 2 * *length);
		if (!larger)
			return -1;
		sum->names = larger;
		sum->size = 2 * *length;
	}
}

/* What the group had used when it was read last: mostly it is still at the same place. */
static uint64_t used_before(const struct shared *shared, uint64_t name, size_t place)
{
	if (place < shared->groups && shared->group[place].name == name)
		return shared->group[place].used_ns;
	for (size_t i = 0; i < shared->groups; i++)
		if (shared->group[i].name == name)
			return shared->group[i].used_ns;
	return 0;
}

/* Adds what all groups have used since they were read last. A group that is new has used all of its time since then. */
static uint64_t add_up(struct group_sum *sum, const struct sst_env *env, size_t length)
{
	uint64_t added_ns = 0;
	uint32_t groups = 0;
	for (const char *name = sum->names; name < sum->names + length && groups < GROUPS_MAX; name += strlen(name) + 1) {
		struct group *const group = &sum->found[groups];
		group->name = hash(name);
		if (!read_group(sum, env, name, &group->used_ns))
			continue;
		const uint64_t before_ns = used_before(sum->shared, group->name, groups);
		added_ns += group->used_ns >= before_ns ? group->used_ns - before_ns : group->used_ns;
		groups++;
	}
	memcpy(sum->shared->group, sum->found, groups * sizeof *sum->found);
	sum->shared->groups = groups;
	return added_ns;
}

int group_sum_read(struct group_sum *sum, const struct sst_env *env, uint64_t *used_ns, int64_t *when_ns)
{
	struct record record;
	char first[16];
	size_t length;
	int64_t now_ns;
	int result = 0;
	if (env->host->read(env, sum->clock, first, sizeof first, &now_ns) < 0)
		return -1;
	const uint64_t claim = lease_take(&sum->shared->lease, (uint32_t)getpid(), now_ns, LEASE_LIMIT_NS);
	latch_read(&sum->shared->record, &record, LATCH_SIZE(struct record));
	if (claim && now_ns > record.when_ns && (result = list(sum, env, &length)) == 0) {
		const uint64_t added_ns = add_up(sum, env, length);
		if (lease_holds(&sum->shared->lease, claim)) {
			record = (struct record){now_ns, record.when_ns ? record.used_ns + added_ns : 0};
			latch_write(&sum->shared->record, &record, LATCH_SIZE(struct record));
		}
	}
	const int saved = errno;
	if (claim)
		lease_give(&sum->shared->lease, claim);
	errno = saved;
	*used_ns = record.used_ns;
	*when_ns = record.when_ns;
	return result;
}

/* ---- Opening ---------------------------------------------------------------------------------------------------------- */

static bool is_in_a_group(const struct sst_env *env)
{
	char own[PATH_MAX];
	size_t length = 0;
	char *const text = host_text(env, "/proc/self/cgroup", &length);
	const bool found = text && linux_cgroup_parse_own(text, length, NULL, own, sizeof own) && strcmp(own, "/") != 0;
	free(text);
	return found;
}

static int open_clock(struct group_sum *sum, const struct sst_env *env)
{
	char path[PATH_MAX];
	const int length = snprintf(path, sizeof path, "%s/cgroup.controllers", sum->point);
	sum->clock = length < PATH_MAX ? env->host->open(env, path) : -1;
	return sum->clock < 0 ? -1 : 0;
}

struct group_sum *group_sum_open(const struct sst_env *env, bool *suits, char error[static GROUP_SUM_ERROR_MAX])
{
	uint64_t used_ns;
	int64_t when_ns;
	struct group_sum *const sum = calloc(1, sizeof *sum);
	snprintf(error, GROUP_SUM_ERROR_MAX, "%s", strerror(ENOMEM));
	if (!sum)
		return NULL;
	*sum = (struct group_sum){.clock = -1, .size = NAMES_SIZE};
	sum->names = malloc(sum->size);
	sum->found = calloc(GROUPS_MAX, sizeof *sum->found);
	void *const memory = mmap(NULL, sizeof *sum->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sum->shared = memory == MAP_FAILED ? NULL : memory;
	if (!sum->names || !sum->found || !sum->shared || find_root(sum, env, error) != 0)
		goto fail;
	if (open_clock(sum, env) != 0 || group_sum_read(sum, env, &used_ns, &when_ns) != 0) {
		snprintf(error, GROUP_SUM_ERROR_MAX, "can't read %.100s: %s", sum->point, strerror(errno));
		goto fail;
	}
	if (sum->shared->groups == 0) {
		snprintf(error, GROUP_SUM_ERROR_MAX, "no group below %.100s counts processor time", sum->point);
		goto fail;
	}
	if (suits)
		*suits = sum->shared->groups <= GROUPS_FEW && is_in_a_group(env);
	return sum;
fail:
	group_sum_close(sum, env);
	return NULL;
}

void group_sum_close(struct group_sum *sum, const struct sst_env *env)
{
	if (!sum)
		return;
	if (sum->clock >= 0)
		env->host->close(env, sum->clock);
	if (sum->shared)
		munmap(sum->shared, sizeof *sum->shared);
	free(sum->names);
	free(sum->found);
	free(sum);
}
