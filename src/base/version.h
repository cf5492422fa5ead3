/* SPDX-License-Identifier: MIT */
/* Which Showstopper this is. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

/* What --version prints behind the name: "0.1.0 (12371ee)", or "0.1.0" where the revision is not known. */
extern const char version_text[];

/* Of the checkout that it was built from, as `git describe` names it; NULL where it was built from anything else. */
extern const char *const version_revision;

#endif
