/* SPDX-License-Identifier: MIT */
/*
 * A processor has one event: the end of what it does now (a task, a slice or a thread's work, whichever comes first). It runs
 * `task`, or else `thread`, or it is in the list of idle processors; in between, while an event is handled, it may have nothing
 * and be in no list ("vacant"), and `choose` gives it something.
 *
 * Fair time: with A threads active and R of them running, each is due R/A of the time that passes. A thread's vruntime is what it
 * got, on that scale; one that wakes up begins where it stood relative to the fair time when it went, within a slice.
 */
#include "sssim/machine.h"

#include <math.h>
#include <stdlib.h>

/* ---- Events ----------------------------------------------------------------------------------------------------------- */

int sim_machine_reserve(struct sim_machine *machine, size_t events)
{
	if (sim_heap_reserve(&machine->events, machine->event_room + events) != 0)
		return -1;
	machine->event_room += events;
	return 0;
}

void sim_event_arm(struct sim_machine *machine, struct sim_event *event, int64_t when_ns)
{
	sim_heap_put(&machine->events, &event->node, when_ns > machine->now_ns ? when_ns : machine->now_ns);
}

void sim_event_disarm(struct sim_machine *machine, struct sim_event *event)
{
	sim_heap_remove(&machine->events, &event->node);
}

void sim_machine_run(struct sim_machine *machine, int64_t until_ns)
{
	for (struct sim_node *node; (node = sim_heap_first(&machine->events));) {
		struct sim_event *event = SIM_OWNER(node, struct sim_event, node);
		const int64_t when_ns = machine->events.entry[0].key;
		if (when_ns > until_ns)
			break;
		machine->now_ns = when_ns;
		machine->fired++;
		sim_heap_remove(&machine->events, node);
		event->fire(event);
	}
	if (machine->now_ns < until_ns)
		machine->now_ns = until_ns;
}

static unsigned number(const struct sim_processor *processor)
{
	return (unsigned)(processor - processor->machine->processor);
}

/* ---- Progress --------------------------------------------------------------------------------------------------------- */

/* What a running thread has done in the stretch that is under way. */
static int64_t progress(const struct sim_thread *thread)
{
	const struct sim_machine *machine = thread->process->machine;
	const int64_t ran = machine->now_ns - thread->since_ns;
	const double speed = sim_topology_speed(&machine->topology, number(thread->processor));
	return speed < 1 ? llround((double)ran * speed) : ran;
}

/* Adds that stretch to its time. */
static void account(struct sim_thread *thread)
{
	const int64_t ran = thread->process->machine->now_ns - thread->since_ns;
	const int64_t done = progress(thread);
	thread->since_ns += ran;
	thread->cpu_ns += ran;
	thread->vruntime += ran;
	thread->work_ns += done;
	if (thread->left_ns != SIM_ENDLESS)
		thread->left_ns -= done;
}

static void arm_processor(struct sim_processor *processor)
{
	const struct sim_thread *thread = processor->thread;
	const double speed = sim_topology_speed(&processor->machine->topology, number(processor));
	const int64_t slice_ns = processor->slice_end_ns - thread->since_ns;
	int64_t lasts_ns = slice_ns;
	if (thread->left_ns < slice_ns)
		lasts_ns = speed < 1 ? (int64_t)ceil((double)thread->left_ns / speed) : thread->left_ns;
	sim_event_arm(processor->machine, &processor->event, thread->since_ns + (lasts_ns < slice_ns ? lasts_ns : slice_ns));
}

/* Counts a processor of its core as busy or idle. The others go on at another speed. */
static void tell_core(struct sim_processor *processor, bool is_busy)
{
	struct sim_machine *machine = processor->machine;
	struct sim_topology *topology = &machine->topology;
	const unsigned cores = topology->cores;
	const unsigned first = sim_topology_core(topology, number(processor));
	for (unsigned i = first; i < machine->config.processors; i += cores)
		if (machine->processor[i].thread && machine->processor[i].thread->state == SIM_RUNNING)
			account(machine->processor[i].thread);
	if (is_busy)
		sim_topology_busy(topology, first, machine->now_ns, machine->config.idle_cost_ns);
	else
		sim_topology_idle(topology, first, machine->now_ns);
	for (unsigned i = first; i < machine->config.processors; i += cores)
		if (machine->processor[i].thread && machine->processor[i].thread->state == SIM_RUNNING)
			arm_processor(&machine->processor[i]);
}

