/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VARIANT, SEED, HOLD, CONTENDERS, DURATION, LEDGER, OPTIONS };

static const struct option table[] = {
	[VARIANT] = { "variant", required_argument, NULL, VARIANT },
	[SEED] = { "seed", required_argument, NULL, SEED },
	[HOLD] = { "hold-ns", required_argument, NULL, HOLD },
	[CONTENDERS] = { "contenders", required_argument, NULL, CONTENDERS },
	[DURATION] = { "duration-ns", required_argument, NULL, DURATION },
	[LEDGER] = { "ledger", required_argument, NULL, LEDGER },
	[OPTIONS] = { NULL, 0, NULL, 0 },
};

static int read_number(uint64_t *value, const char *text)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return isdigit((unsigned char)*text) && *end == '\0' && errno == 0 ? 0 : -1;
}

static int read_variant(enum variant *variant, const char *text)
{
	static const char *const names[] = {
		[VARIANT_FAULT] = "fault", [VARIANT_TWIN] = "twin", [VARIANT_CONTROL] = "control",
	};

	for (int v = VARIANT_FAULT; v <= VARIANT_CONTROL; v++)
		if (strcmp(text, names[v]) == 0) {
			*variant = v;
			return 0;
		}
	return -1;
}

static int read_one(struct options *options, int which, const char *text)
{
	switch (which) {
	case VARIANT:
		return read_variant(&options->variant, text);
	case SEED:
		return read_number(&options->seed, text);
	case HOLD:
		return read_number(&options->hold_ns, text);
	case CONTENDERS:
		return read_number(&options->contenders, text);
	case DURATION:
		return read_number(&options->duration_ns, text);
	default:
		options->ledger = text;
		return 0;
	}
}

int options_read(struct options *options, int argc, char **argv)
{
	unsigned int seen = 0;
	int which;

	memset(options, 0, sizeof(*options));
	while ((which = getopt_long(argc, argv, "", table, NULL)) != -1) {
		if (which == '?')
			return -1;
		if (read_one(options, which, optarg) != 0) {
			fprintf(stderr, "%s: --%s=%s: not a value\n", argv[0], table[which].name, optarg);
			return -1;
		}
		seen |= 1U << which;
	}
	for (which = 0; which < OPTIONS; which++)
		if (!(seen & (1U << which))) {
			fprintf(stderr, "%s: --%s is missing\n", argv[0], table[which].name);
			return -1;
		}
	if (optind != argc) {
		fprintf(stderr, "%s: %s: not an option\n", argv[0], argv[optind]);
		return -1;
	}
	return 0;
}
