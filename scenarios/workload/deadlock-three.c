/* SPDX-License-Identifier: Apache-2.0 */
/* Three threads link neighbouring nodes of a ring, each with the mutex of its own first. */
#include "circle.h"
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "mutex.h"
#include "player.h"

#define SIZE 3

static struct logged_mutex nodes[SIZE] = {
	[0 ... SIZE - 1] = { .mutex = PTHREAD_MUTEX_INITIALIZER },
};

static struct logged_mutex *lock(unsigned int number)
{
	return &nodes[number];
}

static OUTLINED void link_nodes(struct worker *worker, struct logged_mutex *first,
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

static OUTLINED void read_node(struct worker *worker, struct logged_mutex *one, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, one);

	compute_ns(worker, ns);
	mutex_leave(one, held);
}

static int arrange(struct player *player)
{
	static const struct circle circle = {
		.size = SIZE, .lock = lock, .take_both = link_nodes, .visit = read_node,
	};

	for (int i = 0; i < SIZE; i++)
		nodes[i].resource = player_resource(player, "mutex", &nodes[i].mutex, 0, false);
	circle_add(player, &circle);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange, .wake = circle_break });
}
