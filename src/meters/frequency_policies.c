/* SPDX-License-Identifier: MIT */
#include "meters/frequency_policies.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/units.h"
#include "self/source.h"

/* Steps of all drivers that are known are fewer. */
#define STEPS_TEXT_MAX 4096

int frequency_refuse(char error[static FREQUENCY_ERROR_MAX], const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(error, FREQUENCY_ERROR_MAX, format, arguments);
	va_end(arguments);
	return -1;
}

/* Longer than any file of a policy is called. */
#define FILE_MAX 96

/* ---- Files ------------------------------------------------------------------------------------------------------------ */

static const char *path_of(unsigned number, const char *name, char path[static FILE_MAX])
{
	snprintf(path, FILE_MAX, FREQUENCY_FOLDER "/policy%u/%s", number, name);
	return path;
}

bool frequency_policy_number(const char *root, unsigned number, const char *name, uint64_t *khz)
{
	char path[FILE_MAX];
	return linux_source_number(root, path_of(number, name, path), khz);
}

bool frequency_policy_limits(const char *root, unsigned number, uint64_t *low_khz, uint64_t *high_khz)
{
	return frequency_policy_number(root, number, "scaling_min_freq", low_khz) &&
	       frequency_policy_number(root, number, "scaling_max_freq", high_khz);
}

static int open_limit(const char *root, unsigned number, const char *name, int flags)
{
	char path[FILE_MAX], whole[PATH_MAX];
	if (snprintf(whole, sizeof whole, "%s%s", root, path_of(number, name, path)) >= (int)sizeof whole) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return open(whole, O_WRONLY | O_CLOEXEC | flags);
}

int frequency_policy_check(const char *root, unsigned number, char error[static FREQUENCY_ERROR_MAX])
{
	static const char *const names[] = {"scaling_min_freq", "scaling_max_freq"};
	char path[FILE_MAX];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		uint64_t khz;
		path_of(number, names[i], path);
		if (!linux_source_number(root, path, &khz) || !khz)
			return frequency_refuse(error, "%s%s: expected a number of kHz there", root, path);
		const int fd = open_limit(root, number, names[i], 0);
		if (fd < 0)
			return frequency_refuse(error, "can't write %s%s: %s: expected %s", root, path, strerror(errno),
				errno == EROFS ? "a container in which /sys may be written (docker: --privileged)"
					       : "root, such as by sudo, or the right to write this file");
		close(fd);
	}
	return 0;
}

static int write_limit(const char *root, unsigned number, const char *name, uint64_t khz)
{
	char text[32];
	/* The kernel's own files know no emptying; others must not keep the end of a longer number. */
	const int fd = open_limit(root, number, name, O_TRUNC);
	if (fd < 0)
		return -1;
	const int length = snprintf(text, sizeof text, "%llu\n", (unsigned long long)khz);
	errno = EIO;
	const bool done = write(fd, text, (size_t)length) == length;
	const int reason = errno;
	close(fd);
	errno = reason;
	return done ? 0 : -1;
}

int frequency_policy_set(const char *root, unsigned number, uint64_t low_khz, uint64_t high_khz)
{
	uint64_t present_khz;
	/* The lower limit may never be above the upper one, in between neither. */
	const bool lower = frequency_policy_number(root, number, "scaling_min_freq", &present_khz) && high_khz < present_khz;
	if (lower && write_limit(root, number, "scaling_min_freq", low_khz) != 0)
		return -1;
	if (write_limit(root, number, "scaling_max_freq", high_khz) != 0)
		return -1;
	return lower ? 0 : write_limit(root, number, "scaling_min_freq", low_khz);
}

/* ---- One policy ------------------------------------------------------------------------------------------------------- */

/* Processors with blanks between them. 1 where there is none, or -1 with errno. */
static int parse_processors(char *text, struct sst_cpus **cpus)
{
	size_t length = strlen(text);
	while (length > 0 && isspace((unsigned char)text[length - 1]))
		length--;
	for (size_t i = 0; i < length; i++)
		if (text[i] == ' ')
			text[i] = ',';
	return length == 0 ? 1 : cpus_parse(text, length, cpus, NULL);
}

