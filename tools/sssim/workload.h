/* SPDX-License-Identifier: MIT */
/* What threads of a simulated process do: models of workloads, and of a background load. */
#ifndef SIM_WORKLOAD_H
#define SIM_WORKLOAD_H

#include <stdint.h>
#include <stdio.h>

#include "module/option.h"
#include "sssim/machine.h"
#include "sssim/service.h"

struct sim_model;

/* What the models are called; NULL-terminated. */
extern const char *const sim_model_names[];

/* A model with its options. */
struct sim_workload {
	const struct sim_model *model;
	const char *text; /* as it was given */
	int64_t threads;
	int64_t iteration_ns;                /* work of an iteration, of which each thread does one after the other */
	int64_t work_ns;                     /* mean work between two decisions */
	double serial;                       /* contended: share of the rounds that one thread has alone */
	int64_t sleep_ns;                    /* sleeper */
	double load;                         /* background: of the machine */
	int64_t start_ns, end_ns, repeat_ns; /* background: since control began; SST_UNSET for none */
	double rate;                         /* service: requests a second */
	int arrivals;                        /* … of enum sim_arrivals */
	int64_t queue;                       /* … requests that wait at most */
	const char *distribution;            /* … while it is parsed */
	struct service_time service;         /* … */
};

/*
 * Parses `MODEL[:OPTIONS]`; `processors` is what some defaults depend on. The text must outlive the
 * workload. 0, or -1 with a message that says what was found and
 * what is accepted.
 */
int sim_workload_parse(struct sim_workload *workload, const char *text, unsigned processors, char error[static OPTION_ERROR_MAX]);

/* Parses what nobody controls: the options of a background load, or a model as above. As sim_workload_parse. */
int sim_background_parse(
	struct sim_workload *workload, const char *text, unsigned processors, char error[static OPTION_ERROR_MAX]);

/*
 * Adds a process of this workload, with the random numbers of stream `number`; background loads count time from `origin_ns`. Its
 * threads start now, or where they wait for a time, then. NULL with errno ENOMEM. `workload` must outlive the machine.
 */
struct sim_process *sim_workload_add(
	struct sim_machine *machine, const struct sim_workload *workload, uint64_t number, int64_t origin_ns);
/* How many iterations its threads have finished, and with parts of those that are under way; of a service, requests that it answered. */
int64_t sim_workload_finished(const struct sim_process *process);
double sim_workload_progress(const struct sim_process *process);
bool sim_workload_is_service(const struct sim_workload *workload);
/* Shows a service's clients what they are to see; nothing to other models. They must outlive the process. */
void sim_workload_show(struct sim_process *process, struct sim_clients *clients);
/* What sim_workload_add allocated beside the process. */
void sim_workload_free(struct sim_process *process);

/* Prints the models and their options for --help. */
void sim_workload_help(FILE *to);

#endif
