/* SPDX-License-Identifier: MIT */
/*
 * The list is sorted by what files are, so that a run of a hundred thousand instances with a file each is looked at in no time. Of those that
 * are one file the first of each sort stands for all of its sort.
 */
#include "base/file_uses.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"

/* By what a file is known. */
enum identity {
	BY_INODE,
	BY_FOLDER,     /* … and name: it isn't there yet */
	BY_DESCRIPTOR, /* a terminal, say, which is written to at no place of its own */
};

struct file_used {
	enum file_use use;
	bool is_inherited; /* a standard descriptor: nobody empties the file, and it is written where the descriptor stands */
	char *what, *path;
	enum identity identity;
	dev_t device;
	ino_t inode; /* of the file, or its folder; or a descriptor */
	char *name;  /* in that folder; NULL */
	size_t order;
};

static bool is_one_at_a_time(mode_t mode)
{
	return S_ISREG(mode) || S_ISFIFO(mode);
}

/* False where it doesn't matter how often it is used. */
static bool identify(struct file_used *file, const char *path)
{
	struct file_place place;
	if (file_place_find(path, &place) != 0 || (place.is_there && !is_one_at_a_time(place.status.st_mode)) ||
		(!place.is_there && file->use == FILE_IS_READ))
		return false;
	file->identity = place.is_there ? BY_INODE : BY_FOLDER;
	file->device = place.status.st_dev;
	file->inode = place.status.st_ino;
	if (!place.is_there)
		file->name = strdup(place.name);
	return true;
}

/* … of a standard descriptor; `is_named`: an option asks for it. */
static bool identify_standard(struct file_used *file, int descriptor, bool is_named)
{
	struct stat status;
	file->is_inherited = true;
	if (fstat(descriptor, &status) != 0)
		return false;
	if (S_ISREG(status.st_mode) || (is_named && S_ISFIFO(status.st_mode))) {
		file->device = status.st_dev;
		file->inode = status.st_ino;
		return true;
	}
	file->identity = BY_DESCRIPTOR;
	file->inode = (ino_t)descriptor;
	return is_named;
}

static void forget(struct file_used *file)
{
	free(file->what);
	free(file->path);
	free(file->name);
}

static void add(struct file_uses *uses, struct file_used *file, const char *what, const char *path)
{
	file->order = uses->count;
	file->what = strdup(what);
	file->path = strdup(path);
	if (uses->count == uses->size) {
		const size_t size = 2 * uses->size + 16;
		struct file_used *const larger = realloc(uses->item, size * sizeof *larger);
		if (larger) {
			uses->item = larger;
			uses->size = size;
		}
	}
	if (file->what && file->path && (file->name || file->identity != BY_FOLDER) && uses->count < uses->size) {
		uses->item[uses->count++] = *file;
		return;
	}
	uses->error = ENOMEM;
	forget(file);
}

void file_uses_add(struct file_uses *uses, enum file_use use, const char *what, const char *path)
{
	struct file_used file = {.use = use};
	if (!path)
		return;
	const int standard = use == FILE_IS_READ ? -1 : output_standard(path);
	if (standard >= 0 ? identify_standard(&file, standard, true) : identify(&file, path))
		add(uses, &file, what, use == FILE_IS_READ ? path : output_name(path));
}

void file_uses_add_standard(struct file_uses *uses, int descriptor)
{
	static const char *const names[] = {"standard input", "standard output", "standard error"};
	struct file_used file = {.use = descriptor == STDIN_FILENO ? FILE_IS_READ : FILE_IS_APPENDED};
	if (identify_standard(&file, descriptor, false))
		add(uses, &file, names[descriptor], names[descriptor]);
}

/* ---- Looking ---------------------------------------------------------------------------------------------------------- */

static int compare_files(const struct file_used *a, const struct file_used *b)
{
	if (a->identity != b->identity)
		return a->identity < b->identity ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->inode != b->inode)
		return a->inode < b->inode ? -1 : 1;
	return a->identity == BY_FOLDER ? strcmp(a->name, b->name) : 0;
}

static int compare(const void *a, const void *b)
{
	const struct file_used *const first = a, *const second = b;
	const int result = compare_files(first, second);
	return result ? result : first->order < second->order ? -1 : 1;
}

/* Of two uses of one file. */
static bool is_conflict(const struct file_used *a, const struct file_used *b)
{
	const bool one_reads = a->use == FILE_IS_READ || b->use == FILE_IS_READ;
	const bool one_appends = a->use == FILE_IS_APPENDED || b->use == FILE_IS_APPENDED;
	if (a->use == b->use && a->use == FILE_IS_READ)
		return false;
	if (a->use == b->use && a->use == FILE_IS_APPENDED)
		return a->is_inherited != b->is_inherited;
	/* What was put on a standard descriptor is the business of whoever put it there, … */
	if (one_reads && one_appends)
		return a->use == FILE_IS_APPENDED ? !a->is_inherited : !b->is_inherited;
	/* … and what goes through one, one after the other, isn't written over. */
	return !(one_appends && a->is_inherited && b->is_inherited);
}

static void explain(const struct file_used *a, const struct file_used *b, char *error)
{
	const struct file_used *const input = a->use == FILE_IS_READ ? a : b->use == FILE_IS_READ ? b : NULL;
	const struct file_used *const output = input == a ? b : a;
	const bool differ = strcmp(a->path, b->path) != 0;
	const char *const path = a->is_inherited ? b->path : a->path;
	const bool is_bare = strcmp(output->what, output->path) == 0;
	if (input)
		snprintf(error, FILE_USES_ERROR_MAX, "%s%s%s is %s: expected another file", is_bare ? "" : output->what,
			is_bare ? "" : ": ", output->path, input->what);
	else
		snprintf(error, FILE_USES_ERROR_MAX,
			"%s and %s: both would be written to %s%s%s: expected a file of its own for one of them", a->what,
			b->what, path, differ && !a->is_inherited && !b->is_inherited ? ", which is also " : "",
			differ && !a->is_inherited && !b->is_inherited ? b->path : "");
}

/* Two among those that are one file, or false. */
static bool find_conflict(const struct file_used *file, size_t count, char *error)
{
	const struct file_used *first[3][2] = {{NULL}};
	for (size_t i = 0; i < count; i++) {
		for (size_t sort = 0; sort < 6; sort++) {
			const struct file_used *const other = first[sort / 2][sort % 2];
			if (other && is_conflict(other, &file[i])) {
				explain(other, &file[i], error);
				return true;
			}
		}
		const struct file_used **const own = &first[file[i].use][file[i].is_inherited];
		*own = *own ? *own : &file[i];
	}
	return false;
}

int file_uses_check(struct file_uses *uses, char error[static FILE_USES_ERROR_MAX])
{
	bool found = uses->error != 0;
	if (found)
		snprintf(error, FILE_USES_ERROR_MAX, "%s", strerror(uses->error));
	else if (uses->count > 0)
		qsort(uses->item, uses->count, sizeof *uses->item, compare);
	for (size_t i = 0, next; !found && i < uses->count; i = next) {
		for (next = i + 1; next < uses->count && compare_files(&uses->item[i], &uses->item[next]) == 0;)
			next++;
		found = find_conflict(&uses->item[i], next - i, error);
	}
	for (size_t i = 0; i < uses->count; i++)
		forget(&uses->item[i]);
	free(uses->item);
	*uses = (struct file_uses){0};
	return found ? -1 : 0;
}
