/* SPDX-License-Identifier: MIT */
/* cpuload: records the load of the machine, of some of its processors, of a tree of processes or of a cgroup. See cpuload(1). */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/complete.h"
#include "base/descriptors.h"
#include "base/diag.h"
#include "base/version.h"
#include "cpuload/life.h"
#include "cpuload/options.h"
#include "cpuload/rows.h"
#include "self/signals.h"

static void print_help(void)
{
	struct settings settings;
	settings_init(&settings);
	printf("usage: cpuload [OPTION]... [INTERVAL [COUNT]] [-- COMMAND [ARG]...]\n"
	       "Records the CPU load every INTERVAL (500ms), COUNT times, while COMMAND runs, or until interrupted.\n\n");
	tool_options_help(cpuload_options, cpuload_option_count, &settings, stdout);
}

/* Prints what was asked for instead of working. */
static int print_information(int letter)
{
	if (letter == 'h')
		print_help();
	else
		printf("cpuload %s\n", version_text);
	if (fflush(stdout) == 0)
		return 0;
	diag("can't write standard output: %s", strerror(errno));
	return EXIT_TROUBLE;
}

static int measure(struct settings *settings)
{
	struct rows rows;
	int status = EXIT_TROUBLE;
	if (rows_open(&rows, settings) == 0)
		status = live(&rows);
	return rows_close(&rows) == 0 ? status : EXIT_TROUBLE;
}

int main(int count, char **arguments)
{
	const struct complete_program program = {
		.option = cpuload_options, .count = cpuload_option_count, .words = COMPLETE_COMMAND_BEHIND_DASHES};
	struct settings settings;
	int status = EXIT_TROUBLE;
	diag_name("cpuload");
	if (standard_files_occupy() != 0)
		return EXIT_TROUBLE;
	if (complete(&program, count, arguments))
		return 0;
	signals_block_file_limit();
	const int what = settings_parse(&settings, count, arguments);
	if (what > 0)
		status = print_information(what);
	else if (what == 0)
		status = measure(&settings);
	settings_free(&settings);
	return status;
}
