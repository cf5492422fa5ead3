/* SPDX-License-Identifier: MIT */
/*
 * The memory that master and executors share: what the run is doing, the load estimate, and one slot per workload. The
 * slots lie on cache lines of their own. Everything that more than one process touches at a time is atomic or
 * a latch; nobody ever waits for another process here.
 */
#ifndef CONTROL_SHARED_H
#define CONTROL_SHARED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/kinds.h"
#include "base/latch.h"
#include "base/lease.h"
#include "processes/look_budget.h"
#include "self/host.h"
#include "self/iteration_counter.h"

/* What the executors are to do; only ever moves down this list. */
enum shared_phase {
	SHARED_HOLD,      /* workloads are started and held stopped (with --start-interval: run) until all are there */
	SHARED_RUN,       /* free until origin_ns, under control from then on */
	SHARED_TERMINATE, /* SIGTERM, SIGCONT, the grace period, SIGKILL */
	SHARED_KILL,      /* SIGKILL at once */
};

/* The shared load estimate (design: section 7); zero before the first reading. */
struct estimate_record {
	double load;             /* L; NaN before the first sample */
	double work, capacity;   /* sums of the samples for which there was a target, CPU-seconds */
	double owed;             /* ∫L*·dcapacity − work, likewise, CPU-seconds */
	uint64_t samples;        /* readings taken */
	int64_t known_ns;        /* the end of the last sample, or what began to wait for one */
	struct sst_reading last; /* the newest reading */
};

/* What time counts as for an executor. */
enum bound {
	BOUND_FREE,      /* not under control */
	BOUND_SATURATED, /* global duty cycle 1, load below target */
	BOUND_STARVED,   /* global duty cycle 0, load above target */
	BOUND_NEITHER,   /* under control */
};

/*
 * What one executor is doing and has done, for log and summary. The integrals run up to since_ns; from then on the present values
 * hold.
 */
struct slot_record {
	int64_t since_ns;
	double duty;         /* local duty cycle asked for; 1 while free */
	double load;         /* the estimate it last used; NaN when none */
	uint64_t running;    /* 1 while runnable */
	double duty_ns;      /* ∫ duty dt */
	double running_ns;   /* time runnable */
	double load_ns;      /* ∫ estimate dt … */
	double loaded_ns;    /* … and the time it covers */
	double saturated_ns; /* of BOUND_SATURATED */
	double starved_ns;   /* of BOUND_STARVED */
	double control_ns;   /* time under control */
	uint64_t at_bound;   /* enum bound: what the time since since_ns counts as */
	uint64_t edges;      /* answers of the dithering module */
	uint64_t alive;      /* 1 from the start of the workload to its end … */
	double alive_ns;     /* … and how long that has been, pauses left out */
};

/* Lateness of enforcement: bucket i counts edges that were less than 2^(i/4) µs late and not less than bucket i - 1. */
#define LATENESS_BUCKETS 96

#define SHARED_UNLIKE UINT32_MAX

struct slot {
	_Alignas(128) bool free; /* never counts as a workload under control; set by the master before it forks */
	uint32_t group;          /* likewise: instances of one group are equal; SHARED_UNLIKE: equal to none */
	_Atomic bool has_published;
	_Atomic int64_t due_ns;      /* until when the executor sleeps: see control/heartbeat.h */
	_Atomic uint32_t rounds;     /* of the executor's loop: it is on its way */
	_Atomic bool stood_still;    /* the master has taken it out of the ring; it takes that back when it goes on */
	_Atomic double published;    /* raw output of the control module, for peers */
	_Atomic int32_t pid;         /* of the workload's first process; 0 before it started */
	_Atomic int32_t start_stage; /* enum start_stage of a failed start; of a failed respawn where pid isn't 0 */
	_Atomic int32_t start_errno;
	_Atomic bool ended;                /* the first process ended by itself, the last time with … */
	_Atomic int32_t wait_status;       /* … this wait status */
	_Atomic uint32_t failures;         /* how often it did so with a failure, … */
	_Atomic int32_t failure_status;    /* … the last time with this wait status */
	_Atomic uint32_t respawns;         /* how often the workload was started again */
	_Atomic bool attached;             /* the process was there before */
	int counter;                       /* descriptor of its iterations', the same in master and executors; 0: none */
	struct iteration_count iterations; /* … and what that has come to */
	const struct attached_group *attached_group; /* … or the group, in the memory that all have from the fork on; else NULL */
	_Atomic int64_t group_cpu_ns;                /* … which is known to have used so much, ever */
	_Atomic bool lost;                           /* its executor died, and the run went on without it */
	_Atomic int32_t stopped_by;      /* the signal by which its first process stands still, not by our doing; 0: none */
	_Atomic bool failed_at_stop;     /* it failed the last time right after it was stopped and continued for the first time */
	_Atomic bool left;               /* some of its processes could not be killed; the executor has said which */
	_Atomic int32_t executor;        /* process number of the executor; 0 before it began and when it has signed off */
	_Atomic int64_t tree_cpu_ns;     /* the most that host.tree_cpu_time has seen of this workload */
	_Atomic int64_t workload_cpu_ns; /* final, set when the executor ends */
	_Atomic int64_t cpu_before_ns;   /* of which it used so much before control began … */
	_Atomic int64_t cpu_until_ns;    /* … and so much until control ended; both set by the time the executor ends */
	_Atomic int64_t executor_cpu_ns; /* likewise */
	_Alignas(64) struct latch record; /* struct slot_record */
	_Alignas(64) _Atomic uint32_t lateness[LATENESS_BUCKETS];
};

