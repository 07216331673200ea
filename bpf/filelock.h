/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Who has a file by flock(2). The kernel knows it by process only, so the thread is
 * noted when it gets the lock. Locks on ranges are left out: a file may have many.
 */
#ifndef FILELOCK_H
#define FILELOCK_H

#include "identity.h"
#include "state.h"
#include "task.h"

enum { F_WRLCK = 1 };

/* By the address of the inode. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, __u32);
} file_owners SEC(".maps");

/* The tid of who has the file for itself alone, 0 if that is not known. */
static __always_inline __u32 file_owner(const struct file *file)
{
	__u64 inode = (__u64)BPF_CORE_READ(file, f_inode);
	__u32 *tid = bpf_map_lookup_elem(&file_owners, &inode);

	return tid ? *tid : 0;
}

static __always_inline __u32 lock_type(struct file_lock *lock)
{
	struct file_lock___before_6_9 *old = (void *)lock;

	if (bpf_core_field_exists(lock->c))
		return BPF_CORE_READ(lock, c.flc_type);
	return BPF_CORE_READ(old, fl_type);
}

/* The current task has asked for a lock of inode, or to be rid of it, and got its way. */
static __always_inline void note_file_lock(struct inode *inode, struct file_lock *lock)
{
	__u64 key = (__u64)inode;
	__u32 tid;

	if (lock_type(lock) != F_WRLCK) {
		bpf_map_delete_elem(&file_owners, &key);
		return;
	}
	tid = tid_of(current_task());
	if (tid)
		bpf_map_update_elem(&file_owners, &key, &tid, 0);
}

#endif
