/* SPDX-License-Identifier: MIT */
#include "self/host.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "self/source.h"

static struct host_env *host_of(const struct sst_env *env)
{
	return (struct host_env *)((char *)env - offsetof(struct host_env, env));
}

int host_refuse(const struct sst_env *env, const char *format, ...)
{
	struct host_env *host = host_of(env);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(host->refusal, sizeof host->refusal, format, arguments);
	va_end(arguments);
	return -1;
}

void host_say(const struct sst_env *env, const char *format, ...)
{
	char text[HOST_REFUSAL_MAX];
	va_list arguments;
	(void)env;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	diag("%s", text);
}

/* A file that the kernel makes as one record: a short one is read by one call. In others, such as mountinfo, a short part may come first. */
static bool is_one_record(const char *path)
{
	return strncmp(path, "/sys/", 5) == 0 || strcmp(path, "/proc/stat") == 0;
}

static int open_source(const struct sst_env *env, const char *path)
{
	struct host_env *const host = host_of(env);
	const int fd = linux_source_open(host->root, path);
	if (fd >= 0 && fd < HOST_RECORDS_MAX)
		host->is_record[fd] = is_one_record(path);
	return fd;
}

static ssize_t read_source(const struct sst_env *env, int handle, void *buffer, size_t size, int64_t *when_ns)
{
	const bool is_record = handle >= 0 && handle < HOST_RECORDS_MAX && host_of(env)->is_record[handle];
	return is_record ? linux_source_read_record(handle, buffer, size, when_ns)
			 : linux_source_read(handle, buffer, size, when_ns);
}

static ssize_t list_source(const struct sst_env *env, const char *path, char *names, size_t size)
{
	const int fd = linux_source_open(host_of(env)->root, path);
	DIR *const folder = fd < 0 ? NULL : fdopendir(fd);
	size_t used = 0;
	if (!folder) {
		const int saved = errno;
		if (fd >= 0)
			close(fd);
		errno = saved;
		return -1;
	}
	for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
		const size_t length = strlen(entry->d_name) + 1;
		if (entry->d_type != DT_DIR || strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (used + length <= size)
			memcpy(names + used, entry->d_name, length);
		used += length;
	}
	closedir(folder);
	return (ssize_t)used;
}

static void close_source(const struct sst_env *env, int handle)
{
	(void)env;
	close(handle);
}

int64_t host_cpu_time(const struct sst_env *env)
{
	const struct host_env *host = host_of(env);
	if (host->cpu_time)
		return host->cpu_time(host->run);
	errno = EAGAIN;
	return -1;
}

const struct sst_cpus *host_cpus_now(const struct sst_env *env, uint64_t *moves)
{
	const struct host_env *host = host_of(env);
	const struct host_place place = host->place ? atomic_load(host->place) : (struct host_place){0};
	*moves = place.moves;
	return place.above ? host->moved : env->cpus;
}

int host_follow(const struct sst_env *env, const struct sst_stream *stream)
{
	struct host_env *host = host_of(env);
	struct stat status;
	if (!host->board_new)
		return host_refuse(env, "targets that come while a run goes on can be followed by showstopper and sssim alone");
	if (host->board)
		return host_refuse(env, "a second source of targets was asked for, expected one");
	if (stream->source && strcmp(stream->source, "-") != 0 && stat(stream->source, &status) != 0)
		return host_refuse(env, "source=%s: %s", stream->source, strerror(errno));
	host->followed = *stream;
	host->heard = stream->first;
	host->board = host->board_new(stream->first);
	return host->board ? 0 : host_refuse(env, "%s", strerror(errno));
}

double host_followed(const struct sst_env *env, int64_t since_ns)
{
	struct host_env *host = host_of(env);
	return host->board ? host->board_target(host->board, since_ns, &host->heard) : NAN;
}

int host_count_iterations(const struct sst_env *env)
{
	host_of(env)->counts = true;
	return 0;
}

int64_t host_iterations(const struct sst_env *env)
{
	const struct host_env *host = host_of(env);
	return host->iterations ? host->iterations(host->run) : 0;
}

static const struct sst_host linux_host = {
	.refuse = host_refuse,
	.say = host_say,
	.open = open_source,
	.read = read_source,
	.close = close_source,
	.tree_cpu_time = host_cpu_time,
	.cpus = host_cpus_now,
	.follow = host_follow,
	.followed = host_followed,
	.count_iterations = host_count_iterations,
	.iterations = host_iterations,
	.list = list_source,
};

void host_env_init(struct host_env *host, const char *root, unsigned workloads, uint64_t entropy)
{
	*host = (struct host_env){
		.env = {.host = &linux_host, .workloads = workloads, .entropy = entropy},
		.root = root,
	};
}
