/* SPDX-License-Identifier: MIT */
#include "workloads/interpreter.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

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

bool interpreter_of(const char *path, char interpreter[static PATH_MAX])
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const bool found = fd >= 0 && (of_script(fd, interpreter) || of_program(fd, interpreter));
	if (fd >= 0)
		close(fd);
	return found;
}
