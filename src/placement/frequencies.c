/* SPDX-License-Identifier: MIT */
#include "placement/frequencies.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/frequency_wish.h"
#include "processes/affinity.h"

/* A list of processors in a message. */
#define LIST_MAX 98

/* ---- What a wish comes to --------------------------------------------------------------------------------------------- */

/* The nearest step at or below, and at or above; 0 for none. */
static void find_steps(const struct frequency_policy *policy, uint64_t khz, uint64_t *below_khz, uint64_t *above_khz)
{
	*below_khz = *above_khz = 0;
	for (size_t i = 0; i < policy->steps; i++) {
		if (policy->step[i] <= khz)
			*below_khz = policy->step[i];
		if (policy->step[i] >= khz && !*above_khz)
			*above_khz = policy->step[i];
	}
}

static uint64_t nearest_step(const struct frequency_policy *policy, uint64_t khz)
{
	uint64_t below_khz, above_khz;
	if (!policy->steps)
		return khz;
	find_steps(policy, khz, &below_khz, &above_khz);
	if (!below_khz || !above_khz)
		return below_khz ? below_khz : above_khz;
	return khz - below_khz <= above_khz - khz ? below_khz : above_khz;
}

/* The number that a policy is to be set to, before it is known whether that can be. */
static uint64_t khz_of(const struct frequency_policy *policy, const struct frequency_wish *wish)
{
	switch (wish->kind) {
	case FREQUENCY_MIN:
		return policy->steps ? policy->step[0] : policy->least_khz;
	case FREQUENCY_MAX:
		return frequency_policy_top(policy);
	case FREQUENCY_SHARE: {
		const uint64_t khz = (uint64_t)llround(wish->share * (double)policy->most_khz);
		return khz < policy->least_khz ? khz : nearest_step(policy, khz);
	}
	default:
		return wish->khz;
	}
}

static int check(const struct frequency_policy *policy, uint64_t khz, const char *text, char error[static FREQUENCY_ERROR_MAX])
{
	char list[LIST_MAX], low[FREQUENCY_TEXT_MAX], high[FREQUENCY_TEXT_MAX];
	uint64_t below_khz, above_khz;
	if (khz < policy->least_khz || khz > policy->most_khz)
		return frequency_refuse(error,
			"--frequency: '%.40s' is out of range: processors %s have %s to %s: the nearest is %s", text,
			cpus_print_short(policy->cpus, list, sizeof list), frequency_print(policy->least_khz, low),
			frequency_print(policy->most_khz, high), khz < policy->least_khz ? low : high);
	find_steps(policy, khz, &below_khz, &above_khz);
	if (!policy->steps || below_khz == khz)
		return 0;
	if (!below_khz || !above_khz)
		return frequency_refuse(error, "--frequency: processors %s don't have '%.40s': the nearest is %s",
			cpus_print_short(policy->cpus, list, sizeof list), text,
			frequency_print(below_khz ? below_khz : above_khz, low));
	return frequency_refuse(error, "--frequency: processors %s don't have '%.40s': the nearest are %s and %s",
		cpus_print_short(policy->cpus, list, sizeof list), text, frequency_print(below_khz, low),
		frequency_print(above_khz, high));
}

/* ---- Which clock is whose --------------------------------------------------------------------------------------------- */

static bool may_use(const struct group *group, const struct sst_cpus *allowed, unsigned cpu)
{
	if (!group->cpus)
		return cpus_contain(allowed, cpu);
	return cpus_contain(group->cpus, cpu) || (group->moved && cpus_contain(group->moved, cpu));
}

static bool uses(const struct group *group, const struct sst_cpus *allowed, const struct frequency_policy *policy)
{
	for (size_t i = 0; i < policy->cpus->count; i++)
		if (may_use(group, allowed, policy->cpus->cpu[i]))
			return true;
	return false;
}

/* Each processor that may be used must have a clock. */
static int check_clocks(const struct group *group, const struct sst_cpus *allowed, const struct frequency_policies *policies,
	char error[static FREQUENCY_ERROR_MAX])
{
	for (size_t i = 0; i < allowed->count; i++) {
		bool has = !may_use(group, allowed, allowed->cpu[i]);
		for (size_t k = 0; k < policies->count && !has; k++)
			has = cpus_contain(policies->policy[k].cpus, allowed->cpu[i]);
		if (!has)
			return frequency_refuse(error,
				"--frequency: processor %u has no policy in " FREQUENCY_FOLDER
				": expected --cpus with it that leaves it out",
				allowed->cpu[i]);
	}
	return 0;
}

