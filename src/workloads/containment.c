/* SPDX-License-Identifier: MIT */
/*
 * The processes. The caller forks a helper, because who unshares a user namespace is in it at once and can't come back. The
 * helper unshares and forks the init, whose number it knows and which becomes the caller's child when the helper ends (the
 * caller is a subreaper). The init waits for that, since its parent-death signal would be sent for the helper's death, too.
 * Then it forks the first process of the workload.
 *
 * The tie, a pair of sockets. To the caller go a message from the init when it is there, one from the first process, each with
 * its sender's number as the kernel translates it for the receiver, and the wait status of the first process when it has ended;
 * or what failed at any of these steps. To the init goes a byte when its parent is the caller, and one when it may reap the
 * first process. getppid() says 0 in the namespace, so that a caller who died before the parent-death signal was set is noticed
 * by the end of the tie: descriptors are closed before parent-death signals are sent.
 *
 * One namespace per workload and not one for all: an executor that is killed takes its own workload with it and no other, and
 * the init's life is that of one workload. The price is that workloads of one run don't see each other.
 */
#include "workloads/containment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "groups/cgroup_text.h"
#include "self/host_text.h"

#define NAMESPACES (CLONE_NEWPID | CLONE_NEWNS)
/* The signal by which the caller asks the init to kill all others. */
#define REQUEST SIGUSR1

/* To the caller. */
struct message {
	int stage; /* enum start_stage of a failure, or STAGE_NONE: started, or ended */
	int value; /* errno; whether there is a user namespace; wait status */
};

const char *start_stage_text(enum start_stage stage)
{
	static const char *const text[] = {
		[STAGE_NONE] = "do nothing",
		[STAGE_EXECUTOR] = "set up its executor",
		[STAGE_GROUP] = "put it into a control group of its own",
		[STAGE_FORK] = "start a process",
		[STAGE_NAMESPACE] = "make a PID namespace",
		[STAGE_MAP] = "map its user into a user namespace",
		[STAGE_PROC] = "mount a /proc of its own",
		[STAGE_CHDIR] = "change to its folder",
		[STAGE_STDIN] = "open /dev/null",
		[STAGE_STDOUT] = "open its standard output",
		[STAGE_STDERR] = "open its standard error",
		[STAGE_AFFINITY] = "bind it to its processors",
		[STAGE_EXEC] = "execute the command",
	};
	/* It may come from a process that its user controls. */
	return text[(size_t)stage < sizeof text / sizeof *text ? stage : STAGE_NONE];
}

/* ---- Messages --------------------------------------------------------------------------------------------------------- */

