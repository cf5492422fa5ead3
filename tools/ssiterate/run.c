/* SPDX-License-Identifier: MIT */
#include "ssiterate/run.h"

#include <errno.h>
#include <limits.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/file_uses.h"
#include "base/output.h"
#include "processes/command.h"
#include "processes/descendants.h"
#include "record/iteration_log.h"
#include "self/iteration_counter.h"
#include "self/signals.h"
#include "ssiterate/command.h"
#include "ssiterate/iterate.h"
#include "ssiterate/outcome.h"
#include "ssiterate/wait.h"

static int compile(regex_t *regex, const char *option, const char *text)
{
	char message[256];
	const int error = regcomp(regex, text, REG_EXTENDED | REG_NOSUB);
	if (error == 0)
		return 0;
	regerror(error, regex, message, sizeof message);
	diag("--%s: '%s' is no extended regular expression: %s", option, text, message);
	return -1;
}

static int exit_status(const struct iterate *iterate)
{
	return WIFEXITED(iterate->wait_status) ? WEXITSTATUS(iterate->wait_status) : 128 + WTERMSIG(iterate->wait_status);
}

/* Each run is an iteration. Returns the status to exit with. */
static int run_again_and_again(struct iterate *iterate)
{
	for (;;) {
		command_fetch_signals(iterate);
		if (iterate->is_over || clock_now() >= iterate->deadline_ns)
			return 0;
		const int64_t start_ns = clock_now();
		int status = command_start(iterate);
		if (status != 0)
			return status;
		wait_for_command(iterate);
		if (iterate->is_over)
			return 0;
		status = exit_status(iterate);
		if (status != 0 && !iterate->settings->keep_going)
			return status;
		iterate_record(iterate, start_ns, iterate->ended_ns, status);
		if (iterate_is_limited(iterate))
			return 0;
	}
}

/* Iterations are where the command prints that they are. Returns the status to exit with. */
static int run_once(struct iterate *iterate)
{
	command_fetch_signals(iterate);
	if (iterate->is_over || clock_now() >= iterate->deadline_ns)
		return 0;
	iterate->is_begun = !iterate->settings->match_start;
	iterate->start_ns = clock_now();
	const int status = command_start(iterate);
	if (status != 0)
		return status;
	wait_for_command(iterate);
	const bool is_limited = iterate->is_over;
	wait_for_output(iterate);
	return is_limited ? 0 : exit_status(iterate);
}

/* Refuses what can be seen to fail before a file is emptied. 0, or the status to exit with after a message. */
static int check(const struct settings *settings)
{
	struct file_uses uses = {0};
	char command[PATH_MAX];
	if (command_find(settings->command[0], NULL, command) != 0)
		return command_refuse(settings->command[0]);
	file_uses_add(&uses, FILE_IS_READ, "the command", command);
	file_uses_add_standard(&uses, STDIN_FILENO);
	return record_files_check(&settings->files, &uses) == 0 ? 0 : EXIT_TROUBLE;
}

static int prepare(struct iterate *iterate)
{
	const struct settings *const settings = iterate->settings;
	iterate->statistics.keeps = settings->files.export_json;
	for (int i = 0; settings->match && i < 2; i++) {
		iterate->stream[i].line = malloc(LINE_LENGTH_MAX);
		if (!iterate->stream[i].line) {
			diag("%s", strerror(errno));
			return -1;
		}
	}
	if (settings->files.output && iteration_log_open(&iterate->log, settings->files.output) != 0)
		return record_files_refuse_output(&settings->files);
	iterate->has_log = settings->files.output != NULL;
	if (settings->files.export_json && !(iterate->export = output_stream(settings->files.export_json)))
		return record_files_refuse_export(&settings->files);
	if (settings->time_ns != UNSET)
		iterate->deadline_ns = clock_now() + settings->time_ns;
	sigset_t fetched;
	signals_take(&iterate->kept, &fetched);
	iterate->signals = signalfd(-1, &fetched, SFD_CLOEXEC | SFD_NONBLOCK);
	if (iterate->signals >= 0)
		return 0;
	diag("can't wait for signals: %s", strerror(errno));
	return -1;
}

/* Says what has come of all iterations, if there was something to come of. */
static void tell_outcome(struct iterate *iterate)
{
	const struct settings *const settings = iterate->settings;
	if (iterate->has_run && !settings->quiet)
		outcome_print(settings, &iterate->statistics);
	if (!iterate->export)
		return;
	if (outcome_export(iterate->export, settings, &iterate->statistics) == 0)
		return;
	record_files_refuse_export(&settings->files);
	iterate->is_lossy = true;
}

int ssiterate_run(const struct settings *settings)
{
	int status = EXIT_TROUBLE;
	struct iterate iterate = {.settings = settings,
		.counter = iteration_counter_find(),
		.log = {.file = -1},
		.signals = -1,
		.deadline_ns = INT64_MAX,
		.kill_ns = INT64_MAX,
		.stream = {{.from = -1, .to = STDOUT_FILENO, .name = "standard output", .left = SIZE_MAX},
			{.from = -1, .to = STDERR_FILENO, .name = "standard error", .left = SIZE_MAX}}};
	const bool has_end = settings->match && compile(&iterate.end, "match", settings->match) == 0;
	const bool has_start =
		has_end && settings->match_start && compile(&iterate.start, "match-start", settings->match_start) == 0;
	const bool is_compiled = has_end == !!settings->match && has_start == !!settings->match_start;
	if (is_compiled && (status = check(settings)) == 0)
		status = prepare(&iterate) != 0 ? EXIT_TROUBLE
			 : settings->match      ? run_once(&iterate)
						: run_again_and_again(&iterate);
	if (iteration_log_close(&iterate.log) != 0 && !iterate.is_lossy) {
		record_files_refuse_output(&settings->files);
		iterate.is_lossy = true;
	}
	tell_outcome(&iterate);
	statistics_free(&iterate.statistics);
	if (has_end)
		regfree(&iterate.end);
	if (has_start)
		regfree(&iterate.start);
	descendants_free(&iterate.victims);
	free(iterate.stream[0].line);
	free(iterate.stream[1].line);
	if (iterate.signals >= 0)
		close(iterate.signals);
	if (iterate.is_lossy)
		return EXIT_TROUBLE;
	if (!iterate.told_by)
		return status;
	signals_end_by(iterate.told_by);
	return 128 + iterate.told_by;
}
