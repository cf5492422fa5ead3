/* SPDX-License-Identifier: MIT */
/*
 * Each slot has an easy handle of its own, made for its first request. The multi handle owns the connections; as many are kept as there can be
 * requests at a time, so that none is closed that could be used again. Only giving a request up closes one, of HTTP/1.1.
 */
#include "ssrequest/http.h"

#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/units.h"
#include "base/version.h"
#include "ssrequest/names.h"

/* A body that is longer is refused; it is kept in memory. */
#define BODY_MAX ((size_t)64 << 20)
/* An expected text is looked for in so much of a body. */
#define TEXT_WITHIN ((int64_t)16 << 20)
#define NO_URL UINT32_MAX
/* Open ones beside those of connections. */
#define OTHER_FILES 16

struct http_slot {
	CURL *easy;   /* NULL: not yet */
	uint32_t url; /* that it is set up for */
	unsigned number;
	bool is_active;
	int64_t bytes;
	unsigned tries; /* how often this request has been sent */
	size_t matched; /* of the expected text, at the end of what has come; all of it: it was there */
	struct http *http;
};

struct http {
	const struct settings *settings;
	struct sender_owner owner;
	int epoll;
	CURLM *multi;
	struct curl_slist *headers, *names;
	char *body;
	size_t body_length;
	size_t text_length, *border; /* of the expected text: for each beginning, the longest that it also ends with */
	int64_t due_ns;
	bool has_said; /* why the first one failed */
	struct http_slot slot[];
};

/* ---- What libcurl calls ----------------------------------------------------------------------------------------------- */

static void match(struct http_slot *slot, const char *text, size_t length)
{
	const struct http *const http = slot->http;
	const char *const wanted = http->settings->expected_text;
	for (size_t i = 0; i < length && slot->matched < http->text_length; i++) {
		const char *const first = slot->matched > 0 ? text + i : memchr(text + i, wanted[0], length - i);
		if (!first)
			return;
		i = (size_t)(first - text);
		while (slot->matched > 0 && wanted[slot->matched] != text[i])
			slot->matched = http->border[slot->matched - 1];
		slot->matched += wanted[slot->matched] == text[i];
	}
}

static size_t take_body(char *text, size_t size, size_t count, void *context)
{
	struct http_slot *const slot = context;
	slot->bytes += (int64_t)(size * count);
	match(slot, text, size * count);
	/* libcurl ends a request of whose answer not all is taken. */
	return slot->matched < slot->http->text_length && slot->bytes > TEXT_WITHIN ? 0 : size * count;
}

static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *known)
{
	struct http *const http = context;
	struct epoll_event event = {.data.fd = fd};
	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		epoll_ctl(http->epoll, EPOLL_CTL_DEL, fd, NULL);
		curl_multi_assign(http->multi, fd, NULL);
		return 0;
	}
	event.events = (what != CURL_POLL_OUT ? EPOLLIN : 0u) | (what != CURL_POLL_IN ? EPOLLOUT : 0u);
	if (epoll_ctl(http->epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event) != 0)
		return -1;
	curl_multi_assign(http->multi, fd, http);
	return 0;
}

static int set_timer(CURLM *multi, long left_ms, void *context)
{
	struct http *const http = context;
	(void)multi;
	http->due_ns = left_ms < 0 ? INT64_MAX : clock_now() + left_ms * NS_PER_MS;
	return 0;
}

/* ---- Answers ---------------------------------------------------------------------------------------------------------- */

static const char *reason(CURLcode code)
{
	switch (code) {
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_WEIRD_SERVER_REPLY:
		return "the answer is not valid HTTP";
	case CURLE_FILESIZE_EXCEEDED:
		return "the answer's Content-Length is out of range";
	default:
		return curl_easy_strerror(code);
	}
}

static void say_failure(struct http *http, const struct http_slot *slot, CURLcode code)
{
	if (http->has_said)
		return;
	http->has_said = true;
	diag("%s: %s (said of the first request that fails)", http->settings->targets.item[slot->url].url, reason(code));
}

static struct sender_answer judge(struct http *http, const struct http_slot *slot, CURLcode code)
{
	struct sender_answer answer = {.fate = REQUEST_FAILED, .bytes = slot->bytes};
	long status = 0, error = 0;
	curl_easy_getinfo(slot->easy, CURLINFO_RESPONSE_CODE, &status);
	const bool fits = slot->matched == http->text_length;
	if (code == CURLE_OK || (code == CURLE_WRITE_ERROR && !fits)) {
		answer.status = status;
		answer.fate = expected_judge(&http->settings->expected, false, answer.status, fits);
		return answer;
	}
	/* What else keeps us from connecting, such as too many open files, is no refusal. A Unix socket may have gone. */
	curl_easy_getinfo(slot->easy, CURLINFO_OS_ERRNO, &error);
	if (code == CURLE_COULDNT_CONNECT && (error == ECONNREFUSED || (http->settings->unix_socket && error == ENOENT)))
		answer.fate = REQUEST_REFUSED;
	if (status == 0)
		answer.bytes = REQUEST_LOG_UNKNOWN;
	say_failure(http, slot, code);
	return answer;
}

