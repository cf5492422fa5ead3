/* SPDX-License-Identifier: MIT */
#include "base/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/diag.h"

int standard_files_occupy(void)
{
	for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++) {
		const int direction = file == STDIN_FILENO ? O_WRONLY : O_RDONLY;
		if (fcntl(file, F_GETFD) < 0 && open("/dev/null", direction | O_CLOEXEC) != file)
			return diag_refuse("can't open /dev/null: %s", strerror(errno));
	}
	return 0;
}

void descriptors_raise_limit(void)
{
	struct rlimit files;
	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}
