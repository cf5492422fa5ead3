/* SPDX-License-Identifier: MIT */
/*
 * A library to be preloaded into showstopper: makes one call of one function in one of its processes fail.
 *
 * FAIL_CALL names a file that holds a struct fail_call, which says what is to fail and is told what happened. It is mapped shared, so
 * that also processes that are killed leave their counts. Workloads don't see the library: it takes itself out of the environment.
 */
#include "fail_call.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

/* glibc's own, which need no dlsym(3). */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static struct fail_call *plan;
static unsigned process; /* number of this process in the plan */
static char path[FAIL_CALL_PATH_MAX] = "0";
static unsigned children;

/* The function of that name behind this library's own. */
#define NEXT(name)                                                                                                               \
	({                                                                                                                       \
		static __typeof__(&(name)) found;                                                                                \
		if (!found)                                                                                                      \
			found = (__typeof__(&(name)))next(#name);                                                                \
		found;                                                                                                           \
	})

static void *next(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);
	if (!found)
		abort();
	return found;
}

/* Counts a call; true, with errno, when it is the one that fails. */
static bool fails(enum fail_call_function function)
{
	if (!plan || process >= FAIL_CALL_PROCESSES)
		return false;
	const unsigned call = atomic_fetch_add(&plan->process[process].calls[function], 1) + 1;
	if (function != plan->function || call != plan->call || strcmp(path, plan->path) != 0)
		return false;
	atomic_fetch_add(&plan->hits, 1);
	errno = plan->error;
	return true;
}

static void enter_process(void)
{
	process = atomic_fetch_add(&plan->processes, 1);
	if (process < FAIL_CALL_PROCESSES)
		memcpy(plan->process[process].path, path, sizeof path);
}

__attribute__((constructor)) static void start(void)
{
	const char *file = getenv("FAIL_CALL");
	const int fd = file ? (int)syscall(SYS_openat, AT_FDCWD, file, O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	void *memory = NEXT(mmap)(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	unsetenv("FAIL_CALL");
	unsetenv("LD_PRELOAD");
	if (memory == MAP_FAILED)
		abort();
	plan = memory;
	enter_process();
}

EXPORT pid_t fork(void)
{
	if (fails(FAIL_FORK))
		return -1;
	const unsigned number = ++children;
	const pid_t pid = NEXT(fork)();
	if (pid == 0 && plan) {
		const size_t used = strlen(path);
		snprintf(path + used, sizeof path - used, ".%u", number);
		children = 0;
		enter_process();
	}
	return pid;
}

/* Where lines are counted, libgcov allocates too, and does not survive a failure. */
#ifndef FAIL_CALL_NO_MALLOC

EXPORT void *malloc(size_t size)
{
	return fails(FAIL_MALLOC) ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
	return fails(FAIL_MALLOC) ? NULL : __libc_calloc(count, size);
}

EXPORT void *realloc(void *memory, size_t size)
{
	return fails(FAIL_MALLOC) ? NULL : __libc_realloc(memory, size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	return fails(FAIL_MALLOC) ? NULL : __libc_memalign(alignment, size);
}

#endif

EXPORT void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
	return fails(FAIL_MMAP) ? MAP_FAILED : NEXT(mmap)(address, length, protection, flags, fd, offset);
}

EXPORT int shm_open(const char *name, int flags, mode_t mode)
{
	if (fails(FAIL_SHM_OPEN))
		return -1;
	if (plan)
		snprintf(plan->shared_memory, sizeof plan->shared_memory, "/dev/shm%s", name);
	return NEXT(shm_open)(name, flags, mode);
}

EXPORT int ftruncate(int fd, off_t length)
{
	return fails(FAIL_FTRUNCATE) ? -1 : NEXT(ftruncate)(fd, length);
}

/* Returns its error, and leaves errno alone. */
EXPORT int posix_fallocate(int fd, off_t offset, off_t length)
{
	const int saved = errno;
	if (fails(FAIL_FTRUNCATE)) {
		const int error = errno;
		errno = saved;
		return error;
	}
	return NEXT(posix_fallocate)(fd, offset, length);
}

static mode_t mode_of(int flags, va_list arguments)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

EXPORT int open(const char *file, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	const mode_t mode = mode_of(flags, arguments);
	va_end(arguments);
	return fails(FAIL_OPEN) ? -1 : NEXT(open)(file, flags, mode);
}

EXPORT int openat(int folder, const char *file, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	const mode_t mode = mode_of(flags, arguments);
	va_end(arguments);
	return fails(FAIL_OPEN) ? -1 : NEXT(openat)(folder, file, flags, mode);
}

EXPORT FILE *fopen(const char *file, const char *mode)
{
	return fails(FAIL_OPEN) ? NULL : NEXT(fopen)(file, mode);
}

EXPORT FILE *fdopen(int fd, const char *mode)
{
	return fails(FAIL_OPEN) ? NULL : NEXT(fdopen)(fd, mode);
}

EXPORT DIR *opendir(const char *name)
{
	return fails(FAIL_OPEN) ? NULL : NEXT(opendir)(name);
}

EXPORT FILE *open_memstream(char **text, size_t *length)
{
	return fails(FAIL_OPEN) ? NULL : NEXT(open_memstream)(text, length);
}

EXPORT int dup2(int from, int to)
{
	return fails(FAIL_DUP) ? -1 : NEXT(dup2)(from, to);
}

EXPORT ssize_t write(int fd, const void *data, size_t size)
{
	return fails(FAIL_WRITE) ? -1 : NEXT(write)(fd, data, size);
}

EXPORT ssize_t read(int fd, void *data, size_t size)
{
	return fails(FAIL_READ) ? -1 : NEXT(read)(fd, data, size);
}

EXPORT ssize_t pread(int fd, void *data, size_t size, off_t offset)
{
	return fails(FAIL_READ) ? -1 : NEXT(pread)(fd, data, size, offset);
}

EXPORT int poll(struct pollfd *polled, nfds_t count, int timeout)
{
	return fails(FAIL_POLL) ? -1 : NEXT(poll)(polled, count, timeout);
}

EXPORT int timerfd_create(clockid_t clock, int flags)
{
	return fails(FAIL_TIMERFD) ? -1 : NEXT(timerfd_create)(clock, flags);
}

EXPORT int signalfd(int fd, const sigset_t *mask, int flags)
{
	return fails(FAIL_SIGNALFD) ? -1 : NEXT(signalfd)(fd, mask, flags);
}

EXPORT int eventfd(unsigned count, int flags)
{
	return fails(FAIL_EVENTFD) ? -1 : NEXT(eventfd)(count, flags);
}

EXPORT int pidfd_open(pid_t pid, unsigned flags)
{
	return fails(FAIL_PIDFD_OPEN) ? -1 : NEXT(pidfd_open)(pid, flags);
}

EXPORT int pipe2(int ends[2], int flags)
{
	return fails(FAIL_PIPE) ? -1 : NEXT(pipe2)(ends, flags);
}