static void tell(int tie, enum start_stage stage, int value)
{
	const struct message message = {.stage = stage, .value = value};
	while (send(tie, &message, sizeof message, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

/* 0 with the message and its sender's process number, or -1 when there will be none. */
static int hear(int tie, struct message *message, pid_t *sender, int flags)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec data = {.iov_base = message, .iov_len = sizeof *message};
	struct msghdr header = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
	struct ucred credentials = {0};
	ssize_t got;
	do
		got = recvmsg(tie, &header, flags | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got != sizeof *message) {
		if (got >= 0)
			errno = ESRCH;
		return -1;
	}
	const struct cmsghdr *part = CMSG_FIRSTHDR(&header);
	if (part && part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_CREDENTIALS)
		memcpy(&credentials, CMSG_DATA(part), sizeof credentials);
	if (sender)
		*sender = credentials.pid;
	return 0;
}

static void give_byte(int tie)
{
	while (send(tie, "", 1, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

/* Waits for a byte; false when the caller is gone. */
static bool take_byte(int tie, int flags)
{
	char byte;
	ssize_t got;
	do
		got = recv(tie, &byte, 1, flags);
	while (got < 0 && errno == EINTR);
	return got == 1 || (got < 0 && errno == EAGAIN);
}

/* ---- In the new processes --------------------------------------------------------------------------------------------- */

_Noreturn static void give_up(int tie, enum start_stage stage)
{
	tell(tie, stage, errno);
	_exit(0);
}

static int write_file(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	const ssize_t written = write(fd, text, strlen(text));
	const int saved = errno;
	close(fd);
	errno = saved;
	return written == (ssize_t)strlen(text) ? 0 : -1;
}

static uint64_t capability_bounds(void)
{
	uint64_t bounds = 0;
	for (unsigned long capability = 0; capability < 64; capability++)
		if (prctl(PR_CAPBSET_READ, capability) == 1)
			bounds |= UINT64_C(1) << capability;
	return bounds;
}

/* The same numbers inside as outside. Without setgroups, which the kernel demands of those who map themselves. */
static int map_user(uid_t user, gid_t group)
{
	char text[64];
	if (write_file("/proc/self/setgroups", "deny") != 0 && errno != ENOENT)
		return -1;
	snprintf(text, sizeof text, "%u %u 1", group, group);
	if (write_file("/proc/self/gid_map", text) != 0)
		return -1;
	snprintf(text, sizeof text, "%u %u 1", user, user);
	return write_file("/proc/self/uid_map", text);
}

/* Before Linux 5.9, and where a sandbox doesn't know close_range. */
static void close_listed_but(int tie)
{
	DIR *const open_files = opendir("/proc/self/fd");
	if (!open_files)
		return;
	for (struct dirent *entry; (entry = readdir(open_files));) {
		const long file = strtol(entry->d_name, NULL, 10);
		if (file > STDERR_FILENO && file != tie && file != dirfd(open_files))
			close((int)file);
	}
	closedir(open_files);
}

/* Closes what the workload or nobody should hold open. */
static void close_all_but(int tie)
{
	if (tie > STDERR_FILENO + 1 && close_range(STDERR_FILENO + 1, (unsigned)tie - 1, 0) != 0)
		close_listed_but(tie);
	if (close_range((unsigned)(tie > STDERR_FILENO ? tie : STDERR_FILENO) + 1, ~0U, 0) != 0)
		close_listed_but(tie);
}

/* Nothing of a run can be changed by who takes this process over. 0, or -1 with errno. */
static int forget_shared_memory(void)
{
	FILE *const maps = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 128];
	uintptr_t from, to;
	char rights[5];
	if (!maps)
		return -1;
	while (fgets(line, sizeof line, maps))
		// NOLINTNEXTLINE(cert-err34-c): the kernel writes addresses that fit
		if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &from, &to, rights) == 3 && rights[3] == 's')
			munmap((void *)from, to - from); // NOLINT(performance-no-int-to-ptr)
	fclose(maps);
	return 0;
}

/* Makes a user namespace, and lives until the helper is in it. */
_Noreturn static void become_mapper(int tie, uid_t user, gid_t group)
{
	close_all_but(tie);
	if (forget_shared_memory() != 0)
		give_up(tie, STAGE_MAP);
	/* This takes whatever capabilities there were. */
	if (unshare(CLONE_NEWUSER) != 0)
		give_up(tie, STAGE_NAMESPACE);
	if (prctl(PR_SET_DUMPABLE, 1UL, 0UL, 0UL, 0UL) != 0 || map_user(user, group) != 0)
		give_up(tie, STAGE_MAP);
	tell(tie, STAGE_NONE, 0);
	take_byte(tie, 0);
	_exit(0);
}

/*
 * A program with capabilities of its own (setcap) can't be traced by its user, and so its files in /proc belong to root. Only who can be
 * traced may map a user, and who traces a process has all that this has. So another process makes the namespace, and has nothing: no
 * capability, no descriptor, no memory of the run. Returns in the namespace.
 */
static void enter_namespace_of_mapper(int tie, uid_t user, gid_t group)
{
	int ties[2];
	char path[64];
	struct message message;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ties) != 0)
		give_up(tie, STAGE_FORK);
	const pid_t mapper = fork();
	if (mapper < 0)
		give_up(tie, STAGE_FORK);
	if (mapper == 0)
		become_mapper(ties[1], user, group);
	close(ties[1]);
	if (hear(ties[0], &message, NULL, 0) != 0)
		give_up(tie, STAGE_NAMESPACE);
	errno = message.value;
	if (message.stage != STAGE_NONE)
		give_up(tie, (enum start_stage)message.stage);
	snprintf(path, sizeof path, "/proc/%d/ns/user", (int)mapper);
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0 || setns(file, CLONE_NEWUSER) != 0)
		give_up(tie, STAGE_NAMESPACE);
	close(file);
	close(ties[0]);
	waitpid(mapper, NULL, 0);
}

