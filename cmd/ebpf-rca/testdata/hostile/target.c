/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads wait for each other, for a mutex and for a condition variable, below
 * code that is made at run time. "target SECONDS" does so by its own code, "target
 * SECONDS LIBRARY" by that of a library made of this source. It ends by itself. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define HIDDEN __attribute__((noinline, visibility("hidden")))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn;
static time_t end;

/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
static const unsigned char trampoline[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};

HIDDEN void hold(void)
{
	pthread_mutex_lock(&lock);
	usleep(5000);
	pthread_mutex_unlock(&lock);
	__asm__ volatile("");
}

HIDDEN void take_turns(int me)
{
	pthread_mutex_lock(&lock);
	while (turn != me && time(NULL) < end)
		pthread_cond_wait(&turned, &lock);
	turn = !me;
	pthread_cond_broadcast(&turned);
	pthread_mutex_unlock(&lock);
	__asm__ volatile("");
}

static __thread int mine;

HIDDEN void rounds(void)
{
	while (time(NULL) < end) {
		hold();
		take_turns(mine);
	}
	/* Nobody is left to wake the other. */
	pthread_mutex_lock(&lock);
	pthread_cond_broadcast(&turned);
	pthread_mutex_unlock(&lock);
}

static int second = 1;

static void *run(void *arg)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mine = arg != NULL;
	if (code == MAP_FAILED)
		return NULL;
	memcpy(code, trampoline, sizeof(trampoline));
	((void (*)(void (*)(void)))code)(rounds);
	return NULL;
}

int play(int seconds);

int play(int seconds)
{
	pthread_t other;

	end = time(NULL) + seconds;
	if (pthread_create(&other, NULL, run, &second))
		return 1;
	puts("ready");
	fflush(stdout);
	run(NULL);
	return pthread_join(other, NULL);
}

#ifndef LIBRARY
int main(int argc, char **argv)
{
	int (*other)(int) = play;

	if (argc < 2)
		return 2;
#ifndef STATIC
	if (argc > 2) {
		void *library = dlopen(argv[2], RTLD_NOW);

		if (!library || !(other = (int (*)(int))dlsym(library, "play"))) {
			fprintf(stderr, "%s\n", dlerror());
			return 2;
		}
	}
#endif
	return other(atoi(argv[1]));
}
#endif
