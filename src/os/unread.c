/* SPDX-License-Identifier: MIT */
#include "os/unread.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

bool unread_input(int file)
{
	struct stat status;
	int waiting = 0;
	if (fstat(file, &status) != 0)
		return false;
	if (S_ISREG(status.st_mode))
		return lseek(file, 0, SEEK_CUR) < status.st_size;
	if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))
		return ioctl(file, FIONREAD, &waiting) == 0 && waiting > 0;
	return false;
}
