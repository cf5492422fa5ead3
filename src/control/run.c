/* SPDX-License-Identifier: MIT */
#include "control/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/diag.h"
#include "config/config.h"
#include "control/shared.h"
#include "groups/attached_group.h"
#include "load/container.h"
#include "trace/stream.h"
#include "workloads/containment.h"
#include "workloads/spawn.h"

int run_load_module(struct run *run, enum sst_kind kind, char error[static RUN_ERROR_MAX])
{
	struct host_env *const host = &run->host[kind];
	const struct config *const config = run->config;
	struct module *module = &run->module[kind];
	char reason[MODULE_ERROR_MAX];
	if (module_load(module, kind, config->module[kind], config->module_options[kind], reason) != 0) {
		snprintf(error, RUN_ERROR_MAX, "%s", reason);
		return -1;
	}
	host->env.shared = aligned_alloc(64, (module->base->shared_size / 64 + 1) * 64);
	if (!host->env.shared) {
		snprintf(error, RUN_ERROR_MAX, "%s module '%s': %s", module_kind_name(kind), config->module[kind],
			strerror(errno));
		module_unload(module);
		return -1;
	}
	memset(host->env.shared, 0, module->base->shared_size);
	host->board_new = stream_board_new;
	host->board_target = stream_board_target;
	if (!module->base->prepare || module->base->prepare(module->state, &host->env) == 0)
		return 0;
	const char *const root = config->root ? config->root : "";
	snprintf(error, RUN_ERROR_MAX, "%s module '%s': %s%s%s", module_kind_name(kind), config->module[kind],
		*host->refusal ? host->refusal : "refused without a reason", *root ? "; --sysroot is " : "", root);
	return -1;
}

int run_prepare_module(struct run *run, enum sst_kind kind, char error[static RUN_ERROR_MAX])
{
	const struct config *const config = run->config;
	struct host_env *host = &run->host[kind];
	uint64_t entropy;
	if (getrandom(&entropy, sizeof entropy, 0) != sizeof entropy) {
		snprintf(error, RUN_ERROR_MAX, "can't get random numbers: %s", strerror(errno));
		return -1;
	}
	host_env_init(host, config->root, config->controlled ? config->controlled : 1, entropy);
	host->env.cpus = config->cpus;
	host->env.moving = config->dynamics && (config->cpus || config->moved);
	host->moved = config->moved;
	if (run_load_module(run, kind, error) != 0)
		return -1;
	*host->refusal = '\0'; /* what it tried in vain */
	return 0;
}

enum actuator run_actuator(const struct run *run)
{
	return actuator_of(run->module[KIND_ACTUATOR].base);
}

/* Where the actuator's groups can be made. 0, or -1 after a message. */
static int find_place(struct run *run, pid_t guardian)
{
	const enum actuator actuator = run_actuator(run);
	const struct actuator_settings *const settings = run->module[KIND_ACTUATOR].state;
	const char *const name = run->config->module[KIND_ACTUATOR];
	char error[GROUP_PLACE_ERROR_MAX];
	if (actuator != ACTUATOR_SIGNALS && run->config->attaches > run->config->attach_groups)
		return diag_refuse("--attach: actuator module '%s' starts workloads in control groups, and what runs already "
				   "stays in its own: "
				   "expected -a signals, or --attach-group",
			name);
	if (!run->config->groups)
		return 0;
	if (group_place_find(&run->place, actuator, settings->version, guardian, error) == 0)
		return 0;
	return diag_refuse("actuator module '%s': %s: expected %s", name, error, GROUP_PLACE_REMEDY);
}

int run_prepare(struct run *run, const struct config *config, pid_t guardian)
{
	char error[RUN_ERROR_MAX];
	*run = (struct run){.config = config, .master = -1, .ready = -1};
	if (config->contain == CONTAIN_PIDNS) {
		char reason[CONTAINMENT_REASON_MAX];
		bool user_namespace;
		if (!containment_is_permitted(&user_namespace, reason))
			return diag_refuse("--contain=pidns: %s", reason);
	}
	for (int kind = 0; kind < KINDS; kind++) {
		if (run_prepare_module(run, (enum sst_kind)kind, error) != 0)
			return diag_refuse("%s", error);
	}
	if (find_place(run, guardian) != 0)
		return -1;
	if (run->host[SST_FEEDBACK].counts && config->attaches)
		return diag_refuse(
			"feedback module '%s' counts the iterations of workloads that are started: expected no --attach "
			"and no --attach-group with it",
			config->module[SST_FEEDBACK]);
	if (!isnan(config->require_others) && !run_is_measured_whole(run))
		return diag_refuse(
			"--require: others: can't be known, as feedback module '%s' measures a part of the machine here",
			config->module[SST_FEEDBACK]);
	if (run_trace_length(run) == 0 && config->run_time_ns < 0)
		return diag_refuse("trace module '%s': the trace has no length: expected --run-time, or a trace that lasts",
			config->module[SST_TRACE]);
	return 0;
}

