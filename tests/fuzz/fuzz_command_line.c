/* SPDX-License-Identifier: MIT */
/*
 * Any words are taken or refused with a message of one line; what is taken is within its range, and its commands are words that were
 * given. The words of an input end with newlines, so that a corpus can be read.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/units.h"
#include "cli/command_line.h"
#include "load/processors.h"
#include "placement/placement.h"
#include "processes/affinity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define WORDS_MAX 256
#define TIME_MOST (INT64_C(3650) * 86400 * NS_PER_S)

static void check(bool condition)
{
	if (!condition)
		abort();
}

/* In place of the library's, which look at the machine and would take most of the time. */
unsigned linux_processors_usable(void)
{
	return 2;
}

struct sst_cpus *linux_affinity_get(void)
{
	return cpus_make((const unsigned[]){0, 1, 2, 3}, 4);
}

bool linux_affinity_is(pid_t thread, const struct sst_cpus *cpus)
{
	(void)thread;
	(void)cpus;
	return true;
}

int linux_affinity_set(pid_t thread, const struct sst_cpus *cpus)
{
	(void)thread;
	(void)cpus;
	return 0;
}

int topology_read(const struct sst_cpus *allowed, struct topology *topology)
{
	static const struct place place[] = {{0, 0, 0, 0}, {2, 0, 0, 0}, {1, 1, 1, 0}, {3, 1, 1, 0}};
	(void)allowed;
	*topology = (struct topology){.place = malloc(sizeof place), .count = 4};
	check(topology->place);
	memcpy(topology->place, place, sizeof place);
	return 0;
}

void topology_free(struct topology *topology)
{
	free(topology->place);
}

static bool is_word(char *const *word, int words, const char *found)
{
	for (int i = 1; i < words; i++)
		if (word[i] == found)
			return true;
	return false;
}

static void check_config(const struct config *config, char *const *word, int words)
{
	const bool runs = config->action == ACTION_RUN || config->action == ACTION_DRY_RUN;
	uint64_t workloads = 0;
	uint64_t controlled = 0;
	check(!runs || config->groups + config->attaches > 0);
	for (unsigned i = 0; i < config->groups; i++) {
		const struct group *group = &config->group[i];
		check(group->instances > 0 && group->command[0]);
		for (char **part = group->command; *part; part++)
			check(is_word(word, words, *part));
		workloads += group->instances;
		controlled += group->free ? 0 : group->instances;
		check(!group->cpus || (group->cpus->count && group->cpus->cpu[group->cpus->count - 1] < 4));
		check(group->parts ? group->part < group->parts && group->pin != PIN_NONE : group->pin <= PIN_NEUTRAL);
		for (size_t k = 0; config->cpus && !group->free && k < (group->cpus ? group->cpus->count : 4); k++)
			check(cpus_contain(config->cpus, group->cpus ? group->cpus->cpu[k] : (unsigned)k));
	}
	check(!runs || (controlled + config->attaches > 0 && controlled + config->attaches == config->controlled));
	for (unsigned i = 0; i < config->attaches - config->attach_groups; i++)
		check(config->attach[i] > 0);
	check(workloads + config->attaches == config->workloads && config->workloads <= 100000);
	check(config->start_at_ns >= 0 && config->start_interval_ns >= 0);
	check(config->start_interval_ns <= TIME_MOST / (config->workloads ? config->workloads : 1));
	check(config->warmup_ns >= 0 && config->warmup_ns <= TIME_MOST);
	check(config->run_time_ns == -1 || (config->run_time_ns > 0 && config->run_time_ns <= TIME_MOST));
	check(config->grace_ns >= 0 && config->grace_ns <= TIME_MOST);
	check(config->log_interval_ns >= NS_PER_MS && config->log_interval_ns <= TIME_MOST);
	check(isnan(config->require_error) || (config->require_error >= 0 && isfinite(config->require_error)));
	check(isnan(config->require_others) || (config->require_others >= 0 && isfinite(config->require_others)));
	check(isnan(config->require_mse) || (config->require_mse >= 0 && isfinite(config->require_mse)));
	for (int kind = 0; kind < KINDS; kind++)
		check(config->module[kind] && *config->module[kind]);
	check(config->separator && config->placeholder && config->root);
	check(config->action != ACTION_HELP_MODULE || (config->help_name && *config->help_name));
}

/* What is refused is said, and only that. */
static int parse(struct config *config, int words, char **word)
{
	const int caught = memfd_create("stderr", MFD_CLOEXEC), saved = dup(STDERR_FILENO);
	check(caught >= 0 && saved >= 0 && dup2(caught, STDERR_FILENO) >= 0);
	const int result = config_parse(config, words, word);
	dup2(saved, STDERR_FILENO);
	close(saved);
	check((lseek(caught, 0, SEEK_END) > 0) == (result != 0));
	close(caught);
	return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char program[] = "showstopper";
	/* The words are in memory of their own, so that a read beyond one is seen. */
	char *word[WORDS_MAX + 1] = {program};
	char *given[WORDS_MAX];
	int words = 1;
	for (size_t at = 0; at < size && words < WORDS_MAX;) {
		const char *start = (const char *)data + at;
		const char *newline = memchr(start, '\n', size - at);
		const size_t length = newline ? (size_t)(newline - start) : size - at;
		check((word[words++] = strndup(start, length)) != NULL);
		at += length + 1;
	}
	memcpy(given, word, (size_t)words * sizeof *given);

	struct config config;
	if (parse(&config, words, word) == 0)
		check_config(&config, given, words);
	config_free(&config);
	for (int i = 1; i < words; i++)
		free(given[i]);
	return 0;
}
