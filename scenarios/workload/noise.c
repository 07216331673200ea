/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No scenario, but what is played beside one: threads of another process that take
 * mutexes and hand things on, so that the machine switches between more than the
 * workload. Nobody reads its ledger, which is next to nothing, so that it can go on for
 * as long as it takes.
 */
#include "noise.h"
#include "player.h"

static int arrange(struct player *player)
{
	return noise_add(player, player->options.contenders);
}

int main(int argc, char **argv)
{
	return player_main(argc, argv, &(struct workload){
		.control = true, .arrange = arrange, .entries_per_second = 1,
	});
}
