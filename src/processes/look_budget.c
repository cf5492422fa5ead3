/* SPDX-License-Identifier: MIT */
#include "processes/look_budget.h"

#include "base/units.h"

/* What wasn't spent can be for so long: 50 ms of processor time at once. */
#define SAVED_NS NS_PER_S

bool look_budget_grants(const struct look_budget *budget, enum look_reason reason, int64_t now_ns)
{
	static const int64_t least_ns[] = {
		[LOOK_OVERDUE] = 0,
		[LOOK_FORKS] = SAVED_NS / 4,
		[LOOK_AGAIN] = SAVED_NS / 2,
	};
	return !budget || now_ns - atomic_load_explicit(&budget->paid_ns, memory_order_relaxed) >= least_ns[reason];
}

void look_budget_pay(struct look_budget *budget, int64_t cpu_ns, int64_t now_ns)
{
	if (!budget)
		return;
	int64_t before = atomic_load_explicit(&budget->paid_ns, memory_order_relaxed);
	int64_t after;
	do
		after = (before > now_ns - SAVED_NS ? before : now_ns - SAVED_NS) + LOOK_SHARE * cpu_ns;
	while (!atomic_compare_exchange_weak_explicit(
		&budget->paid_ns, &before, after, memory_order_relaxed, memory_order_relaxed));
}
