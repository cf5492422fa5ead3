/* SPDX-License-Identifier: MIT */
#include "census.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Longer environments are cut. */
#define ENVIRONMENT_MAX (64 << 10)
/* PF_EXITING of the kernel. */
#define EXITING 4

/* 0 and no text when it can't be read. */
static size_t slurp(const char *path, char *text, size_t size)
{
	size_t length = 0;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		ssize_t got;
		while (length < size - 1 && (got = read(fd, text + length, size - 1 - length)) > 0)
			length += (size_t)got;
		close(fd);
	}
	text[length] = '\0';
	return length;
}

static bool read_person(pid_t pid, struct person *person)
{
	char path[64];
	char text[1024];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	if (!slurp(path, text, sizeof text))
		return false;
	const char *open = strchr(text, '(');
	const char *close = strrchr(text, ')');
	if (!open || !close)
		return false;
	*person = (struct person){.pid = pid, .instance = -1};
	snprintf(person->name, sizeof person->name, "%.*s", (int)(close - open - 1), open + 1);
	/* Behind the name: the state, and then numbers. */
	enum { PARENT, GROUP, SESSION, FLAGS = 5, THREADS = 16, START = 18, PENDING = 27, FIELDS };
	unsigned long long field[FIELDS];
	if (close[1] == '\0' || close[2] == '\0')
		return false;
	person->state = close[2];
	const char *at = close + 3;
	for (int i = 0; i < FIELDS; i++) {
		char *end;
		field[i] = strtoull(at, &end, 10);
		if (end == at)
			return false;
		at = end;
	}
	person->parent = (pid_t)field[PARENT];
	person->group = (pid_t)field[GROUP];
	person->session = (pid_t)field[SESSION];
	person->exiting = field[FLAGS] & EXITING;
	person->killed = field[PENDING] & 1ULL << (SIGKILL - 1);
	person->threads = field[THREADS];
	person->start = field[START];
	return true;
}

static void read_environment(struct person *person, const char *mark)
{
	static char text[ENVIRONMENT_MAX];
	static const char instance[] = "SHOWSTOPPER_INSTANCE=";
	static const char name[] = CENSUS_MARK "=";
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/environ", (int)person->pid);
	const size_t length = slurp(path, text, sizeof text);
	for (const char *at = text; at < text + length; at += strlen(at) + 1) {
		if (strncmp(at, instance, sizeof instance - 1) == 0)
			person->instance = (int)strtol(at + sizeof instance - 1, NULL, 10);
		if (strncmp(at, name, sizeof name - 1) == 0)
			person->marked = strcmp(at + sizeof name - 1, mark) == 0;
	}
}

static int by_number(const void *left, const void *right)
{
	const struct person *a = left;
	const struct person *b = right;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

static void add(struct census *census, const struct person *person)
{
	if (census->count == census->capacity) {
		census->capacity = census->capacity ? 2 * census->capacity : 256;
		census->item = realloc(census->item, census->capacity * sizeof *census->item);
		if (!census->item) {
			perror("faults");
			_exit(125);
		}
	}
	census->item[census->count++] = *person;
}

/* A parent may have a larger number than its child, so once through isn't enough. */
static void find_descent(struct census *census)
{
	const pid_t self = getpid();
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < census->count; i++) {
			struct person *person = &census->item[i];
			const struct person *parent = person->below ? NULL : census_find(census, person->parent);
			if (!person->below && (person->parent == self || (parent && parent->below)))
				again = person->below = true;
		}
	}
}

void census_take(struct census *census, const char *mark)
{
	DIR *proc = opendir("/proc");
	census->count = 0;
	if (!proc) {
		perror("faults: /proc");
		_exit(125);
	}
	for (struct dirent *entry; (entry = readdir(proc));) {
		struct person person;
		char *end;
		const long pid = strtol(entry->d_name, &end, 10);
		if (*end || pid <= 0 || pid > INT_MAX || pid == getpid() || !read_person((pid_t)pid, &person))
			continue;
		read_environment(&person, mark);
		add(census, &person);
	}
	closedir(proc);
	qsort(census->item, census->count, sizeof *census->item, by_number);
	find_descent(census);
	size_t kept = 0;
	for (size_t i = 0; i < census->count; i++)
		if (census->item[i].below || census->item[i].marked)
			census->item[kept++] = census->item[i];
	census->count = kept;
}

void census_free(struct census *census)
{
	free(census->item);
	*census = (struct census){0};
}

const struct person *census_find(const struct census *census, pid_t pid)
{
	const struct person wanted = {.pid = pid};
	return census->count ? bsearch(&wanted, census->item, census->count, sizeof *census->item, by_number) : NULL;
}

bool person_has_ended(const struct person *person)
{
	return person->state == 'X' || ((person->state == 'Z' || person->exiting) && person->threads <= 1);
}

bool person_is_stopped(const struct person *person)
{
	return person->state == 'T' || person->state == 't';
}

bool person_is_frozen(const struct person *person)
{
	/* Wherever the hierarchies are usually mounted. */
	static const char *const unified[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
	char path[PATH_MAX];
	char groups[4096];
	char text[256];
	snprintf(path, sizeof path, "/proc/%d/cgroup", (int)person->pid);
	slurp(path, groups, sizeof groups);
	for (char *rest = groups, *line; (line = strsep(&rest, "\n"));) {
		const char *name = strrchr(line, ':');
		if (!name)
			continue;
		for (size_t i = 0; strncmp(line, "0::", 3) == 0 && i < sizeof unified / sizeof *unified; i++) {
			snprintf(path, sizeof path, "%s%s/cgroup.events", unified[i], name + 1);
			if (slurp(path, text, sizeof text) && strstr(text, "frozen 1"))
				return true;
		}
		if (strstr(line, ":freezer:")) {
			snprintf(path, sizeof path, "/sys/fs/cgroup/freezer%s/freezer.state", name + 1);
			if (slurp(path, text, sizeof text) && strncmp(text, "THAWED", 6) != 0)
				return true;
		}
	}
	return false;
}
