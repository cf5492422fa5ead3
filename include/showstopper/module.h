/* SPDX-License-Identifier: MIT */
/*
 * The interface between Showstopper and its modules.
 *
 * A module is a shared object that exports one constant, `sst_module`, of the struct that belongs to its kind:
 *
 *	SST_EXPORT const struct sst_control sst_module = {
 *		SST_BASE(control, SST_CONTROL, .name = "mine", .summary = "one line about it", .version = "1",
 *			.state_size = sizeof(struct mine), .options = options),
 *		.step = step,
 *	};
 *
 * Life of a module: the master loads it, allocates `state_size` zeroed bytes, writes the option values into them and calls
 * `prepare`. It forks one executor per workload; each executor has its own copy of the state and calls `init`. At the end each
 * process that called `prepare` or `init` calls `fini`. Only `prepare` may refuse anything; it is where a bad file is found.
 *
 * Trace, control, space and dithering modules are pure: they get times and numbers and return numbers. They read no clock, sleep
 * nowhere and touch no file after `prepare`. Feedback modules reach the system through `struct sst_host` alone. This is
 * what lets the same binary run under a simulator in virtual time.
 *
 * Times are nanoseconds: on CLOCK_MONOTONIC where the name says `_ns` and nothing else, since control began where it says so. Loads and duty cycles are
 * fractions from 0 to 1. Amounts of processor time (work, capacity) are CPU-seconds.
 */
#ifndef SHOWSTOPPER_MODULE_H
#define SHOWSTOPPER_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of modules of each kind: changes whenever a struct that they see does. The host accepts exactly its own. */
#define SST_TRACE_ABI 11u
#define SST_FEEDBACK_ABI 12u
#define SST_CONTROL_ABI 13u
#define SST_SPACE_ABI 10u
#define SST_DITHERING_ABI 10u

#define SST_EXPORT __attribute__((visibility("default")))

enum sst_kind { SST_TRACE, SST_FEEDBACK, SST_CONTROL, SST_SPACE, SST_DITHERING };
#define SST_KINDS 5

/* ---- Options ---------------------------------------------------------------------------------------------------------- */

/* What an option holds, and the C type of the member of the module's state that receives it. */
enum sst_type {
	SST_TIME,   /* int64_t, nanoseconds; written 1M30s, 107m, 0.5s */
	SST_LOAD,   /* double, 0 to 1; written 1/3, 0.25, 25% */
	SST_REAL,   /* double */
	SST_INT,    /* int64_t */
	SST_FLAG,   /* bool; written `name`, `name=yes` or `name=no` */
	SST_TEXT,   /* const char *, owned by the host */
	SST_CHOICE, /* int, index into `choices` */
	SST_CPUS,   /* const struct sst_cpus *, owned by the host; written 0-3,8, or as the word in `choices`: empty */
	SST_FILE,   /* const char *, owned by the host: a file that the module reads, which the host won't write over */
};

struct sst_cpus {
	size_t count;
	const unsigned *cpu; /* ascending, each once */
};

/*
 * One row of a module's option table; the table ends with a row whose name is NULL. Bounds and default are written as a user
 * would write the value. An option without default that is not given holds the unset value of its type: NULL, NaN, SST_UNSET
 * (TIME, INT), false, or -1 (CHOICE). The table's first option may be given without its name.
 */
struct sst_option {
	const char *name;
	enum sst_type type;
	size_t offset;              /* offsetof(struct of the state, member) */
	const char *initial;        /* default, or NULL for none */
	const char *least, *most;   /* inclusive bounds, or NULL for the type's own */
	const char *const *choices; /* NULL-terminated: names of an SST_CHOICE; of SST_CPUS one word, or NULL for none */
	bool required;
	const char *help; /* one line, no full stop */
};

/* One of a table, by its type without SST_ and the member of the state that it fills; what else it has stands behind its help. */
#define SST_OPTION(NAME, TYPE, STATE, MEMBER, ...)                                                                               \
	{                                                                                                                        \
		.name = NAME, .type = SST_##TYPE, .offset = offsetof(STATE, MEMBER), .help = __VA_ARGS__                         \
	}

#define SST_UNSET INT64_MIN

/* ---- Host ------------------------------------------------------------------------------------------------------------- */

struct sst_env;

/* What becomes of a target that comes from outside when nothing comes any more. */
enum sst_then { SST_THEN_HOLD, SST_THEN_FREE, SST_THEN_END };

