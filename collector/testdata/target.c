// SPDX-License-Identifier: Apache-2.0
/*
 * What the tests watch. `target MODE` prints one line of NAME=VALUE pairs when it is
 * set up, and dies with the test. Modes that do something once do it when they read
 * a byte from standard input.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void check(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

static void nap(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

static void nap_forever(void)
{
	for (;;)
		nap(1000000);
}

static void say(const char *line)
{
	puts(line);
	fflush(stdout);
}

static void await_byte(void)
{
	char c;

	if (read(0, &c, 1) != 1)
		exit(0);
}

static pthread_t start(void *(*run)(void *), void *arg)
{
	pthread_t thread;

	check(!pthread_create(&thread, NULL, run, arg), "pthread_create");
	return thread;
}

static long futex(uint32_t *word, int op, uint32_t value)
{
	return syscall(SYS_futex, word, op, value, NULL, NULL, 0);
}

/* sleep MS: naps of MS milliseconds. */
static void mode_sleep(char **args)
{
	say("");
	for (;;)
		nap(atoi(args[0]));
}

/* mutex: one thread holds a mutex 5 ms at a time, another wants it. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int waiter_tid;
static atomic_int wanted;

static void *want_mutex(void *arg)
{
	waiter_tid = gettid();
	for (;;) {
		while (!wanted)
			sched_yield();
		pthread_mutex_lock(&mutex);
		wanted = 0;
		pthread_mutex_unlock(&mutex);
	}
	return arg;
}

static void mode_mutex(char **args)
{
	(void)args;
	start(want_mutex, NULL);
	while (!waiter_tid)
		sched_yield();
	printf("holder=%d waiter=%d address=%llu\n", gettid(), waiter_tid,
	       (unsigned long long)(uintptr_t)&mutex);
	fflush(stdout);
	for (;;) {
		pthread_mutex_lock(&mutex);
		wanted = 1;
		nap(5);
		pthread_mutex_unlock(&mutex);
		while (wanted)
			sched_yield();
	}
}

/* handover: two threads hand a turn to each other over two raw futexes. */
static uint32_t turns[2];
static atomic_int partner_tid;

static void play(int me)
{
	for (;;) {
		while (!__atomic_load_n(&turns[me], __ATOMIC_ACQUIRE))
			futex(&turns[me], FUTEX_WAIT_PRIVATE, 0);
		__atomic_store_n(&turns[me], 0, __ATOMIC_RELEASE);
		__atomic_store_n(&turns[!me], 1, __ATOMIC_RELEASE);
		futex(&turns[!me], FUTEX_WAKE_PRIVATE, 1);
	}
}

static void *partner(void *arg)
{
	partner_tid = gettid();
	play(1);
	return arg;
}

static void mode_handover(char **args)
{
	(void)args;
	start(partner, NULL);
	while (!partner_tid)
		sched_yield();
	printf("a=%d b=%d\n", gettid(), partner_tid);
	fflush(stdout);
	turns[0] = 1;
	play(0);
}

/* pipe, eventfd: one thread reads what another writes every 5 ms. */
static int fds[2];
static atomic_int reader_tid;

static void *read_on(void *arg)
{
	uint64_t item;

	reader_tid = gettid();
	while (read(fds[0], &item, sizeof(item)) > 0)
		;
	return arg;
}

static void feed(void)
{
	uint64_t item = 1;
	struct stat st;

	start(read_on, NULL);
	while (!reader_tid)
		sched_yield();
	check(!fstat(fds[0], &st), "fstat");
	printf("reader=%d writer=%d inode=%llu device=%llu\n", reader_tid, gettid(),
	       (unsigned long long)st.st_ino, (unsigned long long)st.st_dev);
	fflush(stdout);
	for (;;) {
		nap(5);
		check(write(fds[1], &item, sizeof(item)) > 0, "write");
	}
}

static void mode_pipe(char **args)
{
	(void)args;
	check(!pipe(fds), "pipe");
	feed();
}

