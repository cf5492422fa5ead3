/* SPDX-License-Identifier: MIT */
/*
 * All signals are blocked over the fork, so that no handler or default action runs in the child before it has the user's
 * dispositions back. How the child tells of a failure: exec_report.h.
 */
#include "workloads/spawn.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/output.h"
#include "groups/workload_groups.h"
#include "processes/affinity.h"
#include "processes/command.h"
#include "processes/exec_report.h"
#include "self/iteration_counter.h"

/* Opens it above the standard descriptors. -1 with errno. */
static int open_above(const char *file)
{
	const int fd = output_open(file, O_APPEND);
	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	const int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	const int saved = errno;
	close(fd);
	errno = saved;
	return above;
}

/* In the caller's folder, and both before either takes its place, since one may be a name of the other's. */
static enum start_stage open_outputs(const struct spawn *spawn, int output[static 2])
{
	if (spawn->stdout_file && (output[0] = open_above(spawn->stdout_file)) < 0)
		return STAGE_STDOUT;
	if (spawn->stderr_file && (output[1] = open_above(spawn->stderr_file)) < 0)
		return STAGE_STDERR;
	return STAGE_NONE;
}

static int take_input_from_nowhere(void)
{
	const int fd = open("/dev/null", O_RDONLY);
	if (fd <= STDIN_FILENO)
		return fd;
	const int result = dup2(fd, STDIN_FILENO);
	close(fd);
	return result;
}

static enum start_stage become(const struct spawn *spawn)
{
	int output[2] = {-1, -1};
	char number[16];
	/* Before anything that could fork. */
	if (spawn->group && workload_group_enter(spawn->group) != 0)
		return STAGE_GROUP;
	snprintf(number, sizeof number, "%u", spawn->index);
	if (setenv("SHOWSTOPPER_INSTANCE", number, 1) != 0 || (spawn->counter && iteration_counter_hand_on(spawn->counter) != 0))
		return STAGE_FORK;
	const enum start_stage opening = open_outputs(spawn, output);
	if (opening != STAGE_NONE)
		return opening;
	if (spawn->directory && chdir(spawn->directory) != 0)
		return STAGE_CHDIR;
	if (!spawn->inherit_stdin && take_input_from_nowhere() < 0)
		return STAGE_STDIN;
	if (output[0] >= 0 && dup2(output[0], STDOUT_FILENO) < 0)
		return STAGE_STDOUT;
	if (output[1] >= 0 && dup2(output[1], STDERR_FILENO) < 0)
		return STAGE_STDERR;
	/* Before exec: whatever the workload starts inherits it. */
	if ((spawn->cpus ? linux_affinity_set(0, spawn->cpus) : linux_mask_give(&spawn->mask)) != 0)
		return STAGE_AFFINITY;
	scheduling_restore(spawn->user);
	execvp(spawn->command[0], spawn->command);
	return STAGE_EXEC;
}

static _Noreturn void child(const struct spawn *spawn, pid_t parent, const struct exec_report *report)
{
	/* The contained die with their init. */
	if (!spawn->containment)
		exec_report_die_with(parent);
	setpgid(0, 0);
	const enum start_stage stage = become(spawn);
	exec_report_fail(report, (int)stage, errno);
}

pid_t spawn(const struct spawn *spawn, enum start_stage *stage)
{
	sigset_t all;
	sigset_t before;
	struct exec_report report;
	enum start_stage reached = STAGE_FORK;
	*stage = STAGE_FORK;
	if (exec_report_open(&report) != 0)
		return -1;
	report.tie = spawn->tie ? spawn->tie : -1;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	const pid_t parent = getpid();
	const struct scheduling_lent lent = scheduling_before_fork(spawn->user);
	const pid_t pid = spawn->containment ? containment_fork(spawn->containment, spawn->user, &reached) : fork();
	struct exec_failure failure = {.stage = (int)reached, .error = errno};
	if (pid == 0)
		child(spawn, parent, &report);
	scheduling_after_fork(spawn->user, &lent);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (!exec_report_read(&report, pid, &failure) && pid > 0)
		return pid;
	if (pid > 0 && spawn->containment)
		containment_abandon(spawn->containment);
	else if (pid > 0)
		waitpid(pid, NULL, 0);
	*stage = (enum start_stage)failure.stage;
	errno = failure.error;
	return -1;
}

