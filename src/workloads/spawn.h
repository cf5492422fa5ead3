/* SPDX-License-Identifier: MIT */
/* Starting one workload, and whether its command can be started. */
#ifndef WORKLOADS_SPAWN_H
#define WORKLOADS_SPAWN_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "processes/affinity.h"
#include "self/scheduling.h"
#include "showstopper/module.h"
#include "workloads/containment.h"

struct workload_group;

struct spawn {
	char *const *command;
	const char *directory;                 /* NULL: inherited */
	const char *stdout_file, *stderr_file; /* appended to; relative to the caller's folder; likewise */
	bool inherit_stdin;                    /* else /dev/null */
	unsigned index;                        /* for SHOWSTOPPER_INSTANCE */
	int counter;                           /* of its iterations, iteration_counter_make's; 0: none */
	const struct sst_cpus *cpus;           /* that it may use; NULL: those of `mask` */
	struct linux_mask mask;                /* of the user; not known: the caller's */
	const struct scheduling *user;         /* what the child gets back */
	struct containment *containment;       /* filled: the child is contained; NULL: it isn't */
	const struct workload_group *group;    /* that it is to be in; NULL: the caller's */
	int tie;                               /* a pidfd: it isn't started any more when that process has ended; 0: nobody's */
};

/*
 * Forks and executes; returns when the new program runs. The child leads a process group of its own and dies by SIGKILL when the
 * caller does. It is a child of the caller, or of the containment's init, which is. Returns its process number, or -1 with errno and *stage saying what failed.
 */
pid_t spawn(const struct spawn *spawn, enum start_stage *stage);

/* Whether workloads, so many of them, get the standard input of the caller: one that is alone, unless that is a terminal. */
bool spawn_hands_input_on(unsigned workloads);

/* Whether it can be found and executed in that folder, as far as that can be told. 0, or after a message the status to end with. */
int command_verify(const char *command, const char *folder);

/*
 * What the first line of a script names, or the loader that a program of this machine's own kind asks for. False where there is none, or
 * where it takes the kernel to know: scripts of scripts, names that count from the folder of the moment, programs of other machines.
 */
bool command_interpreter(const char *path, char interpreter[static PATH_MAX]);

#endif
