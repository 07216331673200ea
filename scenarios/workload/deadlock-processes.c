/* SPDX-License-Identifier: Apache-2.0 */
/* Three threads in two processes copy between the pages of memory that these share. */
#include "circle.h"
#include "clock.h"
#include "compute.h"
#include "decoys.h"
#include "mutex.h"
#include "player.h"
#include "shared.h"

#define SIZE 3

static OUTLINED void copy_page(struct worker *worker, struct logged_mutex *first,
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

static OUTLINED void read_page(struct worker *worker, struct logged_mutex *one, uint64_t ns)
{
	struct ledger_entry *held = mutex_enter(worker, one);

	compute_ns(worker, ns);
	mutex_leave(one, held);
}

static int arrange(struct player *player)
{
	static const struct circle circle = {
		.size = SIZE, .lock = shared_mutex, .take_both = copy_page, .visit = read_page,
	};

	if (shared_make(player, SIZE) != 0)
		return -1;
	circle_add(player, &circle);
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){
		.arrange = arrange, .settle = shared_settle, .wake = circle_break, .processes = 2,
	});
}