bool spawn_hands_input_on(unsigned workloads)
{
	return workloads == 1 && !isatty(STDIN_FILENO);
}

/* ---- Whether a command can be started ------------------------------------------------------------------------------- */

/* So much of a script the kernel looks at. */
#define SCRIPT_MAX 256

static bool read_at(int fd, void *to, size_t size, off_t offset)
{
	return pread(fd, to, size, offset) == (ssize_t)size;
}

static bool of_script(int fd, char interpreter[static PATH_MAX])
{
	char line[SCRIPT_MAX + 1];
	const ssize_t length = pread(fd, line, SCRIPT_MAX, 0);
	line[length > 0 ? length : 0] = '\0';
	if (strncmp(line, "#!", 2) != 0)
		return false;
	const char *const name = line + 2 + strspn(line + 2, " \t");
	const size_t width = strcspn(name, " \t\n");
	/* Cut: the kernel knows. */
	if (*name != '/' || !name[width])
		return false;
	memcpy(interpreter, name, width);
	interpreter[width] = '\0';
	return true;
}

/* Whether the machine itself executes it, as it does this program. Others may be emulated, with loaders in a root of their own. */
static bool is_native(const ElfW(Ehdr) * header)
{
	ElfW(Ehdr) own;
	const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const bool have = fd >= 0 && read_at(fd, &own, sizeof own, 0);
	if (fd >= 0)
		close(fd);
	return have && memcmp(header->e_ident, own.e_ident, EI_VERSION) == 0 && header->e_machine == own.e_machine;
}

static bool of_program(int fd, char interpreter[static PATH_MAX])
{
	ElfW(Ehdr) header;
	ElfW(Phdr) part;
	if (!read_at(fd, &header, sizeof header, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || !is_native(&header) ||
		header.e_phentsize != sizeof part)
		return false;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		if (!read_at(fd, &part, sizeof part, (off_t)(header.e_phoff + i * sizeof part)))
			return false;
		if (part.p_type == PT_INTERP)
			return part.p_filesz >= 2 && part.p_filesz <= PATH_MAX &&
			       read_at(fd, interpreter, part.p_filesz, (off_t)part.p_offset) &&
			       interpreter[part.p_filesz - 1] == '\0' && *interpreter == '/';
	}
	return false;
}

bool command_interpreter(const char *path, char interpreter[static PATH_MAX])
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const bool found = fd >= 0 && (of_script(fd, interpreter) || of_program(fd, interpreter));
	if (fd >= 0)
		close(fd);
	return found;
}

/* As chdir would. 0, or -1 with errno. */
static int check_folder(const char *folder)
{
	struct stat status;
	if (stat(folder, &status) != 0)
		return -1;
	errno = ENOTDIR;
	return S_ISDIR(status.st_mode) ? faccessat(AT_FDCWD, folder, X_OK, AT_EACCESS) : -1;
}

int command_verify(const char *command, const char *folder)
{
	char path[PATH_MAX];
	char interpreter[PATH_MAX];
	if (folder && check_folder(folder) != 0) {
		diag("--chdir: %s: %s", folder, strerror(errno));
		return EXIT_TROUBLE;
	}
	if (command_find(command, folder, path) == 0) {
		const int error =
			command_interpreter(path, interpreter) && command_find(interpreter, NULL, path) != 0 ? errno : 0;
		if (error)
			diag("%s: its interpreter %s: %s", command, interpreter, strerror(error));
		return error ? exec_report_status(error) : 0;
	}
	if (errno == ENOMEM) {
		diag("can't look for %s: %s", command, strerror(errno));
		return EXIT_TROUBLE;
	}
	const bool is_missing = errno == ENOENT;
	diag("%s: %s", command, is_missing ? "command not found" : strerror(errno));
	return is_missing ? 127 : 126;
}
