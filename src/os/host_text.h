/* SPDX-License-Identifier: MIT */
/* Whole files of the kernel, read through the host. */
#ifndef OS_HOST_TEXT_H
#define OS_HOST_TEXT_H

#include <stddef.h>

#include "showstopper/module.h"

/* The first MiB of a file, to be freed (not NUL-terminated), with its length; or NULL with errno. */
char *host_text(const struct sst_env *env, const char *path, size_t *length);

#endif
