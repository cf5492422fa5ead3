/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into showstopper: the first time that a process is about to stop itself as a job does, somebody sends it SIGCONT. Nothing
 * from outside hits that moment.
 */
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of a set as the kernel knows it, in bytes. */
#define KERNEL_SET_SIZE 8

static void send_once(void)
{
	static bool sent;
	if (!sent)
		kill(getpid(), SIGCONT);
	sent = true;
}

int raise(int number)
{
	if (number == SIGTSTP || number == SIGSTOP)
		send_once();
	return (int)syscall(SYS_tgkill, getpid(), gettid(), number);
}

int sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
	if (how == SIG_UNBLOCK && set && sigismember(set, SIGTSTP) == 1)
		send_once();
	return (int)syscall(SYS_rt_sigprocmask, how, set, before, KERNEL_SET_SIZE);
}
