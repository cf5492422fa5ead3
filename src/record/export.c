/* SPDX-License-Identifier: MIT */
#include "record/export.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/json_value.h"
#include "base/output.h"
#include "base/row_writer.h"
#include "base/units.h"
#include "base/version.h"
#include "config/expand.h"
#include "load/processors.h"
#include "placement/pinning.h"
#include "self/kernel.h"

static json_t *seconds(int64_t ns)
{
	return ns < 0 ? json_null() : json_real((double)ns / 1e9);
}

static json_t *words(char *const *word)
{
	json_t *array = json_array();
	for (; *word; word++)
		json_array_append_new(array, json_value_text(*word));
	return array;
}

static json_t *modules(const struct run *run)
{
	json_t *array = json_array();
	for (int kind = 0; kind < KINDS; kind++) {
		const struct module *module = &run->module[kind];
		char *options = NULL;
		size_t size = 0;
		FILE *stream = open_memstream(&options, &size);
		if (stream) {
			option_print(module->base->options, module->state, stream);
			fclose(stream);
		}
		json_array_append_new(
			array, json_pack("{s:s, s:o, s:o, s:o, s:o}", "kind", module_kind_name((enum sst_kind)kind), "name",
				       json_value_text(module->base->name), "version", json_value_text(module->base->version),
				       "file", json_value_text(module->path), "options", json_value_text(options)));
		free(options);
	}
	return array;
}

static json_t *processor_list(const struct sst_cpus *cpus)
{
	if (!cpus)
		return json_null();
	json_t *array = json_array();
	for (size_t i = 0; i < cpus->count; i++)
		json_array_append_new(array, json_integer(cpus->cpu[i]));
	return array;
}

static json_t *group_object(const struct group *group, const struct dynamic_pinning *dynamic)
{
	char pin[256] = "";
	if (group->pin == PIN_DYNAMIC) {
		FILE *to = fmemopen(pin, sizeof pin, "w");
		if (to) {
			fputs("dynamic:", to);
			dynamic_pinning_print(dynamic, to);
			fprintf(to, " %u/%u", group->part, group->parts);
			fclose(to);
		}
	} else if (group->pin != PIN_NONE && group->parts) {
		snprintf(pin, sizeof pin, "%s %u/%u", pinning_name(group->pin), group->part, group->parts);
	} else if (group->pin != PIN_NONE) {
		snprintf(pin, sizeof pin, "%s", pinning_name(group->pin));
	}
	return json_pack("{s:i, s:o, s:b, s:o, s:o, s:o, s:o, s:o}", "instances", (int)group->instances, "command",
		words(group->command), "free", (int)group->free, "cpus", processor_list(group->cpus), "pin",
		json_value_text(*pin ? pin : NULL), "frequency", json_value_text(group->frequency_text), "stdout",
		json_value_text(group->stdout_file), "stderr", json_value_text(group->stderr_file));
}

/* What the groups' frequencies came to, of each clock. */
static json_t *clocks(const struct frequencies *frequencies)
{
	json_t *array = json_array();
	for (size_t i = 0; frequencies && i < frequencies->count; i++) {
		const struct frequency *const item = &frequencies->item[i];
		json_array_append_new(array, json_pack("{s:i, s:o, s:I}", "policy", (int)item->policy, "cpus",
						     processor_list(item->cpus), "khz", (json_int_t)item->khz));
	}
	return array;
}

static json_t *instant(int64_t ns)
{
	char when[64];
	char whole[32];
	const time_t seconds_since = (time_t)(ns / NS_PER_S);
	struct tm broken;
	if (!ns)
		return json_null();
	strftime(whole, sizeof whole, "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds_since, &broken));
	snprintf(when, sizeof when, "%s.%09dZ", whole, (int)(ns % NS_PER_S));
	return json_string(when);
}

static json_t *configuration(const struct export *export)
{
	const struct config *config = export->run->config;
	json_t *groups = json_array();
	for (unsigned i = 0; i < config->groups; i++)
		json_array_append_new(groups, group_object(&config->group[i], &config->dynamic));
	static const char *const ends[] = {[ENDS_CONTINUE] = "continue", [ENDS_RESPAWN] = "respawn", [ENDS_STOP] = "stop"};
	json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:b}", "modules",
		modules(export->run), "groups", groups, "start_at", instant(config->start_at_ns), "start_interval_s",
		seconds(config->start_interval_ns), "warmup_s", seconds(config->warmup_ns), "run_time_s",
		seconds(config->run_time_ns), "trace_length_s", seconds(export->trace_length_ns), "grace_s",
		seconds(config->grace_ns), "log", json_value_text(config->log), "log_interval_s",
		seconds(config->log_interval_ns), "chdir", json_value_text(config->directory), "stdout",
		json_value_text(config->stdout_file), "stderr", json_value_text(config->stderr_file), "contain",
		config->contain == CONTAIN_PIDNS ? "pidns" : "none", "when_one_ends", ends[config->when_one_ends], "keep_going",
		(int)config->keep_going);
	json_object_set_new(object, "clocks", clocks(export->summary->frequencies));
	json_object_set_new(object, "log_power", json_boolean(config->log_power));
	json_object_set_new(object, "log_counters", json_value_text(config->log_counters));
	json_object_set_new(object, "log_zones", json_boolean(config->log_zones));
	json_object_set_new(object, "power_command", json_value_text(config->power_command));
	return object;
}

