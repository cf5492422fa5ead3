/* SPDX-License-Identifier: MIT */
#include "supervise/master_outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/diag.h"
#include "base/output.h"
#include "record/outputs.h"

static int refuse_log(const struct master *master)
{
	return diag_refuse("%s: can't write the log: %s", output_name(master->config->log), strerror(errno));
}

int master_outputs_open(struct master *master)
{
	const char *const path = master->config->log;
	if (!path || output_is_file(path))
		return 0;
	master->log_file = output_open(path, 0);
	return master->log_file < 0 ? refuse_log(master) : 0;
}

static int begin_log(struct master *master)
{
	const struct config *config = master->config;
	const struct control_log_columns columns = {.free = config->controlled < config->workloads,
		.power = config->log_power || config->power_command,
		.counted = &master->recording.counted,
		.zone = master->recording.energy.zone,
		.zones = master->recording.energy.zones,
		.workloads = config->log_instances ? config->workloads : 0,
		.pinning = config->dynamics > 0,
		.unit = run_is_of_cores(&master->run),
		.wall = true};
	const int file = master->log_file < 0 ? output_open(config->log, O_TRUNC) : master->log_file;
	master->log_file = -1;
	master->recording.log = control_log_open(file, &columns, true);
	return master->recording.log ? 0 : refuse_log(master);
}

int master_outputs_begin(struct master *master)
{
	const struct config *config = master->config;
	if (outputs_make(config) != 0 || (config->log && begin_log(master) != 0))
		return -1;
	return outputs_empty(config);
}
