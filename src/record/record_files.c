/* SPDX-License-Identifier: MIT */
#include "record/record_files.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/output.h"

void record_files_complain(const struct record_files *files)
{
	diag("%s: %s are being lost: %s", output_name(files->output), files->content, strerror(errno));
}

int record_files_refuse_output(const struct record_files *files)
{
	return diag_refuse("%s: can't write %s: %s", output_name(files->output), files->content, strerror(errno));
}

int record_files_refuse_export(const struct record_files *files)
{
	return diag_refuse("can't write %s: %s", output_name(files->export_json), strerror(errno));
}

int record_files_check(const struct record_files *files, struct file_uses *uses)
{
	char error[FILE_USES_ERROR_MAX];
	file_uses_add(uses, FILE_IS_WRITTEN, "--output", files->output);
	file_uses_add(uses, FILE_IS_WRITTEN, "--export-json", files->export_json);
	file_uses_add_standard(uses, STDOUT_FILENO);
	file_uses_add_standard(uses, STDERR_FILENO);
	if (file_uses_check(uses, error) != 0)
		return diag_refuse("%s", error);
	if (files->output && output_check(files->output) != 0)
		return record_files_refuse_output(files);
	return files->export_json && output_check(files->export_json) != 0 ? record_files_refuse_export(files) : 0;
}
