/* SPDX-License-Identifier: MIT */
/*
 * The socket by which people set the target of a run, in the folder of the run's user (run_folder.h). Its name has the number of the process
 * that the user started, and that of the PID namespace in which it is one.
 */
#ifndef SELF_RUN_SOCKET_H
#define SELF_RUN_SOCKET_H

#include <sys/types.h>

#define RUN_SOCKET_ERROR_MAX 512

/* What the run answers to who has said all: every line was taken, or not every one. */
#define RUN_SOCKET_TAKEN "taken\n"
#define RUN_SOCKET_REFUSED "refused\n"

/* Makes it, and removes those of dead runs. Returns it, non-blocking, or -1 with a message. */
int run_socket_listen(pid_t run, char error[static RUN_SOCKET_ERROR_MAX]);

/* The next connection, non-blocking, of this user or root; -1: there is none. */
int run_socket_accept(int listening);

/* Removes it, if it is there. */
void run_socket_remove(pid_t run);

/* Connects to that of a run, of this user or for root of any. -1 with a message. */
int run_socket_connect(pid_t run, char error[static RUN_SOCKET_ERROR_MAX]);

#endif
