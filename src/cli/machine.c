/* SPDX-License-Identifier: MIT */
#include "cli/machine.h"

#include "base/diag.h"

int machine_print(const struct config *config, FILE *to)
{
	static struct findings findings;
	struct host_env host;
	host_env_init(&host, config->root, 1, 0);
	machine_add_sources(&findings, config, &host.env);
	machine_add_counters(&findings, config, &host.env);
	machine_add_hardware(&findings, config, &host.env);
	machine_add_privileges(&findings, config, &host.env);
	if (!config->json) {
		findings_print(&findings, to);
	} else if (findings_print_json(&findings, to) != 0) {
		diag("out of memory");
		return EXIT_TROUBLE;
	}
	return findings_weight(&findings) == FINDING_STOPS ? EXIT_TROUBLE : 0;
}
