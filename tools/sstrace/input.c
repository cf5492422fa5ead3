/* SPDX-License-Identifier: MIT */
#include "sstrace/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/log_columns.h"

static bool begins(const struct input *input, const char *text)
{
	return input->length >= strlen(text) && memcmp(input->text, text, strlen(text)) == 0;
}

/* A line of a trace has neither commas nor semicolons, but a comment may; JSON, compressed data and the title of sar begin as no trace does. */
static enum input_kind find_kind(const struct input *input)
{
	static const char *const starts[] = {"# hostname;", "{", "[", "\x1f\x8b", "\3757zXZ", "\x28\xb5\x2f\xfd", "Linux "};
	const char *const newline = memchr(input->text, '\n', input->length);
	const size_t line = newline ? (size_t)(newline - input->text) : input->length;
	if (begins(input, LOG_TIME ",") && memmem(input->text, line, "," LOG_LOAD, strlen("," LOG_LOAD)))
		return INPUT_LOG;
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (begins(input, starts[i]))
			return INPUT_FOREIGN;
	const bool is_text = !begins(input, "#") && !memchr(input->text, '\0', line);
	const bool has_marks = memchr(input->text, ',', line) || memchr(input->text, ';', line);
	return has_marks && is_text ? INPUT_FOREIGN : INPUT_TRACE;
}

int input_open(struct input *input, const char *path, const char *name)
{
	struct stat status;
	*input = (struct input){.file = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)};
	if (input->file < 0 || fstat(input->file, &status) != 0)
		return diag_refuse("%s: %s", name, strerror(errno));
	const off_t at = lseek(input->file, 0, SEEK_CUR);
	const bool is_regular = S_ISREG(status.st_mode) && at >= 0;
	if (!is_regular && !S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode))
		return 0;
	while (input->length < sizeof input->text) {
		char *const to = input->text + input->length;
		const size_t room = sizeof input->text - input->length;
		const ssize_t got =
			is_regular ? pread(input->file, to, room, at + (off_t)input->length) : read(input->file, to, room);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		input->length += (size_t)got;
	}
	input->is_taken = !is_regular;
	input->kind = find_kind(input);
	return 0;
}

static bool write_all(int file, const char *text, size_t length)
{
	while (length > 0) {
		const ssize_t done = write(file, text, length);
		if (done < 0)
			return false;
		text += done;
		length -= (size_t)done;
	}
	return true;
}

int input_again(const struct input *input, const char *name)
{
	char block[65536];
	ssize_t got = 0;
	const int copy = input->is_taken ? memfd_create("input", MFD_CLOEXEC) : fcntl(input->file, F_DUPFD_CLOEXEC, 3);
	if (copy < 0)
		return diag_refuse("%s: %s", name, strerror(errno));
	if (!input->is_taken)
		return copy;
	bool is_written = write_all(copy, input->text, input->length);
	while (is_written && (got = read(input->file, block, sizeof block)) != 0)
		if (got > 0)
			is_written = write_all(copy, block, (size_t)got);
		else if (errno != EINTR)
			break;
	if (!is_written || got < 0 || lseek(copy, 0, SEEK_SET) != 0) {
		diag("%s: %s", name, strerror(errno));
		close(copy);
		return -1;
	}
	return copy;
}

void input_close(const struct input *input)
{
	if (input->file > STDIN_FILENO)
		close(input->file);
}
