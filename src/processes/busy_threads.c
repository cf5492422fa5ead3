/* SPDX-License-Identifier: MIT */
#include "processes/busy_threads.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"

#define LEAST_INTERVAL_NS (100 * NS_PER_MS)
#define MOST_INTERVAL_NS NS_PER_S
#define LOOK_PART 1000
/* So many threads of a tree are looked at. */
#define MOST_LOOKED_AT 256
/* Who ran less than such a part of what the busiest one ran isn't likely to run when the stop comes. */
#define BUSY_PART 16

/* The first number of the file: nanoseconds on a processor. */
static bool read_run_time(pid_t process, pid_t thread, uint64_t *ran_ns)
{
	char text[64];
	snprintf(text, sizeof text, "/proc/%d/task/%d/schedstat", (int)process, (int)thread);
	const int fd = open(text, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	const ssize_t length = read(fd, text, sizeof text - 1);
	close(fd);
	if (length <= 0)
		return false;
	text[length] = '\0';
	char *end;
	*ran_ns = strtoull(text, &end, 10);
	return end != text;
}

/* The threads that are looked at. */
struct looked_at {
	pid_t process;
	struct busy_thread *thread;
	size_t count;
};

static int look_at(pid_t thread, void *context)
{
	struct looked_at *const all = context;
	struct busy_thread *const next = &all->thread[all->count];
	*next = (struct busy_thread){.process = all->process, .thread = thread};
	/* The first one gets what is sent to the process. */
	if (thread != all->process && read_run_time(all->process, thread, &next->ran_ns))
		all->count++;
	return all->count == MOST_LOOKED_AT;
}

/* How long this one had run by the last look; it is likely to stand where the one before it stood, or right after that. */
static uint64_t known_run_time(const struct busy_threads *busy, const struct busy_thread *thread, size_t *hint)
{
	for (size_t i = 0; i < busy->knows; i++) {
		const size_t at = (*hint + i) % busy->knows;
		if (busy->known[at].thread == thread->thread && busy->known[at].process == thread->process) {
			*hint = at + 1;
			/* Less than before: another thread that got its number. */
			return busy->known[at].ran_ns <= thread->ran_ns ? busy->known[at].ran_ns : 0;
		}
	}
	return 0;
}

static void enter(struct busy_thread *item, size_t *count, const struct busy_thread *thread)
{
	size_t at = *count < BUSY_THREADS ? (*count)++ : BUSY_THREADS;
	for (; at > 0 && item[at - 1].ran_ns < thread->ran_ns; at--)
		if (at < BUSY_THREADS)
			item[at] = item[at - 1];
	if (at < BUSY_THREADS)
		item[at] = *thread;
}

static bool is_chosen(const struct busy_threads *busy, const struct busy_thread *thread)
{
	for (size_t i = 0; i < busy->count; i++)
		if (busy->item[i].thread == thread->thread && busy->item[i].process == thread->process)
			return true;
	return false;
}

/* False where they are the same as before. */
static bool choose(struct busy_threads *busy, const struct busy_thread *now, size_t count)
{
	struct busy_thread item[BUSY_THREADS] = {0};
	size_t chosen = 0;
	size_t hint = 0;
	for (size_t i = 0; i < count; i++) {
		struct busy_thread thread = now[i];
		thread.ran_ns -= known_run_time(busy, &thread, &hint);
		if (thread.ran_ns > 0)
			enter(item, &chosen, &thread);
	}
	if (chosen == 0)
		return false;
	while (item[chosen - 1].ran_ns < item[0].ran_ns / BUSY_PART)
		chosen--;
	bool changes = chosen != busy->count;
	for (size_t i = 0; i < chosen; i++)
		changes |= !is_chosen(busy, &item[i]);
	memcpy(busy->item, item, sizeof item);
	busy->count = chosen;
	return changes;
}

void busy_threads_look(struct busy_threads *busy, const struct descendants *tree, int64_t now_ns)
{
	if (now_ns < busy->due_ns)
		return;
	const int64_t before = clock_now();
	struct looked_at now = {0};
	for (size_t i = 0; i < tree->count && now.count < MOST_LOOKED_AT; i++) {
		now.process = tree->item[i].process.pid;
		if (tree->item[i].process.threads <= 1)
			continue;
		if (!now.thread && !(now.thread = calloc(MOST_LOOKED_AT, sizeof *now.thread)))
			return;
		linux_process_each_thread(now.process, look_at, &now);
	}
	if (choose(busy, now.thread, now.count) || busy->interval_ns == 0)
		busy->interval_ns = LEAST_INTERVAL_NS;
	else if (busy->interval_ns < MOST_INTERVAL_NS / 2)
		busy->interval_ns *= 2;
	else
		busy->interval_ns = MOST_INTERVAL_NS;
	free(busy->known);
	busy->known = now.thread;
	busy->knows = now.count;
	busy->took_ns = clock_now() - before;
	const int64_t interval_ns = LOOK_PART * busy->took_ns;
	busy->due_ns = now_ns + (interval_ns > busy->interval_ns ? interval_ns : busy->interval_ns);
}

void busy_threads_free(struct busy_threads *busy)
{
	free(busy->known);
	*busy = (struct busy_threads){0};
}

void busy_threads_stop(const struct busy_threads *busy, pid_t process)
{
	for (size_t i = 0; i < busy->count; i++)
		if (busy->item[i].process == process)
			tgkill(process, busy->item[i].thread, SIGSTOP);
}

void busy_threads_stop_group(const struct busy_threads *busy, pid_t group)
{
	for (size_t i = 0; i < busy->count; i++)
		if (getpgid(busy->item[i].process) == group)
			tgkill(busy->item[i].process, busy->item[i].thread, SIGSTOP);
}
