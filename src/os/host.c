/* SPDX-License-Identifier: MIT */
#include "os/host.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "os/descendants.h"
#include "os/source.h"

static struct host_env *host_of(const struct sst_env *env)
{
	return (struct host_env *)((char *)env - offsetof(struct host_env, env));
}

static int __attribute__((format(printf, 2, 3))) refuse(const struct sst_env *env, const char *format, ...)
{
	struct host_env *host = host_of(env);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(host->refusal, sizeof host->refusal, format, arguments);
	va_end(arguments);
	return -1;
}

static int open_source(const struct sst_env *env, const char *path)
{
	return linux_source_open(host_of(env)->root, path);
}

static ssize_t read_source(const struct sst_env *env, int handle, void *buffer, size_t size, int64_t *when_ns)
{
	(void)env;
	return linux_source_read(handle, buffer, size, when_ns);
}

static void close_source(const struct sst_env *env, int handle)
{
	(void)env;
	close(handle);
}

/*
 * Everything that a workload started is below its executor, also what lost its parent or came with a respawn, and what ended there
 * counts as waited for. An attached tree is elsewhere, and its counter can go back when its processes end.
 */
static int64_t workload_cpu_ns(struct slot *slot)
{
	const pid_t executor = atomic_load(&slot->executor);
	int64_t now_ns = 0;
	if (atomic_load(&slot->attached))
		now_ns = descendants_cpu_ns(atomic_load(&slot->pid), true);
	else if (executor && !atomic_load(&slot->lost))
		now_ns = descendants_cpu_ns(executor, false);
	else
		now_ns = atomic_load(&slot->workload_cpu_ns);
	int64_t counted_ns = atomic_load(&slot->tree_cpu_ns);
	while (counted_ns < now_ns && !atomic_compare_exchange_weak(&slot->tree_cpu_ns, &counted_ns, now_ns))
		;
	return counted_ns > now_ns ? counted_ns : now_ns;
}

static int64_t tree_cpu_time(const struct sst_env *env)
{
	struct shared *shared = host_of(env)->shared;
	int64_t total = 0;
	if (!shared) {
		errno = EAGAIN;
		return -1;
	}
	for (uint32_t i = 0; i < shared->workloads; i++)
		if (!shared->slot[i].free)
			total += workload_cpu_ns(&shared->slot[i]);
	return total;
}

static const struct sst_cpus *current_cpus(const struct sst_env *env, uint64_t *moves)
{
	const struct host_env *host = host_of(env);
	*moves = host->shared ? atomic_load(&host->shared->moves) : 0;
	return *moves % 2 ? host->moved : env->cpus;
}

static const struct sst_host linux_host = {
	.refuse = refuse,
	.open = open_source,
	.read = read_source,
	.close = close_source,
	.tree_cpu_time = tree_cpu_time,
	.cpus = current_cpus,
};

void host_env_init(struct host_env *host, const char *root, unsigned workloads, uint64_t entropy)
{
	*host = (struct host_env){
		.env = {.host = &linux_host, .workloads = workloads, .entropy = entropy},
		.root = root,
	};
}
