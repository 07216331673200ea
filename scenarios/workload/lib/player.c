/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "player.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "company.h"
#include "shuffle.h"

/* The shortest hold that timers can keep. */
#define LEAST_HOLD (100 * MICROSECOND)

/* What main returns. */
enum {
	PLAYED = 0,
	FAILED = 1,
	USAGE = 2,
	CUT_SHORT = 3, /* standard input was closed */
};

uint32_t player_resource(struct player *player, const char *kind, const void *address,
			 uint64_t inode, bool one_way)
{
	struct ledger_resource *resource;

	if (player->resource_count == LEDGER_MAX_RESOURCES) {
		player->crowded = true;
		return 0;
	}
	resource = &player->resources[player->resource_count];
	strncpy(resource->kind, kind, sizeof(resource->kind) - 1);
	resource->address = (uintptr_t)address;
	resource->inode = inode;
	resource->pid = address && !inode ? (uint32_t)getpid() : 0;
	resource->rule = one_way ? LEDGER_PRODUCED : LEDGER_ANY_LEAVES;
	return player->resource_count++;
}

void player_all_leave(struct player *player, uint32_t resource)
{
	player->resources[resource].rule = LEDGER_ALL_LEAVE;
}

static void add_role(struct player *player, struct role role)
{
	if (player->threads == PLAYER_MAX_ROLES) {
		player->crowded = true;
		return;
	}
	player->roles[player->threads++] = role;
}

void player_role(struct player *player, void (*run)(struct worker *), const void *part)
{
	add_role(player, (struct role){ .run = run, .part = part });
}

void player_culprit(struct player *player, void (*run)(struct worker *), const void *part)
{
	bool fault = player->options.variant == VARIANT_FAULT;

	add_role(player, (struct role){
		.run = run,
		.part = part,
		.flags = fault ? LEDGER_CULPRIT : LEDGER_WOULD_BE_CULPRIT,
	});
}

void player_decoy(struct player *player, void (*run)(struct worker *), const void *part,
		  const char *label)
{
	add_role(player, (struct role){ .run = run, .part = part, .decoy = label });
}

void player_joined(struct player *player)
{
	if (player->threads > 0)
		player->roles[player->threads - 1].joined = true;
}

/* Deals the roles out to the workers. */
static void deal(struct company *company)
{
	struct player *player = company->player;
	unsigned int order[PLAYER_MAX_ROLES];

	shuffle(order, player->threads, player->options.seed);
	for (unsigned int i = 0; i < player->threads; i++) {
		const struct role *role = &player->roles[order[i]];

		company->workers[i] = (struct worker){
			.player = player, .index = i, .role = role, .part = role->part,
		};
	}
}

static uint64_t capacity(const struct player *player, const struct workload *workload)
{
	uint64_t rate = workload->entries_per_second ? workload->entries_per_second : PLAYER_ENTRIES;

	return rate * (player->options.duration_ns / SECOND + 1);
}

/* Makes all that there is before the first thread. */
static int prepare(struct company *company)
{
	struct player *player = company->player;

	player->gate = mmap(NULL, sizeof(*player->gate), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (player->gate == MAP_FAILED || company->workload->arrange(player) != 0) {
		fprintf(stderr, "%s: arrange the workload: %s\n", player->name, strerror(errno));
		return -1;
	}
	if (player->crowded) {
		fprintf(stderr, "%s: arrange the workload: too many threads or resources\n", player->name);
		return -1;
	}
	deal(company);
	if (ledger_map(&player->ledger, player->options.ledger, player->threads, player->resources,
		       player->resource_count, capacity(player, company->workload)) != 0) {
		fprintf(stderr, "%s: map the ledger %s: %s\n", player->name, player->options.ledger,
			strerror(errno));
		return -1;
	}
	return 0;
}

static void say(const char *line)
{
	puts(line);
	fflush(stdout);
}

/* Waits for the line "go". Returns PLAYED once it has come. */
static int await_go(const struct player *player)
{
	char line[16];

	if (!fgets(line, sizeof(line), stdin))
		return CUT_SHORT;
	if (strcmp(line, "go\n") != 0) {
		fprintf(stderr, "%s: expected the line \"go\"\n", player->name);
		return USAGE;
	}
	return PLAYED;
}

/* Waits for the end of the run. Returns PLAYED, or CUT_SHORT if standard input closes. */
static int watch(const struct player *player)
{
	uint64_t end = player->ledger.header->go_ns + player->options.duration_ns;
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	for (uint64_t now = clock_ns(); now < end; now = clock_ns()) {
		struct timespec left = {
			.tv_sec = (time_t)((end - now) / SECOND),
			.tv_nsec = (long)((end - now) % SECOND),
		};
		char ignored[16];

		if (ppoll(&input, 1, &left, NULL) <= 0)
			continue;
		if (read(STDIN_FILENO, ignored, sizeof(ignored)) <= 0)
			return CUT_SHORT;
	}
	return PLAYED;
}

static int play_through(struct company *company)
{
	int result;

	if (company_gather(company) != 0)
		return FAILED;
	say("ready");
	result = await_go(company->player);
	if (result != PLAYED)
		return result;
	company_go(company);
	result = watch(company->player);
	if (result != PLAYED)
		return result;
	if (company_end(company) != 0)
		return FAILED;
	say("done");
	return PLAYED;
}

static bool playable(const struct workload *workload, const struct options *options)
{
	if (options->contenders == 0 || options->duration_ns == 0)
		return false;
	if (options->variant == VARIANT_CONTROL)
		return workload->control;
	return !workload->control && options->hold_ns >= LEAST_HOLD;
}

int player_main(int argc, char **argv, const struct workload *workload)
{
	static struct player player;
	static struct company company;
	int result;

	player.name = argv[0];
	if (options_read(&player.options, argc, argv) != 0)
		return USAGE;
	if (!playable(workload, &player.options)) {
		fprintf(stderr, "%s: no such variant, or no such dose\n", argv[0]);
		return USAGE;
	}
	company.player = &player;
	company.workload = workload;
	company.processes = workload->processes ? workload->processes : 1;
	if (prepare(&company) != 0)
		return FAILED;
	result = play_through(&company);
	/* Not by way of exit(): threads may still be running, and must end with us. */
	_exit(result);
}
