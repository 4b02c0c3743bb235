package pool

// phase says what a supervisor is doing for its program.
type phase int

const (
	idle     phase = iota // no process takes calls; one starts on demand
	starting              // the current process is being started
	running               // the current process takes calls
	closed                // the program never runs again
)

// event is what changes the phase of a supervisor. (An [Event] is what others are told.)
type event int

const (
	needed      event = iota // somebody wants a process
	started                  // the process that was being started is ready
	startFailed              // there will be none
	drained                  // the current process takes no more calls
	ended                    // the pool or its user ends the program
)

// after is the phase of a supervisor after the event. What cannot happen in a phase
// leaves it as it is.
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

// life says how far one process has come.
type life int32

const (
	fresh    life = iota // it has been given no call
	tried                // it has been given one
	draining             // it gets no more calls, and those that it has get their time
)

// step is what changes the life of a process.
type step int

const (
	called step = iota // it is given a call
	drain              // it is to take no more calls
)

// after is the life of a process after the step. No process comes back from draining.
func (l life) after(s step) life {
	switch {
	case s == drain:
		return draining
	case l == fresh:
		return tried
	}
	return l
}
