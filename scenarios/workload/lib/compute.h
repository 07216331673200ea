/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COMPUTE_H
#define COMPUTE_H

#include <stdint.h>

struct worker;

/* Computes for a span of time, on the CPU or waiting for one, or until the run is over. */
void compute_ns(struct worker *worker, uint64_t ns);

/* Computes a number of blocks of about a microsecond each. */
void compute_blocks(struct worker *worker, unsigned int blocks);

#endif
