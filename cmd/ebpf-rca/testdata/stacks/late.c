/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a library a second after its start and plays what is in it: late LIBRARY PRIMITIVE. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

enum { LONGEST_S = 60 };

int main(int argc, char **argv)
{
	int (*play)(int, char **);
	void *library;

	alarm(LONGEST_S);
	if (argc != 3)
		return 2;
	sleep(1);
	library = dlopen(argv[1], RTLD_NOW);
	if (library)
		*(void **)&play = dlsym(library, "play_in_library");
	if (!library || !play) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	return play(argc - 1, argv + 1);
}
