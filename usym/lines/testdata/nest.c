/* SPDX-License-Identifier: Apache-2.0 */
/* Calls inlined in calls, in functions that are parted into a hot and a cold half. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

INLINE int leaf(int x)
{
	if (x > 3)
		return x * 7 + rand();
	return x - 1;
}

INLINE int middle(int x)
{
	int a = leaf(x);

	a += leaf(a ^ 5);
	return a;
}

static inline int top(int x)
{
	return middle(x) + middle(x + 1);
}

__attribute__((cold, noinline)) static void give_up(int x)
{
	printf("given up at %d\n", x);
	exit(top(x));
}

static int compare(const void *a, const void *b)
{
	return top(*(const int *)a) - top(*(const int *)b);
}

__attribute__((noinline)) int work(int x)
{
	int sum = 0, values[16];

	if (__builtin_expect(x == 77, 0)) {
		printf("rare %d\n", top(x));
		give_up(x);
	}
	for (int i = 0; i < x; i++) {
		values[i & 15] = middle(i);
		if (__builtin_expect(values[i & 15] == 1234567, 0))
			give_up(i);
		sum += top(i);
	}
	qsort(values, 16, sizeof(values[0]), compare);
	return sum + values[3];
}

__attribute__((section(".text.elsewhere"), noinline)) int elsewhere(int x)
{
	char text[64];

	snprintf(text, sizeof(text), "%d", top(x));
	return (int)strlen(text) + leaf(x);
}

int main(int argc, char **argv)
{
	(void)argv;
	return work(argc) + elsewhere(argc) + top(argc);
}
