/* SPDX-License-Identifier: MIT */
#include "os/cgroup_usage.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "os/cgroup.h"
#include "os/host.h"
#include "os/source.h"

/* Inode of the first cgroup namespace (the kernel's PROC_CGROUP_INIT_INO). */
#define FIRST_NAMESPACE "cgroup:[4026531835]"
#define TEXT_MAX (1 << 20)

static const char *line_end(const char *at, const char *end)
{
	const char *const newline = memchr(at, '\n', (size_t)(end - at));
	return newline ? newline : end;
}

static ssize_t parse_cpu_stat(const char *at, const char *end, uint64_t *ns)
{
	static const char key[] = "usage_usec ";
	for (const char *line_stop; at < end; at = line_stop + 1) {
		line_stop = line_end(at, end);
		if ((size_t)(line_stop - at) < sizeof key - 1 || memcmp(at, key, sizeof key - 1) != 0)
			continue;
		at += sizeof key - 1;
		uint64_t usec;
		if (!linux_number(&at, line_stop, &usec) || at != line_stop || __builtin_mul_overflow(usec, 1000, ns))
			break;
		return 1;
	}
	errno = EINVAL;
	return -1;
}

ssize_t linux_cgroup_usage_parse(enum linux_cgroup_format format, const char *text, size_t length, uint64_t *ns, size_t room)
{
	const char *at = text, *const end = text + length;
	uint64_t value;
	if (format == LINUX_CGROUP_V2) {
		if (parse_cpu_stat(at, end, &value) < 0)
			return -1;
		if (room > 0)
			ns[0] = value;
		return 1;
	}
	size_t count = 0;
	while (at < end && linux_number(&at, end, &value)) {
		if (count < room)
			ns[count] = value;
		count++;
		while (at < end && (*at == ' ' || *at == '\n'))
			at++;
	}
	if (at < end || count == 0 || (format == LINUX_CGROUP_V1 && count != 1)) {
		errno = EINVAL;
		return -1;
	}
	return (ssize_t)count;
}

/* ---- Finding ---------------------------------------------------------------------------------------------------------- */

struct word {
	const char *text;
	size_t length;
};

static struct word next_word(const char **at, const char *end)
{
	while (*at < end && **at == ' ')
		(*at)++;
	const char *const start = *at;
	while (*at < end && **at != ' ')
		(*at)++;
	return (struct word){start, (size_t)(*at - start)};
}

