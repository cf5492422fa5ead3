/* SPDX-License-Identifier: MIT */
/*
 * For builds that count which lines are executed: the counts are written when a process exits, which executors (that _exit) and
 * whoever ends by a signal that he sends to himself do not. What others kill can't be helped.
 */
#include <signal.h>
#include <unistd.h>

extern void __gcov_dump(void);
extern void __gcov_reset(void);
extern int __real_raise(int number);
extern void __real__exit(int status) __attribute__((noreturn));
int __wrap_raise(int number);
void __wrap__exit(int status) __attribute__((noreturn));

/* Who survives it goes on counting from 0; who only stops shall do so at once, before the SIGCONT that may be on its way. */
int __wrap_raise(int number)
{
	if (number != SIGSTOP && number != SIGTSTP) {
		__gcov_dump();
		__gcov_reset();
	}
	return __real_raise(number);
}

void __wrap__exit(int status)
{
	__gcov_dump();
	__real__exit(status);
}