static int64_t cpu_time(void *shared)
{
	return workload_time(shared);
}

static int64_t iterations(void *shared)
{
	return workload_iterations(shared);
}

void run_move_into(struct run *run, struct shared *shared)
{
	run->shared = shared;
	for (int kind = 0; kind < KINDS; kind++) {
		struct sst_env *env = &run->host[kind].env;
		void *memory = shared_module(shared, (enum sst_kind)kind);
		if (memory)
			memcpy(memory, env->shared, run->module[kind].base->shared_size);
		free(env->shared);
		env->shared = memory;
	}
}

/* Whether a workload is of a group that runs uncontrolled. */
static bool is_free(const struct config *config, unsigned index)
{
	return index < config->workloads - config->attaches && run_group(config, index)->free;
}

int run_share(struct run *run)
{
	size_t size[KINDS];
	for (int kind = 0; kind < KINDS; kind++)
		size[kind] = run->module[kind].base->shared_size;
	struct shared *const shared = shared_create(run->config->workloads, size);
	if (!shared)
		return -1;
	run_move_into(run, shared);
	/* Who was started earlier had more time; what is attached has a past. */
	const unsigned equal = run->config->start_interval_ns ? 0 : run->config->workloads - run->config->attaches;
	for (unsigned i = 0; i < run->config->workloads; i++) {
		const struct attached *const attached = run_attached(run, i);
		shared->slot[i].free = is_free(run->config, i);
		shared->slot[i].attached_group = attached ? attached->group : NULL;
		shared->slot[i].group = i < equal ? (uint32_t)(run_group(run->config, i) - run->config->group) : SHARED_UNLIKE;
	}
	for (int kind = 0; kind < KINDS; kind++) {
		run->host[kind].cpu_time = cpu_time;
		run->host[kind].iterations = iterations;
		run->host[kind].run = shared;
		run->host[kind].place = &shared->place;
	}
	return 0;
}

int run_make_counters(struct run *run)
{
	for (unsigned i = 0; run->host[SST_FEEDBACK].counts && i < run->config->workloads - run->config->attaches; i++) {
		if (run->shared->slot[i].free)
			continue;
		const int counter = iteration_counter_make();
		if (counter < 0)
			return -1;
		run->shared->slot[i].counter = counter;
	}
	return 0;
}

int run_init_modules(struct run *run, unsigned index)
{
	unsigned place = 0;
	for (unsigned i = 0; i < index; i++)
		place += !run->shared->slot[i].free;
	for (int kind = 0; kind < KINDS; kind++) {
		const struct sst_module *base = run->module[kind].base;
		run->host[kind].env.index = place;
		if (base->init && base->init(run->module[kind].state, &run->host[kind].env) != 0)
			return -1;
	}
	return 0;
}

void run_unload_modules(struct run *run)
{
	for (int kind = 0; kind < KINDS; kind++) {
		struct module *module = &run->module[kind];
		if (!module->base)
			continue;
		if (module->base->fini)
			module->base->fini(module->state, &run->host[kind].env);
		if (!run->shared)
			free(run->host[kind].env.shared);
		module_unload(module);
		stream_board_free(run->host[kind].board);
		run->host[kind].board = NULL;
	}
}

void run_release(struct run *run)
{
	run_unload_modules(run);
	shared_destroy(run->shared);
	run->shared = NULL;
}

static enum sst_scope find_scope(const struct run *run)
{
	const struct module *feedback = &run->module[SST_FEEDBACK];
	return feedback->feedback->scope ? feedback->feedback->scope(feedback->state) : SST_SCOPE_UNKNOWN;
}

bool run_measures_container(const struct run *run)
{
	return find_scope(run) == SST_SCOPE_CONTAINER;
}

bool run_is_measured_whole(const struct run *run)
{
	const enum sst_scope scope = find_scope(run);
	/* What is attached may be elsewhere. */
	return scope == SST_SCOPE_MACHINE || (scope == SST_SCOPE_CONTAINER && run->config->attaches == 0);
}

