/* SPDX-License-Identifier: MIT */
#include "ssrequest/names.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/diag.h"

/* Of a name, as many as fit. */
#define ADDRESSES_MAX 512
/* As libcurl will ask for it. */
#if LIBCURL_VERSION_NUM >= 0x075800
#define HOST_FLAGS CURLU_PUNYCODE
#else
#define HOST_FLAGS 0
#endif

static bool has_proxy(void)
{
	static const char *const names[] = {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *const value = getenv(names[i]);
		if (value && *value)
			return true;
	}
	return false;
}

static bool is_address(const char *host)
{
	struct in_addr address;
	return *host == '[' || inet_pton(AF_INET, host, &address) == 1;
}

static bool is_known(const struct curl_slist *list, const char *prefix)
{
	for (; list; list = list->next)
		if (strncmp(list->data, prefix, strlen(prefix)) == 0)
			return true;
	return false;
}

/* Appends the addresses with commas between them. False when there are none. */
static bool print_addresses(const struct addrinfo *info, char *text, size_t size)
{
	size_t length = 0;
	for (; info; info = info->ai_next) {
		char address[INET6_ADDRSTRLEN];
		const bool is_six = info->ai_family == AF_INET6;
		const void *const from = is_six ? (const void *)&((const struct sockaddr_in6 *)info->ai_addr)->sin6_addr
						: (const void *)&((const struct sockaddr_in *)info->ai_addr)->sin_addr;
		if ((!is_six && info->ai_family != AF_INET) || !inet_ntop(info->ai_family, from, address, sizeof address))
			continue;
		const int more = snprintf(text + length, size - length, "%s%s%s%s", length > 0 ? "," : "", is_six ? "[" : "",
			address, is_six ? "]" : "");
		if (more < 0 || (size_t)more >= size - length) {
			text[length] = '\0';
			break;
		}
		length += (size_t)more;
	}
	return length > 0;
}

static int look_up(const char *host, const char *port, struct curl_slist **found)
{
	const struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	char entry[ADDRESSES_MAX + 300], addresses[ADDRESSES_MAX];
	struct addrinfo *info = NULL;
	const int length = snprintf(entry, sizeof entry - ADDRESSES_MAX, "%s:%s:", host, port);
	if (length >= (int)(sizeof entry - ADDRESSES_MAX))
		return diag_refuse("'%.200s' is too long for the name of a host", host);
	if (is_known(*found, entry))
		return 0;
	const int error = getaddrinfo(host, port, &wanted, &info);
	if (error != 0)
		return diag_refuse(
			"%s can't be looked up: %s", host, error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
	const bool has_some = print_addresses(info, addresses, sizeof addresses);
	freeaddrinfo(info);
	if (!has_some)
		return diag_refuse("%s can't be looked up: it has no address", host);
	strcat(entry, addresses);
	struct curl_slist *const longer = curl_slist_append(*found, entry);
	if (!longer)
		return diag_refuse("%s", strerror(ENOMEM));
	*found = longer;
	return 0;
}

static int look_up_url(const char *text, struct curl_slist **found)
{
	char *host = NULL, *port = NULL;
	int result = -1;
	CURLU *const url = curl_url();
	const bool is_read = url && curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK &&
			     curl_url_get(url, CURLUPART_HOST, &host, HOST_FLAGS) == CURLUE_OK &&
			     curl_url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK;
	if (!is_read)
		diag("'%.200s' can't be taken apart", text);
	else
		result = is_address(host) ? 0 : look_up(host, port, found);
	curl_free(host);
	curl_free(port);
	curl_url_cleanup(url);
	return result;
}

int names_look_up(const struct targets *targets, struct curl_slist **found)
{
	*found = NULL;
	for (size_t i = 0; i < targets->count && !has_proxy(); i++)
		if (look_up_url(targets->item[i].url, found) != 0) {
			curl_slist_free_all(*found);
			*found = NULL;
			return -1;
		}
	return 0;
}
