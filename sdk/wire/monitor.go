package wire

import (
	"errors"
	"os"
	"time"

	"github.com/slipstick/slipstick/sdk/wire/socket"
)

// monitor reads from the stream, and keeps the monitor thread of the Go runtime awake while
// calls arrive.
//
// That thread interrupts a goroutine that computes for long, so that others run on the same
// CPU: the health check, for example. But it sleeps while the process is idle and has no
// timer. System calls that bypass the scheduler do not wake it. A read deadline is such a
// timer. An idle engine has none.
type monitor struct {
	conn  conn
	awake bool // there is a read deadline
	used  bool // there was a call after it was set
}

// wakeEvery bounds how long a computation can run before the runtime's monitor notices it.
const wakeEvery = 200 * time.Millisecond

// keepAwake is called before each computation.
func (m *monitor) keepAwake() {
	m.used = true
	if m.awake {
		return
	}
	m.awake = m.conn.SetReadDeadline(time.Now().Add(wakeEvery)) == nil
	socket.WakeMonitor() // for the computation that starts now
}

// Read implements [io.Reader]. When the deadline has passed, Read renews or removes it, and
// continues.
func (m *monitor) Read(b []byte) (int, error) {
	for {
		n, err := m.conn.Read(b)
		if !m.awake || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		var next time.Time
		if m.used {
			next = time.Now().Add(wakeEvery)
		}
		m.awake, m.used = m.used, false
		if err := m.conn.SetReadDeadline(next); err != nil {
			return 0, err
		}
	}
}
