/* SPDX-License-Identifier: MIT */
/* How far the start of a workload came when it failed. */
#ifndef OS_START_STAGE_H
#define OS_START_STAGE_H

enum start_stage {
	STAGE_NONE,
	STAGE_EXECUTOR,
	STAGE_GROUP,
	STAGE_FORK,
	STAGE_NAMESPACE,
	STAGE_MAP,
	STAGE_PROC,
	STAGE_CHDIR,
	STAGE_STDIN,
	STAGE_STDOUT,
	STAGE_STDERR,
	STAGE_AFFINITY,
	STAGE_EXEC,
};

/* What a stage does, as in "can't …". */
const char *start_stage_text(enum start_stage stage);

#endif