/*
 * Those that are online (affected_cpus); where that is not told, all that share the clock. 1 where none is: then the policy stands by, and
 * its files can't be read. -1 with a message.
 */
static int read_processors(const char *root, struct frequency_policy *policy, char error[static FREQUENCY_ERROR_MAX])
{
	static const char *const names[] = {"affected_cpus", "related_cpus"};
	char path[FILE_MAX];
	const size_t size = (size_t)CPUS_LIMIT * 6;
	char *const text = malloc(size);
	int result = -1;
	const char *reason = "isn't there";
	for (size_t i = 0; text && i < sizeof names / sizeof *names && result < 0; i++) {
		const int fd = linux_source_open(root, path_of(policy->number, names[i], path));
		const ssize_t length = fd < 0 ? -1 : linux_source_read(fd, text, size - 1, NULL);
		const int failed = errno;
		if (fd >= 0)
			close(fd);
		if (length < 0 && failed == EBUSY) {
			result = 1;
		} else if (length >= 0) {
			text[length] = '\0';
			result = parse_processors(text, &policy->cpus);
			reason = "is no list of processors";
		} else if (failed != ENOENT) {
			reason = strerror(failed);
		}
	}
	free(text);
	return result < 0 ? frequency_refuse(error, "%s%s: %s", root, path, reason) : result;
}

static int compare(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a;
	const uint64_t right = *(const uint64_t *)b;
	return (left > right) - (left < right);
}

/* Adds the numbers of a file, which needn't be there. What isn't one ends the list. */
static int add_steps(const char *root, struct frequency_policy *policy, const char *name)
{
	char path[FILE_MAX], text[STEPS_TEXT_MAX];
	linux_source_line(root, path_of(policy->number, name, path), text, sizeof text);
	const char *const end = text + strlen(text);
	uint64_t khz;
	for (const char *at = text + strspn(text, " "); linux_number(&at, end, &khz) && (*at == ' ' || !*at);
		at += strspn(at, " ")) {
		if (khz < policy->least_khz || khz > policy->most_khz)
			continue;
		uint64_t *const grown = realloc(policy->step, (policy->steps + 1) * sizeof *grown);
		if (!grown)
			return -1;
		policy->step = grown;
		grown[policy->steps++] = khz;
	}
	return 0;
}

static int read_steps(const char *root, struct frequency_policy *policy, enum frequency_boost boost)
{
	if (add_steps(root, policy, "scaling_available_frequencies") != 0)
		return -1;
	/* Without the others they would be all that there are. */
	if (policy->steps && boost == FREQUENCY_BOOST_ON && add_steps(root, policy, "scaling_boost_frequencies") != 0)
		return -1;
	if (policy->steps)
		qsort(policy->step, policy->steps, sizeof *policy->step, compare);
	return 0;
}

/* 0, 1 where it has no processor, or -1 with a message. What it owns is the caller's. */
static int read_policy(
	const char *root, struct frequency_policy *policy, enum frequency_boost boost, char error[static FREQUENCY_ERROR_MAX])
{
	static const char *const names[] = {"cpuinfo_min_freq", "cpuinfo_max_freq"};
	uint64_t *const values[] = {&policy->least_khz, &policy->most_khz};
	const int result = read_processors(root, policy, error);
	if (result != 0)
		return result;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char path[FILE_MAX];
		if (!linux_source_number(root, path_of(policy->number, names[i], path), values[i]) || !*values[i])
			return frequency_refuse(error, "%s%s: expected a number of kHz there", root, path);
	}
	if (policy->least_khz > policy->most_khz)
		return frequency_refuse(error, "%s" FREQUENCY_FOLDER "/policy%u: cpuinfo_min_freq is above cpuinfo_max_freq",
			root, policy->number);
	if (!frequency_policy_number(root, policy->number, "base_frequency", &policy->base_khz))
		policy->base_khz = 0;
	return read_steps(root, policy, boost) == 0 ? 0 : frequency_refuse(error, "%s", strerror(ENOMEM));
}

/* ---- All of them ------------------------------------------------------------------------------------------------------ */

