/* SPDX-License-Identifier: MIT */
/* In place of server.c where libmicrohttpd is missing: nothing opens, and so there is nothing to run or close. */
#include <stddef.h>

#include "base/diag.h"
#include "ssburn/server.h"

struct server *server_open(struct burn *burn)
{
	(void)burn;
	diag("--listen: this ssburn was built without libmicrohttpd");
	return NULL;
}

void server_say(const struct server *server)
{
	(void)server;
}

void server_run(struct worker *self)
{
	(void)self;
}

void server_close(struct server *server)
{
	(void)server;
}

void server_report(const struct server *server, int64_t wall_ns)
{
	(void)server;
	(void)wall_ns;
}

void server_free(struct server *server)
{
	(void)server;
}
