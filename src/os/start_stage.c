/* SPDX-License-Identifier: MIT */
#include "os/start_stage.h"

const char *start_stage_text(enum start_stage stage)
{
	switch (stage) {
	case STAGE_NONE:
		break;
	case STAGE_EXECUTOR:
		return "set up its executor";
	case STAGE_GROUP:
		return "put it into a control group of its own";
	case STAGE_FORK:
		return "start a process";
	case STAGE_NAMESPACE:
		return "make a PID namespace";
	case STAGE_MAP:
		return "map its user into a user namespace";
	case STAGE_PROC:
		return "mount a /proc of its own";
	case STAGE_CHDIR:
		return "change to its folder";
	case STAGE_STDIN:
		return "open /dev/null";
	case STAGE_STDOUT:
		return "open its standard output";
	case STAGE_STDERR:
		return "open its standard error";
	case STAGE_AFFINITY:
		return "bind it to its processors";
	case STAGE_EXEC:
		return "execute the command";
	}
	return "do nothing";
}
