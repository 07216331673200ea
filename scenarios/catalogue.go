// SPDX-License-Identifier: Apache-2.0

package scenarios

// Catalogue lists all scenarios, in the order in which they are shown and played.
func Catalogue() []Scenario {
	return []Scenario{
		mutexHold(),
		mutexHoldOnCPU(),
		mutexConvoy(),
		mutexTwoCulprits(),
		mutexRecursive(),
		mutexErrorcheck(),
		mutexAdaptive(),
		mutexRobust(),
		mutexPShared(),
		mutexPI(),
		rwlockSlowReader(),
		rwlockSlowWriter(),
		condSlowProducer(),
		condBroadcastLock(),
		semLockHold(),
		semPermitHoarder(),
		semSlowProducer(),
		barrierStraggler(),
		barrierJoinLate(),
		futexRaw(),
		futexShared(),
		futexLostWakeup(),
		futexRequeue(),
		futexWaitv(),
		pipeSlowWriter(),
		pipeSlowReader(),
		pipeChain(),
		chainMutexMutex(),
		chainMutexPipe(),
		chainCondMutex(),
		chainFive(),
		chainRWLockSem(),
		chainProcesses(),
		deadlockTwo(),
		deadlockThree(),
		deadlockFive(),
		deadlockProcesses(),
		deadlockSelf(),
		deadlockKernelLock(),
		deadlockHolderGone(),
		cpuRTHog(),
		cpuNiceHog(),
		cpuInversion(),
		cpuQuota(),
		noiseMutexHold(),
		noiseProcesses(),
		noiseManyLocks(),
		noiseStripedLocks(),
		noisePipe(),
		pipeEventFDLate(),
		socketSlowSender(),
		socketSlowReceiver(),
		socketRelay(),
		fileFlockHold(),
		filePosixHold(),
		fileOFDHold(),
		kernelInodeRWSem(),
		kernelPipeMutex(),
		kernelDirectory(),
		kernelMmapLock(),
		controlQuiet(),
		controlSleepers(),
		controlCPUBound(),
		controlPipeBalanced(),
		controlMutexUncontended(),
		controlIdlePool(),
		controlCondPool(),
		controlHotMutex(),
		controlBarrierEven(),
		controlRWLockReaders(),
		controlSignalWaiters(),
		controlEventFDIdle(),
		controlSocketBalanced(),
		controlJoinIdle(),
		controlTimerLoop(),
		controlSpinner(),
		controlDiskBound(),
		controlEpollServer(),
	}
}

// Find returns the scenario of a name, false if there is none.
func Find(name string) (Scenario, bool) {
	for _, s := range Catalogue() {
		if s.Name == name {
			return s, true
		}
	}
	return Scenario{}, false
}
