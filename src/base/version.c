/* SPDX-License-Identifier: MIT */
/*
 * The only file that sees SHOWSTOPPER_REVISION, from a header that the build writes: a new commit compiles this one anew and no other.
 */
#include "base/version.h"

#include <stddef.h>

#ifdef SHOWSTOPPER_REVISION
const char version_text[] = SHOWSTOPPER_VERSION " (" SHOWSTOPPER_REVISION ")";
const char *const version_revision = SHOWSTOPPER_REVISION;
#else
const char version_text[] = SHOWSTOPPER_VERSION;
const char *const version_revision = NULL;
#endif
