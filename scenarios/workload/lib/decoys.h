/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Innocent threads that look guilty. They share nothing with the threads of the
 * fault and use less than half of a CPU in all.
 */
#ifndef DECOYS_H
#define DECOYS_H

struct player;

/* For arrange(): adds the decoys that every fault has. Returns 0, or -1 with errno set. */
int decoys_add(struct player *player);

#endif
