/* SPDX-License-Identifier: MIT */
#include "ssreport/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/file_uses.h"
#include "base/output.h"
#include "ssreport/parts.h"

int output_check_files(const struct settings *settings)
{
	struct file_uses uses = {0};
	char error[FILE_USES_ERROR_MAX];
	report_input_files(&settings->input, &uses);
	if (settings->log)
		file_uses_add(&uses, FILE_IS_READ, "--log", settings->log);
	for (size_t i = 0; i < settings->outputs; i++)
		file_uses_add(&uses, FILE_IS_WRITTEN, "--output", settings->output[i]);
	if (settings->outputs == 0)
		file_uses_add(&uses, FILE_IS_WRITTEN, "standard output", "-");
	file_uses_add_standard(&uses, STDERR_FILENO);
	if (file_uses_check(&uses, error) == 0)
		return 0;
	diag("%s", error);
	return -1;
}

/* That of the ending of a file's name; a table of text where there is none. Or -1. */
static int format_of_ending(const char *path)
{
	static const struct {
		const char *ending;
		enum report_format format;
	} endings[] = {{".txt", REPORT_TEXT}, {".csv", REPORT_CSV}, {".md", REPORT_MARKDOWN}, {".json", REPORT_JSON}};
	const char *const slash = strrchr(path, '/');
	const char *const ending = strrchr(slash ? slash : path, '.');
	if (!ending)
		return REPORT_TEXT;
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (strcasecmp(ending, endings[i].ending) == 0)
			return (int)endings[i].format;
	return -1;
}

int output_check_ending(const struct settings *settings, const char *path)
{
	if (plot_format_of(path) >= 0 || settings->format != UNSET || format_of_ending(path) >= 0)
		return 0;
	diag("--output: found %s, expected the ending of a picture (.png .svg .pdf) or of a table (.txt .csv .md .json); "
	     "--format "
	     "NAME writes a table whatever the ending",
		path);
	return -1;
}

static enum report_format table_format(const struct settings *settings, const char *path)
{
	if (settings->format != UNSET)
		return (enum report_format)settings->format;
	return path ? (enum report_format)format_of_ending(path) : REPORT_TEXT;
}

static bool format_is_of_people(enum report_format format)
{
	return format == REPORT_TEXT || format == REPORT_MARKDOWN;
}

/* People read a table with its sentence; with any other output that is said. */
static bool has_note(const struct report *report, const char *path)
{
	return report->note && format_is_of_people(table_format(report->settings, path));
}

static void say_note(const struct report *report)
{
	const struct settings *const settings = report->settings;
	bool is_written = settings->outputs == 0 && has_note(report, NULL);
	for (size_t i = 0; i < settings->outputs; i++) {
		const char *const path = output_is_stdout(settings->output[i]) ? NULL : settings->output[i];
		is_written |= (!path || plot_format_of(path) < 0) && has_note(report, path);
	}
	if (report->note && !is_written)
		diag("%s", report->note);
}

/* To a file, or to standard output where path is NULL. */
static int write_table(const struct report *report, const char *path)
{
	FILE *const to = path ? fopen(path, "we") : stdout;
	const char *const name = path ? path : "standard output";
	int error = 0;
	if (!to) {
		diag("can't write %s: %s", name, strerror(errno));
		return -1;
	}
	errno = 0;
	if (report->settings->all_digits)
		report_table_use_all_digits(report->table);
	const int result = report_table_write(report->table, table_format(report->settings, path), to);
	if (result == 0 && has_note(report, path))
		fprintf(to, "\n%s\n", report->note);
	if (result != 0 || fflush(to) != 0 || ferror(to))
		error = errno ? errno : EIO;
	if (path && fclose(to) != 0 && error == 0)
		error = errno;
	if (error == 0)
		return 0;
	if (path)
		half_file_empty(path);
	diag("can't write %s: %s", name, strerror(error));
	return -1;
}

static int write_picture(const struct report *report, const char *path)
{
	const struct command *const command = report->settings->command;
	char error[PLOT_ERROR_MAX];
	int result = -1;
	struct report_size size = report->settings->size;
	const size_t most = command->most * (size_t)report->settings->columns;
	if (most && report->count > most) {
		diag("found %zu logs for one picture, expected at most %zu", report->count, most);
		return -1;
	}
	if (size.width <= 0)
		size = command->size(report);
	struct plot *const plot = plot_new((enum plot_format)plot_format_of(path), size.width, size.height);
	if (!plot || command->draw(report, plot, &size) != 0)
		complain_about_memory();
	else if (plot_draw(plot, path, error) != 0)
		diag("%s: %s", path, error);
	else
		result = 0;
	plot_free(plot);
	return result;
}

int output_write(const struct report *report)
{
	const struct settings *const settings = report->settings;
	say_note(report);
	if (settings->outputs == 0)
		return write_table(report, NULL);
	for (size_t i = 0; i < settings->outputs; i++) {
		const char *const path = settings->output[i];
		if (output_is_stdout(path)) {
			if (write_table(report, NULL) != 0)
				return -1;
			continue;
		}
		if ((plot_format_of(path) >= 0 ? write_picture(report, path) : write_table(report, path)) != 0)
			return -1;
	}
	return 0;
}
