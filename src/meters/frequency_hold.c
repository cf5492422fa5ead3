/* SPDX-License-Identifier: MIT */
/*
 * The limits, and not the governor "userspace": every driver has them (intel_pstate and amd_pstate have no such governor), all governors
 * keep to them, and there is less to give back.
 */
#include "meters/frequency_hold.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpus.h"
#include "base/frequency_wish.h"
#include "base/units.h"
#include "self/source.h"

#define FOLDER "/run/showstopper"
#define RECORD FOLDER "/frequency"
/* The kernel takes limits over by a work item of its own, a moment after they were written. */
#define SETTLE_LIMIT_NS (500 * NS_PER_MS)
/* The record may be another one by the time it is locked, while the one before is being removed. */
#define LOCK_TRIES 10
/* More is no record of ours. */
#define RECORD_MAX (16 * 1024 * 1024)

/* ---- Waiting for the kernel ------------------------------------------------------------------------------------------- */

static bool has_limits(const char *root, unsigned policy, uint64_t low_khz, uint64_t high_khz)
{
	uint64_t low, high;
	return frequency_policy_limits(root, policy, &low, &high) && low == low_khz && high == high_khz;
}

/* Waits until a policy has these limits, but not for long. */
static bool settle(const char *root, unsigned policy, uint64_t low_khz, uint64_t high_khz, int64_t deadline_ns)
{
	while (!has_limits(root, policy, low_khz, high_khz)) {
		if (clock_now() >= deadline_ns)
			return false;
		clock_sleep_until(clock_now() + NS_PER_MS);
	}
	return true;
}

/* Waits until a policy is no longer held at this frequency, but not for long. */
static void leave(const char *root, unsigned policy, uint64_t khz, int64_t deadline_ns)
{
	while (has_limits(root, policy, khz, khz) && clock_now() < deadline_ns)
		clock_sleep_until(clock_now() + NS_PER_MS);
}

/* ---- The record ------------------------------------------------------------------------------------------------------- */

/* A descriptor with the lock, or -1: EWOULDBLOCK where a run has it. */
static int lock_record(const char *root)
{
	char folder[PATH_MAX], path[PATH_MAX];
	snprintf(folder, sizeof folder, "%s" FOLDER, root);
	snprintf(path, sizeof path, "%s" RECORD, root);
	for (int i = 0; i < LOCK_TRIES; i++) {
		mkdir(folder, 0755);
		const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
		/* The folder may have gone again. */
		if (fd < 0 && errno == ENOENT)
			continue;
		if (fd < 0)
			return -1;
		const bool is_locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
		if (is_locked && linux_still_there(fd, path))
			return fd;
		const int reason = is_locked ? ENOENT : errno;
		close(fd);
		errno = reason;
		if (!is_locked)
			return -1;
	}
	return -1;
}

static void remove_record(struct frequency_hold *hold)
{
	char path[PATH_MAX];
	if (hold->record < 0 || ftruncate(hold->record, 0) != 0)
		return;
	snprintf(path, sizeof path, "%s" RECORD, hold->root);
	if (linux_still_there(hold->record, path))
		unlink(path);
	snprintf(path, sizeof path, "%s" FOLDER, hold->root);
	rmdir(path);
}

/* In one write, before each change that it is about. */
static int write_record(const struct frequency_hold *hold)
{
	char *text = NULL;
	size_t length = 0;
	if (hold->record < 0)
		return 0;
	FILE *const to = open_memstream(&text, &length);
	for (size_t i = 0; to && i < hold->count; i++)
		fprintf(to, "policy%u %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", hold->held[i].policy,
			hold->held[i].asked_khz ? hold->held[i].asked_khz : hold->held[i].khz, hold->held[i].low_khz,
			hold->held[i].high_khz);
	errno = ENOMEM;
	int result = to && fclose(to) == 0 ? 0 : -1;
	errno = EIO;
	if (result == 0 && (ftruncate(hold->record, 0) != 0 || pwrite(hold->record, text, length, 0) != (ssize_t)length))
		result = -1;
	const int reason = errno;
	free(text);
	errno = reason;
	return result;
}

