/* SPDX-License-Identifier: MIT */
/* Compiles load traces, turns them back into text, checks and describes them. See sstrace(1). */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/half_file.h"
#include "base/units.h"
#include "base/version.h"
#include "trace/binary.h"
#include "trace/load.h"
#include "trace/text.h"

/* A job has the letter of the option that asks for it. */
enum job { JOB_COMPILE = 0, JOB_CHECK = 'c', JOB_INFO = 'i', JOB_TEXT = 't' };

struct settings {
	enum job job;
	const char *input;  /* NULL: standard input */
	const char *output; /* NULL: standard output */
};

static const struct {
	int letter;
	const char *name, *argument, *help;
} options[] = {
	{JOB_CHECK, "check", NULL, "write nothing; the status says whether the trace is right"},
	{JOB_INFO, "info", NULL, "write what the trace holds: records, length, mean, minimum, maximum, …"},
	{JOB_TEXT, "text", NULL, "write the trace as canonical text instead of compiling it"},
	{'o', "output", "FILE", "write to FILE instead of standard output"},
	{'h', "help", NULL, "print this"},
	{'V', "version", NULL, "print the version"},
};
#define OPTIONS (sizeof options / sizeof *options)

/* ---- Command line ----------------------------------------------------------------------------------------------------- */

static void print_help(void)
{
	printf("usage: sstrace [OPTION]... [FILE]\n"
	       "Reads a load trace, text or compiled, from FILE or standard input and writes it compiled to standard "
	       "output.\n\n");
	for (size_t i = 0; i < OPTIONS; i++) {
		char name[32];
		snprintf(name, sizeof name, "--%s%s%s", options[i].name, options[i].argument ? " " : "",
			options[i].argument ? options[i].argument : "");
		printf("  -%c, %-14s %s\n", options[i].letter, name, options[i].help);
	}
}

static const char *job_name(enum job job)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (options[i].letter == (int)job)
			return options[i].name;
	return "";
}

static int misused(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says what is wrong. Returns the status to exit with. */
static int misused(const char *format, ...)
{
	char message[2048];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	diag("%s", message);
	return EXIT_TROUBLE;
}

static int refuse_option(const char *word)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (options[i].letter == optopt)
			return misused("found an argument in '%s', expected --%s alone", word, options[i].name);
	if (optopt)
		return misused("unknown option '-%c' (sstrace --help shows what there is)", optopt);
	return misused("unknown option '%s' (sstrace --help shows what there is)", word);
}

/* getopt_long takes abbreviations too, whose meaning would change when options are added. */
static bool is_exact(const char *word, const char *name)
{
	const size_t length = strlen(name);
	return strncmp(word, "--", 2) == 0 && strncmp(word + 2, name, length) == 0 &&
	       (!word[length + 2] || word[length + 2] == '=');
}

/* Closes the stream. Returns the status to exit with. */
static int end_output(FILE *to, const char *name)
{
	const bool failed = ferror(to) || fflush(to) != 0;
	const int error = errno;
	if (fclose(to) != 0 || failed)
		return misused("can't write %s: %s", name, strerror(failed ? error : errno));
	return EXIT_SUCCESS;
}

/* Returns -1 to go on, or the status to exit with. */
static int parse_arguments(int count, char **arguments, struct settings *settings)
{
	struct option table[OPTIONS + 1] = {0};
	char letters[2 * OPTIONS + 2] = ":";
	char *end = letters + 1;
	for (size_t i = 0; i < OPTIONS; i++) {
		table[i] = (struct option){
			options[i].name, options[i].argument ? required_argument : no_argument, NULL, options[i].letter};
		*end++ = (char)options[i].letter;
		if (options[i].argument)
			*end++ = ':';
	}
	*end = '\0';
	for (;;) {
		int row = -1;
		const int letter = getopt_long(count, arguments, letters, table, &row);
		const char *word = arguments[optind - 1];
		if (letter == -1)
			break;
		if (row >= 0 && optarg == word)
			word = arguments[optind - 2];
		if (row >= 0 && !is_exact(word, options[row].name))
			return misused("unknown option '%s', expected --%s in full", word, options[row].name);
		switch (letter) {
		case 'h':
			print_help();
			return end_output(stdout, "standard output");
		case 'V':
			printf("sstrace %s\n", version_text);
			return end_output(stdout, "standard output");
		case 'o':
			if (!*optarg)
				return misused("--output: expected the name of a file");
			if (settings->output)
				return misused("found two output files, '%s' and '%s', expected one", settings->output, optarg);
			settings->output = optarg;
			break;
		case JOB_TEXT:
		case JOB_INFO:
		case JOB_CHECK:
			if (settings->job && settings->job != (enum job)letter)
				return misused("found --%s and --%s, expected one of them", job_name(settings->job),
					job_name((enum job)letter));
			settings->job = (enum job)letter;
			break;
		case ':':
			return misused("option '%s' lacks its argument, expected a file name", word);
		default:
			return refuse_option(word);
		}
	}
	if (count - optind > 1)
		return misused("found a second file, '%s', expected one trace", arguments[optind + 1]);
	if (count - optind == 1 && strcmp(arguments[optind], "-") != 0)
		settings->input = arguments[optind];
	if (settings->output && settings->job == JOB_CHECK)
		return misused("found --output and --check, which writes nothing");
	return -1;
}

