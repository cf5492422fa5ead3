/* SPDX-License-Identifier: MIT */
/*
 * A machine in virtual time: processors, processes with threads, a fair scheduler, and the accounting of processor time that a
 * kernel would show. Driven by events; nothing happens between them, so an idle minute costs nothing.
 *
 * The scheduler keeps one queue for all processors. A thread runs for a slice, or shorter when it blocks, and the thread that
 * is furthest behind what is fair comes next (as EEVDF and CFS do). A thread that wakes up takes an idle processor or waits; it
 * preempts nobody before the end of a slice. Which idle one, and what threads of a core do to one another, is in topology.h.
 * Tasks stand for the short work of a controlling program, see below.
 *
 * Times are ns of virtual time. Everything is deterministic.
 */
#ifndef SIM_MACHINE_H
#define SIM_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/splitmix.h"
#include "sssim/heap.h"
#include "sssim/topology.h"

#define SIM_PROCESSORS_MAX 4096
#define SIM_ENDLESS INT64_MAX

struct sim_machine;

/* ---- Events ----------------------------------------------------------------------------------------------------------- */

/* Lies in its owner; zero, with `fire` set, before its first use. */
struct sim_event {
	struct sim_node node;
	void (*fire)(struct sim_event *event);
};

/* The struct of `type` whose member `member` is at `pointer`. */
#define SIM_OWNER(pointer, type, member) ((type *)sim_owner(pointer, offsetof(type, member)))
static inline void *sim_owner(const void *member, size_t offset)
{
	return (char *)member - offset;
}

/* ---- Threads and processes -------------------------------------------------------------------------------------------- */

enum sim_state {
	SIM_BLOCKED, /* waits for something of its own */
	SIM_HELD,    /* would run if its process were not stopped */
	SIM_QUEUED,
	SIM_RUNNING,
	SIM_PREEMPTED, /* on its processor, below a task */
};

struct sim_process;

struct sim_thread {
	struct sim_node queued;
	struct sim_event timer; /* for the process's model, which sets `fire`; room is kept for it */
	struct sim_process *process;
	struct sim_processor *processor; /* where it runs or last ran */
	enum sim_state state;
	int64_t vruntime; /* while queued or running; else how far ahead of the fair share it was when it left */
	int64_t left_ns;  /* work until `done` is called, or SIM_ENDLESS */
	int64_t cpu_ns;   /* used, without the stretch that is under way */
	int64_t work_ns;  /* done in it: less than the CPU time where a core is shared */
	int64_t since_ns; /* start of that stretch */
};

struct sim_process {
	struct sim_machine *machine;
	/* The thread has done its work and is now blocked; call sim_thread_wake for whoever shall run next. */
	void (*done)(struct sim_process *process, struct sim_thread *thread);
	void *model; /* whatever `done` needs */
	bool stopped;
	unsigned threads;
	struct sim_process *next;
	struct sim_thread thread[];
};

/* ---- Tasks ------------------------------------------------------------------------------------------------------------ */

/*
 * A piece of a program that sleeps until a moment, does something short and sleeps again. It wakes up late by a random time. With
 * priority it then preempts the thread on the processor where it last ran, as a real-time process does; without, it takes an idle
 * processor, or waits there for the end of a slice. Zero, with `run` set, before sim_task_add.
 */
struct sim_task {
	struct sim_event timer;
	int64_t (*run)(struct sim_task *task); /* does it at once; returns how long it occupies the processor */
	struct sim_task *next;                 /* in a processor's list */
	struct sim_processor *processor;       /* where it runs or last ran */
	struct sim_random random;
	struct sim_machine *machine;
	int64_t cpu_ns;
	bool bound; /* to its processor, until it runs */
};

/* ---- The machine ------------------------------------------------------------------------------------------------------ */

struct sim_machine_config {
	unsigned processors;  /* 1 to SIM_PROCESSORS_MAX */
	int64_t start_ns;     /* the time it begins at, above 0; it has been idle since time 0 */
	int64_t slice_ns;     /* above 0 */
	int64_t tick_ns;      /* between two timer ticks, above 0 */
	int64_t wakeup_ns;    /* how late tasks wake up, in the mean; 0: never late */
	int64_t idle_cost_ns; /* work of the kernel's own when a processor goes idle, which no task is charged for */
	bool priority;        /* of tasks */
	uint64_t seed;
	struct sim_topology_config topology;
};

