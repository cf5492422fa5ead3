/* SPDX-License-Identifier: MIT */
/* How many processors there are, and how many this process may use. */
#ifndef LOAD_PROCESSORS_H
#define LOAD_PROCESSORS_H

/* Those of its affinity mask, or fewer when a cgroup quota (v1 or v2, of any ancestor) allows less; a part counts as one. At least 1. */
unsigned linux_processors_usable(void);

/* Those online, whoever may use them. At least 1. */
unsigned linux_processors_online(void);

#endif
