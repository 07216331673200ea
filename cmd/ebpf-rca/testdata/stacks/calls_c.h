/* SPDX-License-Identifier: Apache-2.0 */
OUTLINED void AT(wait_mutex)(void) { pthread_mutex_lock(&mutex); APART(); }
OUTLINED void AT(release_mutex)(void) { pthread_mutex_unlock(&mutex); APART(); }

OUTLINED void AT(enter_gate)(void) { pthread_mutex_lock(&gate); APART(); }
OUTLINED void AT(leave_gate)(void) { pthread_mutex_unlock(&gate); APART(); }
OUTLINED void AT(wait_condvar)(void) { pthread_cond_wait(&freed, &gate); APART(); }
OUTLINED void AT(release_condvar)(void) { pthread_cond_signal(&freed); APART(); }

OUTLINED void AT(wait_rwlock)(void) { ENTER_RWLOCK(&rwlock); APART(); }
OUTLINED void AT(release_rwlock)(void) { LEAVE_RWLOCK(&rwlock); APART(); }