/* ---- What a trace holds ----------------------------------------------------------------------------------------------- */

/* Loads are NaN where the trace is free throughout. */
struct summary {
	double mean; /* over the time that is not free */
	double least, most;
	double free_share;
};

/*
 * What holds in each stretch of time is what modules/trace/file.c answers there: the first record's load before it, a straight
 * line between two loads, and the load of the record before where the record after is free or loads are held.
 */
static void summarise(const struct trace *trace, struct summary *summary)
{
	double area = 0;
	double controlled = 0;
	double uncontrolled = 0;
	*summary = (struct summary){.mean = NAN, .least = NAN, .most = NAN};
	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_record *next = &trace->records[i];
		const struct trace_record *record = i ? next - 1 : next;
		const double seconds = (double)(i ? next->ns - record->ns : next->ns) / (double)NS_PER_S;
		const bool sloping = trace->interpolation == TRACE_LINEAR && !isnan(next->load);
		summary->least = fmin(summary->least, next->load);
		summary->most = fmax(summary->most, next->load);
		if (isnan(record->load)) {
			uncontrolled += seconds;
		} else {
			area += seconds * (sloping ? (record->load + next->load) / 2 : record->load);
			controlled += seconds;
		}
	}
	if (controlled > 0)
		summary->mean = area / controlled;
	else if (uncontrolled == 0)
		summary->mean = trace->records[trace->count - 1].load;
	if (uncontrolled > 0)
		summary->free_share = uncontrolled / (controlled + uncontrolled);
	else if (controlled == 0 && isnan(summary->mean))
		summary->free_share = 1;
}

static void print_load(FILE *to, const char *name, double load)
{
	if (isnan(load))
		fprintf(to, "%s: none\n", name);
	else
		fprintf(to, "%s: %.6g\n", name, load);
}

static void print_info(const struct trace *trace, FILE *to)
{
	struct summary summary;
	char length[UNITS_TEXT_MAX];
	summarise(trace, &summary);
	fprintf(to, "records: %zu\n", trace->count);
	fprintf(to, "length: %s\n", units_print_time(trace->records[trace->count - 1].ns, length));
	fprintf(to, "interpolation: %s\n", trace->interpolation == TRACE_STEP ? "step" : "linear");
	print_load(to, "mean", summary.mean);
	print_load(to, "minimum", summary.least);
	print_load(to, "maximum", summary.most);
	print_load(to, "free", summary.free_share);
}

/* ---- Files ------------------------------------------------------------------------------------------------------------ */

static bool same_file(int a, int b)
{
	struct stat first;
	struct stat second;
	return fstat(a, &first) == 0 && fstat(b, &second) == 0 && S_ISREG(first.st_mode) && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

/* Opens the output, but leaves a file that is the input as it is. Returns a descriptor, or -1 after a message. */
static int open_output(const struct settings *settings, int input)
{
	const char *name = settings->output ? settings->output : "standard output";
	int file = STDOUT_FILENO;
	struct stat status;
	if (settings->output)
		file = open(settings->output, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
	if (file < 0) {
		diag("can't write %s: %s", name, strerror(errno));
		return -1;
	}
	if (same_file(input, file)) {
		diag("%s is the input, expected another file for the output", name);
		goto fail;
	}
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
			return misused("can't write %s: %s", name, strerror(errno));
		return EXIT_SUCCESS;
	}
	FILE *to = fdopen(file, "w");
	if (!to)
		return misused("can't write %s: %s", name, strerror(errno));
	if (settings->job == JOB_INFO)
		print_info(trace, to);
	else
		trace_text_print(trace, to);
	return end_output(to, name);
}

static int work(const struct settings *settings)
{
	const char *name = settings->input ? settings->input : "standard input";
	char error[TRACE_ERROR_MAX];
	struct trace trace = {0};
	int status = EXIT_TROUBLE;
	int input = STDIN_FILENO;
	if (settings->job == JOB_COMPILE && !settings->output && isatty(STDOUT_FILENO))
		return misused("standard output is a terminal, expected a file or a pipe for a compiled trace (or --text)");
	if (settings->input)
		input = open(settings->input, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (input < 0)
		return misused("%s: %s", name, strerror(errno));
	if (trace_read(&trace, input, name, TRACE_COPY_MAX, error) != 0) {
		diag("%s", error);
	} else if (settings->job == JOB_CHECK) {
		status = EXIT_SUCCESS;
	} else {
		const int output = open_output(settings, input);
		if (output >= 0)
			status = write_output(settings, output, &trace);
		if (output >= 0 && status != EXIT_SUCCESS && settings->output)
			half_file_empty(settings->output);
	}
	trace_free(&trace);
	if (settings->input)
		close(input);
	return status;
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
	struct settings settings = {0};
	diag_name("sstrace");
	if (occupy_standard_files() != 0)
		return misused("can't open /dev/null: %s", strerror(errno));
	const int status = parse_arguments(count, arguments, &settings);
	return status >= 0 ? status : work(&settings);
}
