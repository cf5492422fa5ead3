/* SPDX-License-Identifier: MIT */
/*
 * One thread of libmicrohttpd's has all connections. A request that is whole is suspended there and put into the queue; who has served it
 * resumes it, and libmicrohttpd asks again what to answer. So a connection has one request in the queue at most, and the number of
 * connections bounds it.
 *
 * Service is measured by the thread's own processor time: while it is stopped, or others have its processor, no time passes for it.
 */
#include "ssburn/server.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <microhttpd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/diag.h"
#include "base/units.h"
#include "ssburn/listener.h"

/* Of a connection: its buffers, with the longest header. */
#define CONNECTION_MEMORY ((size_t)16 << 10)
/* Who sends or takes nothing for so long is cut off; waiting in the queue doesn't count. */
#define IDLE_S 60U
/* The answers of the end. */
#define CLOSE_NS NS_PER_S
#define ANSWER_MAX 128

enum state { COMING, QUEUED, SERVED, TURNED_AWAY };

struct waiting {
	struct waiting *next;
	struct MHD_Connection *connection;
	enum state state;
	int64_t queued_ns, waited_ns, used_ns;
};

struct server {
	struct burn *burn;
	struct listener listener;
	struct MHD_Daemon *daemon;
	struct MHD_Response *healthy, *closing;
	/* Under burn->lock: */
	struct waiting *first, **last; /* the queue */
	bool is_closing;
	uint64_t queued, longest; /* in the queue now, and at most */
	uint64_t under_way;       /* requests that were begun and are not over */
	uint64_t served, turned_away;
	int64_t waited_ns, used_ns, busy_ns; /* sums over those that were served: in the queue, processor time, time */
	pthread_cond_t quiet;                /* nothing is under way */
};

/* ---- Requests, in the thread of libmicrohttpd ------------------------------------------------------------------------- */

/* To be served in its turn, or at once to be turned away. True when it is in the queue. */
static bool join_queue(struct server *server, struct waiting *request)
{
	struct burn *const burn = server->burn;
	pthread_mutex_lock(&burn->lock);
	const bool joins = !server->is_closing;
	request->state = joins ? QUEUED : TURNED_AWAY;
	if (joins) {
		/* Before a thread can take it. */
		MHD_suspend_connection(request->connection);
		request->queued_ns = clock_now();
		*server->last = request;
		server->last = &request->next;
		server->queued++;
		if (server->queued > server->longest)
			server->longest = server->queued;
		pthread_cond_signal(&burn->changed);
	}
	pthread_mutex_unlock(&burn->lock);
	return joins;
}

