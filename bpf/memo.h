/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Stacks that are known again. A walk is decided by where it begins, the rules, and
 * the words that it depends on: the return addresses, and the frame pointers that it
 * uses. So when a thread comes by with the same registers, and the words at the same
 * places are the same, the stack is too. That takes one copy of the top of the stack
 * and no look at the rules.
 *
 * To read the stack at all may take longer than all else that is done about a wait. So a
 * walk that was the same many times over is taken to be so again for a tenth of a
 * millisecond, if all registers are as they were. A thread that came by another way
 * meanwhile, which does the same with its registers, has its callers told wrong for so long.
 */
#ifndef MEMO_H
#define MEMO_H

#include "stack.h"
#include "state.h"

/* Where a word of a walk was read, if not at a place in the copy of the stack. */
enum {
	PLACE_REGISTER = COPY_WORDS, /* the frame pointer that the walk began with */
	PLACE_OUTSIDE = 1 << 14,     /* past the copy: the walk cannot be remembered */
};

static __always_inline struct memo *memo_of(struct thread *t, __u64 pc, __u64 sp)
{
	return &t->memos[mix(pc, sp) >> 32 & (MEMOS - 1)];
}

enum { ENOUGH_PROOFS = 16 };

/* How long a walk that was the same many times over is taken to be so again; 0: not at all. */
const volatile __u64 trust_ns = 100000;

static __always_inline bool trusted(const struct memo *m, __u64 registers, __u64 now)
{
	return m->proofs >= ENOUGH_PROOFS && m->registers == registers && now - m->proven_ns < trust_ns;
}

/* Returns the name of the stack, 0 if it is not known. */
static __always_inline __u64 recall(struct scratch *space, struct thread *t, __u64 address_space,
				    const struct cursor *from, __u64 registers, __u64 now)
{
	struct memo *m = memo_of(t, from->pc, from->sp);
	__u64 bytes = m->bytes, reads = m->reads;
	__u64 proof = 0;

	if (m->space != address_space || m->pc != from->pc || m->sp != from->sp || bytes > COPY_WORDS * 8)
		return 0;
	if (trusted(m, registers, now))
		return m->stack;
	if (bpf_probe_read_user(space->words, bytes, (void *)from->sp))
		return 0;
	space->words[PLACE_REGISTER] = from->fp;
	for (__u32 i = 0; i < MEMO_READS && i < reads; i++) {
		__u32 place = m->word[i];

		if (place > PLACE_REGISTER)
			return 0;
		proof = mix(proof, space->words[place]);
	}
	if (proof != m->proof)
		return 0;
	m->proofs = m->registers == registers ? m->proofs + 1 : 0;
	m->registers = registers;
	m->proven_ns = now;
	return m->stack;
}

/* Copies the top of the stack, from which a walk then reads. */
static __always_inline void begin_memo(struct scratch *space, __u64 address_space, const struct cursor *from)
{
	struct memo *m = &space->memo;
	__u64 page = 4096 - (from->sp & 4095);

	m->space = address_space;
	m->pc = from->pc;
	m->sp = from->sp;
	m->proof = 0;
	m->proofs = 0;
	m->reads = 0;
	m->bytes = COPY_WORDS * 8;
	space->fp_place = PLACE_REGISTER;
	if (!bpf_probe_read_user(space->words, COPY_WORDS * 8, (void *)from->sp))
		return;
	/* The mapping ends before that. */
	barrier_var(page);
	m->bytes = page & ~7;
	if (page > COPY_WORDS * 8 || bpf_probe_read_user(space->words, page, (void *)from->sp))
		m->bytes = 0;
}

/* Reads a word of the user's stack for the walk that is being made. */
static __always_inline bool read_word(struct scratch *space, __u64 address, __u64 *word, __u32 *place)
{
	__u64 offset = address - space->memo.sp;

	if (offset & 7 || offset >= space->memo.bytes) {
		*place = PLACE_OUTSIDE;
		return !bpf_probe_read_user(word, sizeof(*word), (void *)address);
	}
	*place = offset / 8 & (COPY_WORDS - 1);
	*word = space->words[*place & (COPY_WORDS - 1)];
	return true;
}

/* Notes that the walk depends on a word. It has no branch, for the verifier's sake. */
static __always_inline void depend(struct scratch *space, __u32 place, __u64 word)
{
	struct memo *m = &space->memo;

	m->word[m->reads & (MEMO_READS - 1)] = place;
	m->proof = mix(m->proof, word);
	m->reads = (m->reads | (place & PLACE_OUTSIDE)) + 1;
}

/* Remembers the walk that was made as that of the stack called name. */
static __always_inline void remember(struct scratch *space, struct thread *t, __u64 name)
{
	struct memo *m = &space->memo;
	__u32 words = 0;

	if (!name || m->reads > MEMO_READS)
		return;
	for (__u32 i = 0; i < MEMO_READS && i < m->reads; i++)
		if (m->word[i] != PLACE_REGISTER && m->word[i] >= words)
			words = m->word[i] + 1;
	m->bytes = words * 8;
	m->stack = name;
	*memo_of(t, m->pc, m->sp) = *m;
}

#endif
