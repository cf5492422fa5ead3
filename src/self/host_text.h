/* SPDX-License-Identifier: MIT */
/* Whole files of the kernel, read through the host. */
#ifndef SELF_HOST_TEXT_H
#define SELF_HOST_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "showstopper/module.h"

/*
 * The first MiB of a file as a string, to be freed, or NULL with errno. Its length (it may have NULs of its own) is told where `length`
 * isn't NULL.
 */
char *host_text(const struct sst_env *env, const char *path, size_t *length);
/* The same of its first `most` bytes. */
char *host_beginning(const struct sst_env *env, const char *path, size_t most, size_t *length);

/* A list of processors that is all of a file, to be freed; NULL with errno, EINVAL where it is none, as where it is empty. */
struct sst_cpus *host_cpus(const struct sst_env *env, const char *path);

/* Whether a text, which may be NULL, has the word, with blanks or line ends around it. */
bool host_has_word(const char *text, const char *word);

#endif
