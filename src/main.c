/* SPDX-License-Identifier: MIT */
/* showstopper: what to do, and how to end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complete.h"
#include "base/descriptors.h"
#include "base/diag.h"
#include "base/version.h"
#include "cli/command_line.h"
#include "cli/instead.h"
#include "cli/machine.h"
#include "cli/options.h"
#include "placement/placement.h"
#include "record/summary.h"
#include "self/run_socket.h"
#include "self/signals.h"
#include "supervise/processes.h"

/* Standard output is part of the result: what could not be written is an error. */
static int flushed(int status)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	/* Tried again, what failed before has its reason. */
	diag("can't write to standard output%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
	return EXIT_TROUBLE;
}

static int list_pins(unsigned parts)
{
	return placement_list(parts, stdout) == 0 ? flushed(0) : EXIT_TROUBLE;
}

static int set_target(pid_t process, const char *line)
{
	char error[RUN_SOCKET_ERROR_MAX], of[32] = "";
	if (run_socket_say(process, line, error) == 0)
		return 0;
	if (process)
		snprintf(of, sizeof of, "process %d: ", (int)process);
	diag("--set: %s%s", of, error);
	return EXIT_TROUBLE;
}

static int act(const struct config *config)
{
	switch (config->action) {
	case ACTION_HELP:
		config_help(stdout);
		return flushed(0);
	case ACTION_VERSION:
		printf("showstopper %s\n", version_text);
		return flushed(0);
	case ACTION_LIST_MODULES:
		return flushed(module_info_list(stdout) == 0 ? 0 : EXIT_TROUBLE);
	case ACTION_HELP_MODULE:
		return flushed(module_info_help(config->help_kind, config->help_name, stdout) == 0 ? 0 : EXIT_TROUBLE);
	case ACTION_LIST_PINS:
		return list_pins(config->list_parts);
	case ACTION_EXPLAIN:
		summary_explain(stdout);
		return flushed(0);
	case ACTION_SET:
		return set_target(config->target_process, config->target);
	case ACTION_CHECK_MACHINE:
		return flushed(machine_print(config, stdout));
	case ACTION_DRY_RUN:
		return flushed(dry_run_print(config) == 0 ? 0 : EXIT_TROUBLE);
	case ACTION_RELEASE:
		return release_group(config->release, config->quiet) == 0 ? 0 : EXIT_TROUBLE;
	case ACTION_RUN:
		break;
	}
	diag_never_wait();
	return guardian_run(config);
}

int main(int argc, char **argv)
{
	const struct complete_program program = {.option = showstopper_options,
		.count = showstopper_option_count,
		.words = COMPLETE_COMMAND,
		.later = OPTION_OF_GROUP,
		.offer_modules = complete_modules};
	struct config config;
	int status = EXIT_TROUBLE;
	if (standard_files_occupy() != 0)
		return EXIT_TROUBLE;
	/* Real and effective ids differ in a set-uid program, and workloads would have both. Capabilities of the file end with exec. */
	if (geteuid() != getuid() || getegid() != getgid()) {
		diag("set-uid or set-gid, this program would hand its rights to any command: give it cap_sys_nice instead");
		return EXIT_TROUBLE;
	}
	if (complete(&program, argc, argv))
		return 0;
	if (config_parse(&config, argc, argv) == 0)
		status = act(&config);
	config_free(&config);
	if (status >= 0)
		return status;
	signals_end_by(-status);
	/* The first process of a container can't end by a signal of its own. */
	return 128 - status;
}
