/* SPDX-License-Identifier: MIT */
/*
 * A service: HTTP requests wait in one queue, first come, first served; each thread takes the next one and burns processor time for it.
 *
 * A request is in the queue from when it has come whole until a thread takes it. It is served even if its client has gone meanwhile.
 */
#ifndef SSBURN_SERVER_H
#define SSBURN_SERVER_H

#include "ssburn/burn.h"

/* Files that are open besides those of connections. */
#define SERVER_OTHER_FILES 32

/* Listens by the settings; requests wait until there are threads. NULL after a message. */
struct server *server_open(struct burn *burn);

/* Says where it listens, when all that could be refused is open. */
void server_say(const struct server *server);

/* A thread's life: it serves requests until there are enough of them or the work is halted. */
void server_run(struct worker *self);

/*
 * After the threads: answers what is still in the queue, and what comes on connections that are open, with 503; waits up to a second until
 * that is sent; closes.
 */
void server_close(struct server *server);

/* Says what was served in this time. */
void server_report(const struct server *server, int64_t wall_ns);

/* Frees it. NULL is left alone. */
void server_free(struct server *server);

#endif