static enum frequency_boost read_boost(const char *root)
{
	uint64_t value;
	if (linux_source_number(root, FREQUENCY_FOLDER "/boost", &value))
		return value ? FREQUENCY_BOOST_ON : FREQUENCY_BOOST_OFF;
	if (linux_source_number(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", &value))
		return value ? FREQUENCY_BOOST_OFF : FREQUENCY_BOOST_ON;
	return FREQUENCY_BOOST_UNKNOWN;
}

static int by_number(const void *a, const void *b)
{
	const unsigned left = ((const struct frequency_policy *)a)->number;
	const unsigned right = ((const struct frequency_policy *)b)->number;
	return (left > right) - (left < right);
}

/* The number of "policyN", or -1. */
static long number_of(const char *name)
{
	static const char prefix[] = "policy";
	const size_t width = sizeof prefix - 1;
	uint64_t number;
	if (strncmp(name, prefix, width) != 0)
		return -1;
	const char *at = name + width;
	const char *const end = name + strlen(name);
	return linux_number(&at, end, &number) && at == end && number < CPUS_LIMIT ? (long)number : -1;
}

static void free_policy(const struct frequency_policy *policy)
{
	free(policy->cpus);
	free(policy->step);
}

/* 0, or -1 with a message. */
static int add_policy(
	const char *root, struct frequency_policies *policies, unsigned number, char error[static FREQUENCY_ERROR_MAX])
{
	struct frequency_policy policy = {.number = number};
	struct frequency_policy *grown = NULL;
	const int result = read_policy(root, &policy, policies->boost, error);
	if (result == 0)
		grown = realloc(policies->policy, (policies->count + 1) * sizeof *grown);
	if (!grown) {
		free_policy(&policy);
		return result == 0 ? frequency_refuse(error, "%s", strerror(ENOMEM)) : result < 0 ? -1 : 0;
	}
	policies->policy = grown;
	grown[policies->count++] = policy;
	return 0;
}

int frequency_policies_read(const char *root, struct frequency_policies *policies, char error[static FREQUENCY_ERROR_MAX])
{
	char folder[PATH_MAX];
	int result = 0;
	*policies = (struct frequency_policies){.boost = read_boost(root)};
	DIR *const directory =
		snprintf(folder, sizeof folder, "%s" FREQUENCY_FOLDER, root) < (int)sizeof folder ? opendir(folder) : NULL;
	for (const struct dirent *entry; directory && result == 0 && (entry = readdir(directory));) {
		const long number = number_of(entry->d_name);
		if (number >= 0)
			result = add_policy(root, policies, (unsigned)number, error);
	}
	if (directory)
		closedir(directory);
	if (result == 0 && !policies->count)
		result = frequency_refuse(error,
			"this machine has no cpufreq (no policy in %.200s" FREQUENCY_FOLDER
			"): a host, the firmware or the processor alone decides about its clocks",
			root);
	if (result != 0)
		frequency_policies_free(policies);
	else
		qsort(policies->policy, policies->count, sizeof *policies->policy, by_number);
	return result;
}

void frequency_policies_free(struct frequency_policies *policies)
{
	for (size_t i = 0; i < policies->count; i++)
		free_policy(&policies->policy[i]);
	free(policies->policy);
	*policies = (struct frequency_policies){0};
}

/* ---- What clocks do --------------------------------------------------------------------------------------------------- */

/* Files are opened for each reading: they go away with their processor, and a thousand of them would be too many to keep. */
static const char *path_of_processor(unsigned id, const char *name, char path[static FILE_MAX])
{
	snprintf(path, FILE_MAX, "/sys/devices/system/cpu/cpu%u/cpufreq/%s", id, name);
	return path;
}

static double read_mhz(const char *root, unsigned id, const char *name)
{
	char path[FILE_MAX];
	uint64_t khz;
	return linux_source_number(root, path_of_processor(id, name, path), &khz) ? (double)khz / 1000 : NAN;
}

bool linux_frequency_policy(const char *root, unsigned id, struct linux_frequency_policy *policy)
{
	char path[FILE_MAX];
	path_of_processor(id, "scaling_governor", path);
	if (!linux_source_line(root, path, policy->governor, sizeof policy->governor))
		return false;
	policy->least_mhz = read_mhz(root, id, "scaling_min_freq");
	policy->most_mhz = read_mhz(root, id, "scaling_max_freq");
	return true;
}
