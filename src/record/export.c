/* SPDX-License-Identifier: MIT */
#include "record/export.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>

#include "base/json_value.h"
#include "base/log_columns.h"
#include "base/output.h"
#include "base/units.h"
#include "base/version.h"
#include "config/config.h"
#include "groups/attached_group.h"
#include "load/processors.h"
#include "placement/pinning.h"
#include "self/accounting.h"
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
		char *const options = option_print_text(module->base->options, module->state);
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
	return json_pack("{s:i, s:o, s:b, s:o, s:o, s:b, s:o, s:o}", "instances", (int)group->instances, "command",
		words(group->command), "free", (int)group->free, "cpus", processor_list(group->cpus), "pin",
		json_value_text(*pin ? pin : NULL), "bind", (int)group->bind, "stdout", json_value_text(group->stdout_file),
		"stderr", json_value_text(group->stderr_file));
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

static json_t *watches(const struct config *config)
{
	json_t *array = json_array();
	for (unsigned i = 0; i < config->watches; i++) {
		const struct watch *const watch = &config->watch[i];
		json_array_append_new(array, json_pack("{s:s, s:o, s:o}", "name", watch->name, "process",
						     watch->pid ? json_integer(watch->pid) : json_null(), "group",
						     json_value_text(watch->pid ? NULL : watch->text)));
	}
	return array;
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
		seconds(config->start_interval_ns), "warmup_s", seconds(run_warmup(export->run)), "run_time_s",
		seconds(config->run_time_ns), "trace_length_s", seconds(export->trace_length_ns), "grace_s",
		seconds(config->grace_ns), "log", json_value_text(config->log), "log_interval_s",
		seconds(config->log_interval_ns), "chdir", json_value_text(config->directory), "stdout",
		json_value_text(config->stdout_file), "stderr", json_value_text(config->stderr_file), "contain",
		config->contain == CONTAIN_PIDNS ? "pidns" : "none", "when_one_ends", ends[config->when_one_ends], "keep_going",
		(int)config->keep_going);
	json_object_set_new(object, "watch", watches(config));
	json_object_set_new(object, "log_power", json_boolean(config->log_power));
	json_object_set_new(object, "log_counters", json_value_text(config->log_counters));
	json_object_set_new(object, "log_zones", json_boolean(config->log_zones));
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
		const struct attached *const attached = run_attached(run, i);
		char **command =
			attached ? NULL : expand_command(run_group(run->config, i)->command, run->config->placeholder, i, width);
		json_array_append_new(array,
			json_pack("{s:i, s:o, s:b, s:o, s:b, s:i, s:b, s:o, s:o, s:i, s:i, s:b, s:f, s:o}", "instance", (int)i,
				"command", command ? words(command) : json_null(), "attached", attached != NULL, "group",
				attached && attached->group ? json_string(attached->group->folder) : json_null(), "free",
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

static json_t *watched(const struct summary *summary)
{
	json_t *array = json_array();
	for (unsigned i = 0; i < summary->watches; i++)
		json_array_append_new(array, json_pack("{s:s, s:o, s:o, s:o}", "name", summary->watch[i].name, "mean",
						     json_value_number(beside_mean(&summary->watched[i])), "max",
						     json_value_number(beside_most(&summary->watched[i])), "ended_s",
						     json_value_number(summary->watched_ended_s[i])));
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

/* ---- Figures ---------------------------------------------------------------------------------------------------------- */

/* What the run came to, each number once: where it stands in the JSON record, below `result`, and its column in the CSV. */
struct figure {
	const char *member; /* with that of the object around it, `others.mean`; NULL: CSV alone, as JSON has it elsewhere */
	const char *column; /* NULL: JSON alone */
	double value;       /* NaN: unknown, or there is none */
};

#define FIGURES_MAX 50

/* Returns how many there are. tests/cli/showstopper_export.sh compares them with showstopper-record(5). */
static size_t find_figures(const struct export *export, struct figure figures[static FIGURES_MAX])
{
	const struct summary *const summary = export->summary;
	const struct accuracy *const accuracy = &summary->accuracy;
	const struct tally *const tally = &summary->tally;
	const struct summary_time *const controlled = &summary->controlled_cpu, *const free_ones = &summary->free_cpu;
	const struct figure all[] = {
		{NULL, "workloads", export->run->config->workloads},
		{NULL, "processors", run_processors(export->run)},
		{"target", "target", accuracy_mean_target(accuracy)},
		{"load", "load", accuracy_mean_load(accuracy)},
		{"mean_error_pp", "mean_error_pp", accuracy_mean_error_pp(accuracy)},
		{"mse_pp2", "mse_pp2", accuracy_mse_pp2(accuracy)},
		{NULL, "samples", (double)accuracy->samples},
		{"sample_s", NULL, (double)SUMMARY_SAMPLE_NS / 1e9},
		{"controlled_s", "controlled_s", summary->controlled_s},
		{"saturated", "saturated", summary->saturated},
		{"starved", "starved", summary->starved},
		{"lateness_us.p50", "lateness_p50_us", summary->lateness_50_us},
		{"lateness_us.p90", "lateness_p90_us", summary->lateness_90_us},
		{"lateness_us.p99", "lateness_p99_us", summary->lateness_99_us},
		{"own_cpu_s.guardian", "guardian_cpu_s", summary->guardian_cpu_s},
		{"own_cpu_s.master", "master_cpu_s", summary->master_cpu_s},
		{"own_cpu_s.executors", "executors_cpu_s", summary->executors_cpu_s},
		{"own_cpu_s.wall", "wall_s", summary->wall_s},
		{NULL, "exit_status", export->exit_status < 0 ? NAN : (double)export->exit_status},
		{NULL, "respawns", (double)summary->respawns},
		{NULL, "lost", (double)summary->lost},
		{"energy_j", "energy_j", summary->energy_j},
		{"power_w", "power_w", summary->power_w},
		{"others.mean", "others_mean", summary->others_mean},
		{"others.max", "others_max", summary->others_max},
		{NULL, "equal_spread", spread(export->run->shared)},
		{"worst.error_pp", "worst_error_pp", tally_worst_error_pp(tally)},
		{"worst.target", NULL, tally->worst_target},
		{"worst.load", NULL, tally->worst_load},
		{"worst.time_s", "worst_time_s", tally->samples ? tally->worst_s : NAN},
		{"free.mean", "free_mean", tally_free_mean(tally)},
		{"free.max", "free_max", tally_free_most(tally)},
		{"alive", "alive", tally_alive(tally)},
		{"may_use_processors", "may_use_processors", summary->may_use},
		{"controlled_cpu_s.before", "controlled_cpu_before_s", controlled->before},
		{"controlled_cpu_s.control", "controlled_cpu_control_s", controlled->control},
		{"controlled_cpu_s.after", "controlled_cpu_after_s", controlled->after},
		{"free_cpu_s.before", "free_cpu_before_s", free_ones->before},
		{"free_cpu_s.control", "free_cpu_control_s", free_ones->control},
		{"free_cpu_s.after", "free_cpu_after_s", free_ones->after},
		{"log_missing_s", "log_missing_s", summary->log_missing_s},
		{"log_missing_at_end_s", "log_missing_at_end_s", summary->log_missing_at_end_s},
		{"maximum_per_s", "maximum_per_s", summary->maximum},
	};
	_Static_assert(sizeof all / sizeof *all <= FIGURES_MAX, "the table has room");
	memcpy(figures, all, sizeof all);
	return sizeof all / sizeof *all;
}

static void set_figure(json_t *result, const struct figure *figure)
{
	char group[32];
	const size_t length = strcspn(figure->member, ".");
	json_t *in = result;
	if (figure->member[length]) {
		snprintf(group, sizeof group, "%.*s", (int)length, figure->member);
		if (!(in = json_object_get(result, group)))
			json_object_set_new(result, group, in = json_object());
	}
	json_object_set_new(in, in == result ? figure->member : figure->member + length + 1, json_value_number(figure->value));
}

static json_t *result(const struct export *export)
{
	struct figure figures[FIGURES_MAX];
	json_t *const object = json_object();
	const size_t count = find_figures(export, figures);
	for (size_t i = 0; i < count; i++)
		if (figures[i].member)
			set_figure(object, &figures[i]);
	json_object_set_new(object, "samples", json_integer((json_int_t) export->summary->accuracy.samples));
	json_object_set_new(json_object_get(object, "lateness_us"), "edges", json_integer((json_int_t) export->summary->edges));
	if (!export->summary->tally.samples)
		json_object_set_new(object, "worst", json_null());
	json_object_set_new(object, "load_unit", json_string(export->summary->of_cores ? "core" : "processor"));
	json_object_set_new(object, "equal_instances", equal_instances(export->run->shared));
	json_object_set_new(object, "watched", watched(export->summary));
	json_object_set_new(object, "events", events(export->summary->counted));
	return object;
}

/* ---- Files ------------------------------------------------------------------------------------------------------------ */

int export_json(const struct export *export, const char *path)
{
	char started[32];
	const time_t when = export->started_s;
	struct tm broken;
	strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&when, &broken));
	FILE *const file = output_stream(path);
	if (!file)
		return -1;
	json_t *const root = json_pack("{s:i, s:s, s:s?, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "schema", EXPORT_SCHEMA,
		"showstopper", SHOWSTOPPER_VERSION, "revision", version_revision, "started", started, "configuration",
		configuration(export), "machine", machine(export), "result", result(export), "workloads", workloads(export->run),
		"exit_status", export->exit_status < 0 ? json_null() : json_integer(export->exit_status), "ended_by_signal",
		export->exit_status < 0 ? json_integer(-export->exit_status) : json_null());
	return json_value_write(root, file, path);
}

static void print_value(FILE *file, double value)
{
	if (isfinite(value))
		fprintf(file, "%.9g", value);
	fputc(',', file);
}

/* Names or values of all columns but the last two. */
static void print_line(const struct export *export, bool is_header, FILE *file)
{
	const struct counted *const counted = export->summary->counted;
	struct figure figures[FIGURES_MAX];
	const size_t count = find_figures(export, figures);
	for (size_t i = 0; i < count; i++) {
		if (figures[i].column && is_header)
			fprintf(file, "%s,", figures[i].column);
		else if (figures[i].column)
			print_value(file, figures[i].value);
	}
	for (unsigned i = 0; i < export->summary->watches; i++) {
		const char *const watched = export->summary->watch[i].name;
		if (is_header) {
			fprintf(file, LOG_WATCHED "%s_mean," LOG_WATCHED "%s_max,", watched, watched);
			continue;
		}
		print_value(file, beside_mean(&export->summary->watched[i]));
		print_value(file, beside_most(&export->summary->watched[i]));
	}
	for (size_t i = 0; counted && i < counted->events.count; i++) {
		char name[LINUX_COUNTER_NAME_MAX];
		const struct linux_counter_reading all = counted_of_all(counted, i);
		column_name(counted->events.event[i].name, name, sizeof name);
		if (is_header)
			fprintf(file, "%s_count,", name);
		else
			print_value(file, counted_value(counted, i, &all));
	}
}

int export_csv(const struct export *export, const char *path)
{
	FILE *file = output_stream(path);
	if (!file)
		return -1;
	print_line(export, true, file);
	fputs("showstopper,revision\n", file);
	print_line(export, false, file);
	fprintf(file, "%s,%s\n", SHOWSTOPPER_VERSION, version_revision ? version_revision : "");
	const bool failed = ferror(file);
	if (fclose(file) == 0 && !failed)
		return 0;
	half_file_empty(path);
	return -1;
}
