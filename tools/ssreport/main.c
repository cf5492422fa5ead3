/* SPDX-License-Identifier: MIT */
/*
 * ssreport: tables and pictures from control logs and iteration records. See ssreport(1).
 *
 * A subcommand (command.h) makes a table of its results and, where it has one, a picture; what several of them need is in parts.c, the
 * columns of all tables in columns.c. Which files belong together is decided in src/report/input.c, what is computed in accuracy.c,
 * window.c and colocation.c beside it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/standard_files.h"
#include "cli/complete.h"
#include "self/signals.h"
#include "ssreport/command_line.h"
#include "ssreport/output.h"
#include "ssreport/parts.h"

/* A label is shown when the user gave it or when there are several. */
static void show_labels(struct report *report)
{
	const struct report_input *const input = &report->settings->input;
	bool is_needed = report->count > 1;
	for (size_t i = 0; i < input->runs; i++)
		is_needed |= input->run[i].is_labelled;
	for (size_t i = 0; !is_needed && i < report->count; i++)
		report->series[i].label = NULL;
}

/* People need the name of the file only where several logs have one label. */
static bool needs_files(const struct report_input *input)
{
	for (size_t i = 0; i < input->runs; i++) {
		if (input->run[i].logs > 1)
			return true;
		for (size_t other = 0; other < i; other++)
			if (strcmp(input->run[i].label, input->run[other].label) == 0)
				return true;
	}
	return false;
}

static int make_report(struct report *report)
{
	const struct settings *const settings = report->settings;
	const struct command *const command = settings->command;
	struct report_column column[COLUMN_COUNT];
	int result = -1;
	for (size_t i = 0; i < command->columns; i++) {
		const bool is_needless = command->column[i] == COLUMN_FILE && !needs_files(&settings->input);
		column[i] = columns[is_needless ? COLUMN_FILE_UNTITLED : command->column[i]];
	}
	report->table = report_table_new(column, command->columns);
	if (!report->table)
		return complain_about_memory();
	if (command->make(report) == 0) {
		show_labels(report);
		result = output_write(report);
	}
	for (size_t i = 0; i < report->count; i++) {
		report_windows_free(&report->series[i].windows);
		report_windows_free(&report->series[i].throughput);
		report_windows_free(&report->series[i].steps);
	}
	free(report->series);
	report_table_free(report->table);
	free(report->column);
	free(report->text);
	for (size_t i = 0; i < report->kept_count; i++)
		free(report->kept[i]);
	free(report->kept);
	report_boxes_free(&report->boxes);
	for (size_t i = 0; i < report->histogram.count; i++)
		free(report->histogram.label[i]);
	report_histogram_free(&report->histogram);
	report_matrix_free(&report->matrix);
	if (report->fleet)
		report_fleet_free(report->fleet);
	free(report->fleet);
	latency_free(report->latency);
	return result;
}

static int ssreport(struct settings *settings)
{
	char error[CSV_ERROR_MAX];
	struct report report = {.settings = settings};
	settings->input.logs_only = settings->command->bit & (SAMPLES | FLEET);
	settings->input.takes_traces = settings->command->bit & TIMELINE;
	if (output_check_files(settings) != 0)
		return EXIT_TROUBLE;
	const bool is_of_column = settings->command->bit & BOXES && settings->column_names > 0;
	if (settings->command->bit & OF_RUNS && !is_of_column && report_input_read(&settings->input, error) != 0) {
		diag("%s", error);
		return EXIT_TROUBLE;
	}
	return make_report(&report) == 0 ? 0 : EXIT_TROUBLE;
}

int main(int count, char **arguments)
{
	struct complete_subcommand subcommand[COMMANDS_MAX] = {{0}};
	const struct complete_program program = {
		.option = ssreport_options, .count = ssreport_option_count, .words = COMPLETE_FILES, .subcommand = subcommand};
	struct settings settings;
	int status = EXIT_TROUBLE;
	for (size_t i = 0; commands[i]; i++)
		subcommand[i] = (struct complete_subcommand){commands[i]->name, commands[i]->summary, commands[i]->bit};
	diag_name("ssreport");
	if (standard_files_occupy() != 0)
		return EXIT_TROUBLE;
	if (complete(&program, count, arguments))
		return 0;
	settings_init(&settings);
	signals_block_file_limit();
	const int result = command_line_parse(count, arguments, &settings);
	if (result == COMMAND_LINE_DONE)
		status = 0;
	else if (result == COMMAND_LINE_GO_ON)
		status = ssreport(&settings);
	settings_free(&settings);
	return status;
}
