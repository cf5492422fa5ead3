/* SPDX-License-Identifier: MIT */
/* How a function fails that says why by errno. */
#ifndef BASE_FAIL_H
#define BASE_FAIL_H

#include <errno.h>

/* Returns -1, with this errno. */
static inline int fail(int error)
{
	errno = error;
	return -1;
}

#endif
