/* SPDX-License-Identifier: MIT */
#include "os/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int pipe_above_standard(int ends[static 2])
{
	int low[2];
	ends[0] = ends[1] = -1;
	if (pipe2(low, O_CLOEXEC) != 0)
		return -1;
	const int from = fcntl(low[0], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	const int to = from < 0 ? -1 : fcntl(low[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	const int error = errno;
	close(low[0]);
	close(low[1]);
	if (to >= 0) {
		ends[0] = from;
		ends[1] = to;
		return 0;
	}
	if (from >= 0)
		close(from);
	errno = error;
	return -1;
}
