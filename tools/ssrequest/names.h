/* SPDX-License-Identifier: MIT */
/* Names of hosts, looked up before the run: within it libcurl would wait for a name server that doesn't answer, and all requests with it. */
#ifndef SSREQUEST_NAMES_H
#define SSREQUEST_NAMES_H

#include <curl/curl.h>

#include "ssrequest/targets.h"

/* For curl_url_get: a host as libcurl will ask for it. */
#if LIBCURL_VERSION_NUM >= 0x075800
#define NAMES_HOST_FLAGS CURLU_PUNYCODE
#else
#define NAMES_HOST_FLAGS 0
#endif

/*
 * The addresses of the hosts of all URLs, as CURLOPT_RESOLVE takes them: to be freed by curl_slist_free_all, NULL where there is nothing to
 * look up, since hosts are addresses or a proxy of the environment looks them up. 0, or -1 after a message: a name isn't known.
 */
int names_look_up(const struct targets *targets, struct curl_slist **found);

#endif