static enum MHD_Result answer_served(const struct waiting *request)
{
	char text[ANSWER_MAX];
	const int length = snprintf(text, sizeof text, "%.3f ms of processor time, after %.3f ms in the queue\n",
		(double)request->used_ns / NS_PER_MS, (double)request->waited_ns / NS_PER_MS);
	struct MHD_Response *const response = MHD_create_response_from_buffer((size_t)length, text, MHD_RESPMEM_MUST_COPY);
	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain");
	const enum MHD_Result result = MHD_queue_response(request->connection, MHD_HTTP_OK, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer_turned_away(struct server *server, struct MHD_Connection *connection)
{
	pthread_mutex_lock(&server->burn->lock);
	server->turned_away++;
	pthread_mutex_unlock(&server->burn->lock);
	return MHD_queue_response(connection, MHD_HTTP_SERVICE_UNAVAILABLE, server->closing);
}

static struct waiting *begin_request(struct server *server, struct MHD_Connection *connection)
{
	struct waiting *const request = calloc(1, sizeof *request);
	if (!request)
		return NULL;
	request->connection = connection;
	pthread_mutex_lock(&server->burn->lock);
	server->under_way++;
	pthread_mutex_unlock(&server->burn->lock);
	return request;
}

/* Called when its header has come, for each piece of its body, when it is whole, and when it was resumed. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
	const char *version, const char *body, size_t *body_length, void **own)
{
	struct server *const server = context;
	struct waiting *request = *own;
	(void)method;
	(void)version;
	(void)body;
	if (!request) {
		request = begin_request(server, connection);
		*own = request;
		return request ? MHD_YES : MHD_NO;
	}
	if (*body_length > 0) {
		*body_length = 0;
		return MHD_YES;
	}
	if (request->state == SERVED)
		return answer_served(request);
	if (request->state == COMING && strcmp(url, "/health") == 0)
		return MHD_queue_response(connection, MHD_HTTP_OK, server->healthy);
	if (request->state == COMING && join_queue(server, request))
		return MHD_YES;
	return answer_turned_away(server, connection);
}

static void forget(void *context, struct MHD_Connection *connection, void **own, enum MHD_RequestTerminationCode how)
{
	struct server *const server = context;
	(void)connection;
	(void)how;
	if (!*own)
		return;
	free(*own);
	*own = NULL;
	pthread_mutex_lock(&server->burn->lock);
	if (--server->under_way == 0)
		pthread_cond_signal(&server->quiet);
	pthread_mutex_unlock(&server->burn->lock);
}

/* ---- Service, in the threads that work -------------------------------------------------------------------------------- */

/* Whole units, as many as come closest to the time. False when the work was halted. */
static bool burn_time(const struct burn *burn, uint64_t number, int64_t wanted_ns, int64_t *used_ns)
{
	const int64_t begin_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int64_t last_ns = 0;
	uint64_t sum = 0;
	*used_ns = 0;
	for (uint64_t unit = 0; *used_ns + last_ns / 2 < wanted_ns; unit++) {
		if (!burn_work(burn, number, unit, 1, &sum))
			return false;
		const int64_t now_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
		last_ns = now_ns - *used_ns;
		*used_ns = now_ns;
	}
	return true;
}

static bool ended(const struct burn *burn)
{
	return burn->halted || burn->next >= burn->limit;
}

/* The first of the queue, or NULL. Under the lock. */
static struct waiting *leave_queue(struct server *server)
{
	struct waiting *const request = server->first;
	if (!request)
		return NULL;
	server->first = request->next;
	if (!server->first)
		server->last = &server->first;
	server->queued--;
	return request;
}

/* The next request, or NULL when there are to be no more. */
static struct waiting *take(struct server *server, uint64_t *number)
{
	struct burn *const burn = server->burn;
	struct waiting *request = NULL;
	pthread_mutex_lock(&burn->lock);
	while (!ended(burn) && !server->first)
		pthread_cond_wait(&burn->changed, &burn->lock);
	if (!ended(burn)) {
		request = leave_queue(server);
		*number = burn->next++;
		if (ended(burn))
			pthread_cond_broadcast(&burn->changed);
	}
	pthread_mutex_unlock(&burn->lock);
	return request;
}

static void serve(struct server *server, struct waiting *request, uint64_t number)
{
	struct burn *const burn = server->burn;
	const int64_t start_ns = clock_now();
	request->waited_ns = start_ns - request->queued_ns;
	const int64_t wanted_ns = burn_service_ns(burn, number);
	const bool whole = burn_time(burn, number, wanted_ns, &request->used_ns);
	if (whole)
		burn_record(burn, number, start_ns, 0);
	pthread_mutex_lock(&burn->lock);
	if (whole) {
		server->served++;
		server->waited_ns += request->waited_ns;
		server->used_ns += request->used_ns;
		server->busy_ns += clock_now() - start_ns;
	}
	request->state = whole ? SERVED : TURNED_AWAY;
	pthread_mutex_unlock(&burn->lock);
	MHD_resume_connection(request->connection);
}

void server_run(struct worker *self)
{
	struct server *const server = self->burn->server;
	struct waiting *request;
	uint64_t number;
	while ((request = take(server, &number)))
		serve(server, request, number);
}

/* ---- Opening and closing ---------------------------------------------------------------------------------------------- */

/* As many connections as there may be open files. 0 after a message. */
static unsigned connections(const struct settings *settings)
{
	struct rlimit files;
	descriptors_raise_limit();
	if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= (rlim_t)settings->connections + SERVER_OTHER_FILES)
		return (unsigned)settings->connections;
	if (files.rlim_cur <= SERVER_OTHER_FILES) {
		diag("--connections: each needs an open file, and %ju are allowed (ulimit -Hn): expected more than %d",
			(uintmax_t)files.rlim_cur, SERVER_OTHER_FILES);
		return 0;
	}
	const unsigned most = (unsigned)(files.rlim_cur - SERVER_OTHER_FILES);
	diag("warning: --connections: %u instead of %" PRId64 ", since %ju open files are allowed (ulimit -Hn)", most,
		settings->connections, (uintmax_t)files.rlim_cur);
	return most;
}

static struct MHD_Response *text_response(char *text)
{
	struct MHD_Response *const response = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_PERSISTENT);
	if (response)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain");
	return response;
}

