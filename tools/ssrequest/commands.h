/* SPDX-License-Identifier: MIT */
/* A command for each request, which is answered when the command ends. */
#ifndef SSREQUEST_COMMANDS_H
#define SSREQUEST_COMMANDS_H

#include "processes/affinity.h"
#include "self/scheduling.h"
#include "ssrequest/options.h"
#include "ssrequest/sender.h"

/*
 * What the commands get of the user is his scheduling and his processors; both must outlive it, and so must the settings. SIGCHLD must be blocked. 0, or
 * -1 after a message.
 */
int commands_open(struct sender *sender, const struct settings *settings, const struct sender_owner *owner,
	const struct scheduling *user, const struct linux_mask *mask);

#endif
