/* SPDX-License-Identifier: MIT */
#include "cli/limit.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "cli/option_values.h"
#include "cli/refuse.h"

/* Of one processor: more of them than any machine has. */
#define PERCENT_MOST 1e7

int option_set_limit(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	const size_t length = strlen(text);
	/* Without the sign, 20 could be meant as 20 % of a processor or as 20 of them. */
	const bool percent = length > 0 && text[length - 1] == '%';
	double value;
	if (!percent || units_parse_real(text, length - 1, &value, NULL) != 0 || value <= 0 || value > PERCENT_MOST)
		return refuse(target->error,
			"%s: '%s': expected a share of one processor and a percent sign, such as 20%%, or 150%% for one and a "
			"half",
			source, text);
	target->config->limit = value / 100;
	return 0;
}

static bool was_given(const struct config *config, enum sst_kind kind)
{
	return config->module_options[kind] || config->module[kind] != config_usual_module[kind];
}

int limit_complete(struct config *config, char **error)
{
	if (!(config->limit > 0))
		return 0;
	if (config->load || was_given(config, SST_TRACE) || was_given(config, SST_FEEDBACK))
		return refuse(error, "--limit: expected none of -l, -t, -T, -f and -F with it: it stands for them");
	const double processors = ceil(config->limit);
	snprintf(config->limit_load, sizeof config->limit_load, "%.17g", config->limit / processors);
	snprintf(config->limit_processors, sizeof config->limit_processors, "processors=%.0f", processors);
	config->module[SST_FEEDBACK] = "workloads";
	config->module_options[SST_FEEDBACK] = config->limit_processors;
	config->module_options[SST_TRACE] = config->limit_load;
	return 0;
}