/* Who makes or enters a user namespace gets every capability in it; a program executed later must not have more than without. */
static void enter_user_namespace(int tie)
{
	const uid_t user = geteuid();
	const gid_t group = getegid();
	const uint64_t bounds = capability_bounds();
	if (prctl(PR_GET_DUMPABLE, 0UL, 0UL, 0UL, 0UL) == 1) {
		if (unshare(CLONE_NEWUSER) != 0)
			give_up(tie, STAGE_NAMESPACE);
		if (map_user(user, group) != 0)
			give_up(tie, STAGE_MAP);
	} else {
		enter_namespace_of_mapper(tie, user, group);
	}
	if (unshare(NAMESPACES) != 0)
		give_up(tie, STAGE_NAMESPACE);
	for (unsigned long capability = 0; capability < 64; capability++)
		if (!(bounds & UINT64_C(1) << capability))
			prctl(PR_CAPBSET_DROP, capability);
}

/* Only the mount on /proc is kept from other mount namespaces; mounts that a workload makes go where they went without. */
static int mount_proc(void)
{
	if (mount("none", "/proc", "none", MS_SLAVE, NULL) != 0)
		return -1;
	return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/* Asked by the caller, whose number is none in the namespace: by nobody in it. Nothing escapes that is being forked. */
static void kill_all_others(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	if (info->si_code == SI_USER && info->si_pid == 0)
		kill(-1, SIGKILL);
}

/* May interrupt what the init does at any time. */
static void await_request(void)
{
	const struct sigaction action = {.sa_sigaction = kill_all_others, .sa_flags = SA_SIGINFO | SA_RESTART};
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, REQUEST);
	sigaction(REQUEST, &action, NULL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

_Noreturn static void reap_until_none_is_left(int tie, pid_t first)
{
	siginfo_t ended;
	while (waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT) == 0) {
		if (ended.si_pid == first) {
			/* As waitpid would give it; the zombie stays until the caller has looked at what it leaves. */
			const int status = ended.si_code == CLD_EXITED
						   ? ended.si_status << 8
						   : ended.si_status | (ended.si_code == CLD_DUMPED ? WCOREFLAG : 0);
			tell(tie, STAGE_NONE, status);
			take_byte(tie, 0);
		}
		waitpid(ended.si_pid, NULL, 0);
	}
	_exit(0);
}

/* Returns in the first process of the workload. */
static void become_init(int tie, bool user_namespace)
{
	tell(tie, STAGE_NONE, user_namespace);
	if (!take_byte(tie, 0))
		_exit(0);
	/* After everything that changes credentials, which resets it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!take_byte(tie, MSG_PEEK | MSG_DONTWAIT))
		_exit(0);
	prctl(PR_SET_NAME, "pidns-init");
	if (mount_proc() != 0)
		give_up(tie, STAGE_PROC);
	const pid_t first = fork();
	if (first < 0)
		give_up(tie, STAGE_FORK);
	if (first == 0) {
		tell(tie, STAGE_NONE, 0);
		return;
	}
	close_all_but(tie);
	await_request();
	/*
	 * A real-time process that reaps can hang (see the executor's). One with the workload's nice value may not get round to it: what
	 * forks and ends all the time in a control group, beside others, leaves it so little that the dead use up all numbers.
	 */
	sched_setscheduler(0, SCHED_OTHER, &(const struct sched_param){0});
	scheduling_raise_nice();
	reap_until_none_is_left(tie, first);
}

/* Returns in the first process of the workload. */
static void become_helper(int tie, pid_t caller, const struct scheduling *user)
{
	bool user_namespace = false;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != caller)
		_exit(0);
	/* Within a user namespace there is no permission for it any more. */
	scheduling_restore_attributes(user);
	if (unshare(NAMESPACES) != 0) {
		if (errno != EPERM)
			give_up(tie, STAGE_NAMESPACE);
		enter_user_namespace(tie);
		user_namespace = true;
	}
	const pid_t init = fork();
	if (init < 0)
		give_up(tie, STAGE_FORK);
	if (init > 0)
		_exit(0);
	become_init(tie, user_namespace);
}

