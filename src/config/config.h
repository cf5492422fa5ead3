/* SPDX-License-Identifier: MIT */
/* What a run is to be: the struct that the command line fills and all others read. */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/kinds.h"

/* Schemes that divide processors among groups; placement/pinning.h has what they mean. */
enum pinning {
	PIN_NONE,       /* none was asked for */
	PIN_NEUTRAL,    /* no affinity */
	PIN_PER_CHIP,   /* chips of their own */
	PIN_PER_CORE,   /* cores of their own on every chip */
	PIN_PER_THREAD, /* hardware threads of their own on every core */
	PIN_PACKED,     /* processors side by side, chip after chip and core after core */
	PIN_SPREAD,  /* processors as far from each other as can be: on all chips before a second one on any, then on all cores */
	PIN_DYNAMIC, /* no scheme, but two of those above, by load */
};
/* Of those that divide a machine. */
#define PIN_SCHEMES PIN_DYNAMIC

/* Pinning that follows the load; see placement/pinning.h. */
struct dynamic_pinning {
	enum pinning below, above;    /* the schemes at low and high load */
	double threshold, hysteresis; /* loads */
	int64_t dwell_ns;             /* the least time in one of them */
};

/* Workloads of one kind. */
struct group {
	unsigned instances;
	bool by_default;         /* as many as that are the default, since none were asked for */
	bool free;               /* runs uncontrolled beside the others */
	struct sst_cpus *cpus;   /* the processors that it may use; NULL for all; owned */
	struct sst_cpus *moved;  /* with dynamic pinning, those at high load; likewise */
	enum pinning pin;        /* the scheme that cpus came from */
	bool bind;               /* each instance has one of cpus to itself, in their order, and begins again after the last */
	unsigned part, parts;    /* … and which part of how many; 0 parts: not given */
	const char *stdout_file; /* of its workloads, also where it has that of all groups; NULL: inherited */
	const char *stderr_file; /* likewise */
	char **command;          /* argv, NULL-terminated; the words are the caller's */
};

/* What runs beside the workloads and is measured, not held. */
#define WATCHES_MAX 32
#define WATCH_NAME_MAX 48
struct watch {
	const char *text;          /* which one, as it was typed, without a name */
	char name[WATCH_NAME_MAX]; /* in columns, each another: letters, digits, underscores */
	pid_t pid;                 /* 0: the text is a control group */
};

/* What the user asked for. Texts are the caller's (argv) unless said otherwise. */
struct config {
	enum {
		ACTION_RUN,
		ACTION_DRY_RUN,
		ACTION_CHECK_MACHINE,
		ACTION_LIST_MODULES,
		ACTION_HELP_MODULE,
		ACTION_LIST_PINS,
		ACTION_EXPLAIN,
		ACTION_SET,
		ACTION_RELEASE,
		ACTION_HELP,
		ACTION_VERSION,
	} action;
	struct group *group; /* `groups` of them; owned */
	unsigned groups;
	unsigned workloads;             /* sum of the groups' instances, and the attached processes, which come after them */
	unsigned controlled;            /* those of them that are in no free group */
	struct sst_cpus *cpus;          /* what the controlled ones may use, in all; NULL for the whole machine; owned */
	struct sst_cpus *moved;         /* with dynamic pinning, the same at high load */
	unsigned dynamics;              /* groups with dynamic pinning */
	struct dynamic_pinning dynamic; /* its settings, if there are any */
	unsigned list_parts;            /* for ACTION_LIST_PINS */
	pid_t *attach;                  /* processes, each once; owned */
	const char **attach_group;      /* names of control groups, `attach_groups` of them; owned, not the names */
	unsigned attaches;              /* all that is attached: processes first, … */
	unsigned attach_groups;         /* … and so many groups */
	struct watch watch[WATCHES_MAX];
	unsigned watches;
	const char *load;                          /* of -l, a load; NULL: not given */
	const char *module[KINDS];                 /* where none was named, the text of config_usual_module itself */
	const char *module_options[KINDS];         /* NULL for none */
	double limit;                              /* in processors; 0: none */
	char limit_load[32], limit_processors[32]; /* module options that it stands for */
	int64_t start_at_ns;                       /* since 1970; 0: at once */
	int64_t start_interval_ns; /* between the starts of two instances; 0: all at once, held until all are there */
	int64_t warmup_ns;
	int64_t run_time_ns; /* -1: as long as the trace */
	int64_t grace_ns;
	int64_t log_interval_ns;
	const char *log; /* NULL for none */
	bool log_instances;
	bool log_power, log_zones;
	const char *log_counters;                          /* names of events; NULL for none */
	const char *stdout_file, *stderr_file, *directory; /* of the workloads; NULL: inherited. The files are for all groups */
	double require_error, require_mse, require_others; /* pp, pp², pp; NaN: not asked for */
	enum { ENDS_CONTINUE, ENDS_RESPAWN, ENDS_STOP } when_one_ends;
	bool keep_going; /* without a workload whose executor died */
	bool ignore_failures, quiet, verbose;
	enum { CONTAIN_NONE, CONTAIN_PIDNS } contain;
	enum { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER } progress;
	const char *export_json, *export_csv; /* NULL for none */
	bool json;                            /* of ACTION_CHECK_MACHINE: as JSON */
	const char *separator, *placeholder;
	const char *root; /* before /proc and /sys in what measures; "" */
	enum sst_kind help_kind;
	const char *help_name;
	const char *target;   /* of ACTION_SET: a line of trace/stream.h … */
	pid_t target_process; /* … and a process of the run that it is for; 0: of the only one */
	const char *release;  /* of ACTION_RELEASE: the name of a group */
};

/* The modules that are taken where none is named. */
extern const char *const config_usual_module[KINDS];

/* The defaults. */
void config_init(struct config *config);
/* Frees the sets of one group that isn't in a configuration. */
void config_free_group(const struct group *group);
/* Frees what it owns; twice does no harm. */
void config_free(struct config *config);

/* The instance's number in arguments: scratch.% becomes scratch.07. */

/* Digits of the largest number of `workloads` instances, which are numbered from 0. */
unsigned expand_width(unsigned workloads);

/*
 * `text` with every placeholder replaced by the number, zero-padded to `width`, and every doubled placeholder by a single one. An
 * empty placeholder replaces nothing. A percent sign that an ASCII letter or digit follows is none, nor is one of a conversion of
 * printf, such as %.2f and %-10s, or of a variable of curl, such as %{http_code}. To be freed; NULL with errno ENOMEM.
 */
char *expand(const char *text, const char *placeholder, unsigned number, unsigned width);

/* Whether expand() would give anything but `text`. */
bool expand_changes(const char *text, const char *placeholder);

/* A command's words, expanded but for the first one; free with expand_free. NULL with errno ENOMEM. */
char **expand_command(char *const *command, const char *placeholder, unsigned number, unsigned width);
void expand_free(char **command);

/*
 * Calls `say` with a line for each word of a command in which a percent sign behind a digit is replaced: 50% may mean per cent.
 */
void replaced_warn(const struct config *config, void (*say)(const char *line));

/* Calls `say` with a line for each text that differs from what was given, as the first instance that it is for gets it. */
void replaced_say(const struct config *config, void (*say)(const char *line));

#endif
