/* SPDX-License-Identifier: MIT */
/*
 * Runs a command that the kernel refuses a system call: pidfd_open gives EPERM, as the filters of containers do, and close_range ENOSYS, as
 * kernels before 5.9 and those filters do that don't know it.
 *
 * usage: without_call NAME COMMAND [ARG]...
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct call {
	const char *name;
	unsigned number;
	unsigned error;
} calls[] = {{"pidfd_open", SYS_pidfd_open, EPERM}, {"close_range", SYS_close_range, ENOSYS}};

static const struct call *find(const char *name)
{
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (strcmp(calls[i].name, name) == 0)
			return &calls[i];
	return NULL;
}

static int refuse(const struct call *call)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call->number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | call->error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv)
{
	const struct call *const call = argc < 3 ? NULL : find(argv[1]);
	if (!call) {
		fputs("usage: without_call pidfd_open|close_range COMMAND [ARG]...\n", stderr);
		return 125;
	}
	if (refuse(call) != 0) {
		perror("without_call: seccomp");
		return 125;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