struct sim_processor {
	struct sim_event event;
	struct sim_machine *machine;
	struct sim_thread *thread; /* on it; below `task` when there is one */
	struct sim_task *task;
	bool task_began;
	struct sim_task *first, *last; /* tasks that wait for it */
	int64_t slice_end_ns;
	size_t idle_place;        /* in the list of idle processors, from 1; 0: busy */
	int64_t busy_ns;          /* without the stretch that is under way … */
	int64_t since_ns;         /* … or the idle stretch */
	const void *charged;      /* the thread or task that the time is charged to; NULL: idle */
	int64_t charged_since_ns; /* when it came on the processor, or this began or ceased to stand still */
	uint64_t busy_ticks;
	int64_t own_ns;         /* the kernel's own work, without the idle stretch that is under way */
	int64_t still_until_ns; /* it stands still until then; 0: it doesn't */
	int64_t left_ns;        /* until its event, when it goes on */
};

struct sim_machine {
	struct sim_machine_config config;
	int64_t now_ns;
	struct sim_heap events, queue;
	struct sim_topology topology;
	struct sim_processor *processor;
	unsigned *idle; /* numbers of those that are; a stack */
	size_t idle_count;
	struct sim_process *process; /* list */
	size_t threads, event_room;
	unsigned waiting;         /* tasks in the processors' lists */
	unsigned running, active; /* threads that run; and those that wait for a processor with them */
	double fair_ns;           /* what a thread that was always active has got */
	int64_t fair_since_ns;
	int64_t busy_ns, busy_since_ns; /* of all processors, as for each */
	uint64_t switches, fired;
};

/* 0, or -1 with errno ENOMEM, or EINVAL (processors can't be divided by the topology); sim_machine_free in all cases. */
int sim_machine_init(struct sim_machine *machine, const struct sim_machine_config *config);
/* Frees it with its processes. */
void sim_machine_free(struct sim_machine *machine);

/* Makes room for so many more events. 0, or -1 with errno ENOMEM. */
int sim_machine_reserve(struct sim_machine *machine, size_t events);
/* Sets an event to a moment (one that has passed counts as now), or takes it back. */
void sim_event_arm(struct sim_machine *machine, struct sim_event *event, int64_t when_ns);
void sim_event_disarm(struct sim_machine *machine, struct sim_event *event);

/* A process with threads that are all blocked. Owned by the machine. NULL with errno ENOMEM. */
struct sim_process *sim_process_add(struct sim_machine *machine, unsigned threads,
	void (*done)(struct sim_process *process, struct sim_thread *thread), void *model);
void sim_process_stop(struct sim_process *process);
void sim_process_continue(struct sim_process *process);
/* CPU time of all its threads up to now. */
int64_t sim_process_cpu_ns(const struct sim_process *process);
/* What they did in it, in the time that it takes on cores of their own; and what one of them did. */
int64_t sim_process_work_ns(const struct sim_process *process);
int64_t sim_thread_work_ns(const struct sim_thread *thread);

/* Makes a blocked thread runnable, with so much work to do. Has no effect on others. */
void sim_thread_wake(struct sim_thread *thread, int64_t work_ns);
/* Likewise for a thread that `done` is called for, which has more to do and so goes on in its slice. */
void sim_thread_go_on(struct sim_thread *thread, int64_t work_ns);

/* 0, or -1 with errno ENOMEM. `number` tells tasks' random delays apart. */
int sim_task_add(struct sim_machine *machine, struct sim_task *task, uint64_t number);
/* Lets it sleep until this moment (and a little longer). Not while it waits for a processor. */
void sim_task_sleep(struct sim_task *task, int64_t until_ns);
/* Lets one that sleeps wake up now, on this processor. No effect on one that doesn't sleep. */
void sim_task_fetch(struct sim_task *task, struct sim_processor *processor);

/*
 * The processor does nothing until sim_processor_go_on, at until_ns, and the machine doesn't know. What was on it stays there, and counts as its
 * work but as nobody's time; timers of tasks that last ran there wait; what is given to it meanwhile waits as well.
 */
void sim_processor_stand_still(struct sim_processor *processor, int64_t until_ns);
void sim_processor_go_on(struct sim_processor *processor);

/* Lets time pass. */
void sim_machine_run(struct sim_machine *machine, int64_t until_ns);

/* The part of the processors' time that threads and tasks are charged for. */
static inline int64_t sim_machine_charged_ns(const struct sim_machine *machine)
{
	const size_t busy = machine->config.processors - machine->idle_count;
	return machine->busy_ns + (int64_t)busy * (machine->now_ns - machine->busy_since_ns);
}

/* The kernel's own work in the idle stretch that is under way. */
static inline int64_t sim_processor_own_ns(const struct sim_processor *processor)
{
	const struct sim_machine *machine = processor->machine;
	const int64_t idle = machine->now_ns - processor->since_ns;
	return idle < machine->config.idle_cost_ns ? idle : machine->config.idle_cost_ns;
}

/* A tick at the very end of a stretch still meets it. */
static inline uint64_t sim_ticks_between(const struct sim_machine *machine, int64_t from_ns, int64_t to_ns)
{
	return (uint64_t)(to_ns / machine->config.tick_ns - from_ns / machine->config.tick_ns);
}

#endif
