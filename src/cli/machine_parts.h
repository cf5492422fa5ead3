/* SPDX-License-Identifier: MIT */
/* The parts of --check-machine: each adds what it finds. */
#ifndef CLI_MACHINE_PARTS_H
#define CLI_MACHINE_PARTS_H

#include "cli/findings.h"
#include "config/config.h"
#include "self/host.h"

/* Sources of the load and of electric power, and what a run measures. */
void machine_add_sources(struct findings *findings, const struct config *config, const struct sst_env *env);
/* Events that can be counted, and idle states: they stand with the sources, behind them. */
void machine_add_counters(struct findings *findings, const struct config *config, const struct sst_env *env);
/* Processors and what else runs on them. Takes a second. */
void machine_add_hardware(struct findings *findings, const struct config *config, const struct sst_env *env);
/* What this process may do. */
void machine_add_privileges(struct findings *findings, const struct config *config, const struct sst_env *env);

#endif
