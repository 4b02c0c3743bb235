package snapshot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.etcd.io/bbolt"
)

// FileName is the name of the file of snapshots in the data directory.
const FileName = "snapshots.db"

// DefaultSize is the default maximum size of the file, in bytes.
const DefaultSize = 1 << 30

// ErrFull means that the file has its maximum size, and no record in it has expired.
var ErrFull = errors.New("it is full")

const (
	fileTimeout = 3 * time.Second // of each request; a disk can be slow, and another process can have the file locked
	lockTimeout = time.Second     // for another process to unlock the file
	copyTimeout = 30 * time.Second
	maxWaiting  = 1000    // requests
	maxGroup    = 8 << 20 // bytes of records that are written in one transaction
)

// FileOptions are options of [NewFile]. The zero value has the defaults.
type FileOptions struct {
	Size int64            // maximum size of the file in bytes; DefaultSize if zero
	Now  func() time.Time // time.Now if nil
}

// File stores the records of short ids in one bbolt file. It opens and locks the file only for a
// group of concurrent requests. So an old server, the new server that replaces it, and `slipstick
// mcp` can share a data directory.
//
// A record is on the disk when put returns, also if the process or the machine stops then.
type File struct {
	path string
	size int64
	now  func() time.Time

	mu      sync.Mutex
	waiting []*request
	busy    bool        // a goroutine processes requests
	closed  time.Time   // last time at which the file was unlocked
	gap     time.Time   // last time at which other processes could lock the file
	damaged os.FileInfo // file in which damage was found; nil if there is none
	state   error       // result of the last attempt to write, or the damage

	identity string // of the file that was used; "" before the first use
	other    error  // set if the file was another file when it was last opened
}

// NewFile returns the File of a data directory. It does not open it; see [File.Check].
func NewFile(dir string, o *FileOptions) *File {
	if o == nil {
		o = new(FileOptions)
	}
	f := &File{path: filepath.Join(dir, FileName), size: cmp.Or(o.Size, DefaultSize), now: o.Now}
	if f.now == nil {
		f.now = time.Now
	}
	return f
}

// backendFile is a File with a deadline for each request.
type backendFile struct {
	file     *File
	deadline time.Duration // fileTimeout if zero
}

func (a *backendFile) put(ctx context.Context, id string, value []byte, expires time.Time) ([]byte, error) {
	q := &request{id: id, value: value, expires: expires}
	if err := a.ask(ctx, q); err != nil {
		return nil, err
	}
	return q.former, nil
}

func (a *backendFile) get(ctx context.Context, id string) ([]byte, error) {
	q := &request{id: id}
	if err := a.ask(ctx, q); err != nil {
		return nil, err
	}
	if q.former == nil {
		return nil, ErrNotFound
	}
	return q.former, nil
}

func (a *backendFile) ask(ctx context.Context, q *request) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(a.deadline, fileTimeout))
	defer cancel()
	return a.file.ask(ctx, q)
}

// request is a request to store a value unless the id has one, or to read a value.
type request struct {
	ctx     context.Context // of the caller
	id      string
	value   []byte // nil: read only
	expires time.Time

	done   chan struct{} // closed when the request is done
	former []byte        // existing value; nil if there was none
	err    error
}

// ask queues the request for the goroutine that processes requests, and starts the goroutine if
// necessary.
func (f *File) ask(ctx context.Context, q *request) error {
	q.ctx, q.done = ctx, make(chan struct{})
	f.mu.Lock()
	if len(f.waiting) >= maxWaiting {
		f.mu.Unlock()
		return fmt.Errorf("%w: %d requests wait for %s", ErrUnavailable, maxWaiting, f.path)
	}
	f.waiting = append(f.waiting, q)
	if !f.busy {
		f.busy = true
		go f.processAll()
	}
	f.mu.Unlock()
	select {
	case <-q.done:
		return q.err
	case <-ctx.Done():
		return fmt.Errorf("%w: %s: %w", ErrUnavailable, f.path, context.Cause(ctx))
	}
}

// processAll processes requests until the queue is empty. It processes all reads first, because they
// need no exclusive lock. Then it processes all writes in one transaction.
func (f *File) processAll() {
	for {
		reads, writes := f.next()
		if len(reads)+len(writes) == 0 {
			return
		}
		f.yieldLock()
		f.answer(reads, f.read)
		f.answer(writes, f.write)
		f.closed = time.Now()
	}
}

// yieldLock leaves the file unlocked for a short time, if it was almost always locked for a while.
// Other processes try to lock it every 50 ms.
func (f *File) yieldLock() {
	const held, left = 250 * time.Millisecond, 60 * time.Millisecond
	if now := time.Now(); now.Sub(f.closed) > left {
		f.gap = now
	} else if now.Sub(f.gap) > held {
		time.Sleep(left)
		f.gap = time.Now()
	}
}

