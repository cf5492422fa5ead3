/* SPDX-License-Identifier: MIT */
#include "base/standard_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
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
