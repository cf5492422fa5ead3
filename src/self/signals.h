/* SPDX-License-Identifier: MIT */
/*
 * Signals of the smaller programs: which of them end a program, which it passes on to a command, and how it ends by one.
 *
 * A signal that was ignored when the program started stays ignored, as nohup needs it.
 */
#ifndef SELF_SIGNALS_H
#define SELF_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/*
 * The first thing a program does: from then on a write beyond the limit of file sizes (ulimit -f) fails with EFBIG, and the program says so
 * instead of being killed in the middle of a line.
 */
void signals_block_file_limit(void);

/* In a child, before it executes a command: as it was before. signals_give_back does this, too. Async-signal-safe. */
void signals_unblock_file_limit(void);

/* Whether this is SIGTERM, SIGINT or SIGHUP. */
bool signals_is_ending(int number);

/* The set of these three, less those that are ignored. */
void signals_ending(sigset_t *set);

/* What a command gets back of what signals_take has changed. */
struct signals_kept {
	sigset_t mask;
	struct sigaction child, pipe;
};

/*
 * For a program that runs commands. Blocks SIGCHLD, the signals that end it and those that it passes on besides (SIGQUIT, SIGUSR1,
 * SIGUSR2), less those that are ignored, and stores them in *fetched: the program fetches them. SIGCHLD gets its default action,
 * so that a command that has ended can be waited for; SIGPIPE is ignored, since whoever reads the output may leave before the
 * command's end.
 */
void signals_take(struct signals_kept *kept, sigset_t *fetched);

/* In the child, before it executes the command. Async-signal-safe. */
void signals_give_back(const struct signals_kept *kept);

/* Ends the process by this signal, blocked or not. Returns where that can't be: in the first process of a PID namespace. */
void signals_end_by(int number);

#endif