static void mode_eventfd(char **args)
{
	(void)args;
	fds[0] = fds[1] = eventfd(0, 0);
	check(fds[0] >= 0, "eventfd");
	feed();
}

/* shared FILE: two processes, one futex in a file, mapped at different addresses. */
static uint32_t *map_at(int fd, uintptr_t address)
{
	void *p = mmap((void *)address, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);

	check(p == (void *)address, "mmap");
	return p;
}

static void pass(uint32_t *words, int me)
{
	for (;;) {
		while (__atomic_load_n(&words[0], __ATOMIC_ACQUIRE) != (uint32_t)me)
			futex(&words[0], FUTEX_WAIT, !me);
		nap(2);
		__atomic_store_n(&words[0], !me, __ATOMIC_RELEASE);
		futex(&words[0], FUTEX_WAKE, 1);
	}
}

static void mode_shared(char **args)
{
	int fd = open(args[0], O_RDWR | O_CREAT, 0600);
	struct stat st;
	pid_t child;

	check(fd >= 0 && !ftruncate(fd, 8192) && !fstat(fd, &st), args[0]);
	child = fork();
	check(child >= 0, "fork");
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pass(map_at(fd, 0x7e0000000000) + 1024 + 5, 1);
	}
	printf("parent=%d child=%d inode=%llu device=%llu offset=%d\n", getpid(), child,
	       (unsigned long long)st.st_ino, (unsigned long long)st.st_dev, 4 * (1024 + 5));
	fflush(stdout);
	pass(map_at(fd, 0x7d0000000000) + 1024 + 5, 0);
}

/* hogs: two threads that never sleep, on one CPU. */
static void *hog(void *arg)
{
	for (;;)
		__asm__ volatile("" ::: "memory");
	return arg;
}

static void mode_hogs(char **args)
{
	cpu_set_t set;

	(void)args;
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	check(!sched_setaffinity(0, sizeof(set), &set), "sched_setaffinity");
	start(hog, NULL);
	say("");
	hog(NULL);
}

/* fork: a child, its child, and a child of another thread, each in short naps. */
static void naps_as_child(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		nap(2);
}

static void *fork_from_thread(void *arg)
{
	pid_t child = fork();

	if (!child)
		naps_as_child();
	*(int *)arg = child;
	nap_forever();
	return arg;
}

static void mode_fork(char **args)
{
	volatile int of_thread = 0;
	int grandchild, report[2];
	pid_t child;

	(void)args;
	check(!pipe(report), "pipe");
	say("");
	await_byte();
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		grandchild = fork();
		if (!grandchild)
			naps_as_child();
		check(write(report[1], &grandchild, sizeof(int)) == sizeof(int), "write");
		naps_as_child();
	}
	check(read(report[0], &grandchild, sizeof(int)) == sizeof(int), "read");
	start(fork_from_thread, (void *)&of_thread);
	while (!of_thread)
		nap(1);
	printf("child=%d grandchild=%d of_thread=%d\n", child, grandchild, of_thread);
	fflush(stdout);
	for (;;)
		nap(2);
}

/* exec: becomes another program, that naps, when told so. */
static void mode_exec(char **args)
{
	say("");
	await_byte();
	execl(args[0], "napper", "sleep", "2", NULL);
	check(0, "execl");
}

/* exit: ends when told so. */
static void mode_exit(char **args)
{
	(void)args;
	say("");
	for (int i = 0; i < 5; i++)
		nap(2);
	await_byte();
	exit(0);
}

/* churn N: N threads that live a moment, then a line. */
static void *brief(void *arg)
{
	struct timespec t = { 0, 100000 };

	nanosleep(&t, NULL);
	return arg;
}

static void mode_churn(char **args)
{
	int n = atoi(args[0]);

	say("");
	await_byte();
	for (int i = 0; i < n; i += 4) {
		pthread_t batch[4];

		for (int j = 0; j < 4; j++)
			batch[j] = start(brief, NULL);
		for (int j = 0; j < 4; j++)
			pthread_join(batch[j], NULL);
	}
	say("");
	nap_forever();
}

