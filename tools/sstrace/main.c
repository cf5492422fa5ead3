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
#include "base/standard_files.h"
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
	printf("usage: sstrace [OPTION]... [FILE]...\n"
	       "Reads a load trace, text or compiled, or what another program recorded, from FILE or standard input and writes "
	       "it "
	       "compiled to standard output.\n\n");
	tool_options_help(sstrace_options, sstrace_option_count, &sstrace_defaults, stdout);
	return end_output(stdout, "standard output");
}

static bool is_standard(const char *path)
{
	return strcmp(path, "-") == 0;
}

/* 0, or -1 after a message: the output is the input. */
static int check_files(const struct settings *settings)
{
	struct file_uses uses = {0};
	char error[FILE_USES_ERROR_MAX];
	for (size_t i = 0; i < settings->inputs; i++) {
		if (is_standard(settings->input[i]))
			file_uses_add_standard(&uses, STDIN_FILENO);
		else
			file_uses_add(&uses, FILE_IS_READ, "the input", settings->input[i]);
	}
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
	if (settings->job == JOB_INFO && info_print(trace, to) != 0) {
		diag("can't describe the trace: %s", strerror(errno));
		fclose(to);
		return -1;
	}
	if (settings->job == JOB_TEXT)
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

/* Whether it can get that shape. 0, or -1 after a message. */
static int check_shape(const struct trace_shape *shape, int64_t end_ns, const char *name)
{
	const bool has_end = shape->to_ns != TRACE_SHAPE_WHOLE;
	const int64_t least_ns = shape->from_ns > 0 ? shape->from_ns + 1 : 0;
	char found[UNITS_TEXT_MAX];
	char expected[UNITS_TEXT_MAX];
	if (least_ns > end_ns || (has_end && shape->to_ns > end_ns))
		return diag_refuse("--cut: %s: found %s, expected a part of the trace, which ends at %s", name,
			units_print_time(has_end ? shape->to_ns : shape->from_ns, found), units_print_time(end_ns, expected));
	if (shape->length_ns > 0 && end_ns == 0)
		return diag_refuse("--length: %s: found a trace without a length, expected one that can change", name);
	return 0;
}

/* Makes another trace of it, and says how fast that is and what was cut. 0, or -1 after a message. */
static int reshape(struct trace *trace, const struct trace_shape *shape, const char *name)
{
	const int64_t end_ns = trace->records[trace->count - 1].ns;
	const int64_t part_ns = (shape->to_ns < end_ns ? shape->to_ns : end_ns) - shape->from_ns;
	char before[UNITS_TEXT_MAX];
	char after[UNITS_TEXT_MAX];
	size_t cut;
	if (check_shape(shape, end_ns, name) != 0)
		return -1;
	if (trace_shape(trace, shape, &cut) != 0)
		return diag_refuse("%s: %s", name, strerror(errno));
	if (shape->length_ns > 0)
		diag("%s: %s in %s, speed %.6g", name, units_print_time(part_ns, before),
			units_print_time(shape->length_ns, after), (double)part_ns / (double)shape->length_ns);
	if (cut > 0)
		diag("%s: %zu load%s outside %g to %g, cut", name, cut, cut == 1 ? "" : "s", shape->low, shape->high);
	return 0;
}

/* The first input as it is open, and what has been read of it to see what it is. */
struct start {
	int file;
	bool is_taken; /* read, and not to be read again */
	char text[IMPORT_START_MAX];
	size_t length;
};

/* Reads the beginning of a regular file, which is still there then, or of a pipe, which it is taken from. 0, or -1 after a message. */
static int look(struct start *start, const char *path, const char *name)
{
	struct stat status;
	start->file = is_standard(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (start->file < 0 || fstat(start->file, &status) != 0)
		return diag_refuse("%s: %s", name, strerror(errno));
	const off_t at = lseek(start->file, 0, SEEK_CUR);
	const bool is_regular = S_ISREG(status.st_mode) && at >= 0;
	if (!is_regular && !S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode))
		return 0;
	while (start->length < sizeof start->text) {
		char *const to = start->text + start->length;
		const size_t room = sizeof start->text - start->length;
		const ssize_t got =
			is_regular ? pread(start->file, to, room, at + (off_t)start->length) : read(start->file, to, room);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		start->length += (size_t)got;
	}
	start->is_taken = !is_regular;
	return 0;
}

/* A trace as it stands in the file. 0, or -1 after a message. */
static int read_trace(struct trace *trace, const struct start *start, const char *name)
{
	char error[TRACE_ERROR_MAX];
	struct trace_ahead ahead = {start->text, start->length};
	if (trace_read_behind(trace, start->file, name, start->is_taken ? &ahead : NULL, TRACE_COPY_MAX, error) != 0)
		return diag_refuse("%s", error);
	return 0;
}

/* A trace of what other programs recorded, or the list of machines in it. Likewise. */
static int import(struct trace *trace, const struct settings *settings, const struct start *start, const char *name)
{
	struct import_rules rules = settings->import;
	char notes[IMPORT_NOTES_MAX];
	char error[IMPORT_ERROR_MAX];
	if (start->is_taken) {
		rules.ahead = start->text;
		rules.ahead_length = start->length;
		rules.ahead_file = start->file;
	}
	if (import_read(&rules, settings->input, settings->inputs, trace, stdout, notes, error) != 0)
		return diag_refuse("%s", error);
	diag("%s: %s", name, notes);
	return 0;
}

/* What is in the input as a trace; where machines are listed instead it stays empty. 0, or -1 after a message. */
static int load(struct trace *trace, const struct settings *settings, const char *name)
{
	struct start start = {.file = -1};
	bool is_compressed = false;
	const char *const option = settings->import_option;
	int result = -1;
	if (!settings->import.format && look(&start, settings->input[0], name) != 0)
		return -1;
	const bool is_found = start.length > 0 && (import_guess(start.text, start.length, &is_compressed) || is_compressed);
	if (option && !settings->import.format && start.length > 0 && !is_found)
		diag("--%s: %s: found no format that is known, expected a recording, or --from to say which it is", option, name);
	else if (!option && !is_found && settings->inputs > 1)
		diag("found a second file, '%s', expected one trace", settings->input[1]);
	else
		result = option || is_found ? import(trace, settings, &start, name) : read_trace(trace, &start, name);
	if (start.file >= 0 && start.file != STDIN_FILENO)
		close(start.file);
	return result == 0 && settings->import.list ? end_output(stdout, "standard output") : result;
}

/* 0, or -1 after a message. */
static int write_trace(const struct trace *trace, const struct settings *settings)
{
	const int output = open_output(settings);
	const int result = output >= 0 ? write_output(settings, output, trace) : -1;
	if (output >= 0 && result != 0 && settings->output)
		half_file_empty(settings->output);
	return result;
}

/* 0, or -1 after a message. */
static int work(const struct settings *settings)
{
	const char *name = is_standard(settings->input[0]) ? "standard input" : settings->input[0];
	struct trace trace = {0};
	if (settings->job == JOB_COMPILE && !settings->import.list && !settings->output && isatty(STDOUT_FILENO))
		return diag_refuse("standard output is a terminal, expected a file or a pipe for a compiled trace (or --text)");
	int result = load(&trace, settings, name);
	if (result == 0 && settings->shape_option)
		result = reshape(&trace, &settings->shape, name);
	if (result == 0 && trace.count > 0)
		warn_if_short(&trace, name);
	if (result == 0 && trace.count > 0 && settings->job != JOB_CHECK)
		result = write_trace(&trace, settings);
	trace_free(&trace);
	return result;
}

int main(int count, char **arguments)
{
	const struct complete_program program = {
		.option = sstrace_options, .count = sstrace_option_count, .words = COMPLETE_FILES};
	struct settings settings;
	int result = -1;
	diag_name("sstrace");
	if (standard_files_occupy() != 0)
		return EXIT_TROUBLE;
	if (complete(&program, count, arguments))
		return 0;
	signals_block_file_limit();
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
