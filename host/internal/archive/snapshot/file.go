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

// DefaultSize is how large the file may become, unless its options say otherwise.
const DefaultSize = 1 << 30

// ErrFull means that the file has reached its size and nothing in it has expired.
var ErrFull = errors.New("it is full")

const (
	fileDeadline = 3 * time.Second // of each question; a disk may be slow, and another process may have the file
	lockPatience = time.Second     // for another process to let go of the file
	copyPatience = 30 * time.Second
	maxWaiting   = 1000    // questions
	maxGroup     = 8 << 20 // bytes of records that are written in one transaction
)

// FileOptions are those of a File. The zero value has the defaults.
type FileOptions struct {
	Size int64            // bytes that the file may have; DefaultSize
	Now  func() time.Time // time.Now
}

// File keeps the records of short ids in one bbolt file. It does not hold the file: whatever
// is asked at the same time is answered in one go, for which the file is opened and locked. So
// a host, the one that takes over from it and `slipstick mcp` can have one data directory.
//
// What put has answered is on the disk, also if the process or the machine ends then.
type File struct {
	path string
	size int64
	now  func() time.Time

	mu      sync.Mutex
	waiting []*question
	busy    bool        // a goroutine answers
	closed  time.Time   // when the file was last let go of
	gap     time.Time   // when others could last have it
	damaged os.FileInfo // of the file when damage was found in it; nil otherwise
	state   error       // of the last attempt to write, or of the damage

	identity string // of the file that was used; "" before that
	other    error  // the file was not that one when it was last opened
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

// asked is a File with a deadline of each question.
type asked struct {
	file     *File
	deadline time.Duration // fileDeadline if zero
}

func (a *asked) put(ctx context.Context, id string, value []byte, expires time.Time) ([]byte, error) {
	q := &question{id: id, value: value, expires: expires}
	if err := a.ask(ctx, q); err != nil {
		return nil, err
	}
	return q.former, nil
}

func (a *asked) get(ctx context.Context, id string) ([]byte, error) {
	q := &question{id: id}
	if err := a.ask(ctx, q); err != nil {
		return nil, err
	}
	if q.former == nil {
		return nil, ErrNotFound
	}
	return q.former, nil
}

func (a *asked) ask(ctx context.Context, q *question) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(a.deadline, fileDeadline))
	defer cancel()
	return a.file.ask(ctx, q)
}

// question is to keep a value, unless something is kept under the id already, or to read it.
type question struct {
	ctx     context.Context // of whoever waits for the answer
	id      string
	value   []byte // nil: read only
	expires time.Time

	done   chan struct{} // closed when there is an answer
	former []byte        // what was kept before; nil: nothing
	err    error
}

// ask puts the question to the goroutine that answers, and starts one if there is none.
func (f *File) ask(ctx context.Context, q *question) error {
	q.ctx, q.done = ctx, make(chan struct{})
	f.mu.Lock()
	if len(f.waiting) >= maxWaiting {
		f.mu.Unlock()
		return fmt.Errorf("%w: %d questions wait for %s", ErrUnavailable, maxWaiting, f.path)
	}
	f.waiting = append(f.waiting, q)
	if !f.busy {
		f.busy = true
		go f.answerAll()
	}
	f.mu.Unlock()
	select {
	case <-q.done:
		return q.err
	case <-ctx.Done():
		return fmt.Errorf("%w: %s: %w", ErrUnavailable, f.path, context.Cause(ctx))
	}
}

// answerAll answers until nobody waits any more: those who read first, for they need no lock
// of their own, and then those who write, in one transaction.
func (f *File) answerAll() {
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

// yieldLock leaves the file to other processes for a moment, if it was hardly left alone for a while.
// They look for it every 50 ms.
func (f *File) yieldLock() {
	const held, left = 250 * time.Millisecond, 60 * time.Millisecond
	if now := time.Now(); now.Sub(f.closed) > left {
		f.gap = now
	} else if now.Sub(f.gap) > held {
		time.Sleep(left)
		f.gap = time.Now()
	}
}

// next takes questions out of those that wait.
func (f *File) next() (reads, writes []*question) {
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

// answer answers the questions of those who still wait for one.
func (f *File) answer(group []*question, do func([]*question) error) {
	var present []*question
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

// read finds what is kept under the ids. A file that is not there yet keeps nothing.
func (f *File) read(group []*question) error {
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

// find answers questions. An id is unknown only if the file shows that it never had it.
func (f *File) find(o opened, group []*question) error {
	return o.View(func(tx *bbolt.Tx) error {
		t := readTables(tx)
		for _, q := range group {
			var err error
			q.former, err = t.look(q.id)
			if q.former == nil {
				err = cmp.Or(err, o.heads)
			}
			if err != nil {
				q.err = f.hole(q.id, err)
			}
		}
		return nil
	})
}

// hole says that damage may hide a record.
func (f *File) hole(id string, err error) error {
	return fmt.Errorf("%w: %s is damaged and may have had %.100s (%w); put a backup in its place", ErrUnavailable, f.path, id, err)
}

// write keeps the values. If there is no space left, what has expired makes place.
func (f *File) write(group []*question) error {
	err := f.open(writing, func(o opened) error { return f.update(o, group) })
	if errors.Is(err, ErrFull) {
		if removed, sweepErr := f.sweep(); sweepErr == nil && removed > 0 {
			err = f.open(writing, func(o opened) error { return f.update(o, group) })
		}
	}
	f.note(err)
	return err
}

func (f *File) update(o opened, group []*question) error {
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
				q.err = f.hole(q.id, err)
			} else if err != nil {
				return err
			}
		}
		return nil
	})
}

// Check opens the file for writing, makes it if there is none, and removes a part of what has
// expired. The error says why snapshots cannot be kept now, and what to do.
func (f *File) Check() error {
	_, err := f.sweep()
	f.note(err)
	return err
}

// sweep removes a part of what has expired. It needs a little space before it gives some.
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

// note remembers whether the last attempt to write went well.
func (f *File) note(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state = err
}

// State returns nil, or why snapshots could not be kept at the last attempt.
func (f *File) State() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return cmp.Or(f.other, f.state)
}

// Record returns the record that is kept under a short id, or ErrNotFound. Use
// [Record.Check] to learn whether the id belongs to it.
func (f *File) Record(ctx context.Context, id string) (*Record, error) {
	value, err := (&asked{file: f}).get(ctx, id)
	if err != nil {
		return nil, err
	}
	return readKept(id, value)
}

// readKept reads the record that is kept under an id.
func readKept(id string, value []byte) (*Record, error) {
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
