/* SPDX-License-Identifier: MIT */
/* What is chosen by name and set by options: a module of each kind, and an actuator, which is no module but part of the core. */
#ifndef BASE_KINDS_H
#define BASE_KINDS_H

#include "showstopper/module.h"

#define KIND_ACTUATOR ((enum sst_kind)SST_KINDS)
#define KINDS (SST_KINDS + 1)
/* Where one of any kind may be named: KIND:NAME. */
#define KIND_ANY ((enum sst_kind)KINDS)

#endif
