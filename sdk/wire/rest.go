package wire

import "runtime/debug"

// restAfter is the number of calls after which giving memory back is worth its cost, which is
// about that of 100 calls.
const restAfter = 1000

// rest gives the memory that calls have left behind back to the system, if there were enough of
// them. The host pings only a stream that was silent for a while, so nobody waits.
func (s *streamServer) rest() {
	if s.calls < restAfter {
		return
	}
	s.calls = 0
	go debug.FreeOSMemory()
}