static void collect(struct http *http)
{
	int left;
	for (CURLMsg *message; (message = curl_multi_info_read(http->multi, &left));) {
		struct http_slot *slot = NULL;
		const CURLcode code = message->data.result;
		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&slot);
		const struct sender_answer answer = judge(http, slot, code);
		curl_multi_remove_handle(http->multi, slot->easy);
		slot->is_active = false;
		http->owner.answered(http->owner.context, slot->number, &answer);
	}
}

static void act(struct http *http, curl_socket_t fd, int events)
{
	int running;
	curl_multi_socket_action(http->multi, fd, events, &running);
	collect(http);
}

static void http_serve(void *self, int fd, uint32_t events)
{
	act(self, fd,
		(events & EPOLLIN ? CURL_CSELECT_IN : 0) | (events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
			(events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0));
}

static int64_t http_due(const void *self)
{
	return ((const struct http *)self)->due_ns;
}

static void http_wake(void *self)
{
	struct http *const http = self;
	/* It is set again if something more is to be done. */
	http->due_ns = INT64_MAX;
	act(http, CURL_SOCKET_TIMEOUT, 0);
}

/* ---- Requests --------------------------------------------------------------------------------------------------------- */

static long http_version(const struct settings *settings, const char *url)
{
	const bool is_secure = strncasecmp(url, "https:", 6) == 0;
	if (settings->http == HTTP_2)
		return is_secure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
	return settings->http == UNSET && is_secure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1;
}

static void set_up_method(const struct http *http, CURL *easy)
{
	const struct settings *const settings = http->settings;
	if (settings->method && strcmp(settings->method, "HEAD") == 0)
		curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
	if (http->body) {
		curl_easy_setopt(easy, CURLOPT_POSTFIELDS, http->body);
		curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)http->body_length);
	}
	if (settings->method)
		curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, settings->method);
}

/*
 * On a connection that was used before, and that the server closes without an answer, libcurl would send the request again: what nobody answered would
 * be a good answer that took long, and the server would have more to do than was planned. Of HTTP/2 a server says which requests it hasn't looked at.
 */
static int look_at_try(void *context, char *remote, char *local, int remote_port, int local_port)
{
	struct http_slot *const slot = context;
	(void)remote;
	(void)local;
	(void)remote_port;
	(void)local_port;
	return slot->tries++ == 0 ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

/* False without memory. */
static bool make_easy(struct http *http, struct http_slot *slot)
{
	const struct settings *const settings = http->settings;
	char agent[128];
	CURL *const easy = curl_easy_init();
	if (!easy)
		return false;
	snprintf(agent, sizeof agent, "ssrequest/%s", version_text);
	agent[strcspn(agent, " ")] = '\0';
	slot->easy = easy;
	curl_easy_setopt(easy, CURLOPT_PRIVATE, (char *)slot);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, slot);
	/* Without a limit libcurl ignores a Content-Length that is above it. */
	curl_easy_setopt(easy, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)INT64_MAX);
	if (settings->http != HTTP_2) {
		curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, look_at_try);
		curl_easy_setopt(easy, CURLOPT_PREREQDATA, slot);
	}
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, http->headers);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, agent);
	curl_easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, -1L);
	curl_easy_setopt(easy, CURLOPT_RESOLVE, http->names);
	/* A connection on which several requests can be under way is waited for. */
	curl_easy_setopt(easy, CURLOPT_PIPEWAIT, settings->http == HTTP_2 ? 1L : 0L);
	/* Ours is the timeout; this one, of connections alone, would be five minutes. */
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)(settings->timeout_ns / NS_PER_MS + 1000));
	if (settings->insecure) {
		curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
	}
	if (settings->cacert)
		curl_easy_setopt(easy, CURLOPT_CAINFO, settings->cacert);
	/* With a folder of authorities beside their file libcurl would read all of the file again for each handshake. */
	if (settings->cacert || curl_version_info(CURLVERSION_NOW)->cainfo)
		curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
	if (settings->unix_socket)
		curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, settings->unix_socket);
	set_up_method(http, easy);
	return true;
}