/* What is to become of a limit that a dead run set to `khz`: what somebody has set since stays. */
static uint64_t limit_after(bool told, uint64_t present_khz, uint64_t khz, uint64_t former_khz)
{
	return told && present_khz != khz ? present_khz : former_khz;
}

/* 1 after it was given back, 0 where there was nothing to do, or -1 with errno. */
static int give_back_left(const char *root, const struct held_frequency *left)
{
	uint64_t low_khz = 0, high_khz = 0;
	const bool told_low = frequency_policy_number(root, left->policy, "scaling_min_freq", &low_khz);
	const bool told_high = frequency_policy_number(root, left->policy, "scaling_max_freq", &high_khz);
	const uint64_t low = limit_after(told_low, low_khz, left->khz, left->low_khz);
	const uint64_t high = limit_after(told_high, high_khz, left->khz, left->high_khz);
	if (told_low && told_high && low == low_khz && high == high_khz)
		return 0;
	if (frequency_policy_set(root, left->policy, low <= high ? low : high, high) == 0) {
		/* Else this run could take it for what was there before. */
		settle(root, left->policy, low <= high ? low : high, high, clock_now() + SETTLE_LIMIT_NS);
		return 1;
	}
	/* Its processors are offline by now. */
	return errno == ENOENT ? 0 : -1;
}

/* Reads a number and the character behind it. */
static bool field(const char **at, const char *end, char behind, uint64_t *value)
{
	if (!linux_number(at, end, value) || *at == end || **at != behind)
		return false;
	++*at;
	return true;
}

/* One line of a record. False where it is none, as when it was not written to its end. */
static bool parse_line(const char *at, const char *end, struct held_frequency *left)
{
	static const char prefix[] = "policy";
	const size_t width = sizeof prefix - 1;
	uint64_t policy;
	if ((size_t)(end - at) < width || memcmp(at, prefix, width) != 0)
		return false;
	at += width;
	if (!field(&at, end, ' ', &policy) || !field(&at, end, ' ', &left->khz) || !field(&at, end, ' ', &left->low_khz) ||
		!field(&at, end, '\n', &left->high_khz))
		return false;
	left->policy = (unsigned)policy;
	return policy < CPUS_LIMIT && left->low_khz && left->low_khz <= left->high_khz;
}

/* The record as a text to be freed; NULL with errno. */
static char *read_record(const struct frequency_hold *hold, size_t *length)
{
	struct stat about;
	if (fstat(hold->record, &about) != 0)
		return NULL;
	char *const text = about.st_size <= RECORD_MAX ? malloc((size_t)about.st_size + 1) : NULL;
	const ssize_t got = text ? pread(hold->record, text, (size_t)about.st_size, 0) : -1;
	if (got < 0)
		free(text);
	*length = got < 0 ? 0 : (size_t)got;
	return got < 0 ? NULL : text;
}

/* Gives back what a dead run has recorded. 0, or -1 with a message. */
static int sweep(struct frequency_hold *hold, char error[static FREQUENCY_ERROR_MAX])
{
	struct held_frequency left = {0};
	size_t length;
	int result = 0;
	char *const text = read_record(hold, &length);
	if (!text)
		return frequency_refuse(error, "can't read %s" RECORD ", which a run left that was killed", hold->root);
	for (const char *at = text, *const end = text + length, *next; at < end && result == 0; at = next) {
		const char *const newline = memchr(at, '\n', (size_t)(end - at));
		next = newline ? newline + 1 : end;
		if (!parse_line(at, next, &left))
			continue;
		const int given = give_back_left(hold->root, &left);
		hold->restored += given > 0;
		if (given < 0)
			result = frequency_refuse(error,
				"can't give back what a run left that was killed: policy%u: %s: expected its processors online, "
				"or "
				"its record, %s" RECORD ", removed",
				left.policy, strerror(errno), hold->root);
	}
	free(text);
	return result;
}

/* ---- The hold --------------------------------------------------------------------------------------------------------- */

static size_t size_of(size_t most)
{
	return sizeof(struct frequency_hold) + most * sizeof(struct held_frequency);
}

