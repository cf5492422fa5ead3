/* SPDX-License-Identifier: MIT */
#include "processes/command.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "processes/exec_report.h"

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

/* 0, ENOENT or EACCES for one candidate. */
static int check_file(const char *path)
{
	struct stat status;
	if (stat(path, &status) != 0)
		return errno == ENOTDIR ? ENOENT : errno;
	return S_ISREG(status.st_mode) && access(path, X_OK) == 0 ? 0 : EACCES;
}

int command_find(const char *command, const char *directory, char path[static PATH_MAX])
{
	int result = ENOENT;
	if (!*command) {
		errno = ENOENT;
		return -1;
	}
	if (strchr(command, '/')) {
		const bool in_directory = directory && *command != '/';
		if (snprintf(path, PATH_MAX, "%s%s%s", in_directory ? directory : "", in_directory ? "/" : "", command) >=
			PATH_MAX)
			result = ENAMETOOLONG;
		else
			result = check_file(path);
	} else {
		const char *search = getenv("PATH");
		char *folders = strdup(search ? search : "/bin:/usr/bin");
		char *rest = folders;
		if (!folders)
			return -1;
		for (char *folder; result != 0 && (folder = strsep(&rest, ":"));) {
			if (snprintf(path, PATH_MAX, "%s/%s", *folder ? folder : ".", command) >= PATH_MAX)
				continue;
			const int found = check_file(path);
			if (found == 0 || found == EACCES)
				result = found;
		}
		free(folders);
	}
	errno = result;
	return result == 0 ? 0 : -1;
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

char *command_text(char *const *command)
{
	size_t size = 1;
	for (char *const *at = command; *at; at++)
		size += strlen(*at) + 1;
	char *const line = malloc(size);
	char *end = line;
	for (char *const *at = command; line && *at; at++)
		end = stpcpy(stpcpy(end, at == command ? "" : " "), *at);
	return line;
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
		const int error = command_interpreter(path, interpreter) ? check_file(interpreter) : 0;
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