static bool set_up(struct http *http, struct http_slot *slot, uint32_t url)
{
	if (!slot->easy && !make_easy(http, slot))
		return false;
	slot->bytes = 0;
	slot->tries = 0;
	slot->matched = 0;
	if (slot->url == url)
		return true;
	const char *const text = http->settings->targets.item[url].url;
	slot->url = url;
	return curl_easy_setopt(slot->easy, CURLOPT_HTTP_VERSION, http_version(http->settings, text)) == CURLE_OK &&
	       curl_easy_setopt(slot->easy, CURLOPT_URL, text) == CURLE_OK;
}

static int64_t http_send(void *self, unsigned number, unsigned url, uint64_t request)
{
	struct http *const http = self;
	struct http_slot *const slot = &http->slot[number];
	(void)request;
	if (set_up(http, slot, url) && curl_multi_add_handle(http->multi, slot->easy) == CURLM_OK) {
		slot->is_active = true;
		http_wake(http);
		return clock_now();
	}
	say_failure(http, slot, CURLE_OUT_OF_MEMORY);
	const struct sender_answer answer = {.fate = REQUEST_FAILED, .bytes = REQUEST_LOG_UNKNOWN};
	http->owner.answered(http->owner.context, number, &answer);
	return clock_now();
}

static void http_give_up(void *self, unsigned number)
{
	struct http *const http = self;
	struct http_slot *const slot = &http->slot[number];
	if (slot->is_active)
		curl_multi_remove_handle(http->multi, slot->easy);
	slot->is_active = false;
}

/* ---- Opening ---------------------------------------------------------------------------------------------------------- */

/* The body as it is, or that of a file, to be freed. 0, or -1 after a message. */
static int read_body(struct http *http)
{
	const char *const text = http->settings->body;
	if (!text)
		return 0;
	if (*text != '@') {
		http->body = strdup(text);
		http->body_length = strlen(text);
		return http->body ? 0 : diag_refuse("%s", strerror(errno));
	}
	FILE *const file = fopen(text + 1, "re");
	http->body = file ? malloc(BODY_MAX + 1) : NULL;
	if (http->body)
		http->body_length = fread(http->body, 1, BODY_MAX + 1, file);
	const bool failed = !http->body || ferror(file);
	const int error = errno;
	if (file)
		fclose(file);
	if (failed)
		return diag_refuse("--body: %.200s: %s", text + 1, strerror(error));
	if (http->body_length > BODY_MAX)
		return diag_refuse("--body: %.200s: more than %zu MiB", text + 1, BODY_MAX >> 20);
	char *const fitting = realloc(http->body, http->body_length + 1);
	http->body = fitting ? fitting : http->body;
	return 0;
}

/* As of Knuth, Morris and Pratt. 0, or -1 after a message. */
static int prepare_text(struct http *http)
{
	const char *const text = http->settings->expected_text;
	if (!text)
		return 0;
	http->text_length = strlen(text);
	http->border = calloc(http->text_length, sizeof *http->border);
	if (!http->border)
		return diag_refuse("%s", strerror(errno));
	for (size_t i = 1, border = 0; i < http->text_length; i++) {
		while (border > 0 && text[i] != text[border])
			border = http->border[border - 1];
		border += text[i] == text[border];
		http->border[i] = border;
	}
	return 0;
}

static int make_headers(struct http *http)
{
	/* libcurl waits for a `100 Continue` before a large body, which is no part of the question. */
	const char *header = "Expect:";
	for (size_t i = 0; i <= http->settings->headers; i++) {
		struct curl_slist *const longer = curl_slist_append(http->headers, header);
		if (!longer)
			return diag_refuse("%s", strerror(ENOMEM));
		http->headers = longer;
		header = http->settings->header[i];
	}
	return 0;
}

static void http_close(void *self, int64_t grace_ns, int signals)
{
	struct http *const http = self;
	(void)grace_ns;
	(void)signals;
	for (int64_t i = 0; i < http->settings->limit; i++) {
		http_give_up(http, (unsigned)i);
		if (http->slot[i].easy)
			curl_easy_cleanup(http->slot[i].easy);
	}
	if (http->multi)
		curl_multi_cleanup(http->multi);
	curl_slist_free_all(http->headers);
	curl_slist_free_all(http->names);
	curl_global_cleanup();
	free(http->body);
	free(http->border);
	free(http);
}

static int prepare(struct http *http)
{
	if (read_body(http) != 0 || prepare_text(http) != 0 || make_headers(http) != 0)
		return -1;
	if (!http->settings->unix_socket && names_look_up(&http->settings->targets, &http->names) != 0)
		return -1;
	http->multi = curl_multi_init();
	if (!http->multi)
		return diag_refuse("%s", strerror(ENOMEM));
	curl_multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
	curl_multi_setopt(http->multi, CURLMOPT_SOCKETDATA, http);
	curl_multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, set_timer);
	curl_multi_setopt(http->multi, CURLMOPT_TIMERDATA, http);
	curl_multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, (long)http->settings->limit);
	return 0;
}

