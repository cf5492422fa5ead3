/* SPDX-License-Identifier: MIT */
/* Processors of which a load was asked for, and none is online. */
#ifndef FEEDBACK_OFFLINE_H
#define FEEDBACK_OFFLINE_H

#include <stdio.h>

#include "base/cpus.h"
#include "showstopper/module.h"

/* Records why `read` or `prepare` refuses. */
static inline void offline_refuse(const struct sst_env *env, const struct sst_cpus *cpus)
{
	char list[128] = "";
	FILE *const to = fmemopen(list, sizeof list, "w");
	if (to) {
		cpus_print(cpus, to);
		fclose(to);
	}
	list[sizeof list - 1] = '\0';
	env->host->refuse(env, cpus->count > 1 ? "none of the processors %s is online" : "processor %s is offline", list);
}

#endif