struct shared {
	uint32_t workloads;
	size_t size;                           /* of the whole mapping */
	size_t module_offset[KINDS];           /* of the modules' shared memory from the start; 0 for none */
	_Alignas(64) _Atomic int32_t phase;    /* enum shared_phase */
	_Atomic bool paused;                   /* workloads stopped, the trace's clock too */
	_Atomic struct host_place place;       /* where groups with dynamic pinning are */
	_Atomic int64_t origin_ns;             /* when control begins; moves on with each pause */
	_Atomic int64_t break_ns;              /* what was read before this moment and what is read later is no sample: a pause */
	_Atomic bool blind;                    /* the load hasn't been known for long: the duty cycle is the target */
	_Atomic uint32_t not_a_number;         /* a bit for each kind of module that has answered so: 1 << enum sst_kind */
	_Atomic uint32_t generation;           /* changes whenever some workload becomes live or is it no more */
	_Alignas(64) struct look_budget looks; /* through trees of processes */
	_Alignas(64) struct lease sampler;     /* held by index + 1 of the executor that takes a sample now */
	_Atomic int64_t reading_ns;            /* processor time that a reading takes, smoothed */
	_Atomic int64_t last_reading_ns;       /* and what the last one took */
	_Alignas(64) struct snapshot estimate; /* struct estimate_record; page 0 is the master's, index + 1 an executor's */
	size_t pages_offset;                   /* of the estimate's pages from the start */
	size_t live_offset;                    /* of a bit for each workload: it is under control */
	struct slot slot[];
};

/* Processor time of an attached group, ns, also what was before. */
int64_t slot_group_used(struct slot *slot);

/* Bytes for n workloads and the modules' shared memory; fills the offsets. */
size_t shared_layout(unsigned workloads, const size_t module_size[static KINDS], size_t offset[static KINDS]);

/* Prepares zeroed memory of shared_layout's size. */
void shared_init(struct shared *shared, unsigned workloads, size_t size, const size_t offset[static KINDS]);

/*
 * POSIX shared memory of shared_layout's size, prepared, mode 0600, unlinked before this returns, so that it goes with the
 * last process that maps it; memory without a name where there is no POSIX shared memory. NULL with errno. Ends the life of segments that a killed run left between two calls.
 */
struct shared *shared_create(unsigned workloads, const size_t module_size[static KINDS]);
void shared_destroy(struct shared *shared);

/* The module's own shared memory, or NULL. */
void *shared_module(struct shared *shared, enum sst_kind kind);

/* The newest load estimate. Returns what names it. */
uint64_t shared_read_estimate(const struct shared *shared, struct estimate_record *record);
/* Posts one in place of that which was `read`; 0 is the master as a writer, index + 1 an executor. False when there is a newer one. */
bool shared_post_estimate(struct shared *shared, uint32_t writer, uint64_t read, const struct estimate_record *record);

/* Marks a workload as live, which is under control, or not, once. */
void shared_set_live(struct shared *shared, unsigned index, bool live);
bool shared_is_live(const struct shared *shared, unsigned index);
/* How many are live, `index` among them in any case, and how many of these stand before it. Touches no slot. */
unsigned shared_count_live(const struct shared *shared, unsigned index, unsigned *rank);
/* The next live one after `index` in the ring of all, which may be `index` itself; the number of workloads when there is none. */
unsigned shared_next_live(const struct shared *shared, unsigned index);
/* The next live ones after `index` in the ring, at most so many; how many. */
unsigned shared_neighbours(const struct shared *shared, unsigned index, unsigned most, unsigned *neighbour);

/* Takes a workload whose executor has died out of the run: it isn't live, does nothing from now_ns on, and is marked as lost. */
void shared_set_lost(struct shared *shared, unsigned index, int64_t now_ns);

/* Brings the integrals of a record up to now_ns. */
void slot_record_advance(struct slot_record *record, int64_t now_ns);
/* The same, also back: as if what is so since since_ns had been so before. */
void slot_record_move(struct slot_record *record, int64_t now_ns);

/* Counts one edge that was late_ns late (below 0 counts as 0). */
void slot_count_lateness(struct slot *slot, int64_t late_ns);
/* The upper end in µs of bucket i. */
double lateness_bound_us(unsigned bucket);

/* What the controlled workloads have used together, with all that they started, in ns. Never goes back. */
int64_t workload_time(struct shared *shared);
/* The iterations that they have finished together, by their counters. Never goes back. */
int64_t workload_iterations(struct shared *shared);

#endif
