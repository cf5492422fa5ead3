/* SPDX-License-Identifier: MIT */
#include "module/trace_choice.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/diag.h"
#include "base/units.h"
#include "module/option.h"

static const char constant[] = "constant", file[] = "file";

int trace_choice_check_load(const char *source, const char *text)
{
	static const struct sst_option row = {.type = SST_LOAD};
	union option_value load;
	char error[OPTION_ERROR_MAX];
	if (option_value_parse(&row, text, &load) == 0)
		return 0;
	option_value_refuse(&row, source, text, errno, error);
	return diag_refuse("%s", error);
}

int trace_choice_complete(const char *load, bool has_module, const char **module, const char **options)
{
	char word[PATH_MAX];
	struct stat status;
	double ignored;
	if (load && (has_module || *options))
		return diag_refuse("-l: expected neither -t nor -T with it: it stands for -t constant -T LOAD");
	if (load) {
		*module = constant;
		*options = load;
		return 0;
	}
	if (has_module || !*options || !option_first_value(*options, word, sizeof word) ||
		units_parse_load(word, strlen(word), &ignored, NULL) == 0)
		return 0;
	if (stat(word, &status) == 0) {
		*module = file;
		return 0;
	}
	char hint[128] = "";
	const int reason = errno;
	if (units_lacks_percent(word))
		snprintf(hint, sizeof hint, "; %.40s per cent is %.40s%%", word, word);
	return diag_refuse("-T: '%.200s': expected %s, or the name of a trace file: %s%s", word, UNITS_LOAD_EXPECTED,
		strerror(reason), hint);
}
