package pool

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/registry"
)

// Bounds on the executables that are kept on disk while no process runs from them. Each takes a
// descriptor, and disk space that no directory shows.
const (
	maxKept      = 64
	maxKeptBytes = 1 << 30
)

// executables holds the verified programs that processes run from. A program on disk is kept for a
// while after its last process, so that the next start need not read and hash it.
type executables struct {
	dir string // for programs on disk; "" keeps all in memory

	mu     sync.Mutex // guards what follows
	held   map[string]*executable
	unused []*executable // executables in held without users, in the order of their last use
	closed bool
}

// executable is one program of executables. Everything but its program is guarded by it.
type executable struct {
	digest string
	users  int
	read   chan struct{} // closed when the program or the error is known
	*process.Program
	err error
}

func newExecutables(dir string) *executables {
	return &executables{dir: dir, held: map[string]*executable{}}
}

// acquire returns the verified executable of the program. Callers that acquire it at the same time
// share one executable, which is read and hashed once. The caller must release it.
func (e *executables) acquire(r *registry.Release) (*executable, error) {
	e.mu.Lock()
	e.forgetChanged(r.EngineDigest)
	x := e.held[r.EngineDigest]
	if x != nil {
		x.users++
		e.unused = without(e.unused, x)
		e.mu.Unlock()
		<-x.read
		return x, x.err
	}
	x = &executable{digest: r.EngineDigest, users: 1, read: make(chan struct{})}
	e.held[r.EngineDigest] = x
	e.mu.Unlock()

	x.Program, x.err = readProgram(e.dir, r)
	if x.err != nil {
		e.mu.Lock()
		e.forget(x)
		e.mu.Unlock()
	}
	close(x.read)
	return x, x.err
}

// retain acquires once more an executable that is acquired already.
func (e *executables) retain(x *executable) {
	e.mu.Lock()
	defer e.mu.Unlock()
	x.users++
}

// readProgram reads the executable and compares its digest with the published one.
func readProgram(dir string, r *registry.Release) (*process.Program, error) {
	program, err := process.ReadProgramInto(dir, r.OpenEngine)
	if err != nil {
		return nil, err
	}
	if program.Digest() != r.EngineDigest {
		program.Close()
		return nil, fmt.Errorf("executable has digest %s, want %s", program.Digest(), r.EngineDigest)
	}
	return program, nil
}

// forgetChanged forgets a program that may have been written since it was hashed. It is locked.
func (e *executables) forgetChanged(digest string) {
	x := e.held[digest]
	if x == nil {
		return
	}
	select {
	case <-x.read:
	default:
		return
	}
	if !errors.Is(x.Unchanged(), process.ErrChanged) {
		return
	}
	e.forget(x)
	e.unused = without(e.unused, x)
	if x.users == 0 {
		x.Close()
	}
}

// forget makes the next acquire read the program again. It is locked.
func (e *executables) forget(x *executable) {
	if e.held[x.digest] == x {
		delete(e.held, x.digest)
	}
}

// release ends one use of an executable. Without reuse, or if it is in memory, it is not kept.
func (e *executables) release(x *executable, reuse bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !reuse || !x.OnDisk() || e.closed {
		e.forget(x)
	}
	x.users--
	if x.users > 0 {
		return
	}
	if e.held[x.digest] != x {
		x.Close()
		return
	}
	e.unused = append(e.unused, x)
	bytes := int64(0)
	for _, kept := range e.unused {
		bytes += kept.Size()
	}
	for len(e.unused) > maxKept || bytes > maxKeptBytes {
		oldest := e.unused[0]
		bytes -= oldest.Size()
		e.unused = e.unused[1:]
		e.forget(oldest)
		oldest.Close()
	}
}

// close closes all unused executables. An executable that is released later is not kept.
func (e *executables) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	for _, x := range e.unused {
		e.forget(x)
		x.Close()
	}
	e.unused = nil
}

func without(list []*executable, x *executable) []*executable {
	return slices.DeleteFunc(list, func(other *executable) bool { return other == x })
}
