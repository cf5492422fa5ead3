/* SPDX-License-Identifier: MIT */
#include "ssrequest/names.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/diag.h"

/* Of a name, as many as fit. */
#define ADDRESSES_MAX 512

/* Of either variable, NULL when both are empty. */
static const char *value_of(const char *name, const char *other)
{
	const char *value = getenv(name);
	value = value && *value ? value : getenv(other);
	return value && *value ? value : NULL;
}

/* Whether libcurl reads no_proxy as having the host, by its name or that of a domain. */
static bool is_excepted(const char *host)
{
	const char *at = value_of("no_proxy", "NO_PROXY");
	const size_t length = strlen(host) - (host[strlen(host) - 1] == '.');
	if (!at || strcmp(at, "*") == 0)
		return at;
	for (size_t word; *(at += strspn(at, ", \t")); at += word) {
		word = strcspn(at, ", \t");
		const bool is_dotted = *at == '.';
		const size_t wanted = word - is_dotted - (word > 1 && at[word - 1] == '.');
		if (wanted <= length && strncasecmp(host + length - wanted, at + is_dotted, wanted) == 0 &&
			(wanted == length || host[length - wanted - 1] == '.'))
			return true;
	}
	return false;
}

/* As libcurl finds it: of the scheme, which for http is in small letters alone, or of all. */
static bool has_proxy(const char *url, const char *host)
{
	const bool is_secure = strncasecmp(url, "https:", 6) == 0;
	const char *const own = is_secure ? value_of("https_proxy", "HTTPS_PROXY") : getenv("http_proxy");
	return ((own && *own) || value_of("all_proxy", "ALL_PROXY")) && !is_excepted(host);
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
			     curl_url_get(url, CURLUPART_HOST, &host, NAMES_HOST_FLAGS) == CURLUE_OK &&
			     curl_url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK;
	if (!is_read)
		diag("'%.200s' can't be taken apart", text);
	else
		result = is_address(host) || has_proxy(text, host) ? 0 : look_up(host, port, found);
	curl_free(host);
	curl_free(port);
	curl_url_cleanup(url);
	return result;
}

int names_look_up(const struct targets *targets, struct curl_slist **found)
{
	*found = NULL;
	for (size_t i = 0; i < targets->count; i++)
		if (look_up_url(targets->item[i].url, found) != 0) {
			curl_slist_free_all(*found);
			*found = NULL;
			return -1;
		}
	return 0;
}
