/* SPDX-License-Identifier: MIT */
/* What keeps independent controllers from diverging (paper 000, Section 3.2.3): the mean of the own output and the peers'. */
#ifndef MEAN_OF_PEERS_H
#define MEAN_OF_PEERS_H

#include "showstopper/module.h"

static inline double mean_of_peers(double own, const struct sst_control_input *in)
{
	double sum = own;
	for (unsigned i = 0; i < in->peer_count; i++)
		sum += in->peers[i];
	return sum / (in->peer_count + 1);
}

#endif
