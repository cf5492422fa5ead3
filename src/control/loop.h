/* SPDX-License-Identifier: MIT */
/*
 * The control algorithm of one executor (paper 000, Section 3.2): trace, feedback, control, space and dithering, or a limit, in that
 * order, once per edge. Knows nothing of processes and reads no clock, so that the simulator runs the same code.
 */
#ifndef CONTROL_LOOP_H
#define CONTROL_LOOP_H

#include "control/estimate.h"
#include "control/shared.h"
#include "module/module.h"

/* While the trace leaves the workloads free it is asked again this often. */
#define LOOP_FREE_CHECK_NS (10 * INT64_C(1000000))

struct loop {
	struct module *module; /* KINDS of them, initialised, by kind */
	struct estimator estimator;
	struct shared *shared;
	unsigned index;
	double width; /* processors that the workload has threads for, or may use, before each step; 0: not known, all */
	/* The rest is the loop's own. */
	uint32_t generation; /* of the place in the ring that is known */
	bool placed;
	unsigned rank, live;
	unsigned *peer; /* slots of the next live executors, at most kappa */
	double *peer_output;
	unsigned kappa, peers;
	bool controlling;       /* not free at the last step */
	bool joins;             /* as in sst_control_input, for the next step */
	bool running;           /* what dithering answered last */
	double runs;            /* … as a number, or the share that it may use */
	struct bandwidth limit; /* of ACTUATOR_QUOTA: in force, … */
	double share;           /* … the local duty cycle that it was made for, … */
	int64_t limited_ns;     /* … and since when */
	int64_t origin_ns;      /* of the step that is under way */
	double work, capacity;  /* totals at the last step of the control module */
	double usual;           /* the global duty cycle, smoothed over USUAL_NS: what holds while the load isn't known */
	double duty, local;     /* the global and the local duty cycle of the last answer under control … */
	int64_t answered_ns;    /* … and when that was */
	double surplus;         /* as in sst_control_input */
	int64_t edge_ns;        /* as in sst_dithering_input */
};

/* What holds until the next edge. */
struct loop_answer {
	bool run, free;
	int64_t until_ns;
	double target, load, global, local; /* target NaN while free; load NaN while unknown */
	struct bandwidth limit;             /* of ACTUATOR_QUOTA; quota 0: none */
};

/*
 * module, shared, index and, of the estimator, owner and clocks must be set; the rest of it is filled in (the clocks' context becomes the
 * loop). 0, or -1 with errno ENOMEM.
 */
int loop_init(struct loop *loop, const struct sst_env *feedback);
void loop_free(struct loop *loop);

/*
 * One edge: due_ns is when it should have come, now_ns when it did; both count since `origin_ns` for the trace. The first edge, and one
 * after a break (a pause, say), has due_ns = now_ns.
 */
void loop_step(struct loop *loop, int64_t now_ns, int64_t due_ns, int64_t origin_ns, struct loop_answer *answer);

/* Control of the others went on without this executor: its next step is the first of a new sequence. */
void loop_was_away(struct loop *loop);

/* The signals of an edge took so long. One edge may take far longer than others, when its processor was wanted elsewhere. */
void loop_learn_edge(struct loop *loop, int64_t took_ns);

/* After the signals of an edge: what may take a while. */
void loop_settle(struct loop *loop, int64_t now_ns, const struct loop_answer *answer);

/* Enters an answer into the executor's slot. */
void loop_publish(const struct loop *loop, int64_t now_ns, const struct loop_answer *answer, struct slot_record *record);

#endif
