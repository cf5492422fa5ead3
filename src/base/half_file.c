/* SPDX-License-Identifier: MIT */
#include "base/half_file.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"

void half_file_empty(const char *path)
{
	const int saved = errno;
	struct stat status;
	if (output_is_stdout(path))
		return;
	/* Where even that fails there is nothing left to try: the caller reports the first error. */
	const int result = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? truncate(path, 0) : 0;
	(void)result;
	errno = saved;
}