/* ---- Accounting ------------------------------------------------------------------------------------------------------- */

static void advance_work(struct sim_machine *machine)
{
	machine->busy_ns = sim_machine_charged_ns(machine);
	machine->busy_since_ns = machine->now_ns;
}

static void set_idle(struct sim_processor *processor)
{
	struct sim_machine *machine = processor->machine;
	if (processor->idle_place)
		return;
	advance_work(machine);
	processor->busy_ns += machine->now_ns - processor->since_ns;
	processor->busy_ticks += sim_ticks_between(machine, processor->since_ns, machine->now_ns);
	processor->since_ns = machine->now_ns;
	processor->charged = NULL;
	machine->idle[machine->idle_count++] = number(processor);
	processor->idle_place = machine->idle_count;
	tell_core(processor, false);
}

static void set_busy(struct sim_processor *processor)
{
	struct sim_machine *machine = processor->machine;
	if (!processor->idle_place)
		return;
	advance_work(machine);
	processor->own_ns += sim_processor_own_ns(processor);
	processor->since_ns = machine->now_ns;
	const unsigned moved = machine->idle[--machine->idle_count];
	machine->idle[processor->idle_place - 1] = moved;
	machine->processor[moved].idle_place = processor->idle_place;
	processor->idle_place = 0;
	tell_core(processor, true);
}

/* One that goes on where it was is no switch. */
static void charge(struct sim_processor *processor, const void *to)
{
	if (processor->charged == to)
		return;
	processor->charged = to;
	processor->charged_since_ns = processor->machine->now_ns;
}

/* ---- Threads on processors -------------------------------------------------------------------------------------------- */

static void advance_fair(struct sim_machine *machine)
{
	if (machine->active)
		machine->fair_ns += (double)(machine->now_ns - machine->fair_since_ns) * machine->running / machine->active;
	machine->fair_since_ns = machine->now_ns;
}

static bool is_vacant(const struct sim_processor *processor)
{
	return !processor->thread && !processor->task;
}

/* Lets the thread on it run. */
static void resume_thread(struct sim_processor *processor)
{
	struct sim_machine *machine = processor->machine;
	charge(processor, processor->thread);
	if (processor->still_until_ns) {
		processor->thread->state = SIM_PREEMPTED;
		return;
	}
	advance_fair(machine);
	machine->running++;
	processor->thread->state = SIM_RUNNING;
	processor->thread->since_ns = machine->now_ns;
	arm_processor(processor);
}

/* Takes the processor from its running thread, which stays on it. */
static void suspend_thread(struct sim_processor *processor)
{
	struct sim_machine *machine = processor->machine;
	advance_fair(machine);
	machine->running--;
	account(processor->thread);
	sim_event_disarm(machine, &processor->event);
}

static void start_thread(struct sim_processor *processor, struct sim_thread *thread)
{
	struct sim_machine *machine = processor->machine;
	set_busy(processor);
	machine->switches++;
	processor->thread = thread;
	processor->slice_end_ns = machine->now_ns + machine->config.slice_ns;
	thread->processor = processor;
	resume_thread(processor);
}

static void enqueue(struct sim_thread *thread)
{
	thread->state = SIM_QUEUED;
	sim_heap_put(&thread->process->machine->queue, &thread->queued, thread->vruntime);
}

/* Counts a thread as one that wants to run. */
static void activate(struct sim_thread *thread)
{
	struct sim_machine *machine = thread->process->machine;
	advance_fair(machine);
	machine->active++;
	thread->vruntime += (int64_t)machine->fair_ns;
}

static void deactivate(struct sim_thread *thread, enum sim_state state)
{
	struct sim_machine *machine = thread->process->machine;
	const int64_t slice = machine->config.slice_ns;
	advance_fair(machine);
	machine->active--;
	const int64_t ahead = thread->vruntime - (int64_t)machine->fair_ns;
	thread->vruntime = ahead > slice ? slice : ahead < -slice ? -slice : ahead;
	thread->state = state;
}

