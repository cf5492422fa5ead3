/* SPDX-License-Identifier: MIT */
/*
 * A full disk may take the first part of a line. On a pipe a line is all or nothing, as long as it is shorter than PIPE_BUF.
 */
#include "base/whole_line.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

/* Takes back the last `length` bytes that went out. */
static bool take_back(int file, off_t length)
{
	struct stat status;
	const off_t end = lseek(file, 0, SEEK_CUR);
	if (end < length || fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size != end)
		return false;
	return ftruncate(file, end - length) == 0 && lseek(file, end - length, SEEK_SET) >= 0;
}

int whole_line_write(int file, const char *line, size_t length, bool *is_cut)
{
	size_t done = 0;
	if (is_cut)
		*is_cut = false;
	while (done < length) {
		const ssize_t written = write(file, line + done, length - done);
		if (written >= 0) {
			done += (size_t)written;
		} else if (errno != EINTR) {
			const int error = errno;
			const bool stays = done > 0 && !take_back(file, (off_t)done);
			if (is_cut)
				*is_cut = stays;
			errno = error;
			return -1;
		}
	}
	return 0;
}