static json_t *machine(const struct export *export)
{
	static const char *const grants[] = {[GRANT_NOTHING] = "none", [GRANT_NICE] = "nice", [GRANT_FIFO] = "fifo"};
	const struct sst_env *env = &export->run->host[SST_FEEDBACK].env;
	struct utsname system;
	uname(&system);
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:i, s:s, s:s, s:{s:s, s:i}}", "host", system.nodename, "kernel",
		system.release, "build", system.version, "architecture", system.machine, "processors",
		json_value_number(run_processors(export->run)), "usable_processors", (int)linux_processors_usable(), "accounting",
		linux_accounting_mode(env, system.release), "idle_accounting",
		linux_accounting_idle_clock(env) ? "clock" : "tick", "priority", "granted", grants[export->grant->grant], "value",
		export->grant->value);
}

static json_t *time_object(struct summary_time time)
{
	return json_pack("{s:f, s:f, s:f}", "before", time.before, "control", time.control, "after", time.after);
}

static json_t *workloads(const struct run *run)
{
	json_t *array = json_array();
	const unsigned width = expand_width(run->config->workloads);
	for (unsigned i = 0; i < run->config->workloads; i++) {
		const struct slot *slot = &run->shared->slot[i];
		const int status = atomic_load(&slot->wait_status);
		const bool ended = atomic_load(&slot->ended);
		const bool attached = run_attached(run, i);
		char **command =
			attached ? NULL : expand_command(run_group(run->config, i)->command, run->config->placeholder, i, width);
		json_array_append_new(array,
			json_pack("{s:i, s:o, s:b, s:b, s:i, s:b, s:o, s:o, s:i, s:i, s:b, s:f, s:o}", "instance", (int)i,
				"command", command ? words(command) : json_null(), "attached", (int)attached, "free",
				(int)slot->free, "pid", (int)atomic_load(&slot->pid), "ended_by_itself", (int)ended,
				"exit_status",
				ended && !attached && WIFEXITED(status) ? json_integer(WEXITSTATUS(status)) : json_null(),
				"signal",
				ended && !attached && WIFSIGNALED(status) ? json_integer(WTERMSIG(status)) : json_null(),
				"failures", (int)atomic_load(&slot->failures), "respawns", (int)atomic_load(&slot->respawns),
				"lost", (int)atomic_load(&slot->lost), "cpu_s", (double)atomic_load(&slot->workload_cpu_ns) / 1e9,
				"cpu_parts_s", time_object(summary_time_of(slot))));
		expand_free(command);
	}
	return array;
}

/* What an event came to, of each group, and of each workload. */
static json_t *event_object(const struct counted *counted, size_t event)
{
	const struct linux_counter_reading all = counted_of_all(counted, event);
	const double count = counted_value(counted, event, &all);
	json_t *const groups = json_array(), *const each = json_array();
	for (unsigned i = 0; i < counted->groups; i++) {
		const struct linux_counter_reading one = counted_of_group(counted, i, event);
		json_array_append_new(groups, json_value_number(counted_value(counted, event, &one)));
	}
	for (unsigned i = 0; i < counted->workloads; i++) {
		const struct linux_counter_reading one = counted_of_workload(counted, i, event);
		json_array_append_new(each, json_value_number(counted_value(counted, event, &one)));
	}
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "event", counted->events.event[event].name, "count",
		json_value_number(count), "per_s", json_value_number(count / counted->seconds), "counted_share",
		json_value_number(isnan(count) ? NAN : linux_counter_share(&all)), "groups", groups, "workloads", each);
}

