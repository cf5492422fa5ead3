/* SPDX-License-Identifier: MIT */
/* Messages about a wrong command line, for the caller of config_parse. */
#ifndef CLI_REFUSE_H
#define CLI_REFUSE_H

/* printf style. Sets *error (to be freed; NULL without memory) and returns -1. */
int refuse(char **error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
