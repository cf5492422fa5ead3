/* SPDX-License-Identifier: MIT */
/* The socket that a server listens at: an address with a port, or a path. */
#ifndef SSBURN_LISTENER_H
#define SSBURN_LISTENER_H

#include <sys/socket.h>
#include <sys/stat.h>

#define LISTENER_EXPECTED                                                                                                        \
	"ADDRESS:PORT such as 127.0.0.1:8080, [::1]:8080 or localhost:8080, PORT alone, or unix:PATH of at most 107 bytes"
#define LISTENER_ERROR_MAX 320
#define LISTENER_NAME_MAX 160

struct listener {
	int fd; /* does not block; -1: none */
	struct sockaddr_storage address;
	socklen_t length;
	struct stat made; /* the socket file of a path */
};

/*
 * Reads such a text into the address: without ADDRESS that of this machine alone, 127.0.0.1. Names are not looked up, but for localhost.
 * 0, or -1 where it is none.
 */
int listener_parse(const char *text, struct listener *listener);

/*
 * Listens at the address; port 0 becomes one that is free. A socket file that a dead server of the same user left is replaced. 0, or -1
 * with a message that names the address.
 */
int listener_open(struct listener *listener, char error[static LISTENER_ERROR_MAX]);

/* The address as a client takes it: http://127.0.0.1:8080/, or unix:PATH. Returns text. */
const char *listener_name(const struct listener *listener, char text[static LISTENER_NAME_MAX]);

/* Closes the socket, and removes its file if it is still the one that was made. Not one that is not open. */
void listener_close(struct listener *listener);

#endif
