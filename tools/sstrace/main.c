/* SPDX-License-Identifier: MIT */
/* Compiles load traces, turns them back into text, checks and describes them. See sstrace(1). */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file_uses.h"
#include "base/output.h"
#include "base/units.h"
#include "base/version.h"
#include "cli/complete.h"
#include "self/signals.h"
#include "sstrace/info.h"
#include "sstrace/options.h"
#include "trace/trace.h"

/* Closes the stream. 0, or -1 after a message. */
static int end_output(FILE *to, const char *name)
{
	const bool failed = ferror(to) || fflush(to) != 0;
	const int error = errno;
	if (fclose(to) != 0 || failed)
		return diag_refuse("can't write %s: %s", name, strerror(failed ? error : errno));
	return 0;
}

static int print_help(void)
{
	static const struct settings defaults = {0};
	printf("usage: sstrace [OPTION]... [FILE]\n"
	       "Reads a load trace, text or compiled, from FILE or standard input and writes it compiled to standard "
	       "output.\n\n");
	tool_options_help(sstrace_options, sstrace_option_count, 0, &defaults, stdout);
	return end_output(stdout, "standard output");
}

/* 0, or -1 after a message: the output is the input. */
static int check_files(const struct settings *settings)
{
	struct file_uses uses = {0};
	char error[FILE_USES_ERROR_MAX];
	if (settings->input)
		file_uses_add(&uses, FILE_IS_READ, "the input", settings->input);
	else
		file_uses_add_standard(&uses, STDIN_FILENO);
	file_uses_add(&uses, FILE_IS_WRITTEN, settings->output ? "--output" : "standard output",
		settings->output ? settings->output : "-");
	file_uses_add_standard(&uses, STDERR_FILENO);
	return file_uses_check(&uses, error) == 0 ? 0 : diag_refuse("%s", error);
}

/* Opens the output, but leaves a file that is the input as it is. Returns a descriptor, or -1 after a message. */
static int open_output(const struct settings *settings)
{
	const char *name = settings->output ? settings->output : "standard output";
	int file = STDOUT_FILENO;
	struct stat status;
	if (check_files(settings) != 0)
		return -1;
	if (settings->output)
		file = output_open(settings->output, O_NOCTTY);
	if (file < 0)
		return diag_refuse("can't write %s: %s", name, strerror(errno));
	if (settings->job == JOB_COMPILE && isatty(file)) {
		diag("%s is a terminal, expected a file or a pipe for a compiled trace (or --text)", name);
		goto fail;
	}
	if (settings->output && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && ftruncate(file, 0) != 0) {
		diag("can't write %s: %s", name, strerror(errno));
		goto fail;
	}
	return file;
fail:
	if (settings->output)
		close(file);
	return -1;
}

static int write_output(const struct settings *settings, int file, const struct trace *trace)
{
	const char *name = settings->output ? settings->output : "standard output";
	if (settings->job == JOB_COMPILE) {
		int result = trace_binary_write(trace, file);
		/* Some file systems report only now that there was no room. */
		if (close(file) != 0)
			result = -1;
		if (result != 0)
			return diag_refuse("can't write %s: %s", name, strerror(errno));
		return 0;
	}
	FILE *to = fdopen(file, "w");
	if (!to)
		return diag_refuse("can't write %s: %s", name, strerror(errno));
	if (settings->job == JOB_INFO)
		info_print(trace, to);
	else
		trace_text_print(trace, to);
	return end_output(to, name);
}

/* A trace in minutes written with `m`. */
static void warn_if_short(const struct trace *trace, const char *name)
{
	char text[SHORT_TIME_MAX];
	if (short_time(trace->records[trace->count - 1].ns, text))
		diag("%s: the trace's length: %s", name, text);
}

/* 0, or -1 after a message. */
static int work(const struct settings *settings)
{
	const char *name = settings->input ? settings->input : "standard input";
	char error[TRACE_ERROR_MAX];
	struct trace trace = {0};
	int result = -1;
	int input = STDIN_FILENO;
	if (settings->job == JOB_COMPILE && !settings->output && isatty(STDOUT_FILENO))
		return diag_refuse("standard output is a terminal, expected a file or a pipe for a compiled trace (or --text)");
	if (settings->input)
		input = open(settings->input, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (input < 0)
		return diag_refuse("%s: %s", name, strerror(errno));
	if (trace_read(&trace, input, name, TRACE_COPY_MAX, error) != 0) {
		diag("%s", error);
		goto out;
	}
	warn_if_short(&trace, name);
	if (settings->job == JOB_CHECK) {
		result = 0;
	} else {
		const int output = open_output(settings);
		if (output >= 0)
			result = write_output(settings, output, &trace);
		if (output >= 0 && result != 0 && settings->output)
			half_file_empty(settings->output);
	}
out:
	trace_free(&trace);
	if (settings->input)
		close(input);
	return result;
}

/*
 * A standard file that is closed must not become the next file that is opened. What takes its place is open in the wrong
 * direction, so that using it fails as before. Returns 0 or -1.
 */
static int occupy_standard_files(void)
{
	for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
		if (fcntl(file, F_GETFD) < 0 && open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) != file)
			return -1;
	return 0;
}

int main(int count, char **arguments)
{
	const struct complete_program program = {
		.option = sstrace_options, .count = sstrace_option_count, .words = COMPLETE_FILES};
	struct settings settings;
	int result = -1;
	if (complete(&program, count, arguments))
		return 0;
	diag_name("sstrace");
	signals_block_file_limit();
	if (occupy_standard_files() != 0) {
		diag("can't open /dev/null: %s", strerror(errno));
		return EXIT_TROUBLE;
	}
	switch (settings_parse(&settings, count, arguments)) {
	case 0:
		result = work(&settings);
		break;
	case 'h':
		result = print_help();
		break;
	case 'V':
		printf("sstrace %s\n", version_text);
		result = end_output(stdout, "standard output");
		break;
	}
	return result == 0 ? EXIT_SUCCESS : EXIT_TROUBLE;
}
