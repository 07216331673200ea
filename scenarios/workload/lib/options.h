/* SPDX-License-Identifier: Apache-2.0 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdint.h>

enum variant {
	VARIANT_NONE,
	VARIANT_FAULT,
	VARIANT_TWIN,
	VARIANT_CONTROL,
};

/* How a workload is to be played. */
struct options {
	enum variant variant;
	uint64_t seed;
	uint64_t hold_ns;
	uint64_t contenders;
	uint64_t duration_ns;
	const char *ledger; /* a path */
};

/*
 * Reads the command line; every option has to be given. Returns 0, or -1 after saying
 * on standard error what is wrong.
 */
int options_read(struct options *options, int argc, char **argv);

#endif
