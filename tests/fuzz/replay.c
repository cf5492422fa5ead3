/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target without a fuzzer: on each file of the corpus folder as it is, cut off at every length, with every bit
 * flipped, and with every byte left out. Each input lies in memory of exactly its size, so that a sanitizer sees a read beyond it.
 * Files larger than MUTATIONS_MAX get that many mutations of each kind, evenly spread.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of each kind and file. */
#define MUTATIONS_MAX 4096

static void run(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	if (!copy)
		abort();
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void run_with_damage(uint8_t *data, size_t size)
{
	const size_t byte_step = size / MUTATIONS_MAX + 1;
	const size_t bit_step = size * 8 / MUTATIONS_MAX + 1;
	uint8_t *shorter = malloc(size + 1);
	if (!shorter)
		abort();
	run(data, size);
	for (size_t length = 0; length < size; length += byte_step)
		run(data, length);
	for (size_t bit = 0; bit < size * 8; bit += bit_step) {
		data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		run(data, size);
		data[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (size_t at = 0; at < size; at += byte_step) {
		memcpy(shorter, data, at);
		memcpy(shorter + at, data + at + 1, size - at - 1);
		run(shorter, size - 1);
	}
	free(shorter);
}

/* 0, or -1 with errno. */
static int run_file(const char *path)
{
	struct stat status;
	uint8_t *data = NULL;
	int result = -1;
	FILE *file = fopen(path, "rb");
	if (!file)
		return -1;
	if (fstat(fileno(file), &status) != 0 || !(data = malloc((size_t)status.st_size + 1)))
		goto out;
	const size_t size = fread(data, 1, (size_t)status.st_size, file);
	if (ferror(file))
		goto out;
	run_with_damage(data, size);
	result = 0;
out:
	free(data);
	fclose(file);
	return result;
}

int main(int argc, char **argv)
{
	unsigned files = 0;
	if (argc != 2) {
		fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
		return 2;
	}
	DIR *corpus = opendir(argv[1]);
	if (!corpus) {
		fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
		return 2;
	}
	for (struct dirent *entry; (entry = readdir(corpus));) {
		char path[PATH_MAX];
		if (entry->d_name[0] == '.')
			continue;
		if (snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name) >= (int)sizeof path || run_file(path) != 0) {
			fprintf(stderr, "%s: %s\n", path, strerror(errno));
			closedir(corpus);
			return 2;
		}
		files++;
	}
	closedir(corpus);
	run((const uint8_t *)"", 0);
	printf("%u files\n", files);
	return files ? 0 : 2;
}
