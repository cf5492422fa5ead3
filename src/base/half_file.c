/* SPDX-License-Identifier: MIT */
#include "base/half_file.h"

#include <errno.h>

#include "base/output.h"

void half_file_empty(const char *path)
{
	const int saved = errno;
	/* Where even that fails there is nothing left to try: the caller reports the first error. */
	output_empty(path);
	errno = saved;
}
