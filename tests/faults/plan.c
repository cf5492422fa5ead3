/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/splitmix.h"

#define LONG_RUN_US 5000000

const char *kind_name(enum kind kind)
{
	static const char *const names[KINDS] = {
		"single", "halved", "tree", "chain", "stubborn", "setuid", "jobs", "brood", "brief"};
	return names[kind];
}

const char *victims_name(enum victims victims)
{
	static const char *const names[VICTIM_SETS] = {"none", "executors", "guardian", "master", "guardian+master", "all"};
	return names[victims];
}

const char *shape_name(enum shape shape)
{
	static const char *const names[SHAPES] = {"plain", "attached", "free", "dynamic", "respawned", "staggered", "mixed"};
	return names[shape];
}

static uint64_t random_state;

static unsigned below(unsigned limit)
{
	return limit ? (unsigned)(splitmix_next(&random_state) % limit) : 0;
}

static int64_t between(int64_t least, int64_t most)
{
	return least + (int64_t)(splitmix_next(&random_state) % (uint64_t)(most - least + 1));
}

static int fatal_signal(void)
{
	static const int signals[] = {SIGKILL, SIGKILL, SIGKILL, SIGSEGV, SIGABRT};
	return signals[below(sizeof signals / sizeof *signals)];
}

static int request(void)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
	return signals[below(sizeof signals / sizeof *signals)];
}

static int64_t gap(void)
{
	return below(3) == 0 ? 0 : below(2) ? between(0, 2000) : between(0, 30000);
}

static void act(struct plan *plan, enum role role, unsigned which, int signal)
{
	plan->action[plan->actions++] = (struct action){role, which, signal, plan->at_once ? 0 : gap()};
}

/* Half of the runs are of the plainest shape. Shapes that take several groups have two instances at least. */
static void choose_shape(struct plan *plan, const struct settings *settings)
{
	plan->shape = below(2) ? SHAPE_PLAIN : 1 + below(SHAPES - 1);
	plan->interval_us = between(5000, 150000);
	if (settings->tool != TOOL_SHOWSTOPPER)
		plan->shape = SHAPE_PLAIN;
	if (settings->shape >= 0)
		plan->shape = (enum shape)settings->shape;
	/* Parts take two processors. */
	if (plan->shape == SHAPE_DYNAMIC && sysconf(_SC_NPROCESSORS_ONLN) < 2)
		plan->shape = SHAPE_FREE;
	const unsigned least = plan->shape == SHAPE_MIXED ? 3 : plan->shape == SHAPE_FREE || plan->shape == SHAPE_DYNAMIC ? 2 : 1;
	if (plan->instances < least)
		plan->instances = least;
	plan->attached = plan->shape == SHAPE_ATTACHED || plan->shape == SHAPE_MIXED;
	plan->executors = plan->instances + plan->attached;
	if (plan->shape == SHAPE_RESPAWNED)
		plan->kind = KIND_BRIEF;
}

static void choose_actions(struct plan *plan)
{
	if (plan->victims == VICTIMS_GUARDIAN || plan->victims == VICTIMS_GUARDIAN_MASTER || plan->victims == VICTIMS_ALL)
		act(plan, ROLE_GUARDIAN, 0, fatal_signal());
	if (plan->victims == VICTIMS_MASTER || plan->victims == VICTIMS_GUARDIAN_MASTER || plan->victims == VICTIMS_ALL)
		act(plan, ROLE_MASTER, 0, fatal_signal());
	for (unsigned i = 0; i < plan->executors; i++)
		if (plan->executor[i])
			act(plan, ROLE_EXECUTOR, i, fatal_signal());
	if (below(3) == 0) {
		static const int signals[] = {SIGKILL, SIGSEGV, SIGTERM, SIGSTOP, SIGCONT};
		act(plan, ROLE_WORKLOAD, below(1000), signals[below(5)]);
	}
	for (unsigned i = plan->actions; i > 1; i--) {
		const unsigned other = below(i);
		const struct action kept = plan->action[i - 1];
		plan->action[i - 1] = plan->action[other];
		plan->action[other] = kept;
	}
	/* An orderly end that is disturbed. */
	if (plan->victims == VICTIMS_NONE || below(5) == 0) {
		memmove(plan->action + 1, plan->action, plan->actions * sizeof *plan->action);
		plan->action[0] = (struct action){below(3) ? ROLE_GUARDIAN : ROLE_MASTER, 0, request(), 0};
		if (plan->actions++)
			plan->action[1].gap_us = between(0, 100000);
	}
}

/* Long enough for the kernel to stop whom it was told to. */
#define STANDSTILL_US 50000

/* Who stands still hears no request, and doesn't crash. */
static void suit_to_standstill(struct action *action, enum role role, unsigned which)
{
	if (action->role != role || action->which != which || action->signal == SIGKILL)
		return;
	if (action->signal == SIGSEGV || action->signal == SIGABRT)
		action->signal = SIGKILL;
	else if (role == ROLE_MASTER)
		action->role = ROLE_GUARDIAN;
}

