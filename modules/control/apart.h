/* SPDX-License-Identifier: MIT */
/* How far apart samples are. Further than usual they are only where a reading is dear. */
#ifndef APART_H
#define APART_H

#include <stdatomic.h>

#include "showstopper/module.h"

/* The usual, at most. */
#define APART_S 0.16

/* Of all executors. */
struct apart {
	_Atomic double sampled; /* capacity of all samples so far */
	_Atomic double last_s;  /* the last one was so long */
};

static inline void apart_start(struct apart *apart, const struct sst_control_input *in)
{
	atomic_store(&apart->sampled, in->total.capacity);
	atomic_store(&apart->last_s, 0);
}

static inline double apart_s(struct apart *apart, const struct sst_control_input *in)
{
	double sampled = atomic_load(&apart->sampled);
	if (in->total.capacity > sampled && atomic_compare_exchange_strong(&apart->sampled, &sampled, in->total.capacity))
		atomic_store(&apart->last_s, (in->total.capacity - sampled) / in->processors);
	return atomic_load(&apart->last_s);
}

#endif
