/* SPDX-License-Identifier: MIT */
/* What this machine can measure and what it permits: --check-machine. */
#ifndef CLI_MACHINE_H
#define CLI_MACHINE_H

#include <stdio.h>

#include "config/config.h"
#include "self/host.h"
#include "self/scheduling.h"

/* What was found out about a machine, for people and as JSON: both say the same. */

/* Changes when a member of the JSON changes its meaning or goes. */
#define FINDINGS_SCHEMA 1

enum finding_section { FINDING_SOURCES, FINDING_MACHINE, FINDING_PRIVILEGES };
#define FINDING_SECTIONS 3

enum finding_state {
	FINDING_CHOSEN,      /* there, and a run takes it */
	FINDING_AVAILABLE,   /* there */
	FINDING_UNAVAILABLE, /* not there; the text says why */
	FINDING_KNOWN,       /* a fact about the machine */
	FINDING_UNKNOWN,     /* … that can't be told here */
};

/* What it does to a run. */
enum finding_weight { FINDING_HARMLESS, FINDING_LOWERS, FINDING_STOPS };

struct finding {
	enum finding_section section;
	enum finding_state state;
	enum finding_weight weight;
	const char *name; /* a member of the JSON; for people its `_` are blanks */
	char text[640];
	char effect[256];                    /* where the weight isn't harmless: what it does, in a sentence without full stop */
	char remedy[256];                    /* what can be done about it; "" for nothing */
	char command[SCHEDULING_REMEDY_MAX]; /* … and the line that does it; "" for none */
	double value;                        /* the figure of the text; NaN for none */
};

#define FINDINGS_MAX 40

struct findings {
	struct finding finding[FINDINGS_MAX];
	size_t count;
	enum finding_section section; /* of those that are added */
};

/* Adds one, which stays where it is. */
struct finding *findings_add(struct findings *findings, const char *name, enum finding_state state, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Says what it does to a run. */
void finding_weigh(struct finding *finding, enum finding_weight weight, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Says what can be done about it; `command` may be NULL. */
void finding_remedy(struct finding *finding, const char *command, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The largest weight of all. */
enum finding_weight findings_weight(const struct findings *findings);

/* One page. */
void findings_print(const struct findings *findings, FILE *to);
/* One object. 0, or -1 where there is not enough memory. */
int findings_print_json(const struct findings *findings, FILE *to);

/* Takes a second. The exit status: 0, or 125 where a run with this configuration can't start. */
int machine_print(const struct config *config, FILE *to);

/* The parts of --check-machine: each adds what it finds. */

/* Sources of the load and of electric power, and what a run measures. */
void machine_add_sources(struct findings *findings, const struct config *config, const struct sst_env *env);
/* Events that can be counted, and idle states: they stand with the sources, behind them. */
void machine_add_counters(struct findings *findings, const struct config *config, const struct sst_env *env);
/* Processors and what else runs on them. Takes a second. */
void machine_add_hardware(struct findings *findings, const struct config *config, const struct sst_env *env);
/* What this process may do. */
void machine_add_privileges(struct findings *findings, const struct config *config, const struct sst_env *env);

/* Whether this is a virtual machine: true with the hypervisor's name, "" where that can't be told. */
#define LINUX_HYPERVISOR_NAME_MAX 32
bool linux_hypervisor_find(const struct sst_env *env, char name[static LINUX_HYPERVISOR_NAME_MAX]);

#endif
