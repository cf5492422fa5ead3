/* SPDX-License-Identifier: MIT */
#include "state.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEP_US 50000

/* ---- Time ------------------------------------------------------------------------------------------------------------- */

static int64_t clock_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

int64_t trial_now_us(void)
{
	static int64_t last;
	static int64_t passed = 1; /* 0 says that something didn't happen */
	const int64_t clock = clock_us();
	if (last)
		passed += clock - last < STEP_US ? clock - last : STEP_US;
	last = clock;
	return passed;
}

void trial_pause_us(int64_t us)
{
	const struct timespec time = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
	nanosleep(&time, NULL);
}

void trial_note_guardian(struct trial *trial)
{
	trial->guardian_gone = true;
	trial->guardian_gone_us = trial_now_us();
}

bool trial_reap(struct trial *trial)
{
	int status;
	pid_t pid;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == trial->guardian)
			trial_note_guardian(trial);
	return pid < 0 && errno == ECHILD;
}

void trial_sleep_until(struct trial *trial, int64_t when_us)
{
	int64_t left;
	while ((left = when_us - trial_now_us()) > 0) {
		trial_pause_us(left < POLL_US ? left : POLL_US);
		trial_reap(trial);
	}
}

/* ---- What is seen ----------------------------------------------------------------------------------------------------- */

/* The numbers of executors follow from the order in which they were forked. */
static int by_start(const void *left, const void *right)
{
	const struct person *const *a = left;
	const struct person *const *b = right;
	if ((*a)->start != (*b)->start)
		return (*a)->start > (*b)->start ? 1 : -1;
	return ((*a)->pid > (*b)->pid) - ((*a)->pid < (*b)->pid);
}

bool trial_is_of_the_tool(const struct person *person)
{
	return strcmp(person->name, "showstopper") == 0 && !person_has_ended(person);
}

static void note_standing(struct trial *trial)
{
	const struct census *census = &trial->census;
	/* What stands still from then on is none that the master could have continued. */
	if (trial->killed_guardian && trial->killed_master)
		return;
	free(trial->standing);
	trial->standing = calloc(census->count + 1, sizeof *trial->standing);
	trial->standing_count = 0;
	for (size_t i = 0; trial->standing && i < census->count; i++)
		if (person_is_stopped(&census->item[i]))
			trial->standing[trial->standing_count++] = census->item[i].pid;
}

/* The number of an executor, which a workload that is there tells, as its child; or -1. */
static int told_number(const struct trial *trial, pid_t executor)
{
	for (size_t i = 0; i < trial->census.count; i++) {
		const struct person *const person = &trial->census.item[i];
		if (person->parent == executor && person->instance >= 0 && person->instance < (int)trial->plan.executors)
			return person->instance;
	}
	return -1;
}

/*
 * Numbers follow from the order in which executors were forked, where no workload tells. The first that was seen may be the master's child
 * of a moment that finds out which priority executors can have; others may have ended before they were seen. `executor` has those that are
 * there, in this order; known ones keep whether they were killed.
 */
static void number_executors(struct trial *trial, const pid_t *executor, size_t count)
{
	pid_t all[2 * EXECUTORS_MAX];
	bool killed[2 * EXECUTORS_MAX] = {0};
	int number[2 * EXECUTORS_MAX];
	int was[2 * EXECUTORS_MAX];
	size_t known = 0;
	for (int i = 0; i < EXECUTORS_MAX; i++)
		if (trial->executor[i]) {
			killed[known] = trial->killed_executor[i];
			was[known] = i;
			all[known++] = trial->executor[i];
		}
	const size_t before = known;
	for (size_t i = 0; i < count && known < sizeof all / sizeof *all; i++) {
		size_t at = 0;
		while (at < known && all[at] != executor[i])
			at++;
		if (at == known)
			all[known++] = executor[i];
	}
	memset(trial->executor, 0, sizeof trial->executor);
	memset(trial->killed_executor, 0, sizeof trial->killed_executor);
	for (size_t i = 0; i < known; i++)
		if ((number[i] = told_number(trial, all[i])) >= 0)
			trial->executor[number[i]] = all[i];
	int next = 0;
	for (size_t i = 0; i < known; i++) {
		if (number[i] < 0) {
			if (i < before && !trial->executor[was[i]])
				next = was[i];
			while (next < (int)trial->plan.executors && trial->executor[next])
				next++;
			if (next >= (int)trial->plan.executors)
				continue;
			number[i] = next;
			trial->executor[next] = all[i];
		}
		trial->killed_executor[number[i]] = killed[i];
		next = number[i] + 1;
	}
}

void trial_look(struct trial *trial)
{
	const struct person *executors[64];
	size_t count = 0;
	census_take(&trial->census, trial->mark);
	note_standing(trial);
	for (size_t i = 0; i < trial->census.count && !trial->master; i++) {
		const struct person *person = &trial->census.item[i];
		if (trial_is_of_the_tool(person) && person->pid != trial->guardian &&
			(person->parent == trial->guardian || person->parent == getpid()))
			trial->master = person->pid;
	}
	for (size_t i = 0; i < trial->census.count; i++) {
		const struct person *person = &trial->census.item[i];
		if (trial_is_of_the_tool(person) && trial->master && person->parent == trial->master && count < 64)
			executors[count++] = person;
	}
	qsort(executors, count, sizeof(const struct person *), by_start);
	pid_t seen[64];
	for (size_t i = 0; i < count; i++)
		seen[i] = executors[i]->pid;
	number_executors(trial, seen, count);
}

void trial_say(struct trial *trial, const char *format, ...)
{
	char *text = trial->result->text;
	const size_t used = strlen(text);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text + used, TRIAL_TEXT - used, format, arguments);
	va_end(arguments);
}
