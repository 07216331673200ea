/* SPDX-License-Identifier: Apache-2.0 */
#include "shuffle.h"

/* The splitmix64 generator: neighbouring seeds give unrelated sequences. */
static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

void shuffle(unsigned int *order, unsigned int n, uint64_t seed)
{
	uint64_t state = seed;

	for (unsigned int i = 0; i < n; i++) {
		unsigned int j = (unsigned int)(next(&state) % (i + 1));

		order[i] = order[j];
		order[j] = i;
	}
}
