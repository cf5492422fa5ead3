/* SPDX-License-Identifier: MIT */
/* The command's life: it is started, gets the signals that we get, is told to end, and is reaped. */
#ifndef SSITERATE_COMMAND_H
#define SSITERATE_COMMAND_H

#include "ssiterate/iterate.h"

/*
 * Starts the command, with pipes of ours for the outputs that are looked at, and waits until it is executed. 0, or the status to
 * exit with after a message.
 */
int command_start(struct iterate *iterate);

/* Says why it can't be executed, by errno. The status to exit with. */
int command_refuse(const char *command);

/* -n or --time is reached: nothing more is started, and the command and what it has started is told to end. */
void command_finish(struct iterate *iterate);

/* Sends this signal to the command and to those that command_finish told to end. */
void command_signal_all(struct iterate *iterate, int number);

/* Serves the signals that have come: passes them on, notes that we are told to end, reaps the command. */
void command_fetch_signals(struct iterate *iterate);

#endif