/*
 * One of the tool's processes stands still before the rest. The guardian is continued in any case, as nobody watches over it; the master
 * too, unless somebody dies of whom the others learn, or the run is to end: where nobody expects its end, nobody asks for it.
 */
static void choose_standstill(struct plan *plan)
{
	static const enum role roles[] = {ROLE_GUARDIAN, ROLE_MASTER, ROLE_EXECUTOR, ROLE_EXECUTOR};
	const bool drawn = below(4) == 0;
	/* What forks thousands of times a second would fill the machine with dead processes that nobody reaps. */
	if (!drawn || plan->kind == KIND_CHAIN || plan->kind == KIND_BROOD || plan->kind == KIND_JOBS || plan->kind == KIND_BRIEF)
		return;
	const enum role role = roles[below(4)];
	const unsigned which = role == ROLE_EXECUTOR ? below(plan->executors) : 0;
	const bool ends = plan->victims == VICTIMS_GUARDIAN || plan->victims == VICTIMS_MASTER ||
			  plan->victims == VICTIMS_GUARDIAN_MASTER || plan->victims == VICTIMS_ALL;
	plan->standstill = true;
	memmove(plan->action + 1, plan->action, plan->actions * sizeof *plan->action);
	plan->action[0] = (struct action){role, which, SIGSTOP, 0};
	if (plan->actions++)
		plan->action[1].gap_us += STANDSTILL_US;
	for (unsigned i = 1; i < plan->actions; i++)
		suit_to_standstill(&plan->action[i], role, which);
	if (role == ROLE_GUARDIAN || (role == ROLE_MASTER && !ends) || below(2))
		plan->action[plan->actions++] = (struct action){role, which, SIGCONT, between(STANDSTILL_US, 10 * STANDSTILL_US)};
}

void plan_make(struct plan *plan, const struct settings *settings, uint64_t seed)
{
	static const char *const targets[] = {"0", "0.3", "0.5", "1"};
	const bool one_process = settings->tool != TOOL_SHOWSTOPPER;
	random_state = seed;
	*plan = (struct plan){.kind = below(KIND_BRIEF), .victims = below(VICTIM_SETS)};
	plan->instances = 1 + below(INSTANCES_MAX);
	plan->target = plan->kind == KIND_HALVED ? "0.5" : targets[below(4)];
	/* Mostly longer than the trial, so that the end of the run doesn't do what the survivors should; else about as long. */
	plan->run_us = below(4) ? LONG_RUN_US : between(200000, 1200000);
	plan->grace_us = between(50000, 400000);
	plan->moment_us = below(3) == 0 ? between(0, 60000) : between(0, 1200000);
	plan->suspend = below(12) == 0;
	plan->at_once = below(2);
	const unsigned output = (unsigned)below(8);
	plan->output = output == 0 ? OUTPUT_BROKEN : output == 1 ? OUTPUT_FULL : OUTPUT_KEPT;
	if (one_process) {
		plan->instances = 1;
		plan->suspend = false;
		plan->victims = VICTIMS_ALL;
		plan->moment_us = between(100000, 1200000);
	}
	choose_shape(plan, settings);
	unsigned chosen = 0;
	for (unsigned i = 0; i < plan->executors; i++)
		chosen += plan->executor[i] = plan->victims == VICTIMS_ALL || (plan->victims != VICTIMS_NONE && below(2));
	if (plan->victims == VICTIMS_EXECUTORS && !chosen)
		plan->executor[below(plan->executors)] = true;
	if (plan->victims == VICTIMS_GUARDIAN_MASTER && chosen == plan->executors)
		plan->executor[below(plan->executors)] = false;
	choose_actions(plan);
	if (!one_process)
		choose_standstill(plan);
	/* A process that is there already can't be moved into a group; one that is in a group has no bandwidth there. */
	const enum actuator drawn = (enum actuator)below(ACTUATORS);
	plan->in_group = plan->attached && !one_process && settings->group_place[0] && below(2);
	const bool holds = !plan->attached || (plan->in_group && drawn == ACTUATOR_FREEZER);
	plan->actuator = one_process || !holds    ? ACTUATOR_SIGNALS
			 : settings->any_actuator ? settings->has_actuator[drawn] ? drawn : ACTUATOR_SIGNALS
						  : settings->actuator;
}

const char *actuator_name(enum actuator actuator)
{
	static const char *const names[ACTUATORS] = {"signals", "freezer", "quota"};
	return (unsigned)actuator < ACTUATORS ? names[actuator] : NULL;
}