// next takes requests from the queue.
func (f *File) next() (reads, writes []*request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	size, n := 0, 0
	for ; n < len(f.waiting) && size <= maxGroup; n++ {
		q := f.waiting[n]
		size += len(q.value)
		if q.value == nil {
			reads = append(reads, q)
		} else {
			writes = append(writes, q)
		}
	}
	f.waiting = f.waiting[n:]
	f.busy = n > 0
	return reads, writes
}

// answer processes the requests that still have a waiting caller.
func (f *File) answer(group []*request, do func([]*request) error) {
	var present []*request
	for _, q := range group {
		if q.ctx.Err() == nil {
			present = append(present, q)
		}
	}
	if len(present) == 0 {
		return
	}
	err := do(present)
	for _, q := range present {
		if err != nil {
			q.former, q.err = nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		close(q.done)
	}
}

// read reads the values of the ids. If there is no file yet, it has no values.
func (f *File) read(group []*request) error {
	info, err := os.Stat(f.path)
	if errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		if want, err := f.expected(); err == nil && want == "" {
			return nil
		}
	}
	err = f.open(reading, func(o opened) error { return f.find(o, group) })
	if errors.Is(err, errOlder) {
		_, err = f.sweep()
		if err == nil {
			err = f.open(reading, func(o opened) error { return f.find(o, group) })
		}
	}
	return err
}

// find processes read requests. An id is unknown only if the file proves that it never had the id.
func (f *File) find(o opened, group []*request) error {
	return o.View(func(tx *bbolt.Tx) error {
		t := readTables(tx)
		for _, q := range group {
			var err error
			q.former, err = t.lookUp(q.id)
			if q.former == nil {
				err = cmp.Or(err, o.heads)
			}
			if err != nil {
				q.err = f.missing(q.id, err)
			}
		}
		return nil
	})
}

// missing returns the error for an id that may be missing because of damage.
func (f *File) missing(id string, err error) error {
	return fmt.Errorf("%w: %s is damaged and may have had %.100s (%w); put a backup in its place", ErrUnavailable, f.path, id, err)
}

// write stores the values. If the file is full, it removes expired records first.
func (f *File) write(group []*request) error {
	err := f.open(writing, func(o opened) error { return f.update(o, group) })
	if errors.Is(err, ErrFull) {
		if removed, sweepErr := f.sweep(); sweepErr == nil && removed > 0 {
			err = f.open(writing, func(o opened) error { return f.update(o, group) })
		}
	}
	f.note(err)
	return err
}

func (f *File) update(o opened, group []*request) error {
	return o.Update(func(tx *bbolt.Tx) error {
		t, err := openTables(tx)
		if err != nil {
			return err
		}
		if _, err := t.expire(f.now(), fewExpired); err != nil {
			return err
		}
		for _, q := range group {
			q.former, err = t.put(q.id, q.value, q.expires, f.now())
			if errors.Is(err, errBroken) {
				q.err = f.missing(q.id, err)
			} else if err != nil {
				return err
			}
		}
		return nil
	})
}

// Check opens the file for writing, creates it if necessary, and removes some of the expired
// records. The error describes why snapshots cannot be stored now, and what to do.
func (f *File) Check() error {
	_, err := f.sweep()
	f.note(err)
	return err
}

// sweep removes some of the expired records. It needs a little space before it frees space.
func (f *File) sweep() (removed int, err error) {
	err = f.open(sweeping, func(o opened) error {
		return o.Update(func(tx *bbolt.Tx) error {
			t, err := openTables(tx)
			if err == nil {
				removed, err = t.expire(f.now(), manyExpired)
			}
			return err
		})
	})
	return removed, err
}

// note stores the result of the last attempt to write.
func (f *File) note(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state = err
}

// State returns nil, or why snapshots could not be stored at the last attempt.
func (f *File) State() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return cmp.Or(f.other, f.state)
}

// Record returns the record of a short id, or ErrNotFound. Use [Record.Check] to verify that the id
// belongs to the record.
func (f *File) Record(ctx context.Context, id string) (*Record, error) {
	value, err := (&backendFile{file: f}).get(ctx, id)
	if err != nil {
		return nil, err
	}
	return readStored(id, value)
}

// readStored reads a stored record, and checks that it has the id.
func readStored(id string, value []byte) (*Record, error) {
	snap, err := parseValue(id, value)
	if err != nil {
		return nil, err
	}
	r, err := ReadRecord(snap.Body)
	if err == nil && r.ID != id {
		err = fmt.Errorf("%w: it is the record of %.100q", ErrForged, r.ID)
	}
	return r, err
}
