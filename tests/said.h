/* SPDX-License-Identifier: MIT */
/* What is said on standard error between said_begin and said_end, for tests of messages. */
#ifndef SAID_H
#define SAID_H

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* One message, without the name of the program before it and its newline; "" where nothing was said. */
static char said[8192];
static int said_file = -1, said_before = -1;

static inline void said_begin(void)
{
	said_file = memfd_create("said", MFD_CLOEXEC);
	said_before = dup(STDERR_FILENO);
	assert_true(said_file >= 0 && said_before >= 0 && dup2(said_file, STDERR_FILENO) >= 0);
}

static inline void said_end(void)
{
	static const char name[] = "showstopper: ";
	dup2(said_before, STDERR_FILENO);
	close(said_before);
	const ssize_t length = pread(said_file, said, sizeof said - 1, 0);
	close(said_file);
	assert_true(length >= 0);
	said[length] = '\0';
	if (length == 0)
		return;
	assert_true(said[length - 1] == '\n' && strncmp(said, name, sizeof name - 1) == 0);
	said[length - 1] = '\0';
	memmove(said, said + sizeof name - 1, strlen(said + sizeof name - 1) + 1);
}

#endif
