/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COMPUTE_H
#define COMPUTE_H

#include <stdint.h>

struct worker;

/* Computes for a span of time, on the CPU or waiting for one, or until the run is over. */
void compute_ns(struct worker *worker, uint64_t ns);

/* The same, but not beyond an instant: at most until then, if a busy machine makes it late. */
void compute_within(struct worker *worker, uint64_t ns, uint64_t instant_ns);

/* Computes a number of blocks of about a microsecond each. */
void compute_blocks(struct worker *worker, unsigned int blocks);

#endif
