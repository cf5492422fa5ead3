/* SPDX-License-Identifier: MIT */
#include "config/config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

const char *const config_usual_module[KINDS] = {"constant", "realtime", "deficit", "even", "spread", "signals"};

void config_init(struct config *config)
{
	*config = (struct config){
		.run_time_ns = -1,
		.grace_ns = 5 * NS_PER_S,
		.log_interval_ns = 500 * NS_PER_MS,
		.require_error = NAN,
		.require_mse = NAN,
		.require_background = NAN,
		.separator = ":",
		.placeholder = "%",
		.root = "",
	};
	memcpy(config->module, config_usual_module, sizeof config->module);
}

void config_free_group(const struct group *group)
{
	free(group->cpus);
	free(group->moved);
}

void config_free(struct config *config)
{
	for (unsigned i = 0; i < config->groups; i++)
		config_free_group(&config->group[i]);
	free(config->group);
	free(config->cpus);
	free(config->moved);
	config->cpus = config->moved = NULL;
	config->group = NULL;
	config->groups = 0;
	free(config->attach);
	config->attach = NULL;
	config->attaches = 0;
}
