/* SPDX-License-Identifier: MIT */
#include "self/iteration_counter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NAME "showstopper-iterations"
/* Shells take the numbers up to 9 for redirections of scripts, programs the next ones. */
#define DESCRIPTOR_WISHED 500
#define DESCRIPTOR_LEAST 10
/* A workload that finishes more between two looks doesn't count iterations. */
#define LEAP_MOST (UINT64_C(1) << 32)

/* Nothing but the number can be changed. */
static int give_size(int file)
{
	if (ftruncate(file, ITERATION_COUNTER_SIZE) != 0)
		return -1;
	return fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

int iteration_counter_make(void)
{
	const int file = memfd_create(NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (file < 0)
		return -1;
	int counter = -1;
	if (give_size(file) == 0) {
		counter = fcntl(file, F_DUPFD_CLOEXEC, DESCRIPTOR_WISHED);
		if (counter < 0) /* the limit of open files is lower */
			counter = fcntl(file, F_DUPFD_CLOEXEC, DESCRIPTOR_LEAST);
	}
	const int saved = errno;
	close(file);
	errno = saved;
	return counter;
}

int iteration_counter_hand_on(int counter)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/self/fd/%d", counter);
	return fcntl(counter, F_SETFD, 0) != 0 ? -1 : setenv(ITERATION_COUNTER_VARIABLE, path, 1);
}

/* Two readings that agree: one alone might have come in the middle of a change. False when there is none now. */
static bool read_number(int counter, uint64_t *number)
{
	uint64_t again;
	for (int i = 0; i < 4; i++)
		if (pread(counter, number, sizeof *number, 0) == sizeof *number &&
			pread(counter, &again, sizeof again, 0) == sizeof again && (*number == again || i == 3))
			return true;
	return false;
}

uint64_t iteration_counter_read(int counter, struct iteration_count *count)
{
	/* Who comes second reads again, so that nobody takes a number that is older for one that went back. */
	for (uint64_t last = atomic_load(&count->last), now = 0; read_number(counter, &now) && now != last;) {
		if (!atomic_compare_exchange_strong(&count->last, &last, now))
			continue;
		if (now > last && now - last <= LEAP_MOST)
			atomic_fetch_add(&count->total, now - last);
		break;
	}
	return atomic_load(&count->total);
}

/* Somebody may have closed it, and opened something else. */
static bool is_counter(const char *path)
{
	char target[PATH_MAX];
	const ssize_t length = readlink(path, target, sizeof target - 1);
	if (length < 0)
		return false;
	target[length] = '\0';
	return strncmp(target, "/memfd:" NAME, strlen("/memfd:" NAME)) == 0;
}

_Atomic uint64_t *iteration_counter_find(void)
{
	const char *const path = getenv(ITERATION_COUNTER_VARIABLE);
	void *memory = MAP_FAILED;
	if (!path)
		return NULL;
	const int file = is_counter(path) ? open(path, O_RDWR | O_CLOEXEC) : -1;
	if (file >= 0) {
		memory = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
		close(file);
	}
	unsetenv(ITERATION_COUNTER_VARIABLE);
	return memory == MAP_FAILED ? NULL : memory;
}
