/* SPDX-License-Identifier: MIT */
#include "cli/instead.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/units.h"
#include "config/config.h"
#include "control/run.h"
#include "groups/group_find.h"
#include "groups/group_record.h"
#include "load/watched.h"
#include "module/module.h"
#include "placement/pinning.h"
#include "placement/placement.h"
#include "record/outputs.h"
#include "record/summary.h"
#include "self/records.h"
#include "supervise/obligations.h"

struct listing {
	module_info_found *found;
	void *context;
	enum sst_kind kind;
	bool with_kind;
	int result;
};

static void list_one(const char *name, void *context)
{
	struct listing *listing = context;
	struct module module;
	char error[MODULE_ERROR_MAX];
	char full[64];
	if (module_open(&module, listing->kind, name, error) != 0) {
		diag("%s", error);
		listing->result = -1;
		return;
	}
	snprintf(full, sizeof full, "%s:%s", module_kind_name(listing->kind), name);
	listing->found(listing->with_kind ? full : name, module.base->summary, listing->context);
	module_unload(&module);
}

int module_info_each(enum sst_kind kind, module_info_found *found, void *context)
{
	struct listing listing = {.found = found, .context = context, .with_kind = kind == KIND_ANY};
	for (int at = 0; at < KINDS; at++) {
		listing.kind = (enum sst_kind)at;
		if ((kind == KIND_ANY || kind == listing.kind) && module_list(listing.kind, list_one, &listing) != 0)
			return diag_refuse("can't list modules: %s", strerror(errno));
	}
	return listing.result;
}

static void print_one(const char *name, const char *summary, void *to)
{
	fprintf(to, "%-22s %s\n", name, summary);
}

int module_info_list(FILE *to)
{
	return module_info_each(KIND_ANY, print_one, to);
}

int module_info_help(enum sst_kind kind, const char *name, FILE *to)
{
	struct module module;
	char error[MODULE_ERROR_MAX];
	if (module_open(&module, kind, name, error) != 0)
		return diag_refuse("%s", error);
	fprintf(to, "%s module %s, version %s\n%s\nfile: %s\n", module_kind_name(kind), module.base->name, module.base->version,
		module.base->summary, module.path ? module.path : "none: built in");
	if (module.base->options && module.base->options[0].name) {
		fprintf(to, "options (the first may be given without its name):\n");
		option_help(module.base->options, to);
	} else {
		fputs("no options\n", to);
	}
	module_unload(&module);
	return 0;
}

static void print_times(const struct run *run)
{
	const struct config *const config = run->config;
	const int64_t trace_ns = run_trace_length(run);
	const bool is_given = config->run_time_ns >= 0;
	char text[UNITS_TEXT_MAX];
	const int64_t warmup_ns = run_warmup(run);
	printf("warm-up: %s\n", warmup_ns ? units_print_time(warmup_ns, text) : "none");
	if (!is_given && trace_ns < 0)
		fputs("run time: endless\n", stdout);
	else if (is_given)
		printf("run time: %s\n", units_print_time(config->run_time_ns, text));
	else
		printf("run time: %s, as the trace\n", units_print_time(trace_ns, text));
}

static void print_requirements(const struct config *config)
{
	const struct {
		const char *name;
		double most;
		const char *unit;
	} bound[] = {{"error", config->require_error, "pp"}, {"mse", config->require_mse, "pp²"},
		{"others", config->require_others, "pp"}};
	const char *joint = "required: ";
	char text[UNITS_TEXT_MAX];
	for (size_t i = 0; i < sizeof bound / sizeof *bound; i++) {
		if (isnan(bound[i].most))
			continue;
		printf("%s%s at most %s %s", joint, bound[i].name, units_print_real(bound[i].most, text), bound[i].unit);
		joint = ", ";
	}
	fputs(*joint == ',' ? "\n" : "required: nothing\n", stdout);
}

static void print_line(const char *line)
{
	puts(line);
}

/* What a run would refuse, too. 0, or -1 after a message. */
static int check_watched(const struct config *config, const struct attached *attached)
{
	char error[LINUX_WATCHED_ERROR_MAX];
	struct linux_watched *const watched =
		linux_watched_open(config->root, config->watch, config->watches, attached, config->attaches, error);
	linux_watched_close(watched);
	return watched ? 0 : diag_refuse("--watch: %s", error);
}

static void print_watched(const struct config *config)
{
	for (unsigned i = 0; i < config->watches; i++)
		printf("watched: %s, %s %s\n", config->watch[i].name, config->watch[i].pid ? "process" : "control group",
			config->watch[i].text);
}

/* A word as a shell would read it back. */
static void print_word(const char *word, FILE *to)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";
	if (*word && strspn(word, plain) == strlen(word)) {
		fputs(word, to);
		return;
	}
	fputc('\'', to);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", to);
		else
			fputc(*word, to);
	fputc('\'', to);
}

