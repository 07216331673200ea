/* SPDX-License-Identifier: Apache-2.0 */
OUTLINED void AT(wait_mutex)() { mutex.lock(); APART(); }
OUTLINED void AT(release_mutex)() { mutex.unlock(); APART(); }

OUTLINED void AT(enter_gate)() { gate.lock(); APART(); }
OUTLINED void AT(leave_gate)() { gate.unlock(); APART(); }
OUTLINED void AT(release_condvar)() { freed.notify_one(); APART(); }

OUTLINED void AT(wait_condvar)()
{
	std::unique_lock<std::mutex> held(gate, std::adopt_lock);

	freed.wait(held);
	held.release();
	APART();
}

OUTLINED void AT(wait_rwlock)() { rwlock.ENTER_RWLOCK(); APART(); }
OUTLINED void AT(release_rwlock)() { rwlock.LEAVE_RWLOCK(); APART(); }
