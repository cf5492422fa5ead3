/* SPDX-License-Identifier: MIT */
/*
 * Fatal signals, of which is known afterwards whether they were what their process died of. One that ends just before the signal is a zombie
 * for a moment, which takes signals as if nothing were; the verdict about the run would then wait for the end of what wasn't ended.
 */
#ifndef STRIKE_H
#define STRIKE_H

#include <stdbool.h>
#include <sys/types.h>

#define STRIKES_MAX 16

struct strike {
	pid_t pid;
	int signal;
	int which; /* the caller's */
};

/* Those that were sent and not yet asked for. */
struct strikes {
	struct strike item[STRIKES_MAX];
	unsigned count;
};

/* SIGKILL, or any other signal as if the process had raised it itself, which no mask keeps off. False when it had ended. */
bool strike(struct strikes *strikes, pid_t pid, int signal, int which);

/* Asks for all: `died` learns of each process whether it died of it. It must not take long; parents don't hear of the deaths before. */
void strikes_settle(struct strikes *strikes, void (*died)(void *context, const struct strike *strike, bool of_it), void *context);

#endif
