package wire

import "runtime/debug"

// restAfter is the number of calls after which returning memory is worthwhile. Returning it
// takes about as long as 100 calls.
const restAfter = 1000

// rest returns the memory of earlier calls to the system, if there were enough calls. The
// server pings a stream only after it was silent for a while, so this delays no call.
func (s *streamServer) rest() {
	if s.calls < restAfter {
		return
	}
	s.calls = 0
	go debug.FreeOSMemory()
}
