/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns by the classes of the C++ library. The semaphore is the C library's: in some
 * releases of libstdc++ std::counting_semaphore loses wake-ups.
 */
#include <condition_variable>
#include <mutex>
#include <semaphore.h>
#include <shared_mutex>

#include "play.h"

static std::mutex mutex, gate;
static std::condition_variable freed;
static std::shared_mutex rwlock;

#define CALLS "calls_cpp.h"
#define ENTER_TO_READ lock_shared
#define LEAVE_FROM_READING unlock_shared
#define ENTER_TO_WRITE lock
#define LEAVE_FROM_WRITING unlock
#define PLAY play_classes
#include "sites.h"

int main(int argc, char **argv) { return play_classes(argc, argv); }