/* A source of targets that come while the run goes on (showstopper-modules(7), stream), and how it is to be followed. */
struct sst_stream {
	const char *source; /* a file, FIFO or unix socket; "-": standard input; NULL: a socket that the host makes for the run */
	double first;       /* target until one comes, 0 to 1; NaN: the workloads are free */
	int64_t timeout_ns; /* what is silence; SST_UNSET: nothing is */
	enum sst_then silence; /* what becomes of the target then … */
	enum sst_then at_end;  /* … and when the source ends, behind all that it has said */
};

/* What a module may ask of the program that loaded it. */
struct sst_host {
	/* Records why `prepare` refuses, or why a feedback module's `read` fails (printf style, no newline); returns -1, so that
	 * `return host->refuse(…)` reads well. */
	int (*refuse)(const struct sst_env *env, const char *format, ...) __attribute__((format(printf, 2, 3)));
	/* Tells the user something that is no refusal, in `prepare`: one line, printf style, no newline. */
	void (*say)(const struct sst_env *env, const char *format, ...) __attribute__((format(printf, 2, 3)));
	/* Opens a source of measurements by absolute path; returns a handle from 0, or -1 with errno. Allowed in `prepare` and `init`
	 * of feedback modules. A handle is valid in the process that opened it and in its children. */
	int (*open)(const struct sst_env *env, const char *path);
	/* Reads a source from its beginning: returns the bytes read (at most size), or -1 with errno; *when_ns receives the time of
	 * the reading. */
	ssize_t (*read)(const struct sst_env *env, int handle, void *buffer, size_t size, int64_t *when_ns);
	void (*close)(const struct sst_env *env, int handle);
	/* CPU time in ns that the controlled workloads and their descendants have used so far, or -1 with errno (EAGAIN: there are no
	 * workloads yet). It never goes back. The cost grows with their processes and threads. */
	int64_t (*tree_cpu_time)(const struct sst_env *env);
	/* Where env->moving is set: the processors that the controlled workloads may use now, NULL for all, and how often they have been
	 * moved. */
	const struct sst_cpus *(*cpus)(const struct sst_env *env, uint64_t *moves);
	/* Asks the host to follow a source of targets, once, in `prepare` of a trace module. 0, or -1 after refuse(). */
	int (*follow)(const struct sst_env *env, const struct sst_stream *stream);
	/* The target that it has said for that moment since control began, as far as it has come; NaN: free. Never waits. */
	double (*followed)(const struct sst_env *env, int64_t since_ns);
	/* Asks the host to count the iterations of the controlled workloads, in `prepare` of a feedback module. 0, or -1 after refuse(). */
	int (*count_iterations)(const struct sst_env *env);
	/* How many they have finished so far, by the counters that they raise. It never goes back. */
	int64_t (*iterations)(const struct sst_env *env);
	/* Lists the folders in a folder of sources, by absolute path: their names, hidden ones too, each followed by a NUL. Returns the bytes
	 * that all names take, of which those that fit into `size` are stored, or -1 with errno. For feedback modules, at any time; they may
	 * also open, read and close what is in these folders at any time. */
	ssize_t (*list)(const struct sst_env *env, const char *path, char *names, size_t size);
};

/* The surroundings of one module in one process. Owned by the host, valid from `prepare` to `fini`. */
struct sst_env {
	const struct sst_host *host;
	void *shared;   /* `shared_size` bytes that the master and all executors share, zeroed before prepare; 64-byte aligned */
	unsigned index; /* of this executor among those that control, from 0; 0 in the master */
	unsigned workloads;          /* how many are controlled at the start, at least 1 */
	uint64_t entropy;            /* a random number that differs from run to run; the simulator passes its seed */
	const struct sst_cpus *cpus; /* those that the controlled workloads may use, which are to be measured; NULL for all */
	bool moving;                 /* they are moved to others from time to time, and `cpus` is where they start */
};

/* ---- What all kinds have ---------------------------------------------------------------------------------------------- */

struct sst_module {
	uint32_t abi;  /* of the kind: SST_…_ABI */
	uint32_t size; /* of the whole struct of the kind */
	enum sst_kind kind;
	const char *name;    /* that of the file, without .so */
	const char *summary; /* one line, no full stop */
	const char *version;
	size_t state_size;                /* allocated, zeroed and freed by the host */
	size_t shared_size;               /* see sst_env.shared; 0 for none */
	const struct sst_option *options; /* may be NULL */
	/* Once, in the master, after the options are set: open and validate. 0, or -1 after refuse(). May be NULL. */
	int (*prepare)(void *state, const struct sst_env *env);
	/* In each executor after the fork: 0, or -1 with errno. Can't fail on input. May be NULL. */
	int (*init)(void *state, const struct sst_env *env);
	/* Gives back what prepare and init took. May be NULL. */
	void (*fini)(void *state, const struct sst_env *env);
};

