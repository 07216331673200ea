/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

struct ledger_thread;

/* What the kernel tells the calling thread of itself, copied into its account. */
struct account {
	int schedstat; /* open file, -1 where the kernel keeps none */
};

/* Writes down who the calling thread is. Returns 0, or -1 with errno set. */
int account_open(struct account *account, struct ledger_thread *thread);

/* Writes down run delay and switches as the thread begins. */
void account_begin(struct account *account, struct ledger_thread *thread);

/* Writes down what they have become. */
void account_end(struct account *account, struct ledger_thread *thread);

#endif