static bool is(struct word word, const char *text)
{
	return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

/* Whether a list separated by commas has the option. */
static bool has_option(struct word list, const char *option)
{
	const char *at = list.text, *const end = list.text + list.length;
	while (at < end) {
		const char *const comma = memchr(at, ',', (size_t)(end - at));
		const char *const stop = comma ? comma : end;
		if (is((struct word){at, (size_t)(stop - at)}, option))
			return true;
		at = stop + 1;
	}
	return false;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Copies a path of mountinfo, where blanks and such are written \040. */
static bool copy_path(struct word word, char *to, size_t size)
{
	size_t used = 0;
	for (size_t i = 0; i < word.length; i++) {
		const char *const c = word.text + i;
		if (used + 1 >= size)
			return false;
		if (*c == '\\' && i + 3 < word.length && is_octal(c[1]) && is_octal(c[2]) && is_octal(c[3])) {
			to[used++] = (char)((c[1] - '0') * 64 + (c[2] - '0') * 8 + (c[3] - '0'));
			i += 3;
		} else {
			to[used++] = *c;
		}
	}
	to[used] = '\0';
	return used > 0 && strlen(to) == used;
}

bool linux_cgroup_next_mount(
	const char **at, const char *end, const char *type, const char *option, char *point, char *part, size_t size)
{
	while (*at < end) {
		const char *word_at = *at, *const stop = line_end(word_at, end);
		*at = stop < end ? stop + 1 : end;
		/* id parent device part point options [optional]… - type source super-options */
		next_word(&word_at, stop);
		next_word(&word_at, stop);
		next_word(&word_at, stop);
		const struct word its_part = next_word(&word_at, stop), its_point = next_word(&word_at, stop);
		struct word word;
		do
			word = next_word(&word_at, stop);
		while (word.length > 0 && !is(word, "-"));
		const struct word its_type = next_word(&word_at, stop);
		next_word(&word_at, stop);
		const struct word options = next_word(&word_at, stop);
		if (is(its_type, type) && (!option || has_option(options, option)) && copy_path(its_point, point, size) &&
			copy_path(its_part, part, size))
			return true;
	}
	return false;
}

int linux_cgroup_find_mount(
	const char *text, size_t length, const char *type, const char *option, char *point, char *part, size_t size)
{
	if (linux_cgroup_next_mount(&text, text + length, type, option, point, part, size))
		return 0;
	errno = ENOENT;
	return -1;
}

/* The whole file in memory that the caller frees, or NULL with errno. */
static char *read_whole(const char *root, const char *path, size_t *length)
{
	const int fd = linux_source_open(root, path);
	if (fd < 0)
		return NULL;
	char *const text = malloc(TEXT_MAX);
	const ssize_t got = text ? linux_source_read(fd, text, TEXT_MAX, NULL) : -1;
	const int saved = errno;
	close(fd);
	if (got < 0) {
		free(text);
		errno = saved;
		return NULL;
	}
	*length = (size_t)got;
	return text;
}

/* The mount of cpuacct; "" where there is none. */
struct mount {
	char point[PATH_MAX], part[PATH_MAX];
};

static int find_cpuacct(const char *root, struct mount *mount, char error[static LINUX_CGROUP_ERROR_MAX])
{
	size_t length;
	char *const text = read_whole(root, "/proc/self/mountinfo", &length);
	if (!text) {
		snprintf(error, LINUX_CGROUP_ERROR_MAX, "can't read %s/proc/self/mountinfo: %s", root, strerror(errno));
		return -1;
	}
	if (linux_cgroup_find_mount(text, length, "cgroup", "cpuacct", mount->point, mount->part, PATH_MAX) != 0)
		mount->point[0] = '\0';
	free(text);
	return 0;
}

/* ---- Opening and reading ---------------------------------------------------------------------------------------------- */

/* Opens one file and tries it. */
static bool open_file(struct linux_cgroup_usage *usage, enum linux_cgroup_format format, const char *root, const char *directory,
	const char *name)
{
	char path[PATH_MAX];
	const int length = snprintf(path, sizeof path, "%s/%s", directory, name);
	if (length < 0 || (size_t)length >= sizeof path) {
		errno = ENAMETOOLONG;
		return false;
	}
	*usage = (struct linux_cgroup_usage){.fd = linux_source_open(root, path), .format = format, .size = 4096};
	usage->text = malloc(usage->size);
	uint64_t ns;
	int64_t when_ns;
	if (usage->fd >= 0 && usage->text && linux_cgroup_usage_read(usage, &ns, 1, &when_ns) > 0)
		return true;
	const int saved = errno;
	linux_cgroup_usage_close(usage);
	errno = saved;
	return false;
}

int linux_cgroup_usage_open(
	struct linux_cgroup_usage *usage, const char *root, const char *path, char error[static LINUX_CGROUP_ERROR_MAX])
{
	struct host_env host;
	enum linux_cgroup_format format;
	*usage = (struct linux_cgroup_usage){.fd = -1};
	/* Handles of this host are descriptors. */
	host_env_init(&host, root, 1, 0);
	const int fd = linux_cgroup_open_usage(&host.env, path, &format, error);
	if (fd < 0)
		return -1;
	*usage = (struct linux_cgroup_usage){.fd = fd, .format = format, .size = 4096};
	usage->text = malloc(usage->size);
	if (usage->text)
		return 0;
	snprintf(error, LINUX_CGROUP_ERROR_MAX, "%s", strerror(errno));
	linux_cgroup_usage_close(usage);
	return -1;
}

int linux_cgroup_usage_open_machine(
	struct linux_cgroup_usage *usage, const char *root, int by_processor, char error[static LINUX_CGROUP_ERROR_MAX])
{
	*usage = (struct linux_cgroup_usage){.fd = -1};
	struct mount *const mount = malloc(sizeof *mount);
	if (!mount) {
		snprintf(error, LINUX_CGROUP_ERROR_MAX, "%s", strerror(errno));
		return -1;
	}
	char path[PATH_MAX], space[64] = FIRST_NAMESPACE;
	int result = find_cpuacct(root, mount, error);
	if (result != 0)
		goto out;
	const int length = snprintf(path, sizeof path, "%s/proc/self/ns/cgroup", root);
	if (length > 0 && (size_t)length < sizeof path) {
		const ssize_t got = readlink(path, space, sizeof space - 1);
		if (got >= 0)
			space[got] = '\0';
	}
	result = -1;
	const char *const name = by_processor ? "cpuacct.usage_percpu" : "cpuacct.usage";
	if (!mount->point[0])
		snprintf(error, LINUX_CGROUP_ERROR_MAX, "this machine has no cpuacct hierarchy (cgroup v1)");
	else if (strcmp(mount->part, "/") != 0 || strcmp(space, FIRST_NAMESPACE) != 0)
		snprintf(error, LINUX_CGROUP_ERROR_MAX,
			"the root group of cpuacct is that of a container here, not the machine's");
	else if (!open_file(usage, by_processor ? LINUX_CGROUP_PER_CPU : LINUX_CGROUP_V1, root, mount->point, name))
		snprintf(error, LINUX_CGROUP_ERROR_MAX, "can't read %.200s/%s: %s", mount->point, name, strerror(errno));
	else
		result = 0;
out:
	free(mount);
	return result;
}

ssize_t linux_cgroup_usage_read(struct linux_cgroup_usage *usage, uint64_t *ns, size_t room, int64_t *when_ns)
{
	for (;;) {
		const ssize_t got = linux_source_read(usage->fd, usage->text, usage->size, when_ns);
		if (got < 0)
			return -1;
		if ((size_t)got < usage->size)
			return linux_cgroup_usage_parse(usage->format, usage->text, (size_t)got, ns, room);
		if (usage->size >= TEXT_MAX) {
			errno = EINVAL;
			return -1;
		}
		char *const larger = realloc(usage->text, 2 * usage->size);
		if (!larger)
			return -1;
		usage->text = larger;
		usage->size *= 2;
	}
}

void linux_cgroup_usage_close(struct linux_cgroup_usage *usage)
{
	if (usage->fd >= 0)
		close(usage->fd);
	free(usage->text);
	*usage = (struct linux_cgroup_usage){.fd = -1};
}
