/* SPDX-License-Identifier: MIT */
/* Requests by HTTP: libcurl's multi interface on an epoll of the caller's. Connections and handles are kept and used again. */
#ifndef SSREQUEST_HTTP_H
#define SSREQUEST_HTTP_H

#include "ssrequest/options.h"
#include "ssrequest/sender.h"

/* Whether libcurl can do what the settings ask for, and files that it will read are there. 0, or -1 after a message. */
int http_check(const struct settings *settings);

/* The settings, which were checked, outlive it. 0, or -1 after a message. */
int http_open(struct sender *sender, const struct settings *settings, const struct sender_owner *owner, int epoll);

#endif
