/* SPDX-License-Identifier: MIT */
/* How many processors this process may use. */
#ifndef LINUX_PROCESSORS_H
#define LINUX_PROCESSORS_H

/* Those of its affinity mask, or fewer when a cgroup quota (v1 or v2, of any ancestor) allows less; a part counts as one. At least 1. */
unsigned linux_processors_usable(void);

/*
 * The smallest quota, in processors, of the cgroups that `cgroups` (the text of /proc/self/cgroup) names and their ancestors, as the
 * files below `root` say it; 0 when there is none.
 */
double linux_processors_quota(const char *root, const char *cgroups);

#endif