/* Adds the clock of a policy, if a group wants one. 0, or -1 with a message. */
static int add_policy(const struct config *config, const struct sst_cpus *allowed, const struct frequency_policy *policy,
	enum frequency_boost boost, struct frequencies *frequencies, char error[static FREQUENCY_ERROR_MAX])
{
	struct frequency item = {
		.policy = policy->number,
		.top_khz = policy->steps || boost != FREQUENCY_BOOST_OFF ? frequency_policy_top(policy) : 0,
	};
	char list[LIST_MAX], first[FREQUENCY_TEXT_MAX], second[FREQUENCY_TEXT_MAX];
	for (unsigned i = 0; i < config->groups; i++) {
		const struct group *const group = &config->group[i];
		if (group->frequency.kind == FREQUENCY_NONE || !uses(group, allowed, policy))
			continue;
		const uint64_t khz = khz_of(policy, &group->frequency);
		if (check(policy, khz, group->frequency_text, error) != 0)
			return -1;
		if (item.khz && item.khz != khz)
			return frequency_refuse(error,
				"--frequency: processors %s have one clock, and groups %u and %u want %s and %s of it: expected "
				"the same, or --cpus with processors of different clocks",
				cpus_print_short(policy->cpus, list, sizeof list), item.group + 1, i + 1,
				frequency_print(item.khz, first), frequency_print(khz, second));
		if (!item.khz)
			item.group = i;
		item.khz = khz;
	}
	if (!item.khz)
		return 0;
	item.cpus = cpus_make(policy->cpus->cpu, policy->cpus->count);
	if (!item.cpus)
		return frequency_refuse(error, "%s", strerror(ENOMEM));
	frequencies->item[frequencies->count++] = item;
	return 0;
}

/* Whether a group that wants a frequency may use a processor. */
static bool is_asked_for(const struct config *config, const struct sst_cpus *allowed, unsigned cpu)
{
	for (unsigned i = 0; i < config->groups; i++)
		if (config->group[i].frequency.kind != FREQUENCY_NONE && may_use(&config->group[i], allowed, cpu))
			return true;
	return false;
}

static bool is_planned(const struct frequencies *frequencies, unsigned policy)
{
	for (size_t i = 0; i < frequencies->count; i++)
		if (frequencies->item[i].policy == policy)
			return true;
	return false;
}

static int find_beyond(const struct config *config, const struct sst_cpus *allowed, const struct frequency_policies *policies,
	struct frequencies *frequencies, char error[static FREQUENCY_ERROR_MAX])
{
	size_t count = 0, most = 0;
	for (size_t i = 0; i < policies->count; i++)
		most += policies->policy[i].cpus->count;
	unsigned *const all = calloc(most, sizeof *all);
	for (size_t i = 0; all && i < policies->count; i++) {
		const struct frequency_policy *const policy = &policies->policy[i];
		for (size_t k = 0; k < policy->cpus->count && is_planned(frequencies, policy->number); k++)
			if (!is_asked_for(config, allowed, policy->cpus->cpu[k]))
				all[count++] = policy->cpus->cpu[k];
	}
	frequencies->beyond = all && count ? cpus_make(all, count) : NULL;
	const bool is_fine = all && (!count || frequencies->beyond);
	free(all);
	return is_fine ? 0 : frequency_refuse(error, "%s", strerror(ENOMEM));
}

/* Where the driver doesn't say what is boost, the highest frequency may be. */
static void look_at_boost(
	const struct frequency_policy *policy, uint64_t khz, enum frequency_boost boost, struct frequencies *frequencies)
{
	const bool is_above = policy->base_khz ? khz > policy->base_khz : khz >= frequency_policy_top(policy);
	frequencies->is_boosted |= boost == FREQUENCY_BOOST_ON && is_above;
	frequencies->lacks_boost |= boost == FREQUENCY_BOOST_OFF && policy->base_khz && is_above;
}

