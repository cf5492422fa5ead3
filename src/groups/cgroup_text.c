/* SPDX-License-Identifier: MIT */
#include "groups/cgroup_text.h"

#include <errno.h>
#include <string.h>

#include "base/units.h"

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

/* ---- Mounts ----------------------------------------------------------------------------------------------------------- */

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

/* Whether a list separated by commas has the word. */
static bool has_word(struct word list, const char *text)
{
	const char *at = list.text, *const end = list.text + list.length;
	while (at < end) {
		const char *const comma = memchr(at, ',', (size_t)(end - at));
		const char *const stop = comma ? comma : end;
		if (is((struct word){at, (size_t)(stop - at)}, text))
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
		if (is(its_type, type) && (!option || has_word(options, option)) && copy_path(its_point, point, size) &&
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

/* ---- Groups ----------------------------------------------------------------------------------------------------------- */

double linux_cgroup_parse_max(const char *text, size_t length)
{
	const char *at = text, *const end = text + length;
	uint64_t quota, period;
	if (!linux_number(&at, end, &quota) || at == end || *at != ' ')
		return 0;
	at++;
	if (!linux_number(&at, end, &period) || period == 0)
		return 0;
	return (double)quota / (double)period;
}

bool linux_cgroup_parse_own(const char *text, size_t length, const char *controller, char *path, size_t size)
{
	const char *const end = text + length;
	for (const char *at = text, *stop; at < end; at = stop + 1) {
		stop = line_end(at, end);
		/* number:controllers:path; version 2 has none */
		const char *const names = memchr(at, ':', (size_t)(stop - at));
		const char *const name_end = names ? memchr(names + 1, ':', (size_t)(stop - names - 1)) : NULL;
		if (!name_end || (controller ? !has_word((struct word){names + 1, (size_t)(name_end - names - 1)}, controller)
					     : name_end != names + 1))
			continue;
		const size_t used = (size_t)(stop - name_end - 1);
		if (used == 0 || used >= size || name_end[1] != '/' || memchr(name_end, '\0', used))
			return false;
		memcpy(path, name_end + 1, used);
		path[used] = '\0';
		return true;
	}
	return false;
}

bool linux_cgroup_climbs(const char *path)
{
	for (const char *at = path; (at = strchr(at, '/')) != NULL; at++)
		if (strncmp(at, "/..", 3) == 0 && (at[3] == '/' || !at[3]))
			return true;
	return false;
}

const char *linux_cgroup_below(const char *path, const char *part)
{
	const size_t length = strcmp(part, "/") == 0 ? 0 : strlen(part);
	if (strncmp(path, part, length) != 0)
		return NULL;
	const char *const rest = path + length;
	if (strcmp(rest, "/") == 0)
		return "";
	return (*rest && *rest != '/') || linux_cgroup_climbs(rest) ? NULL : rest;
}
