/* SPDX-License-Identifier: MIT */
/* What is left after a run, and whether it may be. */
#ifndef JUDGE_H
#define JUDGE_H

#include "state.h"

/* Whether nobody was left who could clean up after that instance. */
bool judge_is_unsupervised(const struct trial *trial, int instance);

/* Waits until nothing is left that must not be, or for longer than that may take: the result's verdict. */
void judge_wait(struct trial *trial);

/* What was attached is left running, which takes that it is left. */
void judge_attached(struct trial *trial);

/* The other tool promises nothing; what is counted is what is the case. Stopped: in all of several looks. */
void judge_count(struct trial *trial);

#endif
