/* SPDX-License-Identifier: MIT */
#include "ssrequest/rates.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"

/* Where the trace leaves workloads free it says nothing about requests either. */
static double rate_of_trace(void *context, int64_t since_ns)
{
	const struct rates *const rates = context;
	const double load = rates->module.trace->target(rates->module.state, since_ns);
	return load > 0 ? load * rates->peak : 0;
}

/* 0, or -1 after a message. */
static int load(struct rates *rates, const struct settings *settings)
{
	struct module *const module = &rates->module;
	char error[MODULE_ERROR_MAX];
	if (module_load(module, SST_TRACE, settings->trace, settings->trace_options, error) != 0)
		return diag_refuse("%s", error);
	host_env_init(&rates->host, "", 1, (uint64_t)settings->seed);
	rates->host.env.shared = aligned_alloc(64, (module->base->shared_size / 64 + 1) * 64);
	if (!rates->host.env.shared)
		return diag_refuse("%s", strerror(errno));
	memset(rates->host.env.shared, 0, module->base->shared_size);
	if (module->base->prepare && module->base->prepare(module->state, &rates->host.env) != 0)
		return diag_refuse("trace module '%s': %s", settings->trace,
			*rates->host.refusal ? rates->host.refusal : "refused without a reason");
	rates->is_prepared = true;
	if (module->base->init && module->base->init(module->state, &rates->host.env) != 0)
		return diag_refuse("trace module '%s': %s", settings->trace, strerror(errno));
	return 0;
}

int rates_open(struct rates *rates, const struct settings *settings, struct schedule_settings *schedule)
{
	*schedule = (struct schedule_settings){.constant = settings->rate,
		.arrivals = (enum arrivals)settings->arrivals,
		.seed = (uint64_t)settings->seed,
		.length_ns = settings->run_time_ns == UNSET ? INT64_MAX : settings->run_time_ns,
		.most = settings->requests == UNSET ? UINT64_MAX : (uint64_t)settings->requests};
	if (!settings->trace)
		return 0;
	if (load(rates, settings) != 0)
		return -1;
	rates->peak = settings->peak;
	schedule->rate = rate_of_trace;
	schedule->context = rates;
	const struct sst_trace *const trace = rates->module.trace;
	const int64_t length_ns = trace->length ? trace->length(rates->module.state) : -1;
	if (settings->run_time_ns == UNSET && length_ns >= 0)
		schedule->length_ns = length_ns;
	if (schedule->length_ns == 0)
		return diag_refuse("trace module '%s': the trace has no length: expected --run-time, or a trace that lasts",
			settings->trace);
	return 0;
}

void rates_close(struct rates *rates)
{
	const struct sst_module *const base = rates->module.base;
	if (base && rates->is_prepared && base->fini)
		base->fini(rates->module.state, &rates->host.env);
	if (base)
		module_unload(&rates->module);
	free(rates->host.env.shared);
	*rates = (struct rates){.peak = 0};
}
