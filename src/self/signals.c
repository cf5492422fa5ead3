/* SPDX-License-Identifier: MIT */
#include "self/signals.h"

#include <stddef.h>

static const int ending[] = {SIGTERM, SIGINT, SIGHUP}, passed_on[] = {SIGQUIT, SIGUSR1, SIGUSR2};

/* SIGXFSZ was let through before we blocked it. */
static bool has_blocked_file_limit;

static void change_file_limit(int how, sigset_t *before)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGXFSZ);
	sigprocmask(how, &set, before);
}

void signals_block_file_limit(void)
{
	sigset_t before;
	sigemptyset(&before);
	change_file_limit(SIG_BLOCK, &before);
	has_blocked_file_limit |= !sigismember(&before, SIGXFSZ);
}

void signals_unblock_file_limit(void)
{
	if (has_blocked_file_limit)
		change_file_limit(SIG_UNBLOCK, NULL);
}

bool signals_is_ending(int number)
{
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		if (number == ending[i])
			return true;
	return false;
}

static void add_heeded(sigset_t *set, const int *number, size_t count)
{
	struct sigaction action;
	for (size_t i = 0; i < count; i++)
		if (sigaction(number[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(set, number[i]);
}

void signals_ending(sigset_t *set)
{
	sigemptyset(set);
	add_heeded(set, ending, sizeof ending / sizeof *ending);
}

void signals_take(struct signals_kept *kept, sigset_t *fetched)
{
	const struct sigaction by_default = {.sa_handler = SIG_DFL}, ignored = {.sa_handler = SIG_IGN};
	signals_ending(fetched);
	add_heeded(fetched, passed_on, sizeof passed_on / sizeof *passed_on);
	sigaddset(fetched, SIGCHLD);
	sigaction(SIGCHLD, &by_default, &kept->child);
	sigaction(SIGPIPE, &ignored, &kept->pipe);
	sigprocmask(SIG_BLOCK, fetched, &kept->mask);
}

void signals_give_back(const struct signals_kept *kept)
{
	sigaction(SIGPIPE, &kept->pipe, NULL);
	sigaction(SIGCHLD, &kept->child, NULL);
	sigprocmask(SIG_SETMASK, &kept->mask, NULL);
	signals_unblock_file_limit();
}

void signals_end_by(int number)
{
	sigset_t set;
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	/* Raised while it is blocked, it comes when it is let through; else at once. Of the thread alone: programs have several. */
	raise(number);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
