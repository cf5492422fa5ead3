/* SPDX-License-Identifier: MIT */
/*
 * Electric power by a command of the user's that prints watts. A process of its own asks it: sh -c COMMAND at regular times, one at a
 * time. Whoever wants to know never waits for it. It ends, with all that the command has started, when it is closed or its parent dies.
 */
#ifndef METERS_POWER_COMMAND_H
#define METERS_POWER_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* It must answer within this time. */
#define LINUX_POWER_COMMAND_LIMIT_NS INT64_C(2000000000)
#define LINUX_POWER_COMMAND_TEXT_MAX 160

struct linux_power_command;
struct scheduling;

/* Called in each process that becomes the command, with what the user had. */
typedef void linux_power_before_exec(const struct scheduling *user);

/*
 * Starts asking, about every `every_ns`, but not more often than five times a second nor less often than once. `before_exec`
 * may be NULL. NULL with errno.
 */
struct linux_power_command *linux_power_command_open(
	const char *command, int64_t every_ns, linux_power_before_exec *before_exec, const struct scheduling *user);
void linux_power_command_close(struct linux_power_command *power);

/* To be called at least once a second: nothing is asked for who doesn't listen any more, such as one who is stopped. */
void linux_power_command_poll(struct linux_power_command *power);

/*
 * Mean of the answers since the last call, or the newest one where there was none. NaN when the newest try failed, or
 * is too long ago.
 */
double linux_power_command_watts(struct linux_power_command *power);

/*
 * What was wrong, the first time that something is, as "ended with status 1"; and when nobody asks any more. False when there is nothing
 * new to say.
 */
bool linux_power_command_complaint(struct linux_power_command *power, char text[static LINUX_POWER_COMMAND_TEXT_MAX]);

/* The process that asks. */
pid_t linux_power_command_process(const struct linux_power_command *power);

/* Pure: what the command printed, one number from 0 up, perhaps with blanks around it. NaN when it is something else. */
double linux_power_command_parse(const char *text, size_t length);

#endif