static json_t *events(const struct counted *counted)
{
	json_t *array = json_array();
	for (size_t i = 0; counted && i < counted->events.count; i++)
		json_array_append_new(array, event_object(counted, i));
	return array;
}

static json_t *equal_instances(const struct shared *shared)
{
	json_t *array = json_array();
	struct summary_equal equal;
	for (unsigned group = 0; summary_next_equal(shared, group, &equal); group = equal.group + 1)
		json_array_append_new(array,
			json_pack("{s:i, s:i, s:f, s:f, s:f}", "group", (int)equal.group, "instances", (int)equal.instances,
				"cpu_least_s", equal.least_s, "cpu_most_s", equal.most_s, "spread", equal.spread));
	return array;
}

/* The largest of all groups. */
static double spread(const struct shared *shared)
{
	double most = NAN;
	struct summary_equal equal;
	for (unsigned group = 0; summary_next_equal(shared, group, &equal); group = equal.group + 1)
		most = fmax(most, equal.spread);
	return most;
}

static json_t *worst(const struct tally *tally)
{
	return tally->samples ? json_pack("{s:f, s:f, s:f, s:f}", "error_pp", tally_worst_error_pp(tally), "target",
					tally->worst_target, "load", tally->worst_load, "time_s", tally->worst_s)
			      : json_null();
}

static json_t *result(const struct export *export)
{
	const struct summary *summary = export->summary;
	const struct accuracy *accuracy = &summary->accuracy;
	json_t *const object = json_pack(
		"{s:o, s:o, s:o, s:o, s:I, s:f, s:f, s:f, s:f, s:{s:f, s:f, s:f, s:I}, s:{s:f, s:f, s:f, s:f}, s:o, s:o, "
		"s:{s:o, s:o}, s:o}",
		"target", json_value_number(accuracy_mean_target(accuracy)), "load",
		json_value_number(accuracy_mean_load(accuracy)), "mean_error_pp",
		json_value_number(accuracy_mean_error_pp(accuracy)), "mse_pp2", json_value_number(accuracy_mse_pp2(accuracy)),
		"samples", (json_int_t)accuracy->samples, "sample_s", (double)SUMMARY_SAMPLE_NS / 1e9, "controlled_s",
		summary->controlled_s, "saturated", summary->saturated, "starved", summary->starved, "lateness_us", "p50",
		summary->lateness_50_us, "p90", summary->lateness_90_us, "p99", summary->lateness_99_us, "edges",
		(json_int_t)summary->edges, "own_cpu_s", "guardian", summary->guardian_cpu_s, "master", summary->master_cpu_s,
		"executors", summary->executors_cpu_s, "wall", summary->wall_s, "energy_j", json_value_number(summary->energy_j),
		"power_w", json_value_number(summary->power_w), "others", "mean", json_value_number(summary->background_mean),
		"max", json_value_number(summary->background_max), "equal_instances", equal_instances(export->run->shared));
	const struct tally *const tally = &summary->tally;
	json_t *const more = json_pack("{s:o, s:{s:o, s:o}, s:o, s:o, s:o, s:o, s:s, s:o, s:o}", "worst", worst(tally), "free",
		"mean", json_value_number(tally_free_mean(tally)), "max", json_value_number(tally_free_most(tally)), "alive",
		json_value_number(tally_alive(tally)), "may_use_processors", json_value_number(summary->may_use),
		"controlled_cpu_s", time_object(summary->controlled_cpu), "free_cpu_s", time_object(summary->free_cpu),
		"load_unit", summary->of_cores ? "core" : "processor", "log_missing_s", json_value_number(summary->log_missing_s),
		"log_missing_at_end_s", json_value_number(summary->log_missing_at_end_s));
	json_object_set_new(object, "events", events(summary->counted));
	json_object_update(object, more);
	json_decref(more);
	return object;
}

int export_json(const struct export *export, const char *path)
{
	char started[32];
	const time_t when = export->started_s;
	struct tm broken;
	strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&when, &broken));
	json_t *root = json_pack("{s:i, s:s, s:s?, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", EXPORT_SCHEMA, "showstopper",
		SHOWSTOPPER_VERSION, "revision", version_revision, "started", started, "configuration", configuration(export),
		"machine", machine(export), "result", result(export), "workloads", workloads(export->run), "exit_status",
		export->exit_status < 0 ? json_null() : json_integer(export->exit_status), "ended_by_signal",
		export->exit_status < 0 ? json_integer(-export->exit_status) : json_null());
	if (!root) {
		errno = ENOMEM;
		return -1;
	}
	FILE *file = output_stream(path);
	int done = -1;
	if (file) {
		done = json_dumpf(root, file, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
		if (fputc('\n', file) == EOF)
			done = -1;
		if (fclose(file) != 0)
			done = -1;
		if (done != 0)
			half_file_empty(path);
	}
	const int saved = errno;
	json_decref(root);
	errno = saved;
	return done;
}