bool run_is_of_cores(const struct run *run)
{
	const struct module *feedback = &run->module[SST_FEEDBACK];
	return feedback->feedback->unit && feedback->feedback->unit(feedback->state) == SST_UNIT_CORE;
}

bool run_is_of_workloads(const struct run *run)
{
	return find_scope(run) == SST_SCOPE_WORKLOADS;
}

double run_processors(const struct run *run)
{
	struct estimate_record record;
	shared_read_estimate(run->shared, &record);
	return record.samples ? record.last.processors : NAN;
}

int64_t run_origin(const struct run *run)
{
	return atomic_load(&run->shared->origin_ns);
}

int64_t run_calibration(const struct run *run)
{
	const struct module *feedback = &run->module[SST_FEEDBACK];
	return feedback->base && feedback->feedback->calibration && feedback->feedback->calibrate
		       ? feedback->feedback->calibration(feedback->state)
		       : 0;
}

int64_t run_warmup(const struct run *run)
{
	const int64_t needed_ns = run_calibration(run);
	return run->config->warmup_ns > needed_ns ? run->config->warmup_ns : needed_ns;
}

const char *run_source(const struct run *run)
{
	const struct module *const feedback = &run->module[SST_FEEDBACK];
	return option_choice(feedback->base->options, feedback->state, "source");
}

bool run_knows_load(const struct run *run)
{
	return run_calibration(run) == 0 || !isnan(run_maximum(run));
}

double run_maximum(const struct run *run)
{
	const struct module *feedback = &run->module[SST_FEEDBACK];
	return feedback->feedback->maximum ? feedback->feedback->maximum(feedback->state) : NAN;
}

double run_most_load(const struct run *run)
{
	return module_most_load(&run->module[SST_FEEDBACK], &run->host[SST_FEEDBACK].env);
}

int64_t run_trace_length(const struct run *run)
{
	const struct module *trace = &run->module[SST_TRACE];
	return trace->trace->length ? trace->trace->length(trace->state) : -1;
}

bool run_reads_input(const struct run *run)
{
	const struct host_env *const host = &run->host[SST_TRACE];
	return host->board && host->followed.source && strcmp(host->followed.source, "-") == 0;
}

bool run_hands_input_on(const struct run *run)
{
	return !run_reads_input(run) && spawn_hands_input_on(run->config->workloads - run->config->attaches);
}

bool run_container(const struct run *run, char text[static RUN_CONTAINER_MAX])
{
	struct linux_container container;
	const bool found = linux_container_find(&run->host[SST_FEEDBACK].env, &container);
	if (found)
		linux_container_describe(&container, text, RUN_CONTAINER_MAX);
	linux_container_free(&container);
	return found;
}

bool run_not_a_number(const struct run *run, char text[static RUN_NOT_A_NUMBER_MAX])
{
	const unsigned kinds = atomic_load_explicit(&run->shared->not_a_number, memory_order_relaxed);
	const enum sst_kind kind = kinds & 1U << SST_CONTROL ? SST_CONTROL : SST_SPACE;
	snprintf(text, RUN_NOT_A_NUMBER_MAX, "%s module '%s' has answered NaN, which counts as 0", module_kind_name(kind),
		run->config->module[kind]);
	return kinds;
}

const struct attached *run_attached(const struct run *run, unsigned index)
{
	const unsigned started = run->config->workloads - run->config->attaches;
	return index < started || !run->attached ? NULL : &run->attached[index - started];
}

const struct group *run_group(const struct config *config, unsigned index)
{
	const struct group *group = config->group;
	while (index >= group->instances)
		index -= group++->instances;
	return group;
}

int run_for_each_command(
	const struct config *config, int (*act)(const char *command, const char *folder, void *context), void *context)
{
	const bool has_many = config->directory && expand_changes(config->directory, config->placeholder);
	const unsigned width = expand_width(config->workloads);
	unsigned first = 0;
	int result = 0;
	for (unsigned i = 0; i < config->groups && result == 0; first += config->group[i++].instances) {
		const unsigned folders = has_many ? config->group[i].instances : 1;
		for (unsigned k = 0; k < folders && result == 0; k++) {
			char *const folder =
				config->directory ? expand(config->directory, config->placeholder, first + k, width) : NULL;
			result = config->directory && !folder ? -1 : act(config->group[i].command[0], folder, context);
			free(folder);
		}
	}
	return result;
}