static int plan(const struct config *config, const struct sst_cpus *allowed, const struct frequency_policies *policies,
	struct frequencies *frequencies, char error[static FREQUENCY_ERROR_MAX])
{
	frequencies->item = calloc(policies->count, sizeof *frequencies->item);
	if (!frequencies->item)
		return frequency_refuse(error, "%s", strerror(ENOMEM));
	for (unsigned i = 0; i < config->groups; i++)
		if (config->group[i].frequency.kind != FREQUENCY_NONE &&
			check_clocks(&config->group[i], allowed, policies, error) != 0)
			return -1;
	for (size_t i = 0; i < policies->count; i++) {
		const size_t before = frequencies->count;
		if (add_policy(config, allowed, &policies->policy[i], policies->boost, frequencies, error) != 0)
			return -1;
		if (frequencies->count > before)
			look_at_boost(&policies->policy[i], frequencies->item[before].khz, policies->boost, frequencies);
	}
	return find_beyond(config, allowed, policies, frequencies, error);
}

int frequencies_plan(const struct config *config, struct frequencies *frequencies, char error[static FREQUENCY_ERROR_MAX])
{
	struct frequency_policies policies;
	char reason[FREQUENCY_ERROR_MAX];
	bool is_asked = false;
	*frequencies = (struct frequencies){0};
	for (unsigned i = 0; i < config->groups; i++)
		is_asked |= config->group[i].frequency.kind != FREQUENCY_NONE;
	if (!is_asked)
		return 0;
	if (frequency_policies_read(config->root, &policies, reason) != 0)
		return frequency_refuse(error, "--frequency: %.600s", reason);
	struct sst_cpus *const allowed = linux_affinity_get();
	const int result = allowed ? plan(config, allowed, &policies, frequencies, error)
				   : frequency_refuse(error, "can't find out which processors may be used: %s", strerror(errno));
	free(allowed);
	frequency_policies_free(&policies);
	if (result != 0)
		frequencies_free(frequencies);
	return result;
}

void frequencies_free(struct frequencies *frequencies)
{
	for (size_t i = 0; i < frequencies->count; i++)
		free(frequencies->item[i].cpus);
	free(frequencies->item);
	free(frequencies->beyond);
	*frequencies = (struct frequencies){0};
}

/* ---- For people ------------------------------------------------------------------------------------------------------- */

/* The processors of all clocks with that frequency. */
static void print_processors(const struct frequencies *frequencies, uint64_t khz, FILE *to)
{
	size_t count = 0, most = 0;
	for (size_t i = 0; i < frequencies->count; i++)
		most += frequencies->item[i].cpus->count;
	unsigned *const all = calloc(most + 1, sizeof *all);
	for (size_t i = 0; all && i < frequencies->count; i++)
		for (size_t k = 0; frequencies->item[i].khz == khz && k < frequencies->item[i].cpus->count; k++)
			all[count++] = frequencies->item[i].cpus->cpu[k];
	struct sst_cpus *const cpus = all ? cpus_make(all, count) : NULL;
	if (cpus)
		cpus_print(cpus, to);
	free(cpus);
	free(all);
}

void frequencies_print(const struct frequencies *frequencies, FILE *to)
{
	for (size_t i = 0; i < frequencies->count; i++) {
		const uint64_t khz = frequencies->item[i].khz;
		char text[FREQUENCY_TEXT_MAX];
		bool is_new = true;
		for (size_t k = 0; k < i && is_new; k++)
			is_new = frequencies->item[k].khz != khz;
		if (!is_new)
			continue;
		fprintf(to, "%s%s: processors ", i ? "; " : "", frequency_print(khz, text));
		print_processors(frequencies, khz, to);
	}
}

void frequencies_warn(const struct frequencies *frequencies, void (*say)(const char *line))
{
	char list[LIST_MAX], line[LIST_MAX + 128];
	if (frequencies->beyond) {
		snprintf(line, sizeof line,
			"--frequency holds for processors %s too, which share a clock with those of its group",
			cpus_print_short(frequencies->beyond, list, sizeof list));
		say(line);
	}
	if (frequencies->is_boosted)
		say("--frequency: boost is on, and at this frequency the clock depends on heat and on how many processors are "
		    "busy; a "
		    "lower frequency, or boost turned off, makes it hold");
	if (frequencies->lacks_boost)
		say("--frequency: boost is off (cpufreq/boost, intel_pstate/no_turbo), without which the clock doesn't come up "
		    "to this "
		    "frequency");
}
