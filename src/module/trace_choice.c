/* SPDX-License-Identifier: MIT */
#include "module/trace_choice.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/units.h"
#include "module/option.h"

static const char constant[] = "constant", file[] = "file";

int trace_choice_check_load(const char *source, const char *text, char error[static TRACE_CHOICE_ERROR_MAX])
{
	static const struct sst_option row = {.type = SST_LOAD};
	union option_value load;
	return option_value_parse(&row, text, &load) == 0 ? 0 : option_value_refuse(&row, source, text, errno, error);
}

int trace_choice_complete(
	const char *load, bool has_module, const char **module, const char **options, char error[static TRACE_CHOICE_ERROR_MAX])
{
	char word[PATH_MAX];
	struct stat status;
	double ignored;
	if (load && (has_module || *options)) {
		snprintf(error, TRACE_CHOICE_ERROR_MAX,
			"-l: expected neither -t nor -T with it: it stands for -t constant -T LOAD");
		return -1;
	}
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
	snprintf(error, TRACE_CHOICE_ERROR_MAX, "-T: '%.200s': expected %s, or the name of a trace file: %s", word,
		UNITS_LOAD_EXPECTED, strerror(errno));
	const size_t used = strlen(error);
	if (units_lacks_percent(word))
		snprintf(error + used, TRACE_CHOICE_ERROR_MAX - used, "; %.40s per cent is %.40s%%", word, word);
	return -1;
}