static struct sim_idle idle_ones(const struct sim_machine *machine)
{
	return (struct sim_idle){machine->idle, machine->idle_count};
}

static void place(struct sim_thread *thread)
{
	struct sim_machine *machine = thread->process->machine;
	activate(thread);
	const struct sim_processor *last = thread->processor;
	const struct sim_place place = {.processor = number(last), .is_free = is_vacant(last), .is_idle = last->idle_place != 0};
	const int found = sim_placing_find(&machine->topology, idle_ones(machine), place);
	if (found >= 0)
		start_thread(&machine->processor[found], thread);
	else
		enqueue(thread);
}

void sim_thread_wake(struct sim_thread *thread, int64_t work_ns)
{
	thread->left_ns = work_ns;
	if (thread->process->stopped)
		thread->state = SIM_HELD;
	else
		place(thread);
}

void sim_thread_go_on(struct sim_thread *thread, int64_t work_ns)
{
	struct sim_processor *const processor = thread->processor;
	const int64_t slice_end_ns = processor->slice_end_ns;
	sim_thread_wake(thread, work_ns);
	if (thread->state != SIM_RUNNING || thread->processor != processor)
		return;
	processor->slice_end_ns = slice_end_ns;
	arm_processor(processor);
}

/* ---- Tasks on processors ---------------------------------------------------------------------------------------------- */

static void wait_for(struct sim_processor *processor, struct sim_task *task)
{
	task->next = NULL;
	if (processor->first)
		processor->last->next = task;
	else
		processor->first = task;
	processor->last = task;
	processor->machine->waiting++;
}

static struct sim_task *take_waiting(struct sim_processor *processor)
{
	struct sim_task *task = processor->first;
	if (task) {
		processor->first = task->next;
		processor->machine->waiting--;
	}
	return task;
}

/* For a processor that has nothing else to do. */
static struct sim_task *steal_waiting(const struct sim_machine *machine)
{
	for (unsigned i = 0; machine->waiting && i < machine->config.processors; i++)
		if (machine->processor[i].first)
			return take_waiting(&machine->processor[i]);
	return NULL;
}

static void start_task(struct sim_processor *processor, struct sim_task *task)
{
	struct sim_machine *machine = processor->machine;
	set_busy(processor);
	charge(processor, task);
	processor->task = task;
	processor->task_began = false;
	task->processor = processor;
	task->bound = false;
	/* As an event of its own: what it does may come back to here for other processors. */
	sim_event_arm(machine, &processor->event, machine->now_ns);
}

static void wake_task(struct sim_event *timer)
{
	struct sim_task *task = SIM_OWNER(timer, struct sim_task, timer);
	struct sim_machine *machine = task->machine;
	struct sim_processor *processor = task->processor;
	if (processor->still_until_ns) {
		/* The one that lets it go on may come later at the same moment. */
		sim_event_arm(machine, timer,
			processor->still_until_ns > machine->now_ns ? processor->still_until_ns : machine->now_ns + 1);
		return;
	}
	if (!machine->config.priority && !task->bound && !is_vacant(processor) && machine->idle_count)
		processor = &machine->processor[machine->idle[machine->idle_count - 1]];
	if (machine->config.priority && processor->task && !task->bound)
		for (unsigned i = 0; processor->task && i < machine->config.processors; i++) {
			struct sim_processor *other =
				&machine->processor[(processor - machine->processor + i) % machine->config.processors];
			if (!other->task)
				processor = other;
		}
	if (is_vacant(processor)) {
		start_task(processor, task);
	} else if (machine->config.priority && !processor->task) {
		if (!processor->still_until_ns)
			suspend_thread(processor);
		processor->thread->state = SIM_PREEMPTED;
		start_task(processor, task);
	} else {
		wait_for(processor, task);
	}
}

int sim_task_add(struct sim_machine *machine, struct sim_task *task, uint64_t number)
{
	task->machine = machine;
	task->processor = &machine->processor[number % machine->config.processors];
	task->random = sim_random_stream(machine->config.seed, number);
	task->timer.fire = wake_task;
	return sim_machine_reserve(machine, 1);
}

