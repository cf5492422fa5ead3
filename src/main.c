/* SPDX-License-Identifier: MIT */
/*
 * showstopper: holds the CPU load of the whole machine at a target by stopping and continuing workloads.
 *
 * A map, in the order in which a run goes through the files:
 *
 * - main.c                what to do, and how to end
 * - command_line.c        argv into struct config; --help
 * - diag.c                messages on stderr
 * - units.c               notation of times, loads and numbers
 * - cpus.c                notation of processor lists
 * - instant.c             notation of moments
 * - placement.c           which processors a group may use
 * - pinning.c             … by which scheme
 * - topology.c            … on which machine
 * - dynamic_pinning.c     … and when it changes
 * - linux_affinity.c      … and how that is asked for and set
 * - linux_processors.c    default number of instances: affinity and quota
 * - machine.c             --check-machine
 * - linux_attached.c      processes that are attached
 * - guardian.c            forks the master, passes signals on, cleans up after it
 * - linux_scheduling.c    priorities: saved, raised, given back to workloads
 * - master.c              sets the run up, and says in the end what it has come to
 * - master_supervision.c  … in between: starts, pauses and ends it
 * - master_executors.c    … orders to executors, and what becomes of them
 * - master_recording.c    … log, samples and energy; dynamic pinning
 * - run.c                 the modules of a run and the memory they share
 * - module.c              loads and checks modules
 * - module_path.c         finds modules
 * - module_trust.c        which of them a privileged process may load
 * - module_info.c         --list-modules, --help-module
 * - option.c              module options as data
 * - linux_host.c          what modules may ask of the system
 * - linux_cgroup.c        the container we are in, and other control groups
 * - linux_source.c        files of the kernel, read again and again
 * - linux_accounting.c    how the kernel accounts processor time
 * - trace_text.c          traces as text (the module `file`, sstrace)
 * - trace_binary.c        compiled traces (likewise)
 * - shared.c              the memory that master and executors share
 * - executor.c            one workload: control loop, edges, its end
 * - expand.c              instance numbers in arguments
 * - linux_spawn.c         starts a workload
 * - respawn.c             when it may be started again
 * - linux_containment.c   … in a PID namespace of its own
 * - linux_tree.c          stops and continues a tree of processes
 * - linux_descendants.c   finds, signals and kills descendants
 * - linux_process.c       /proc/PID/stat
 * - loop.c                trace, feedback, control, space, dithering: one edge
 * - estimate.c            the shared load estimate
 * - linux_stat.c          /proc/stat (the module `realtime`, cpuload)
 * - energy.c              electric energy, measured where that is asked for
 * - linux_move.c          binds a tree to other processors
 * - recorder.c            means over intervals, for log and summary
 * - control_log.c         the control log
 * - accuracy.c            mean error and mean squared error
 * - summary.c             the summary at the end
 * - export.c              the record of a run for programs
 * - half_file.c           … and other files that can't be written whole
 * - progress.c            the live line
 *
 * For the other programs:
 *
 * - tool_options.c        command lines as tables
 * - iteration_log.c       iteration records (ssburn, ssiterate, ssreport)
 * - linux_load_source.c   cpuload: what is measured
 * - linux_load.c          … the machine, and each processor
 * - linux_tree_time.c     … a process and its descendants
 * - linux_cgroup_usage.c  … a control group; texts of control groups
 * - linux_frequency.c     … clock frequencies
 * - linux_power.c         … electric power
 * - load_meter.c          … samples to loads
 * - row_writer.c          … rows as CSV, JSON Lines or a table
 * - csv.c                 ssreport: reads CSV
 * - report_input.c        … files sorted into runs
 * - report_log.c          … a control log or load log
 * - report_iterations.c   … iteration records in memory
 * - report_accuracy.c     … accuracy at each level of the target
 * - report_window.c       … load and throughput of stretches of a run
 * - report_colocation.c   … workloads that share a machine, step by step
 * - regression.c          … a line through points
 * - report_matrix.c       … tables of numbers with names of rows and columns
 * - report_heat.c         … their heat maps
 * - report_table.c        … tables
 * - report_text.c         … labels and names of files
 * - report_draw.c         … lines, bands and points of a picture
 * - report_picture.c      … pictures, as scripts
 * - plot.c                … gnuplot draws them
 * - sim_run.c             sssim: a run in virtual time
 * - sim_machine.c         … processors, scheduler, accounting
 * - sim_workload.c        … models of workloads
 * - sim_host.c            … /proc and /sys as the machine would show them
 * - sim_history.c         … what the machine did against the target
 * - sim_heap.c            … a queue of events
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "command_line.h"
#include "diag.h"
#include "guardian.h"
#include "linux_attached.h"
#include "machine.h"
#include "module_info.h"
#include "placement.h"
#include "run.h"

/* Standard output is part of the result: what could not be written is an error. */
static int flushed(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	diag("can't write to standard output");
	return EXIT_TROUBLE;
}

/* Prints commands and modules as they would be run. */
static int dry_run(const struct config *config)
{
	struct run run;
	struct attached *attached;
	int status = EXIT_TROUBLE;
	if (attached_open(config->attach, config->attaches, &attached) != 0)
		return EXIT_TROUBLE;
	if (run_prepare(&run, config) == 0) {
		run.attached = attached;
		run_print(&run, stdout);
		status = flushed(0);
	}
	run_release(&run);
	attached_close(attached, config->attaches);
	return status;
}

static int list_pins(unsigned parts)
{
	char error[PLACEMENT_ERROR_MAX];
	if (placement_list(parts, stdout, error) == 0)
		return flushed(0);
	diag("%s", error);
	return EXIT_TROUBLE;
}

static int act(const struct config *config)
{
	switch (config->action) {
	case ACTION_HELP:
		config_help(stdout);
		return flushed(0);
	case ACTION_VERSION:
		puts("showstopper " SHOWSTOPPER_VERSION);
		return flushed(0);
	case ACTION_LIST_MODULES:
		return flushed(module_info_list(stdout) == 0 ? 0 : EXIT_TROUBLE);
	case ACTION_HELP_MODULE:
		return flushed(module_info_help(config->help_kind, config->help_name, stdout) == 0 ? 0 : EXIT_TROUBLE);
	case ACTION_LIST_PINS:
		return list_pins(config->list_parts);
	case ACTION_CHECK_MACHINE:
		machine_print(config->root, stdout);
		return flushed(0);
	case ACTION_DRY_RUN:
		return dry_run(config);
	case ACTION_RUN:
		break;
	}
	return guardian_run(config);
}

static void end_by_signal(int number)
{
	sigset_t set;
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
}

int main(int argc, char **argv)
{
	struct config config;
	char *error;
	int status = EXIT_TROUBLE;
	/* Real and effective ids differ in a set-uid program, and workloads would have both. Capabilities of the file end with exec. */
	if (geteuid() != getuid() || getegid() != getgid()) {
		diag("set-uid or set-gid, this program would hand its rights to any command: give it cap_sys_nice instead");
		return EXIT_TROUBLE;
	}
	if (config_parse(&config, argc, argv, &error) == 0)
		status = act(&config);
	else
		diag("%s", error ? error : "out of memory");
	free(error);
	config_free(&config);
	if (status < 0)
		end_by_signal(-status);
	return status;
}
