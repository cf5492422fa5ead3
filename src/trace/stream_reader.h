/* SPDX-License-Identifier: MIT */
/* What a source of targets says, line by line, put on the board; and complaints about what can't be understood. */
#ifndef TRACE_STREAM_READER_H
#define TRACE_STREAM_READER_H

#include "trace/stream.h"

/* One may be for several readers. Zero before the first. */
struct stream_complaints {
	int64_t said_ns; /* when the last one was said */
	uint64_t unsaid; /* lines since then that could not be understood either */
};

struct stream_reader {
	const char *name; /* for messages */
	struct stream_writer *writer;
	struct stream_complaints *complaints;
	struct stream_cutter cutter;
	bool is_file;     /* one line too many makes all of it useless; else it is complained about */
	int64_t now_ns;   /* since control began, where the last piece was taken */
	uint64_t refused; /* lines that changed nothing, as they couldn't be understood or were too many */
	uint64_t full;    /* the first one that was too many; 0: none */
};

/*
 * Takes a piece at the moment now_ns since control began. A line that can't be understood changes nothing, and is told: one a second at
 * most, the others are counted.
 */
void stream_reader_take(struct stream_reader *reader, const char *piece, size_t length, int64_t now_ns);
/* The source has ended. */
void stream_reader_end(struct stream_reader *reader, int64_t now_ns);

/* Says how many were not told. */
void stream_complaints_end(struct stream_complaints *complaints);

/* Takes all that a regular file has. 0, or -1 with a message: it can't be read, or has more than there is room for. */
int stream_reader_take_file(struct stream_reader *reader, int file, int64_t now_ns, char error[static STREAM_ERROR_MAX]);

#endif
