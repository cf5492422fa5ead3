/* SPDX-License-Identifier: MIT */
/*
 * Parsers of what feedback modules read, and of what users write: a static library that any module may link (pkg-config --libs showstopper), in
 * C. They open and read nothing but through the host, keep nothing, and print nothing. They may change with each version of Showstopper.
 */
#ifndef SHOWSTOPPER_PARSERS_H
#define SHOWSTOPPER_PARSERS_H

#include "base/cpus.h"      /* lists of processors */
#include "base/units.h"     /* times, loads, numbers */
#include "groups/cgroup.h"  /* control groups: what they have used, and may use */
#include "load/container.h" /* what a container takes away of the machine */
#include "load/stat.h"      /* /proc/stat, and processors that come and go */

#endif