/* ---- In the caller ---------------------------------------------------------------------------------------------------- */

pid_t containment_fork(struct containment *containment, const struct scheduling *user, enum start_stage *stage)
{
	int ties[2];
	struct message message = {0};
	pid_t first = -1;
	*containment = (struct containment){.tie = -1};
	*stage = STAGE_FORK;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ties) != 0)
		return -1;
	if (setsockopt(ties[0], SOL_SOCKET, SO_PASSCRED, &(const int){1}, sizeof(int)) != 0)
		goto fail;
	const pid_t caller = getpid();
	const pid_t helper = fork();
	if (helper < 0)
		goto fail;
	if (helper == 0) {
		close(ties[0]);
		become_helper(ties[1], caller, user);
		close(ties[1]);
		return 0;
	}
	close(ties[1]);
	ties[1] = -1;
	*stage = STAGE_NAMESPACE;
	const int heard = hear(ties[0], &message, &containment->init, 0);
	const int error = errno;
	waitpid(helper, NULL, 0);
	errno = error;
	if (heard != 0 || message.stage != STAGE_NONE) {
		containment->init = 0;
		goto fail;
	}
	containment->user_namespace = message.value;
	give_byte(ties[0]);
	if (hear(ties[0], &message, &first, 0) == 0 && message.stage == STAGE_NONE) {
		containment->tie = ties[0];
		return first;
	}
fail:
	if (message.stage != STAGE_NONE) {
		*stage = (enum start_stage)message.stage;
		errno = message.value;
	}
	const int saved = errno;
	if (ties[1] >= 0)
		close(ties[1]);
	containment->tie = ties[0];
	containment_abandon(containment);
	errno = saved;
	return -1;
}

void containment_abandon(struct containment *containment)
{
	containment_free(containment);
	if (!containment->init)
		return;
	kill(containment->init, SIGKILL);
	waitpid(containment->init, NULL, 0);
	containment->init = 0;
}

bool containment_read_end(struct containment *containment, int *wait_status)
{
	struct message message;
	if (containment->tie < 0)
		return false;
	if (hear(containment->tie, &message, NULL, MSG_DONTWAIT) == 0) {
		*wait_status = message.value;
		return true;
	}
	if (errno != EAGAIN)
		containment_free(containment);
	return false;
}

void containment_let_go(const struct containment *containment)
{
	if (containment->tie >= 0)
		give_byte(containment->tie);
}

bool containment_end(struct containment *containment, int64_t deadline_ns)
{
	if (containment->init)
		kill(containment->init, REQUEST);
	return containment_await_end(containment, deadline_ns);
}

bool containment_await_end(struct containment *containment, int64_t deadline_ns)
{
	while (containment->tie >= 0) {
		struct pollfd polled = {.fd = containment->tie, .events = POLLIN};
		int status;
		const int64_t left = deadline_ns - clock_now();
		if (left <= 0 || poll(&polled, 1, (int)(left / NS_PER_MS) + 1) == 0)
			return false;
		if (containment_read_end(containment, &status))
			containment_let_go(containment);
	}
	return true;
}

void containment_free(struct containment *containment)
{
	if (containment->tie >= 0)
		close(containment->tie);
	containment->tie = -1;
}

/* ---- Is it permitted? ------------------------------------------------------------------------------------------------- */

