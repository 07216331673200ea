/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads move funds between two accounts, one there and one back. */
#include "circle.h"
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "mutex.h"
#include "player.h"

#define SIZE 2

static struct logged_mutex accounts[SIZE] = {
	[0 ... SIZE - 1] = { .mutex = PTHREAD_MUTEX_INITIALIZER },
};

static struct logged_mutex *lock(unsigned int number)
{
	return &accounts[number];
}

static OUTLINED void move_funds(struct worker *worker, struct logged_mutex *first,
				  struct logged_mutex *second, uint64_t pause_ns)
{
	struct ledger_entry *one = mutex_enter(worker, first);
	struct ledger_entry *other;

	sleep_ns(worker, pause_ns);
	other = mutex_enter(worker, second);
	compute_blocks(worker, 100);
	mutex_leave(second, other);
	mutex_leave(first, one);
}

static OUTLINED void read_balance(struct worker *worker, struct logged_mutex *one, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, one);

	compute_ns(worker, ns);
	mutex_leave(one, held);
}

static int arrange(struct player *player)
{
	static const struct circle circle = {
		.size = SIZE, .lock = lock, .take_both = move_funds, .visit = read_balance,
	};

	for (int i = 0; i < SIZE; i++)
		accounts[i].resource = player_resource(player, "mutex", &accounts[i].mutex, 0, false);
	circle_add(player, &circle);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange, .wake = circle_break });
}
