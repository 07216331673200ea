/* SPDX-License-Identifier: Apache-2.0 */
/* One thread sleeps while it holds a semaphore of one permit that serves as a lock. */
#include "clock.h"
#include "compute.h"
#include "convoy.h"
#include "decoys.h"
#include "player.h"
#include "sem.h"

static struct logged_sem device;

static OUTLINED void calibrate_device(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = sem_enter(worker, &device);

	sleep_ns(worker, ns);
	sem_leave(&device, held);
}

static OUTLINED void read_register(struct worker *worker, uint64_t ns)
{
	struct ledger_entry *held = sem_enter(worker, &device);

	compute_ns(worker, ns);
	sem_leave(&device, held);
}

static int arrange(struct player *player)
{
	if (sem_make_permits(player, &device, 1) != 0)
		return -1;
	convoy_add(player, &(struct convoy){
		.keep = calibrate_device, .elsewhere = sleep_ns, .visit = read_register,
	});
	return decoys_add(player);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){ .arrange = arrange });
}