/* Its thread gets no signals. */
static struct MHD_Daemon *start_daemon(struct server *server, unsigned most)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	struct MHD_Daemon *const daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL,
		NULL, handle, server, MHD_OPTION_LISTEN_SOCKET, server->listener.fd, MHD_OPTION_CONNECTION_LIMIT, most,
		MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY,
		MHD_OPTION_NOTIFY_COMPLETED, forget, server, MHD_OPTION_END);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return daemon;
}

static bool start(struct server *server, unsigned most)
{
	static char healthy[] = "ok\n", closing[] = "the service ends\n";
	server->healthy = text_response(healthy);
	server->closing = text_response(closing);
	if (!server->healthy || !server->closing)
		return false;
	MHD_add_response_header(server->closing, MHD_HTTP_HEADER_CONNECTION, "close");
	server->daemon = start_daemon(server, most);
	return server->daemon;
}

struct server *server_open(struct burn *burn)
{
	const struct settings *const settings = burn->settings;
	char error[LISTENER_ERROR_MAX];
	const unsigned most = connections(settings);
	struct server *const server = most > 0 ? calloc(1, sizeof *server) : NULL;
	if (!server) {
		if (most > 0)
			diag("%s", strerror(errno));
		return NULL;
	}
	server->burn = burn;
	server->last = &server->first;
	server->listener = settings->listener;
	pthread_cond_init(&server->quiet, NULL);
	if (listener_open(&server->listener, error) != 0) {
		diag("--listen: %s", error);
	} else if (!start(server, most)) {
		diag("--listen: libmicrohttpd can't start: %s", strerror(errno));
	} else {
		return server;
	}
	server_free(server);
	return NULL;
}

/* Until all requests are answered, but for those whose clients don't take the answer. */
static void wait_until_quiet(struct server *server)
{
	const int64_t deadline_ns = clock_now() + CLOSE_NS;
	const struct timespec until = {.tv_sec = deadline_ns / NS_PER_S, .tv_nsec = deadline_ns % NS_PER_S};
	while (server->under_way > 0 &&
		pthread_cond_clockwait(&server->quiet, &server->burn->lock, CLOCK_MONOTONIC, &until) != ETIMEDOUT)
		;
}

void server_close(struct server *server)
{
	struct burn *const burn = server->burn;
	MHD_quiesce_daemon(server->daemon);
	listener_close(&server->listener);
	pthread_mutex_lock(&burn->lock);
	server->is_closing = true;
	for (struct waiting *request; (request = leave_queue(server));) {
		request->state = TURNED_AWAY;
		MHD_resume_connection(request->connection);
	}
	wait_until_quiet(server);
	pthread_mutex_unlock(&burn->lock);
	MHD_stop_daemon(server->daemon);
	server->daemon = NULL;
}

void server_say(const struct server *server)
{
	char name[LISTENER_NAME_MAX];
	diag("listening at %s", listener_name(&server->listener, name));
}

void server_report(const struct server *server, int64_t wall_ns)
{
	const double served = server->served > 0 ? (double)server->served : 1, ms = (double)NS_PER_MS;
	const int64_t threads = server->burn->settings->threads;
	diag("%" PRIu64
	     " requests in %.3f s: in the mean %.3f ms of processor time, which took %.3f ms, after %.3f ms in the queue",
		server->served, (double)wall_ns / NS_PER_S, (double)server->used_ns / served / ms,
		(double)server->busy_ns / served / ms, (double)server->waited_ns / served / ms);
	diag("threads %" PRId64 ", utilised %.2f %%; in the queue at most %" PRIu64 "; turned away at the end %" PRIu64, threads,
		wall_ns > 0 ? 100 * (double)server->busy_ns / ((double)wall_ns * (double)threads) : 0, server->longest,
		server->turned_away);
}

void server_free(struct server *server)
{
	if (!server)
		return;
	/* Requests may wait already, and libmicrohttpd ends nothing that waits. */
	if (server->daemon)
		server_close(server);
	if (server->healthy)
		MHD_destroy_response(server->healthy);
	if (server->closing)
		MHD_destroy_response(server->closing);
	listener_close(&server->listener);
	pthread_cond_destroy(&server->quiet);
	free(server);
}