/* libcurl 7.88 spoils a connection of HTTP/2 that began without TLS when it uses it again (curl issue 10634; mended in 8.0). */
static bool is_spoiling(const curl_version_info_data *info)
{
	return info->version_num >> 8 == 0x0758;
}

static int check_features(const struct settings *settings)
{
	const curl_version_info_data *const info = curl_version_info(CURLVERSION_NOW);
	if (settings->http != HTTP_2)
		return 0;
	if (!(info->features & CURL_VERSION_HTTP2))
		return diag_refuse("--http: libcurl %s here has no HTTP/2: expected 1.1", info->version);
	for (size_t i = 0; is_spoiling(info) && i < settings->targets.count; i++)
		if (strncasecmp(settings->targets.item[i].url, "https:", 6) != 0)
			return diag_refuse("--http: libcurl %s here can't use connections of HTTP/2 again that have no TLS: "
					   "expected https, or "
					   "libcurl 8.0",
				info->version);
	return 0;
}

static int check_file(const char *option, const char *path)
{
	struct stat status;
	if (!path)
		return 0;
	if (stat(path, &status) != 0 || access(path, R_OK) != 0)
		return diag_refuse("--%s: %.200s: %s", option, path, strerror(errno));
	return S_ISDIR(status.st_mode) ? diag_refuse("--%s: %.200s: %s", option, path, strerror(EISDIR)) : 0;
}

static int check_socket(const char *path)
{
	struct sockaddr_un address;
	struct stat status;
	if (!path)
		return 0;
	if (strlen(path) >= sizeof address.sun_path)
		return diag_refuse("--unix-socket: %.200s: %s", path, strerror(ENAMETOOLONG));
	if (stat(path, &status) != 0)
		return diag_refuse("--unix-socket: %.200s: %s", path, strerror(errno));
	return S_ISSOCK(status.st_mode) ? 0 : diag_refuse("--unix-socket: %.200s is no socket", path);
}

static int check_urls(const struct targets *targets)
{
	/* libcurl takes names of hosts to be in the encoding of the locale. */
	setlocale(LC_CTYPE, "C.UTF-8");
	for (size_t i = 0; i < targets->count; i++) {
		char *host = NULL;
		CURLU *const url = curl_url();
		const CURLUcode code = url ? curl_url_set(url, CURLUPART_URL, targets->item[i].url, 0) : CURLUE_OUT_OF_MEMORY;
		const bool has_host =
			code == CURLUE_OK && curl_url_get(url, CURLUPART_HOST, &host, NAMES_HOST_FLAGS) == CURLUE_OK;
		curl_free(host);
		curl_url_cleanup(url);
		if (!has_host)
			return diag_refuse("'%.200s' is malformed: %s", targets->item[i].url,
				code == CURLUE_OK ? "its host is no internationalized domain name in UTF-8"
						  : curl_url_strerror(code));
	}
	return 0;
}

static void warn_of_few_files(const struct settings *settings)
{
	struct rlimit files;
	if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max < (rlim_t)settings->limit + OTHER_FILES)
		diag("warning: --limit: %" PRId64 " connections need %" PRId64 " open files, and %ju are allowed (ulimit -Hn)",
			settings->limit, settings->limit + OTHER_FILES, (uintmax_t)files.rlim_max);
}

int http_check(const struct settings *settings)
{
	warn_of_few_files(settings);
	return check_features(settings) == 0 && check_urls(&settings->targets) == 0 &&
			       check_file("cacert", settings->cacert) == 0 && check_socket(settings->unix_socket) == 0
		       ? 0
		       : -1;
}

int http_open(struct sender *sender, const struct settings *settings, const struct sender_owner *owner, int epoll)
{
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return diag_refuse("libcurl can't be used");
	struct http *const http = calloc(1, sizeof *http + (size_t)settings->limit * sizeof(struct http_slot));
	if (!http)
		return diag_refuse("%s", strerror(errno));
	http->settings = settings;
	http->owner = *owner;
	http->epoll = epoll;
	http->due_ns = INT64_MAX;
	for (int64_t i = 0; i < settings->limit; i++)
		http->slot[i] = (struct http_slot){.url = NO_URL, .number = (unsigned)i, .http = http};
	if (prepare(http) != 0) {
		http_close(http, 0, -1);
		return -1;
	}
	*sender = (struct sender){.self = http,
		.send = http_send,
		.give_up = http_give_up,
		.serve = http_serve,
		.due = http_due,
		.wake = http_wake,
		.close = http_close};
	return 0;
}
