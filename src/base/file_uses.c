/* SPDX-License-Identifier: MIT */
/* The list is sorted by file, so that a run of a hundred thousand instances with a file each is checked in no time. */
#include "base/file_uses.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"

/* Beside those of the header: of standard output or error. An option writes there, or nobody but the one who opened it. */
enum { WRITTEN_THROUGH = FILE_IS_APPENDED + 1, INHERITED, USES };

static const bool is_conflict[USES][USES] = {
	[FILE_IS_READ] = {[FILE_IS_WRITTEN] = true, [FILE_IS_APPENDED] = true, [WRITTEN_THROUGH] = true},
	[FILE_IS_WRITTEN] = {true, true, true, true, true},
	[FILE_IS_APPENDED] = {true, true, false, true, true},
	[WRITTEN_THROUGH] = {true, true, true, true, false},
	[INHERITED] = {[FILE_IS_WRITTEN] = true, [FILE_IS_APPENDED] = true},
};

struct file_used {
	int use;
	char *what, *path;
	char *file; /* device and inode; where it isn't there yet, those of its folder, and its name */
	size_t order;
};

static void forget(struct file_used *used)
{
	free(used->what);
	free(used->path);
	free(used->file);
}

/* `file` is freed. */
static void add(struct file_uses *uses, int use, const char *what, const char *path, char *file)
{
	struct file_used used = {use, strdup(what), strdup(path), file, uses->count};
	if (uses->count == uses->size) {
		const size_t size = 2 * uses->size + 16;
		struct file_used *const larger = realloc(uses->item, size * sizeof *larger);
		if (larger) {
			uses->item = larger;
			uses->size = size;
		}
	}
	if (used.what && used.path && used.file && uses->count < uses->size) {
		uses->item[uses->count++] = used;
		return;
	}
	uses->error = ENOMEM;
	forget(&used);
}

/* What keeps nothing, such as /dev/null, may be used as often as one likes. */
static bool is_kept(mode_t mode)
{
	return S_ISREG(mode) || S_ISFIFO(mode);
}

static char *name_file(const struct stat *status, const char *name)
{
	char *file;
	return asprintf(&file, "%ju:%ju/%s", (uintmax_t)status->st_dev, (uintmax_t)status->st_ino, name) < 0 ? NULL : file;
}

void file_uses_add_standard(struct file_uses *uses, int descriptor)
{
	static const char *const names[] = {"standard input", "standard output", "standard error"};
	struct stat status;
	if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
		add(uses, descriptor == STDIN_FILENO ? (int)FILE_IS_READ : INHERITED, names[descriptor], names[descriptor],
			name_file(&status, ""));
}

void file_uses_add(struct file_uses *uses, enum file_use use, const char *what, const char *path)
{
	struct file_place place;
	struct stat status;
	const int standard = path && use != FILE_IS_READ ? output_standard(path) : -1;
	if (standard >= 0 && fstat(standard, &status) == 0) {
		/* Two records behind one another can't be read on a terminal, either. */
		if (!is_kept(status.st_mode))
			status = (struct stat){.st_ino = (ino_t)standard};
		add(uses, use == FILE_IS_WRITTEN ? (int)WRITTEN_THROUGH : INHERITED, what, output_name(path),
			name_file(&status, ""));
	} else if (standard < 0 && path && file_place_find(path, &place) == 0 &&
		   (place.is_there ? is_kept(place.status.st_mode) : use != FILE_IS_READ)) {
		add(uses, use, what, path, name_file(&place.status, place.is_there ? "" : place.name));
	}
}

/* ---- Looking ---------------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const struct file_used *const first = a, *const second = b;
	const int result = strcmp(first->file, second->file);
	return result ? result : first->order < second->order ? -1 : 1;
}

static void explain(const struct file_used *a, const struct file_used *b, char *error)
{
	const struct file_used *const input = a->use == FILE_IS_READ ? a : b->use == FILE_IS_READ ? b : NULL;
	const struct file_used *const output = input == a ? b : a;
	const bool is_bare = strcmp(output->what, output->path) == 0;
	const bool has_two_names = a->use <= FILE_IS_APPENDED && b->use <= FILE_IS_APPENDED && strcmp(a->path, b->path) != 0;
	if (input)
		snprintf(error, FILE_USES_ERROR_MAX, "%s%s%s is %s: expected another file", is_bare ? "" : output->what,
			is_bare ? "" : ": ", output->path, input->what);
	else
		snprintf(error, FILE_USES_ERROR_MAX,
			"%s and %s: both would be written to %s%s%s: expected a file of its own for one of them", a->what,
			b->what, a->use > FILE_IS_APPENDED ? b->path : a->path, has_two_names ? ", which is also " : "",
			has_two_names ? b->path : "");
}

int file_uses_check(struct file_uses *uses, char error[static FILE_USES_ERROR_MAX])
{
	const struct file_used *first[USES] = {NULL}; /* of each use of the file that is looked at */
	bool found = uses->error != 0;
	if (found)
		snprintf(error, FILE_USES_ERROR_MAX, "%s", strerror(uses->error));
	else if (uses->count > 0)
		qsort(uses->item, uses->count, sizeof *uses->item, compare);
	for (size_t i = 0; !found && i < uses->count; i++) {
		const struct file_used *const used = &uses->item[i];
		if (i > 0 && strcmp(used->file, uses->item[i - 1].file) != 0)
			memset(first, 0, sizeof first);
		for (int use = 0; use < USES && !found; use++) {
			found = first[use] && is_conflict[use][used->use];
			if (found)
				explain(first[use], used, error);
		}
		if (!first[used->use])
			first[used->use] = used;
	}
	for (size_t i = 0; i < uses->count; i++)
		forget(&uses->item[i]);
	free(uses->item);
	*uses = (struct file_uses){0};
	return found ? -1 : 0;
}