/* Only what differs from an ordinary group. */
static void print_group(const struct group *group, unsigned number, FILE *to)
{
	if (!group->free && !group->cpus && group->pin == PIN_NONE)
		return;
	fprintf(to, "group %u:%s processors ", number, group->free ? " free," : "");
	placement_print(group->cpus, to);
	if (group->pin == PIN_DYNAMIC) {
		fputs(" or ", to);
		placement_print(group->moved, to);
	}
	if (group->pin != PIN_NONE)
		fprintf(to, " (%s", pinning_name(group->pin));
	if (group->parts)
		fprintf(to, " %u/%u", group->part, group->parts);
	fputs(group->pin != PIN_NONE ? ")" : "", to);
	fputs(group->bind ? ", an instance to each\n" : "\n", to);
}

static void print_run(const struct run *run, FILE *to)
{
	const struct config *config = run->config;
	const struct module *feedback = &run->module[SST_FEEDBACK];
	const unsigned width = expand_width(config->workloads);
	struct sst_reading reading;
	char text[UNITS_TEXT_MAX];
	for (int kind = 0; kind < KINDS; kind++) {
		const struct module *module = &run->module[kind];
		fprintf(to, "%s: %s ", module_kind_name((enum sst_kind)kind), module->base->name);
		option_print(module->base->options, module->state, to);
		fputc('\n', to);
	}
	if (feedback->feedback->read(feedback->state, &run->host[SST_FEEDBACK].env, &reading) == 0)
		fprintf(to, "processors: %s\n", units_print_real(reading.processors, text));
	else
		fprintf(to, "processors: unavailable: %s\n", strerror(errno));
	char container[RUN_CONTAINER_MAX];
	if (run_container(run, container))
		fprintf(to, "container: %s\n", container);
	if (run->place.actuator != ACTUATOR_SIGNALS)
		fprintf(to, "control groups: version %d, in %s\n", run->place.unified ? 2 : 1, run->place.folder);
	const int64_t calibration_ns = run_calibration(run);
	if (calibration_ns)
		fprintf(to, "calibration: %s before control\n", units_print_time(calibration_ns, text));
	const int64_t length = run_trace_length(run);
	fprintf(to, "trace length: %s\n", length < 0 ? "endless" : units_print_time(length, text));
	if (config->contain == CONTAIN_PIDNS)
		fputs("containment: pidns\n", to);
	if (config->start_at_ns)
		fprintf(to, "starts at: @%" PRId64 ".%09" PRId64 "\n", config->start_at_ns / NS_PER_S,
			config->start_at_ns % NS_PER_S);
	if (config->start_interval_ns)
		fprintf(to, "between two starts: %s\n", units_print_time(config->start_interval_ns, text));
	if (config->dynamics) {
		fputs("dynamic pinning: ", to);
		dynamic_pinning_print(&config->dynamic, to);
		fputc('\n', to);
	}
	for (unsigned i = 0; i < config->groups; i++)
		print_group(&config->group[i], i, to);
	for (unsigned i = 0; i < config->workloads; i++) {
		const struct attached *attached = run_attached(run, i);
		if (attached && attached->group) {
			fprintf(to, "workload %0*u: attached to group %s\n", (int)width, i, attached->group->folder);
			continue;
		}
		if (attached) {
			fprintf(to, "workload %0*u: attached to process %d (%s)\n", (int)width, i, (int)attached->process.pid,
				attached->name);
			continue;
		}
		char **command = expand_command(run_group(config, i)->command, config->placeholder, i, width);
		fprintf(to, "workload %0*u:", (int)width, i);
		for (char **word = command; word && *word; word++) {
			fputc(' ', to);
			print_word(*word, to);
		}
		fputc('\n', to);
		expand_free(command);
	}
}

int dry_run_print(const struct config *config)
{
	struct run run;
	struct attached *attached;
	int result = -1;
	obligations_sweep(NULL, NULL, config->quiet, NULL);
	if (obligations_attach(config, &attached) != 0)
		return -1;
	if (run_prepare(&run, config, 0) == 0 && short_run_check(&run) == 0 && outputs_check(&run) == 0 &&
		check_watched(config, attached) == 0) {
		run.attached = attached;
		print_run(&run, stdout);
		print_watched(config);
		print_times(&run);
		print_requirements(config);
		replaced_say(config, print_line);
		result = 0;
	}
	run_release(&run);
	attached_groups_forget(attached, config->attaches);
	obligations_detach(config, attached);
	return result;
}

