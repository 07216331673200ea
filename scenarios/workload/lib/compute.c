/* SPDX-License-Identifier: Apache-2.0 */
#include "compute.h"

#include "clock.h"
#include "player.h"

/* Long enough that nearly all of compute_ns is spent here and not in reading the clock. */
#define STEPS 400

static OUTLINED uint64_t digest_block(uint64_t digest)
{
	for (int i = 0; i < STEPS; i++)
		digest = (digest ^ (digest >> 29)) * 0x9e3779b97f4a7c15 + 1;
	return digest;
}

OUTLINED void compute_blocks(struct worker *worker, unsigned int blocks)
{
	while (blocks-- > 0)
		worker->digest = digest_block(worker->digest);
}

OUTLINED void compute_ns(struct worker *worker, uint64_t ns)
{
	uint64_t end = clock_ns() + ns;

	do
		worker->digest = digest_block(worker->digest);
	while (clock_ns() < end && !worker_stopped(worker));
}

void compute_within(struct worker *worker, uint64_t ns, uint64_t instant_ns)
{
	uint64_t now = clock_ns();

	if (now < instant_ns)
		compute_ns(worker, ns < instant_ns - now ? ns : instant_ns - now);
}
