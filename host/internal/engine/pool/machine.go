package pool

// phase is the state of a supervisor.
type phase int

const (
	idle     phase = iota // no process takes calls; one starts on demand
	starting              // the current process is being started
	running               // the current process takes calls
	closed                // the program never runs again
)

// event is what changes the phase of a supervisor. (An [Event] is for observers.)
type event int

const (
	needed      event = iota // a caller needs a process
	started                  // the process that was being started is ready
	startFailed              // the start has failed
	drained                  // the current process takes no more calls
	ended                    // the pool is closed, or its user ends the program
)

// after returns the phase after the event. An event that is impossible in a phase does not
// change it.
func (p phase) after(e event) phase {
	switch {
	case e == ended:
		return closed
	case p == idle && e == needed:
		return starting
	case p == starting && e == started:
		return running
	case p == starting && e == startFailed, p == running && e == drained:
		return idle
	}
	return p
}

// life is the state of one process.
type life int32

const (
	fresh    life = iota // it has had no call yet
	tried                // it has had a call
	draining             // it gets no more calls; calls under way may finish
)

// step is what changes the state of a process.
type step int

const (
	called step = iota // it gets a call
	drain              // it must take no more calls
)

// after returns the state of a process after the step. A process never leaves draining.
func (l life) after(s step) life {
	switch {
	case s == drain:
		return draining
	case l == fresh:
		return tried
	}
	return l
}