/* A path without what it may have twice or needn't have: that of a group which is gone can't be looked up. */
static void squeeze(const char *path, char squeezed[static PATH_MAX])
{
	size_t length = 0;
	for (const char *at = path; *at && length + 1 < PATH_MAX; at++)
		if (*at != '/' || (at[1] && at[1] != '/'))
			squeezed[length++] = *at;
	squeezed[length] = '\0';
}

struct released {
	unsigned count, kept;
	bool is_known, is_held;
	char below[PATH_MAX]; /* of the last one, below its mount point: actuators find the same as a rule */
};

/* A group, and those which are called so in other hierarchies: a run may have held it there. */
static void release_in_each(const struct group_mounts *mounts, const char *folder, bool quiet, struct released *released)
{
	char below[PATH_MAX], path[2 * PATH_MAX];
	enum group_hierarchy hierarchy;
	struct group_id id;
	if (!group_hierarchy_of(mounts, folder, &hierarchy, below) || strcmp(below, released->below) == 0)
		return;
	strcpy(released->below, below);
	for (int i = 0; i < GROUP_HIERARCHIES; i++) {
		snprintf(path, sizeof path, "%s%s", mounts->point[i], below);
		if (!mounts->point[i][0] || !group_identify(path, &id))
			continue;
		released->is_known = true;
		released->count += obligations_sweep(&id, NULL, quiet, &released->kept);
		const int lock = records_lock(false);
		released->is_held = released->is_held || group_is_claimed(&id);
		records_unlock(lock);
	}
}

int release_group(const char *name, bool quiet)
{
	char error[GROUP_FIND_ERROR_MAX] = "the control groups of this system can't be seen", folder[PATH_MAX];
	struct released released = {0};
	struct group_mounts *const mounts = malloc(sizeof *mounts);
	for (int actuator = 0; actuator < ACTUATORS && mounts && group_mounts_read(mounts); actuator++)
		if (group_find(mounts, name, (enum actuator)actuator, folder, error) == 0)
			release_in_each(mounts, folder, quiet, &released);
	free(mounts);
	/* One that is gone or out of sight is known by the whole path alone. */
	if (!released.is_known && name[0] == '/') {
		squeeze(name, folder);
		released.count += obligations_sweep(NULL, folder, quiet, &released.kept);
	}
	if (released.kept)
		return quiet ? diag_refuse("--release: %s: it can't be given back from here", name) : -1;
	if (released.is_held && !released.count)
		return diag_refuse(
			"--release: %s: a run of showstopper holds it: it is left as it was found when that ends", name);
	if (!released.is_known && !released.count)
		return diag_refuse("--release: %s", error);
	if (!released.count && !quiet)
		diag("--release: %s: no run has left anything to give back", name);
	return 0;
}

/* ---- What shells complete --------------------------------------------------------------------------------------------- */

static void offer_module_value(struct complete_value *value, const struct sst_option *option)
{
	if (option->type == SST_FILE || option->type == SST_TEXT)
		complete_ask_for(value, "file");
	complete_offer_choices(value, option->type == SST_FLAG ? (const char *const[]){"yes", "no", NULL} : option->choices);
}

/* KEY=VALUE, or the value of the first option alone, or without -t the file of a trace. The shell leaves out what doesn't fit. */
static void offer_module_options(struct complete_value *value, enum sst_kind kind)
{
	const char *const name = value->module[kind] ? value->module[kind] : config_usual_module[kind];
	const char *const comma = strrchr(value->text, ',');
	const char *const key = comma ? comma + 1 : value->text;
	const char *const equals = strchr(key, '=');
	const size_t length = strcspn(key, "=");
	struct module module;
	char error[MODULE_ERROR_MAX];
	/* No file is loaded because its name is typed. */
	if (strchr(name, '/') || module_open(&module, kind, name, error) != 0)
		return;
	puts(":nospace");
	value->text = equals ? equals + 1 : key;
	value->end = equals ? "" : "=";
	const struct sst_option *const first = module.base->options;
	/* What begins no name may be the first option's value, or the name of a trace's file. */
	bool is_value = *key && !equals;
	for (const struct sst_option *option = first; option && option->name; option++) {
		const bool fits = strncmp(option->name, key, length) == 0;
		is_value = is_value && !fits;
		if (fits && !equals)
			complete_offer(option->name, option->help, value);
		else if (fits && !option->name[length])
			offer_module_value(value, option);
	}
	value->end = "";
	if ((is_value || !*key) && kind == SST_TRACE && !value->module[kind] && !comma)
		complete_ask_for(value, "file");
	else if (is_value && first && first->name)
		offer_module_value(value, first);
	module_unload(&module);
}

void complete_modules(struct complete_value *value, const struct tool_option *row)
{
	if (row->completion == TOOL_COMPLETE_MODULE)
		module_info_each(row->kind, complete_offer, value);
	else
		offer_module_options(value, row->kind);
}
