/* SPDX-License-Identifier: MIT */
/* Targets that come during the run, as the trace module asked for them: the master reads them here, and executors see them on the board. */
#ifndef SUPERVISE_LIVE_TARGET_H
#define SUPERVISE_LIVE_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "self/host.h"
#include "trace/stream_reader.h"

struct live_target {
	struct sst_stream asked;
	struct stream_writer writer; /* its board NULL: no targets come */
	struct stream_complaints complaints;
	struct stream_reader reader;
	const char *name;
	int file;               /* that they are read from; -1: nothing is left to be read */
	bool is_own;            /* it is the run's socket (self/run_socket.h) */
	bool is_connected;      /* it is a socket that was connected to */
	bool begins_again;      /* a FIFO that we may only read: opened again when its last writer has gone */
	int64_t heard_ns;       /* CLOCK_MONOTONIC, when a line came last */
	int64_t rests_until_ns; /* nothing is read before that */
	bool silent;            /* it has been so long ago that it counts as silence */
	bool ended;             /* the source has */
};

/*
 * Opens what the host was asked to follow, before anything is started; a file is read at once. `run` is the process whose number users
 * give to --set, which is said unless `quiet`. 0, or -1 after a message. live_target_close gives back what there is in both cases.
 */
int live_target_open(struct live_target *live, const struct host_env *host, pid_t run, bool quiet);
void live_target_close(struct live_target *live);

/* Reads what is there, at the moment since_ns since control began. */
void live_target_read(struct live_target *live, int64_t since_ns);

/* What poll tells when there is something to read; -1 for now, so that a flood of lines takes little of the machine. */
int live_target_file(const struct live_target *live, int64_t now_ns);

/* The silence, if it is time. */
void live_target_look(struct live_target *live, int64_t since_ns);
/* When something is to be looked at again that live_target_file doesn't tell (CLOCK_MONOTONIC, INT64_MAX: never). */
int64_t live_target_next(const struct live_target *live, int64_t now_ns);

#endif
