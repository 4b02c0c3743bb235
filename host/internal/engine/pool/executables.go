package pool

import (
	"errors"
	"fmt"
	"io"
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
	key    string // in held
	digest string
	users  int
	read   chan struct{} // closed when the program or the error is known
	*process.Program
	runtime *executable // of a text engine: the program whose file it runs from; else nil
	err     error
}

func newExecutables(dir string) *executables {
	return &executables{dir: dir, held: map[string]*executable{}}
}

// acquire returns the verified executable of the program. Callers that acquire it at the same time
// share one executable, which is read and hashed once. The caller must release it.
//
// The executables of all text engines with the same runtime run from one file.
func (e *executables) acquire(r *registry.Release) (*executable, error) {
	return e.acquireAs(r.EngineDigest, r.EngineDigest, func(x *executable) error {
		if r.Runtime() == "" {
			return x.readProgram(e.dir, r.OpenEngine)
		}
		return e.readText(x, r)
	})
}

// readText reads the program of a text engine, and acquires its runtime.
func (e *executables) readText(x *executable, r *registry.Release) error {
	tail, err := r.Tail()
	if err != nil {
		return err
	}
	// A runtime has a key of its own, so that a forged release cannot make an engine its own runtime.
	runtime, err := e.acquireAs("runtime "+r.Runtime(), r.Runtime(), func(x *executable) error { return x.readProgram(e.dir, r.OpenRuntime) })
	if err != nil {
		return err
	}
	x.Program, err = runtime.Engine(tail)
	if err == nil {
		err = x.compare()
	}
	if err != nil {
		e.release(runtime, true)
		return err
	}
	x.runtime = runtime
	return nil
}

// acquireAs returns the executable with the key, which read reads unless it is held.
func (e *executables) acquireAs(key, digest string, read func(*executable) error) (*executable, error) {
	e.mu.Lock()
	e.forgetChanged(key)
	x := e.held[key]
	if x != nil {
		x.users++
		e.unused = without(e.unused, x)
		e.mu.Unlock()
		<-x.read
		return x, x.err
	}
	x = &executable{key: key, digest: digest, users: 1, read: make(chan struct{})}
	e.held[key] = x
	e.mu.Unlock()

	x.err = read(x)
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

// readProgram reads the program and compares its digest with the published one.
func (x *executable) readProgram(dir string, open func() (io.ReadCloser, error)) error {
	program, err := process.ReadProgramInto(dir, open)
	if err != nil {
		return err
	}
	x.Program = program
	return x.compare()
}

// compare closes the program, and returns an error, if it has another digest than the published one.
func (x *executable) compare() error {
	found := x.Program.Digest()
	if found == x.digest {
		return nil
	}
	x.Program.Close()
	return fmt.Errorf("executable has digest %s, want %s", found, x.digest)
}

// forgetChanged forgets a program that may have been written since it was hashed. It is locked.
func (e *executables) forgetChanged(key string) {
	x := e.held[key]
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
		e.drop(x)
	}
}

// drop closes an executable without users, and releases its runtime. It is locked.
func (e *executables) drop(x *executable) {
	x.Close()
	if x.runtime != nil {
		e.unuse(x.runtime, true)
	}
}

// forget makes the next acquire read the program again. It is locked.
func (e *executables) forget(x *executable) {
	if e.held[x.key] == x {
		delete(e.held, x.key)
	}
}

// release ends one use of an executable. Without reuse it is not used again. In memory it is kept only
// while it has users.
func (e *executables) release(x *executable, reuse bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.unuse(x, reuse)
}

// unuse is release. It is locked.
func (e *executables) unuse(x *executable, reuse bool) {
	if !reuse || e.closed {
		e.forget(x)
	}
	x.users--
	if x.users > 0 {
		return
	}
	if !x.OnDisk() {
		e.forget(x)
	}
	if e.held[x.key] != x {
		e.drop(x)
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
		e.drop(oldest)
	}
}

// close closes all unused executables. An executable that is released later is not kept.
func (e *executables) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	unused := e.unused
	e.unused = nil
	for _, x := range unused {
		e.forget(x)
		e.drop(x)
	}
}

func without(list []*executable, x *executable) []*executable {
	return slices.DeleteFunc(list, func(other *executable) bool { return other == x })
}
