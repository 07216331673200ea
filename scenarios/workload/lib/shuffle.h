/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHUFFLE_H
#define SHUFFLE_H

#include <stdint.h>

/* Fills order with 0..n-1, permuted; the permutation follows from seed and n alone. */
void shuffle(unsigned int *order, unsigned int n, uint64_t seed);

#endif
