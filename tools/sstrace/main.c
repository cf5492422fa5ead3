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

#include "base/complete.h"
#include "base/descriptors.h"
#include "base/diag.h"
#include "base/file_uses.h"
#include "base/log_columns.h"
#include "base/output.h"
#include "base/units.h"
#include "base/version.h"
#include "self/signals.h"
#include "sstrace/foreign.h"
#include "sstrace/info.h"
#include "sstrace/input.h"
#include "sstrace/options.h"
#include "sstrace/recorded.h"
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

/* A trace as it stands in the file. 0, or -1 after a message. */
static int read_trace(struct trace *trace, const struct input *input, const char *name)
{
	char error[TRACE_ERROR_MAX];
	struct trace_ahead ahead = {input->text, input->length};
	if (trace_read_behind(trace, input->file, name, input->is_taken ? &ahead : NULL, TRACE_COPY_MAX, error) != 0)
		return diag_refuse("%s", error);
	return 0;
}

/* A trace of what other programs recorded, or the list of machines in it. Likewise. */
static int import(struct trace *trace, struct settings *settings, const struct input *input, const char *name)
{
	const int again = input->is_taken ? input_again(input, name) : -1;
	if (input->is_taken && again < 0)
		return -1;
	if (again >= 0)
		settings->input[0] = "-";
	settings->word[settings->words++] = "--";
	for (size_t i = 0; i < settings->inputs; i++)
		settings->word[settings->words++] = settings->input[i];
	const int result = foreign_read(settings->word, again, name, settings->lists_machines ? NULL : trace);
	if (again >= 0)
		close(again);
	return result;
}

/* What is in the input as a trace; where machines are listed instead it stays empty. 0, or -1 after a message. */
static int load(struct trace *trace, struct settings *settings, const char *name)
{
	struct input input = {.file = -1};
	const char *const column = settings->column ? settings->column : LOG_LOAD;
	const bool is_plain = !settings->import_option && settings->inputs == 1;
	int result = input_open(&input, settings->input[0], name);
	if (result == 0 && input.kind == INPUT_TRACE && is_plain && !settings->from && !settings->column) {
		result = read_trace(trace, &input, name);
	} else if (result == 0 && input.kind == INPUT_LOG && is_plain) {
		const int again = input_again(&input, name);
		result = again >= 0 ? recorded_read(again, name, column, trace) : -1;
	} else if (result == 0 && input.kind == INPUT_TRACE && !settings->import_option && !settings->from && !settings->column) {
		result = diag_refuse("found a second file, '%s', expected one trace", settings->input[1]);
	} else if (result == 0) {
		result = import(trace, settings, &input, name);
	}
	input_close(&input);
	return result;
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
static int work(struct settings *settings)
{
	const char *name = is_standard(settings->input[0]) ? "standard input" : settings->input[0];
	struct trace trace = {0};
	if (settings->job == JOB_COMPILE && !settings->lists_machines && !settings->output && isatty(STDOUT_FILENO))
		return diag_refuse("standard output is a terminal, expected a file or a pipe for a compiled trace (or --text)");
	int result = load(&trace, settings, name);
	if (result == 0 && settings->shape_option && trace.count > 0)
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
	struct settings settings = {0};
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
	settings_free(&settings);
	return result == 0 ? EXIT_SUCCESS : EXIT_TROUBLE;
}
