/* SPDX-License-Identifier: MIT */
/*
 * Linked into programs built with the address sanitizer: as a workload they don't look for leaks at their end. The leak sanitizer attaches to
 * its own process as a debugger and waits for it to stop. The SIGCONT of a run undoes that stop, and the program never ends.
 */
#include <stdlib.h>

/* The runtime looks for it among what the program shows. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);

int __lsan_is_turned_off(void)
{
	return getenv("SHOWSTOPPER_INSTANCE") != NULL;
}