void sim_task_sleep(struct sim_task *task, int64_t until_ns)
{
	struct sim_machine *machine = task->machine;
	const int64_t from = until_ns > machine->now_ns ? until_ns : machine->now_ns;
	/* Half of the delay is always there, the rest has a tail. */
	const double late = (double)machine->config.wakeup_ns * 0.5 * (1 + sim_random_exponential(&task->random));
	sim_event_arm(machine, &task->timer, from + (int64_t)late);
}

void sim_task_fetch(struct sim_task *task, struct sim_processor *processor)
{
	if (!task->timer.node.place)
		return;
	task->processor = processor;
	task->bound = true;
	sim_task_sleep(task, task->machine->now_ns);
}

/* ---- What a processor does next --------------------------------------------------------------------------------------- */

static void choose(struct sim_processor *processor)
{
	struct sim_machine *machine = processor->machine;
	struct sim_task *task = take_waiting(processor);
	if (task) {
		start_task(processor, task);
		return;
	}
	if (processor->thread) {
		resume_thread(processor);
		return;
	}
	struct sim_node *node = sim_heap_first(&machine->queue);
	if (node) {
		sim_heap_remove(&machine->queue, node);
		start_thread(processor, SIM_OWNER(node, struct sim_thread, queued));
		return;
	}
	task = steal_waiting(machine);
	if (task)
		start_task(processor, task);
	else
		set_idle(processor);
}

/* The work of its thread is done. */
static void finish_work(struct sim_processor *processor)
{
	struct sim_thread *thread = processor->thread;
	processor->thread = NULL;
	deactivate(thread, SIM_BLOCKED);
	thread->process->done(thread->process, thread);
	if (is_vacant(processor))
		choose(processor);
}

static void end_slice(struct sim_processor *processor)
{
	struct sim_machine *machine = processor->machine;
	struct sim_thread *thread = processor->thread;
	const bool nobody_waits = !processor->first && !machine->queue.count;
	const int better = nobody_waits ? sim_placing_improve(&machine->topology, idle_ones(machine), number(processor)) : -1;
	if (nobody_waits && better < 0) {
		processor->slice_end_ns = machine->now_ns + machine->config.slice_ns;
		arm_processor(processor);
		return;
	}
	suspend_thread(processor);
	processor->thread = NULL;
	if (better >= 0)
		start_thread(&machine->processor[better], thread);
	else
		enqueue(thread);
	choose(processor);
}

static void on_processor(struct sim_event *event)
{
	struct sim_processor *processor = SIM_OWNER(event, struct sim_processor, event);
	struct sim_machine *machine = processor->machine;
	struct sim_thread *thread = processor->thread;
	if (processor->still_until_ns) {
		processor->left_ns = 0;
		return;
	}
	if (processor->task && !processor->task_began) {
		processor->task_began = true;
		const int64_t cost = processor->task->run(processor->task);
		processor->task->cpu_ns += cost;
		sim_event_arm(machine, event, machine->now_ns + cost);
		return;
	}
	if (processor->task) {
		processor->task = NULL;
		choose(processor);
		return;
	}
	if (thread->left_ns != SIM_ENDLESS && thread->left_ns <= progress(thread)) {
		suspend_thread(processor);
		finish_work(processor);
		return;
	}
	end_slice(processor);
}

/* ---- Standing still --------------------------------------------------------------------------------------------------- */

void sim_processor_stand_still(struct sim_processor *processor, int64_t until_ns)
{
	struct sim_machine *machine = processor->machine;
	if (processor->task) {
		processor->left_ns = machine->events.entry[processor->event.node.place - 1].key - machine->now_ns;
		sim_event_disarm(machine, &processor->event);
	} else if (processor->thread) {
		suspend_thread(processor);
		processor->thread->state = SIM_PREEMPTED;
	}
	processor->still_until_ns = until_ns;
	processor->charged_since_ns = machine->now_ns;
}

void sim_processor_go_on(struct sim_processor *processor)
{
	processor->still_until_ns = 0;
	processor->charged_since_ns = processor->machine->now_ns;
	if (processor->task)
		sim_event_arm(processor->machine, &processor->event, processor->machine->now_ns + processor->left_ns);
	else if (!processor->idle_place)
		choose(processor);
}

/* ---- Processes -------------------------------------------------------------------------------------------------------- */

