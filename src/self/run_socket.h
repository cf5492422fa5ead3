/* SPDX-License-Identifier: MIT */
/*
 * The socket by which people set the target of a run, in the folder of the run's user (run_folder.h). Its name has the number of the process
 * that the user started, and that of the PID namespace in which it is one. It takes datagrams, each of which brings a socket for the answer.
 */
#ifndef SELF_RUN_SOCKET_H
#define SELF_RUN_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define RUN_SOCKET_ERROR_MAX 512

/* Makes it, and removes those of dead runs. Returns it, or -1 with a message. */
int run_socket_open(pid_t run, char error[static RUN_SOCKET_ERROR_MAX]);

/*
 * The next datagram of this user or root, without waiting: its length, at most `size`, or -1 where there is none. *answer is for
 * run_socket_answer.
 */
ssize_t run_socket_take(int socket, char *text, size_t size, int *answer);

/* Tells the sender whether all that it said was taken. */
void run_socket_answer(int answer, bool is_taken);

/* Removes it, if it is there. */
void run_socket_remove(pid_t run);

/*
 * Says a line to the run that this process belongs to, of this user or for root of any; 0: to the only one of this user. Waits until it
 * is taken. 0, or -1 with a message.
 */
int run_socket_say(pid_t process, const char *line, char error[static RUN_SOCKET_ERROR_MAX]);

#endif
