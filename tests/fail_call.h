/* SPDX-License-Identifier: MIT */
/* What test_scarcity and the library that it preloads (fail_call.c) tell each other through a file. */
#ifndef FAIL_CALL_H
#define FAIL_CALL_H

#include <stdatomic.h>

#define FAIL_CALL_PROCESSES 64
#define FAIL_CALL_PATH_MAX 32

enum fail_call_function {
	FAIL_FORK,
	FAIL_MALLOC, /* and calloc, realloc, aligned_alloc; also within libc */
	FAIL_MMAP,
	FAIL_SHM_OPEN,
	FAIL_FTRUNCATE, /* and posix_fallocate */
	FAIL_OPEN,      /* and openat, fopen, fdopen, opendir, open_memstream */
	FAIL_DUP,
	FAIL_WRITE,
	FAIL_READ, /* and pread */
	FAIL_POLL,
	FAIL_TIMERFD,
	FAIL_SIGNALFD,
	FAIL_EVENTFD,
	FAIL_PIDFD_OPEN,
	FAIL_PIPE,
	FAIL_FUNCTIONS
};

struct fail_call {
	/* The plan. A process is named by its place in the tree: 0 is what was started, 0.2 its second child, and so on. */
	char path[FAIL_CALL_PATH_MAX];
	enum fail_call_function function;
	unsigned call; /* the how manieth, from 1; 0: none fails */
	int error;
	/* What happened. */
	_Atomic unsigned hits;
	_Atomic unsigned processes;
	struct fail_call_process {
		char path[FAIL_CALL_PATH_MAX];
		_Atomic unsigned calls[FAIL_FUNCTIONS];
	} process[FAIL_CALL_PROCESSES];
	char shared_memory[128]; /* file of the last shm_open */
};

#endif