/* The base of a module's struct: SST_BASE(control, SST_CONTROL, .name = "mine", .summary = "…", .version = "1", …). */
#define SST_BASE(kind_struct, kind_value, ...)                                                                                   \
	.base = {.abi = kind_value##_ABI, .size = sizeof(struct sst_##kind_struct), .kind = (kind_value), __VA_ARGS__}

/* ---- Trace: the target load ------------------------------------------------------------------------------------------- */

struct sst_trace {
	struct sst_module base;
	/* Target load at `since_ns` (since control began, from 0): 0 to 1, or NaN while the trace leaves the workloads free. Constant
	 * time as long as since_ns grows from call to call; it may also go back. Required. */
	double (*target)(void *state, int64_t since_ns);
	/* How long the trace is, in ns, or -1 if it does not end. NULL means -1. */
	int64_t (*length)(const void *state);
	/* Of a recorded load: how many seconds after the beginning of the recording it is at `since_ns`, from 0. NULL: it isn't recorded. */
	double (*position)(const void *state, int64_t since_ns);
};

/* ---- Feedback: what the load is --------------------------------------------------------------------------------------- */

/* The source's counters at one moment. Executors exchange readings, so what a module puts here must mean the same in each. */
struct sst_reading {
	int64_t when_ns;     /* time of the reading */
	double processors;   /* capacity at that moment, in CPU-seconds per second; above 0 */
	uint64_t counter[6]; /* the module's own */
};

/* What happened between two readings. */
struct sst_sample {
	double work;     /* CPU-seconds worked, Tw */
	double capacity; /* CPU-seconds there were, Tw + Ti; above 0 */
};

enum sst_scope {
	SST_SCOPE_UNKNOWN,   /* a part of the machine in which not all of the workloads and the host need to be */
	SST_SCOPE_CONTAINER, /* that of the host and of all that it starts, as they are in the container that is measured */
	SST_SCOPE_MACHINE,   /* that of every process */
	SST_SCOPE_WORKLOADS, /* that of the controlled workloads, and nobody else's */
};

/* SST_CALIBRATION_GOES_ON comes this often. */
#define SST_CALIBRATION_STEP_NS 10000000
enum sst_calibration { SST_CALIBRATION_BEGINS, SST_CALIBRATION_GOES_ON, SST_CALIBRATION_IS_OVER };

enum sst_unit {
	SST_UNIT_PROCESSOR, /* each logical processor counts */
	SST_UNIT_CORE,      /* cores count, each as busy when any of its processors is */
};

struct sst_feedback {
	struct sst_module base;
	/* Reads the source. 0, or -1 with errno, or after refuse(), whose text is printed then. Required. */
	int (*read)(void *state, const struct sst_env *env, struct sst_reading *now);
	/* Subtracts. False when no sample can be had of the pair (no time passed, a counter went back). Pure. Required. */
	bool (*sample)(
		const void *state, const struct sst_reading *before, const struct sst_reading *now, struct sst_sample *sample);
	/* The estimate after one more sample; load is NaN when there is none yet. Pure. Required. */
	double (*estimate)(const void *state, double load, const struct sst_sample *sample);
	/* The least time between two samples in ns, on that many processors: no shorter than the unit of the source's counters. The host
	 * makes it longer when readings are expensive. Required. */
	int64_t (*interval)(const void *state, double processors);
	/* Whose work the samples are sure to hold, so that it can be taken off and the rest is the background load. Asked after prepare. Pure.
	 * NULL means SST_SCOPE_UNKNOWN. */
	enum sst_scope (*scope)(const void *state);
	/* What the capacity is made of. Asked after prepare. Pure. NULL means SST_UNIT_PROCESSOR. */
	enum sst_unit (*unit)(const void *state);
	/* For how long, in ns, all workloads are to run free right before control, so that it can be measured what a load of 1 is. Asked
	 * after prepare. NULL means 0: it is known. */
	int64_t (*calibration)(const void *state);
	/* Called in the master when that time begins, in the middle of it again and again, and when it is over. 0, or -1 after refuse(),
	 * which ends the run. Required where calibration isn't 0. */
	int (*calibrate)(void *state, const struct sst_env *env, enum sst_calibration step);
	/* The iterations per second that are a load of 1, asked in the master; NaN: not known yet. NULL: the load isn't of iterations. */
	double (*maximum)(const void *state);
	/* The highest load that there can be, above 0: not 1 where the capacity is that of fewer or more processors than may be used. It may
	 * change. INFINITY: not known. NULL means 1. */
	double (*ceiling)(const void *state, const struct sst_env *env);
	/* What is wrong with the source, and what the load is then: one line for the user, without full stop, valid until the next call; NULL
	 * while nothing is. Asked in the master after readings. NULL means that nothing ever is. */
	const char *(*trouble)(void *state);
};

/* Equations 1 and 2 of the paper: the weight of a sample grows with its length against the base period (CPU-seconds, above 0). */
static inline double sst_filter(double load, const struct sst_sample *sample, double base)
{
	const double weight = 1.0 - base / (base + sample->capacity);
	const double now = sample->work / sample->capacity;
	return load != load ? now : (1.0 - weight) * load + weight * now;
}

/* The sample of a source that counts the ns worked in counter[0]; false when no time passed, or the counter went back. */
static inline bool sst_sample_ns(const struct sst_reading *before, const struct sst_reading *now, struct sst_sample *sample)
{
	const double elapsed = (double)(now->when_ns - before->when_ns) / 1e9;
	if (elapsed <= 0 || now->counter[0] < before->counter[0])
		return false;
	sample->capacity = elapsed * (before->processors + now->processors) / 2;
	sample->work = (double)(now->counter[0] - before->counter[0]) / 1e9;
	return true;
}

/* ---- Control: the global duty cycle ----------------------------------------------------------------------------------- */

/* Where the bandwidth of workloads is limited, and they are never stopped; else all 0. Most controls need not look. */
struct sst_limited {
	double width; /* the most processors that the workload could use, which a duty cycle of 1 gives it, so that all together make a
	                 * load of live * width / processors at most */
	int64_t lag_ns; /* how long an answer is in force */
};

struct sst_control_input {
	int64_t now_ns;
	double target;           /* L*, 0 to 1 */
	double load;             /* the shared estimate L, 0 to 1 or to the ceiling; the target as long as there is no sample */
	double ceiling;          /* as the feedback's */
	struct sst_sample since; /* since this executor's last step; capacity 0 when the source has no newer sample */
	struct sst_sample total; /* since control began, free stretches left out; the same sequence of values in all executors */
	double owed; /* CPU-seconds that the trace has asked for and that were not worked (negative: worked too much), likewise the
	                            * same in all executors */
	double duty; /* what this executor's last step answered; 0 before the first */
	double surplus; /* seconds that the workload was runnable since the last step, held against what was asked for: what the space
	                    * module gave it more or less than the global duty cycle is taken off */
	double processors;   /* as in sst_reading */
	const double *peers; /* outputs that the next live executors of the ring published */
	unsigned peer_count; /* min(peers(), live - 1) of them, less those that have not published yet */
	unsigned rank, live; /* this executor's place among the live ones, from 0, and how many there are */
	struct sst_limited limited;
	bool joins; /* the first step after a time in which this executor was away, with control of the others going on */
};

struct sst_control_output {
	double published; /* for the peers; any finite number */
	double duty;      /* global duty cycle; the host holds it to 0..1 */
};

struct sst_control {
	struct sst_module base;
	/* Called at every edge of the executor, unless the trace leaves the workloads free. Required. */
	void (*step)(void *state, const struct sst_control_input *in, struct sst_control_output *out);
	/* How many peers' outputs a step wants to see (kappa). NULL means 0. */
	unsigned (*peers)(const void *state);
	/* Control begins again: after a free stretch of the trace for all executors, or where the next step's `joins` is set for this one
	 * alone. May be NULL. */
	void (*resume)(void *state);
};

/* ---- Space: local duty cycles ----------------------------------------------------------------------------------------- */

struct sst_space {
	struct sst_module base;
	/* The duty cycle of the workload at place `rank` of `live` so that the mean over all is `duty`. Pure. Required. */
	double (*local)(const void *state, double duty, unsigned rank, unsigned live);
};

/* ---- Dithering: edges in time ----------------------------------------------------------------------------------------- */

struct sst_dithering_input {
	int64_t now_ns;      /* when the question is asked */
	int64_t due_ns;      /* when it should have been: the until_ns of the last answer, or now_ns at first or after a break */
	int64_t origin_ns;   /* a moment that is the same for all executors: when control began */
	unsigned rank, live; /* as in sst_control_input */
	double duty;         /* local duty cycle, 0 to 1 */
	bool running;        /* what the last answer was */
	int64_t edge_ns;     /* how long it takes the host to stop or to continue the workload, smoothed; 0: not known yet */
};

struct sst_dithering_output {
	bool run;         /* runnable (or stopped) from now on … */
	int64_t until_ns; /* … until this moment, when the next question is asked; a moment that has passed counts as now */
};

struct sst_dithering {
	struct sst_module base;
	void (*next)(void *state, const struct sst_dithering_input *in, struct sst_dithering_output *out); /* required */
};

#ifdef __cplusplus
}
#endif

#endif
