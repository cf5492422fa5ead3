/* SPDX-License-Identifier: MIT */
/*
 * How many iterations (finished pieces of work) a workload has done, as it says itself: the workload raises a number of 64 bits, in the
 * machine's byte order, at the beginning of a file in memory that it alone is given. Its descriptor is inherited, and SHOWSTOPPER_COUNTER is
 * its path, /proc/self/fd/N, which is right in all descendants that keep the descriptor, in containers of ours, too.
 *
 * A file in memory has no name: nothing of it can be left behind, whoever is killed. A path in /proc/PID would be closed to workloads of a
 * program with capabilities (setcap), and wrong in a PID namespace; a file with a name would have to be removed by somebody.
 *
 * Each workload has a file of its own, so that it can't change the counts of others. Its size is sealed, and it is read by pread(2): whatever
 * a workload does with it, there is no access that could fail.
 */
#ifndef SELF_ITERATION_COUNTER_H
#define SELF_ITERATION_COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

#define ITERATION_COUNTER_VARIABLE "SHOWSTOPPER_COUNTER"
#define ITERATION_COUNTER_SIZE 4096

/* What one counter has come to, in memory that all who read it share; zero in the beginning. */
struct iteration_count {
	_Atomic uint64_t last; /* what it showed */
	_Atomic uint64_t total;
};

/* ---- Who counts ------------------------------------------------------------------------------------------------------- */

/* Makes one. Its descriptor, above those that programs have for themselves, and closed by exec; -1 with errno. */
int iteration_counter_make(void);

/* In the process that becomes the workload: lets it keep the descriptor, and tells it. 0, or -1 with errno. */
int iteration_counter_hand_on(int counter);

/*
 * Adds what has been counted since the last look, and returns the sum, which never goes back. A number that goes back is that of a program
 * which began anew; one that leaps by more than 2^32 is none. For many readers at a time.
 */
uint64_t iteration_counter_read(int counter, struct iteration_count *count);

/* ---- Who is counted --------------------------------------------------------------------------------------------------- */

/*
 * The counter that this process was given, or NULL: it has none, or that was closed on the way. It lasts as long as the process, and is
 * taken out of the environment, so that what this process starts doesn't count the same again.
 */
_Atomic uint64_t *iteration_counter_find(void);

/* So many more. NULL is left alone. */
static inline void iteration_counter_raise(_Atomic uint64_t *counter, uint64_t by)
{
	if (counter)
		atomic_fetch_add_explicit(counter, by, memory_order_relaxed);
}

#endif