static void print_value(FILE *file, double value)
{
	if (isfinite(value))
		fprintf(file, "%.9g", value);
}

static void print_event_names(const struct counted *counted, FILE *file)
{
	char name[LINUX_COUNTER_NAME_MAX];
	for (size_t i = 0; counted && i < counted->events.count; i++) {
		column_name(counted->events.event[i].name, name, sizeof name);
		fprintf(file, "%s_count,", name);
	}
}

static void print_events(const struct counted *counted, FILE *file)
{
	for (size_t i = 0; counted && i < counted->events.count; i++) {
		const struct linux_counter_reading all = counted_of_all(counted, i);
		print_value(file, counted_value(counted, i, &all));
		fputc(',', file);
	}
}

int export_csv(const struct export *export, const char *path)
{
	const struct summary *summary = export->summary;
	const struct accuracy *accuracy = &summary->accuracy;
	const struct tally *tally = &summary->tally;
	const struct {
		const char *name;
		double value;
	} column[] = {
		{"workloads", export->run->config->workloads},
		{"processors", run_processors(export->run)},
		{"target", accuracy_mean_target(accuracy)},
		{"load", accuracy_mean_load(accuracy)},
		{"mean_error_pp", accuracy_mean_error_pp(accuracy)},
		{"mse_pp2", accuracy_mse_pp2(accuracy)},
		{"samples", (double)accuracy->samples},
		{"controlled_s", summary->controlled_s},
		{"saturated", summary->saturated},
		{"starved", summary->starved},
		{"lateness_p50_us", summary->lateness_50_us},
		{"lateness_p90_us", summary->lateness_90_us},
		{"lateness_p99_us", summary->lateness_99_us},
		{"guardian_cpu_s", summary->guardian_cpu_s},
		{"master_cpu_s", summary->master_cpu_s},
		{"executors_cpu_s", summary->executors_cpu_s},
		{"wall_s", summary->wall_s},
		{"exit_status", export->exit_status < 0 ? NAN : (double)export->exit_status},
		{"respawns", (double)summary->respawns},
		{"lost", (double)summary->lost},
		{"energy_j", summary->energy_j},
		{"power_w", summary->power_w},
		{"others_mean", summary->background_mean},
		{"others_max", summary->background_max},
		{"equal_spread", spread(export->run->shared)},
		{"worst_error_pp", tally_worst_error_pp(tally)},
		{"worst_time_s", tally->samples ? tally->worst_s : NAN},
		{"free_mean", tally_free_mean(tally)},
		{"free_max", tally_free_most(tally)},
		{"alive", tally_alive(tally)},
		{"may_use_processors", summary->may_use},
		{"controlled_cpu_before_s", summary->controlled_cpu.before},
		{"controlled_cpu_control_s", summary->controlled_cpu.control},
		{"controlled_cpu_after_s", summary->controlled_cpu.after},
		{"free_cpu_before_s", summary->free_cpu.before},
		{"free_cpu_control_s", summary->free_cpu.control},
		{"free_cpu_after_s", summary->free_cpu.after},
		{"log_missing_s", summary->log_missing_s},
		{"log_missing_at_end_s", summary->log_missing_at_end_s},
	};
	const size_t columns = sizeof column / sizeof *column;
	FILE *file = output_stream(path);
	if (!file)
		return -1;
	for (size_t i = 0; i < columns; i++)
		fprintf(file, "%s,", column[i].name);
	print_event_names(summary->counted, file);
	fputs("showstopper,revision\n", file);
	for (size_t i = 0; i < columns; i++) {
		print_value(file, column[i].value);
		fputc(',', file);
	}
	print_events(summary->counted, file);
	fprintf(file, "%s,%s\n", SHOWSTOPPER_VERSION, version_revision ? version_revision : "");
	const bool failed = ferror(file);
	if (fclose(file) == 0 && !failed)
		return 0;
	half_file_empty(path);
	return -1;
}