struct frequency_hold *frequency_hold_new(const char *root, size_t most, char error[static FREQUENCY_ERROR_MAX])
{
	struct frequency_hold *const hold = mmap(NULL, size_of(most), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (hold == MAP_FAILED) {
		frequency_refuse(error, "can't get shared memory: %s", strerror(errno));
		return NULL;
	}
	hold->most = most;
	hold->record = -1;
	bool is_fine = snprintf(hold->root, sizeof hold->root, "%s", root) < (int)sizeof hold->root;
	if (!is_fine) {
		frequency_refuse(error, "%s", strerror(ENAMETOOLONG));
	} else {
		hold->record = lock_record(root);
		is_fine = hold->record >= 0 || errno != EWOULDBLOCK;
		if (!is_fine)
			frequency_refuse(error,
				"another run holds frequencies (it has locked %s" RECORD
				"): expected one at a time, so that each finds what it is to give back",
				root);
	}
	if (is_fine && hold->record >= 0)
		is_fine = sweep(hold, error) == 0;
	if (is_fine)
		return hold;
	frequency_hold_free(hold);
	return NULL;
}

void frequency_hold_free(struct frequency_hold *hold)
{
	if (!hold)
		return;
	if (hold->record >= 0)
		close(hold->record);
	munmap(hold, size_of(hold->most));
}

int frequency_hold_add(
	struct frequency_hold *hold, unsigned policy, uint64_t khz, uint64_t top_khz, char error[static FREQUENCY_ERROR_MAX])
{
	struct held_frequency *const held = &hold->held[hold->count];
	if (frequency_policy_check(hold->root, policy, error) != 0)
		return -1;
	if (!frequency_policy_limits(hold->root, policy, &held->low_khz, &held->high_khz))
		return frequency_refuse(error, "policy%u has gone", policy);
	held->policy = policy;
	held->khz = khz;
	held->asked_khz = top_khz > held->high_khz ? top_khz : 0;
	hold->count++;
	return 0;
}

/* Those that have risen get back what they had; how many have not. */
static size_t settle_asked(struct frequency_hold *hold)
{
	size_t waiting = 0;
	for (size_t i = 0; i < hold->count; i++) {
		struct held_frequency *const held = &hold->held[i];
		uint64_t low_khz, high_khz;
		if (!held->asked_khz)
			continue;
		if (!frequency_policy_limits(hold->root, held->policy, &low_khz, &high_khz) || high_khz <= held->high_khz) {
			waiting++;
			continue;
		}
		frequency_policy_set(hold->root, held->policy, held->low_khz, held->high_khz);
		held->asked_khz = 0;
	}
	return waiting;
}

/*
 * The kernel tells the limits that are in force, which heat or firmware may have set, and not those that were asked for. Where the highest
 * frequency of all is asked for and the limit stays, it was such a one. What had been asked for isn't known then: no limit, most likely.
 * Meanwhile the record has what is asked for, by which the next run knows what to give back.
 */
static void find_asked_for(struct frequency_hold *hold)
{
	for (size_t i = 0; i < hold->count; i++) {
		struct held_frequency *const held = &hold->held[i];
		if (!held->asked_khz)
			continue;
		atomic_store(&held->is_set, true);
		if (frequency_policy_set(hold->root, held->policy, held->low_khz, held->asked_khz) != 0)
			held->asked_khz = 0;
	}
	const int64_t deadline_ns = clock_now() + SETTLE_LIMIT_NS;
	while (settle_asked(hold) > 0 && clock_now() < deadline_ns)
		clock_sleep_until(clock_now() + NS_PER_MS);
	for (size_t i = 0; i < hold->count; i++) {
		struct held_frequency *const held = &hold->held[i];
		if (!held->asked_khz)
			continue;
		held->high_khz = held->asked_khz;
		held->asked_khz = 0;
		held->is_capped = true;
		hold->capped++;
	}
}

static int set_one(const struct frequency_hold *hold, struct held_frequency *held, char error[static FREQUENCY_ERROR_MAX])
{
	char wanted[FREQUENCY_TEXT_MAX];
	/* Before it is: who survives gives it back. */
	atomic_store(&held->is_set, true);
	if (frequency_policy_set(hold->root, held->policy, held->khz, held->khz) == 0)
		return 0;
	return frequency_refuse(
		error, "policy%u doesn't take %s: %s", held->policy, frequency_print(held->khz, wanted), strerror(errno));
}

static int await_one(const struct frequency_hold *hold, size_t index, int64_t deadline_ns, char error[static FREQUENCY_ERROR_MAX])
{
	const struct held_frequency *const held = &hold->held[index];
	uint64_t low_khz = 0, high_khz = 0;
	char low[FREQUENCY_TEXT_MAX], high[FREQUENCY_TEXT_MAX], wanted[FREQUENCY_TEXT_MAX];
	if (settle(hold->root, held->policy, held->khz, held->khz, deadline_ns))
		return 0;
	frequency_policy_limits(hold->root, held->policy, &low_khz, &high_khz);
	return frequency_refuse(error,
		"policy%u is to have %s, and the kernel makes %s to %s of it: something else limits it, such as heat, power or "
		"firmware",
		held->policy, frequency_print(held->khz, wanted), frequency_print(low_khz, low), frequency_print(high_khz, high));
}

int frequency_hold_set(struct frequency_hold *hold, char error[static FREQUENCY_ERROR_MAX])
{
	char more[FREQUENCY_ERROR_MAX];
	int result = write_record(hold);
	if (result == 0) {
		find_asked_for(hold);
		result = write_record(hold);
	}
	if (result != 0)
		frequency_refuse(error, "can't write %s" RECORD ": %s", hold->root, strerror(errno));
	for (size_t i = 0; i < hold->count && result == 0; i++)
		result = set_one(hold, &hold->held[i], error);
	const int64_t deadline_ns = clock_now() + SETTLE_LIMIT_NS;
	for (size_t i = 0; i < hold->count && result == 0; i++)
		result = await_one(hold, i, deadline_ns, error);
	if (result != 0 && frequency_hold_give_back(hold, more) != 0) {
		const size_t used = strlen(error);
		snprintf(error + used, FREQUENCY_ERROR_MAX - used, "; and the others can't be given back: %s", more);
	}
	return result;
}

bool frequency_hold_is_kept(const struct frequency_hold *hold, size_t index, uint64_t *low_khz, uint64_t *high_khz)
{
	const struct held_frequency *const held = &hold->held[index];
	if (!frequency_policy_limits(hold->root, held->policy, low_khz, high_khz))
		*low_khz = *high_khz = 0;
	return *low_khz == held->khz && *high_khz == held->khz;
}

/* 0, or -1 and what is wrong at the end of the message. */
static int give_back_one(const struct frequency_hold *hold, struct held_frequency *held, char error[static FREQUENCY_ERROR_MAX])
{
	const size_t used = strlen(error);
	if (frequency_policy_set(hold->root, held->policy, held->low_khz, held->high_khz) == 0) {
		atomic_store(&held->is_set, false);
		return 0;
	}
	snprintf(error + used, FREQUENCY_ERROR_MAX - used,
		"%spolicy%u: %s (scaling_min_freq was %" PRIu64 ", scaling_max_freq %" PRIu64 ")", used ? "; " : "", held->policy,
		strerror(errno), held->low_khz, held->high_khz);
	return -1;
}

int frequency_hold_give_back(struct frequency_hold *hold, char error[static FREQUENCY_ERROR_MAX])
{
	const int64_t deadline_ns = clock_now() + SETTLE_LIMIT_NS;
	bool any = false;
	int result = 0;
	*error = '\0';
	/* All of them, before any is waited for. */
	for (size_t i = 0; i < hold->count; i++)
		if (atomic_load(&hold->held[i].is_set)) {
			any = true;
			if (give_back_one(hold, &hold->held[i], error) != 0)
				result = -1;
		}
	/* Else the next run could take what was set for what was there before. */
	for (size_t i = 0; i < hold->count && any && result == 0; i++)
		if (!hold->held[i].is_capped)
			settle(hold->root, hold->held[i].policy, hold->held[i].low_khz, hold->held[i].high_khz, deadline_ns);
		else
			leave(hold->root, hold->held[i].policy, hold->held[i].khz, deadline_ns);
	if (result == 0)
		remove_record(hold);
	return result;
}