static void add(struct plan_command *command, const char *const word[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		command->argument[command->count++] = word[i];
}

static const char *print(struct plan_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *print(struct plan_command *command, const char *format, ...)
{
	char *const text = command->text[command->texts++];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof command->text[0], format, arguments);
	va_end(arguments);
	return text;
}

#define ADD(command, ...)                                                                                                        \
	add(command, (const char *const[]){__VA_ARGS__}, sizeof(const char *const[]){__VA_ARGS__} / sizeof(const char *))

const char *plan_workload(enum kind kind)
{
	return kind_name(kind == KIND_HALVED ? KIND_SINGLE : kind == KIND_JOBS ? KIND_TREE : kind);
}

static void add_workload(struct plan_command *command, const struct settings *settings, enum kind kind)
{
	static const char jobs[] = "\"$0\" half & \"$0\" half & while :; do \"$0\" brief; done";
	if (kind == KIND_JOBS)
		ADD(command, "bash", "-m", "-c", jobs, settings->workload);
	else
		ADD(command, settings->workload, plan_workload(kind));
}

static void add_groups(struct plan_command *command, const struct plan *plan, const struct settings *settings)
{
	switch (plan->shape) {
	case SHAPE_FREE:
		ADD(command, "-n", "1");
		add_workload(command, settings, plan->kind);
		ADD(command, ":", "--free", "-n", print(command, "%u", plan->instances - 1));
		break;
	case SHAPE_DYNAMIC:
		ADD(command, "-n", "1", "--pin", "dynamic:below=neutral,above=packed,threshold=50%,hysteresis=5%,dwell=100m");
		add_workload(command, settings, plan->kind);
		ADD(command, ":", "--pin", "dynamic", "-n", print(command, "%u", plan->instances - 1));
		break;
	case SHAPE_MIXED:
		ADD(command, "-n", "1");
		add_workload(command, settings, plan->kind);
		ADD(command, ":", "--free", "-n", "1");
		add_workload(command, settings, KIND_BRIEF);
		ADD(command, ":", "-n", print(command, "%u", plan->instances - 2));
		break;
	default:
		ADD(command, "-n", print(command, "%u", plan->instances));
	}
	add_workload(command, settings, plan->kind);
}

void plan_command(
	const struct plan *plan, const struct settings *settings, pid_t attached, const char *group, struct plan_command *command)
{
	*command = (struct plan_command){0};
	ADD(command, settings->program);
	if (settings->tool != TOOL_SHOWSTOPPER) {
		/* Not -m, which is to include children: it makes copies of itself by the thousand. */
		ADD(command, "-q", "-l", "50", "-f", "--");
		add_workload(command, settings, plan->kind);
		return;
	}
	ADD(command, "-q", "-r", print(command, "%lldu", (long long)plan->run_us), "--grace",
		print(command, "%lldu", (long long)plan->grace_us), "-T", plan->target);
	if (plan->kind == KIND_HALVED)
		ADD(command, "-c", "open", "-d", "averageq", "-D", "200m");
	if (settings->contain)
		ADD(command, "--contain", settings->contain);
	if (plan->actuator != ACTUATOR_SIGNALS)
		ADD(command, "-a", actuator_name(plan->actuator));
	if (plan->shape == SHAPE_RESPAWNED || plan->shape == SHAPE_MIXED)
		ADD(command, "--when-one-ends", "respawn");
	if (plan->shape == SHAPE_STAGGERED || plan->shape == SHAPE_MIXED)
		ADD(command, "--start-interval", print(command, "%lldu", (long long)plan->interval_us));
	if (plan->in_group)
		ADD(command, "--attach-group", group);
	else if (plan->attached)
		ADD(command, "--attach", print(command, "%d", (int)attached));
	add_groups(command, plan, settings);
}

static size_t say(char *text, size_t used, size_t size, const char *format, ...) __attribute__((format(printf, 4, 5)));
static size_t say(char *text, size_t used, size_t size, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	const int length = used < size ? vsnprintf(text + used, size - used, format, arguments) : 0;
	va_end(arguments);
	return used + (size_t)length;
}

void plan_describe(const struct plan *plan, char *text, size_t size)
{
	static const char *const roles[] = {"guardian", "master", "executor", "workload process"};
	size_t used = say(text, 0, size, " %s -n %u -T %s %s by %s%s, after %.1f ms%s%s:", shape_name(plan->shape),
		plan->instances, plan->target, kind_name(plan->kind), actuator_name(plan->actuator),
		plan->in_group ? " --attach-group" : "", (double)plan->moment_us / 1e3, plan->suspend ? " suspended" : "",
		(const char *const[]){"", ", output to a broken pipe", ", output to a full pipe"}[plan->output]);
	for (unsigned i = 0; i < plan->actions; i++) {
		const struct action *action = &plan->action[i];
		used = say(text, used, size, " +%.1f ms SIG%s %s", (double)action->gap_us / 1e3, sigabbrev_np(action->signal),
			roles[action->role]);
		if (action->role == ROLE_EXECUTOR)
			used = say(text, used, size, " %u", action->which);
		used = say(text, used, size, i + 1 < plan->actions ? "," : ".");
	}
}
