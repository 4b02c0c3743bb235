package shim

import (
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestHungUpIgnoresSignals asks about an open and a closed socket while another thread sends the
// signal with which the Go runtime interrupts a busy thread.
func TestHungUpIgnoresSignals(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pair[0])
	interrupt(t, unix.Gettid())
	for range 20_000 {
		ended, err := hungUp(pair[0])
		if ended || err != nil {
			t.Fatalf("open: ended %v, error %v", ended, err)
		}
	}
	unix.Close(pair[1])
	ended, err := hungUp(pair[0])
	if !ended || err != nil {
		t.Fatalf("closed: ended %v, error %v", ended, err)
	}
}

// interrupt sends signals to a thread until the test ends.
func interrupt(t *testing.T, thread int) {
	stop := make(chan bool)
	stopped := make(chan bool)
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				_ = unix.Tgkill(os.Getpid(), thread, unix.SIGURG)
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-stopped })
}