static const char *explanation(enum start_stage stage, int error)
{
	if (error == EPERM || error == EACCES)
		return stage == STAGE_PROC ? "; parts of /proc may be hidden here, as in containers"
					   : "; it takes root, or user namespaces that are permitted to users";
	if (error == ENOSPC || error == EUSERS)
		return "; a limit of namespaces is reached (/proc/sys/user/max_*_namespaces), or they are off";
	return "";
}

bool containment_is_permitted(bool *user_namespace, char reason[static CONTAINMENT_REASON_MAX])
{
	int ends[2];
	struct message answer = {.stage = STAGE_FORK, .value = EAGAIN};
	if (pipe2(ends, O_CLOEXEC) != 0) {
		snprintf(reason, CONTAINMENT_REASON_MAX, "can't make a pipe: %s", strerror(errno));
		return false;
	}
	const pid_t pid = fork();
	if (pid == 0) {
		struct containment containment;
		struct scheduling user;
		enum start_stage stage;
		sigset_t all;
		/* Also when it stands still, and who would kill what the caller leaves is killed with the caller. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		scheduling_save(&user);
		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, NULL);
		prctl(PR_SET_CHILD_SUBREAPER, 1UL);
		const pid_t first = containment_fork(&containment, &user, &stage);
		if (first == 0)
			_exit(0);
		answer = first > 0 ? (struct message){.stage = STAGE_NONE, .value = containment.user_namespace}
				   : (struct message){.stage = stage, .value = errno};
		if (first > 0) {
			containment_await_end(&containment, clock_now() + NS_PER_S);
			containment_abandon(&containment);
		}
		_exit(write(ends[1], &answer, sizeof answer) == sizeof answer ? 0 : 1);
	}
	if (pid < 0)
		answer.value = errno;
	close(ends[1]);
	if (pid > 0 && read(ends[0], &answer, sizeof answer) != sizeof answer)
		answer = (struct message){.stage = STAGE_FORK, .value = EAGAIN};
	close(ends[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	*user_namespace = answer.stage == STAGE_NONE && answer.value;
	if (answer.stage == STAGE_NONE)
		return true;
	snprintf(reason, CONTAINMENT_REASON_MAX, "can't %s: %s%s", start_stage_text((enum start_stage)answer.stage),
		strerror(answer.value), explanation((enum start_stage)answer.stage, answer.value));
	return false;
}

/* ---- What the kernel has ----------------------------------------------------------------------------------------------- */

int linux_facilities_processes(const char **what)
{
	int was = 0;
	const int fd = pidfd_open(getpid(), 0);
	*what = "pidfd_open";
	if (fd < 0)
		return errno;
	close(fd);
	*what = "prctl(PR_SET_CHILD_SUBREAPER)";
	if (prctl(PR_GET_CHILD_SUBREAPER, &was) != 0 || prctl(PR_SET_CHILD_SUBREAPER, (unsigned long)was) != 0)
		return errno;
	return 0;
}

bool linux_facilities_own_proc(void)
{
	char number[16] = "";
	struct stat status;
	/* Where there is none at all, others say so. */
	if (lstat("/proc/self", &status) != 0)
		return true;
	return readlink("/proc/self", number, sizeof number - 1) > 0 && strtol(number, NULL, 10) == getpid();
}

bool linux_facilities_children(void)
{
	return access("/proc/thread-self/children", R_OK) == 0;
}

bool linux_facilities_hidepid(const struct sst_env *env)
{
	static const char *const hiding[] = {
		"hidepid=1", "hidepid=2", "hidepid=4", "hidepid=noaccess", "hidepid=invisible", "hidepid=ptraceable"};
	char point[PATH_MAX], part[PATH_MAX];
	size_t length = 0;
	bool found = false;
	char *const mounts = host_text(env, "/proc/self/mountinfo", &length);
	for (size_t i = 0; mounts && !found && i < sizeof hiding / sizeof *hiding; i++)
		found = linux_cgroup_find_mount(mounts, length, "proc", hiding[i], point, part, PATH_MAX) == 0;
	free(mounts);
	return found;
}

bool linux_facilities_shm(void)
{
	return access("/dev/shm", R_OK | W_OK | X_OK) == 0;
}