struct sim_process *sim_process_add(struct sim_machine *machine, unsigned threads,
	void (*done)(struct sim_process *process, struct sim_thread *thread), void *model)
{
	struct sim_process *process = calloc(1, sizeof *process + threads * sizeof process->thread[0]);
	if (!process)
		return NULL;
	if (sim_machine_reserve(machine, threads) != 0 || sim_heap_reserve(&machine->queue, machine->threads + threads) != 0) {
		free(process);
		return NULL;
	}
	process->machine = machine;
	process->done = done;
	process->model = model;
	process->threads = threads;
	for (unsigned i = 0; i < threads; i++) {
		process->thread[i].process = process;
		process->thread[i].processor = &machine->processor[(machine->threads + i) % machine->config.processors];
	}
	machine->threads += threads;
	process->next = machine->process;
	machine->process = process;
	return process;
}

void sim_process_stop(struct sim_process *process)
{
	if (process->stopped)
		return;
	process->stopped = true;
	/* Those that wait go first, so that no processor turns to one of them. */
	for (unsigned i = 0; i < process->threads; i++) {
		struct sim_thread *thread = &process->thread[i];
		if (thread->state != SIM_QUEUED)
			continue;
		sim_heap_remove(&process->machine->queue, &thread->queued);
		deactivate(thread, SIM_HELD);
	}
	for (unsigned i = 0; i < process->threads; i++) {
		struct sim_thread *thread = &process->thread[i];
		struct sim_processor *processor = thread->processor;
		if (thread->state == SIM_RUNNING) {
			suspend_thread(processor);
			processor->thread = NULL;
			deactivate(thread, SIM_HELD);
			choose(processor);
		} else if (thread->state == SIM_PREEMPTED) {
			processor->thread = NULL;
			deactivate(thread, SIM_HELD);
		}
	}
}

void sim_process_continue(struct sim_process *process)
{
	if (!process->stopped)
		return;
	process->stopped = false;
	for (unsigned i = 0; i < process->threads; i++)
		if (process->thread[i].state == SIM_HELD)
			place(&process->thread[i]);
}

int64_t sim_process_cpu_ns(const struct sim_process *process)
{
	int64_t total = 0;
	for (unsigned i = 0; i < process->threads; i++) {
		const struct sim_thread *thread = &process->thread[i];
		total += thread->cpu_ns + (thread->state == SIM_RUNNING ? process->machine->now_ns - thread->since_ns : 0);
	}
	return total;
}

int64_t sim_thread_work_ns(const struct sim_thread *thread)
{
	return thread->work_ns + (thread->state == SIM_RUNNING ? progress(thread) : 0);
}

int64_t sim_process_work_ns(const struct sim_process *process)
{
	int64_t total = 0;
	for (unsigned i = 0; i < process->threads; i++)
		total += sim_thread_work_ns(&process->thread[i]);
	return total;
}

/* ---- Life ------------------------------------------------------------------------------------------------------------- */

int sim_machine_init(struct sim_machine *machine, const struct sim_machine_config *config)
{
	*machine = (struct sim_machine){
		.config = *config,
		.now_ns = config->start_ns,
		.fair_since_ns = config->start_ns,
		.busy_since_ns = config->start_ns,
		.processor = calloc(config->processors, sizeof *machine->processor),
		.idle = calloc(config->processors, sizeof *machine->idle),
	};
	if (!machine->processor || !machine->idle || sim_machine_reserve(machine, config->processors) != 0 ||
		sim_topology_init(&machine->topology, &config->topology, config->processors, config->start_ns) != 0)
		return -1;
	/* The list is a stack; low numbers on top. */
	for (unsigned i = config->processors; i-- > 0;) {
		struct sim_processor *processor = &machine->processor[i];
		processor->machine = machine;
		processor->event.fire = on_processor;
		processor->since_ns = config->start_ns;
		machine->idle[machine->idle_count++] = i;
		processor->idle_place = machine->idle_count;
	}
	return 0;
}

void sim_machine_free(struct sim_machine *machine)
{
	while (machine->process) {
		struct sim_process *process = machine->process;
		machine->process = process->next;
		free(process);
	}
	free(machine->events.entry);
	free(machine->queue.entry);
	free(machine->processor);
	free(machine->idle);
	sim_topology_free(&machine->topology);
	*machine = (struct sim_machine){0};
}
