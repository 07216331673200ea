/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that keep their frame and their name, whatever the compiler may do else. */
#ifndef OUTLINE_H
#define OUTLINE_H

#ifdef __cplusplus
#define PLAIN_NAME extern "C"
#else
#define PLAIN_NAME
#endif

#ifdef __clang__
#define OUTLINED PLAIN_NAME __attribute__((noinline, used))
#else
#define OUTLINED PLAIN_NAME __attribute__((noipa, used))
#endif

/* After a call: what comes last is not the call, so it is no jump. */
#define STAY() __asm__ volatile("" ::: "memory")

/* The same, and no two sites are alike, so that they are not made one. */
#define STAY_APART(site) __asm__ volatile("# " site ::: "memory")

#endif
