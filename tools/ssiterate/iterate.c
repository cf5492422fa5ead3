/* SPDX-License-Identifier: MIT */
#include "ssiterate/iterate.h"

#include <errno.h>
#include <string.h>

#include "base/diag.h"
#include "base/output.h"
#include "self/iteration_counter.h"

void iterate_record(struct iterate *iterate, int64_t start_ns, int64_t end_ns, int status)
{
	const struct iteration_record row = {.instance = (unsigned)iterate->settings->instance,
		.iteration = iterate->finished++,
		.start_ns = start_ns,
		.end_ns = end_ns,
		.status = status};
	iteration_counter_raise(iterate->counter, status == 0);
	if (status != 0) {
		iterate->statistics.failed++;
	} else if (statistics_add(&iterate->statistics, end_ns - start_ns) != 0) {
		diag("%s: times are being lost: %s", output_name(iterate->settings->files.export_json), strerror(errno));
		iterate->is_lossy = true;
	}
	if (!iterate->has_log || iteration_log_write(&iterate->log, &row) == 0)
		return;
	if (!iterate->is_lossy)
		record_files_complain(&iterate->settings->files);
	iterate->is_lossy = true;
}

bool iterate_is_limited(const struct iterate *iterate)
{
	return iterate->settings->iterations != UNSET && iterate->finished >= (uint64_t)iterate->settings->iterations;
}