/* brief: a thread naps 30 ms and ends, each time a byte is read. */
static void *nap_once(void *arg)
{
	*(int *)arg = gettid();
	nap(30);
	return arg;
}

static void mode_brief(char **args)
{
	int tid;

	(void)args;
	say("");
	for (;;) {
		await_byte();
		pthread_join(start(nap_once, &tid), NULL);
		printf("tid=%d\n", tid);
		fflush(stdout);
	}
}

/* reuse N: N processes one after the other, all of one pid, each naps 20 ms. */
static void mode_reuse(char **args)
{
	pid_t pid = 0;

	say("");
	await_byte();
	for (int i = 0; i < atoi(args[0]); i++) {
		struct clone_args clone = { .exit_signal = SIGCHLD,
					    .set_tid = i > 0 ? (uintptr_t)&pid : 0,
					    .set_tid_size = i > 0 };
		long child = syscall(SYS_clone3, &clone, sizeof(clone));

		check(child >= 0, "clone3");
		if (!child) {
			nap(20);
			_exit(0);
		}
		pid = child;
		waitpid(pid, NULL, 0);
	}
	printf("pid=%d\n", pid);
	fflush(stdout);
	nap_forever();
}

/* vfork: waits of 2 ms in a system call that is not known. */
static void mode_vfork(char **args)
{
	(void)args;
	signal(SIGCHLD, SIG_IGN); /* so that there is no other wait */
	say("");
	for (;;) {
		pid_t child = vfork();

		check(child >= 0, "vfork");
		if (!child) {
			nap(2);
			_exit(0);
		}
	}
}

/* inode FILE: two threads write much to one file, under its inode's rwsem. */
static int file;

static void *write_much(void *arg)
{
	static char block[16 << 20];

	for (;;)
		check(pwrite(file, block, sizeof(block), 0) > 0, "pwrite");
	return arg;
}

static void mode_inode(char **args)
{
	file = open(args[0], O_RDWR | O_CREAT, 0600);
	check(file >= 0, args[0]);
	start(write_much, NULL);
	say("");
	write_much(NULL);
}

/* flock: two threads that have a file in turn, each for 2 ms. */
static const char *locked;

static void *have_file(void *arg)
{
	int fd = open(locked, O_RDWR | O_CREAT, 0600);

	check(fd >= 0, locked);
	for (;;) {
		check(!flock(fd, LOCK_EX), "flock");
		nap(2);
		check(!flock(fd, LOCK_UN), "flock");
	}
	return arg;
}

static void mode_flock(char **args)
{
	locked = args[0];
	start(have_file, NULL);
	say("");
	have_file(NULL);
}

/* signal: a nap of 10 s that is cut into pieces by a signal every 5 ms. */
static void ignore(int sig) { (void)sig; }

static void mode_signal(char **args)
{
	struct sigaction action = { .sa_handler = ignore, .sa_flags = SA_RESTART };
	struct timespec every = { 0, 5000000 };
	pid_t parent = getpid();

	(void)args;
	sigaction(SIGUSR1, &action, NULL);
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			nanosleep(&every, NULL);
			kill(parent, SIGUSR1);
		}
	}
	say("");
	nap_forever();
}

static const struct {
	const char *name;
	void (*run)(char **args);
} modes[] = {
	{ "sleep", mode_sleep },     { "mutex", mode_mutex },   { "handover", mode_handover },
	{ "pipe", mode_pipe },       { "eventfd", mode_eventfd }, { "shared", mode_shared },
	{ "hogs", mode_hogs },       { "fork", mode_fork },     { "exec", mode_exec },
	{ "exit", mode_exit },       { "churn", mode_churn },   { "brief", mode_brief },
	{ "reuse", mode_reuse },     { "vfork", mode_vfork },   { "inode", mode_inode },
	{ "signal", mode_signal },   { "flock", mode_flock },
};

int main(int argc, char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(argv[1], modes[i].name))
			modes[i].run(argv + 2);
	fprintf(stderr, "usage: target MODE [ARG]\n");
	return 2;
}
