package ledger

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/slipstick/slipstick/host/internal/platform/durable"
)

// writer encodes records into segments, and writes them. Only one goroutine uses it.
type writer struct {
	ledger *Ledger

	// Encoded data. If the disk fails, it is ahead of the written data.
	taken    [][]byte // entries taken from each shard
	rest     [][]byte // entries that are not added to the segment yet
	number   uint64   // of the segment
	started  time.Time
	tiles    []tlog.Hash
	leaves   []tlog.Hash // of the last tile
	count    uint64
	fresh    []named     // releases that are not in a block yet
	releases []tlog.Hash // ids of the releases in blocks of the segment
	next     []byte      // block of records, with space for its head; nil if there is none
	first    uint64      // index of its first record
	steps    []step      // not written yet

	// Written data.
	header Header
	file   *os.File
	at     int64 // offset of the next block in the file

	// Data written since the last successful sync. It is written again after a failure, because
	// parts of it can be missing on the disk.
	pending []pending
	spare   [][]byte // buffers of written blocks, for reuse
	failed  bool

	closing         *Signed       // signed statement that is not known to be on the disk yet
	durable         atomic.Uint64 // all records before this place are on the disk
	expiryCheckedAt time.Time     // time of the last search for expired records
}

// step is the next write: of a block, or of the end of the segment.
type step struct {
	block []byte
	end   *Statement // without header and time
}

type pending struct {
	at   int64
	data []byte
}

// write is the goroutine that writes until the ledger is closed. It writes the waiting records in
// blocks, and syncs them to the disk at intervals.
func (l *Ledger) write() {
	w := &l.writer
	defer close(l.stopped)
	defer w.release()
	tick := time.NewTicker(l.options.Sync)
	defer tick.Stop()
	for ending := false; !ending; {
		wake, sync := l.wake, true
		if w.failed {
			wake = nil // so that writing is tried again at intervals
		}
		select {
		case <-wake:
			sync = false
		case <-tick.C:
		case <-l.ending:
			ending = true
		}
		if !w.failed || ending { // the queue of waiting records is bounded
			w.endOld()
			w.make()
		}
		if ending {
			w.end(Ended)
		}
		l.setFailure(w.write(sync))
		l.expire()
	}
}

// setFailure stores why the ledger cannot be written, and logs the start and the end of a failure.
func (l *Ledger) setFailure(err error) {
	l.mu.Lock()
	before := l.failure
	l.failure = err
	l.mu.Unlock()
	switch {
	case err != nil && before == nil:
		l.options.Log.Error("the server cannot write the ledger; it still answers, and records wait until the queue is full", "error", err)
	case err == nil && before != nil:
		l.options.Log.Info("the server can write the ledger again", "lost", l.Stats().Lost)
	}
}

// endOld ends the segment if it has reached its maximum age.
func (w *writer) endOld() {
	l := w.ledger
	if w.count == 0 || l.options.Now().Sub(w.started) < l.options.Close {
		return
	}
	for now := l.place.Load(); place(now).segment() == w.number; now = l.place.Load() {
		if l.place.CompareAndSwap(now, uint64(placeOf(w.number+1, 0))) {
			return
		}
	}
}

// make takes the waiting records and encodes them into blocks. It ends each segment that ends
// before the next record.
func (w *writer) make() {
	end, fresh := w.ledger.take(w.taken)
	w.fresh = append(w.fresh, fresh...)
	copy(w.rest, w.taken)
	for {
		next, shard := end, -1
		for i, entries := range w.rest {
			if len(entries) == 0 {
				continue
			}
			if p := firstPlace(entries); p < next {
				next, shard = p, i
			}
		}
		if shard < 0 {
			break
		}
		w.endBefore(next)
		var leaf []byte
		leaf, w.rest[shard] = cutEntry(w.rest[shard])
		w.add(leaf)
	}
	w.endBefore(end)
	w.flush()
}

// endBefore ends all segments before the segment of the place.
func (w *writer) endBefore(p place) {
	for w.number < p.segment() {
		if w.count >= w.ledger.options.segment {
			w.end(Full)
		} else {
			w.end(Aged)
		}
	}
}

// add adds a record to the tree and to the next block.
func (w *writer) add(leaf []byte) {
	if w.count == 0 {
		w.started = w.ledger.options.Now()
	}
	w.count++
	w.leaves = append(w.leaves, recordHash(leaf))
	if len(w.leaves) == tileSize {
		w.endTile()
	}
	if w.next == nil {
		w.next = w.memory()[:headSize]
	}
	w.next = appendLeaf(w.next, leaf)
	if len(w.next) >= chunkSize {
		w.flush()
	}
}

func (w *writer) endTile() {
	w.tiles, w.leaves = append(w.tiles, tileHash(w.leaves)), w.leaves[:0]
}

// memory returns a buffer for a block, if possible the buffer of an earlier block. The writer needs
// many bytes each second, and their garbage collection would slow down responses.
func (w *writer) memory() []byte {
	last := len(w.spare) - 1
	if last < 0 {
		const beyond = 4 << 10 // so that the last record of a full block usually fits
		return make([]byte, 0, chunkSize+beyond)
	}
	b := w.spare[last]
	w.spare = w.spare[:last]
	return b
}

// appendLeaf appends an encoded record in the form of a data block.
func appendLeaf(b, leaf []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(leaf))), leaf...)
}

// flush makes a block of the buffered records.
func (w *writer) flush() {
	if w.next == nil {
		return
	}
	w.name()
	k := block{blockData, int(w.count - w.first), w.first, w.next[headSize:]}
	k.appendHead(w.next[:0])
	w.steps = append(w.steps, step{block: w.next})
	w.next, w.first = nil, w.count
}

// name makes a block of the releases that records of the segment name for the first time.
func (w *writer) name() {
	k := block{kind: blockReleases, first: uint64(len(w.releases))}
	var later []named
	for _, n := range w.fresh {
		if n.segment != w.number {
			later = append(later, n)
			continue
		}
		w.releases = append(w.releases, tlog.Hash(n.release.ID()))
		k.content = appendLeaf(k.content, n.release.Encoded())
	}
	w.fresh = later
	if len(k.content) > 0 {
		w.steps = append(w.steps, step{block: k.append(nil)})
	}
}

// end ends the segment.
func (w *writer) end(why End) {
	w.flush()
	if len(w.leaves) > 0 {
		w.endTile()
	}
	w.steps = append(w.steps, step{end: &Statement{Records: w.count, Root: treeHash(w.tiles), Tiles: w.tiles, Releases: w.releases, End: why}})
	w.number++
	w.tiles, w.releases, w.count, w.first = nil, nil, 0, 0
}

// write writes the steps. If sync is true, it waits until they are on the disk. After an error it
// can be called again.
func (w *writer) write(sync bool) (err error) {
	defer func() { w.failed = err != nil }()
	if w.failed {
		if err := w.rewrite(); err != nil {
			return err
		}
	}
	for ; len(w.steps) > 0; w.steps = w.steps[1:] {
		if err := w.step(&w.steps[0]); err != nil {
			return err
		}
	}
	w.steps = nil
	if !sync {
		return nil
	}
	if err := w.sync(); err != nil {
		return err
	}
	w.durable.Store(uint64(placeOf(w.number, w.count)))
	return nil
}

// step writes a block, or ends the segment.
func (w *writer) step(s *step) error {
	if w.file == nil { // the previous segment is closed, and this segment could not be opened yet
		if err := w.open(); err != nil {
			return err
		}
	}
	if s.end != nil {
		return w.close(s.end)
	}
	if s.block == nil {
		return nil // already written by put
	}
	data := s.block
	s.block = nil // put retains it
	return w.put(data)
}

// open creates the file of the segment with its first block.
func (w *writer) open() error {
	path := filepath.Join(w.ledger.dir, fmt.Sprintf(segmentFile, w.header.Segment))
	text, err := json.Marshal(&w.header)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	head := block{kind: blockHead, content: text}
	data := head.append(nil)
	_, err = file.WriteAt(data, 0)
	if err == nil {
		err = errors.Join(file.Sync(), durable.SyncDir(w.ledger.dir))
	}
	if err != nil {
		_ = file.Close()
		return err
	}
	w.file, w.at = file, int64(len(data))
	return nil
}

// put writes a block. If writing fails, the block is written again later at the same offset.
func (w *writer) put(data []byte) error {
	w.pending = append(w.pending, pending{w.at, data})
	w.at += int64(len(data))
	_, err := w.file.WriteAt(data, w.pending[len(w.pending)-1].at)
	return err
}

// sync waits until all written blocks are on the disk.
func (w *writer) sync() error {
	if len(w.pending) == 0 {
		return nil
	}
	if err := w.file.Sync(); err != nil {
		return err
	}
	w.spare = w.spare[:0] // buffers that were not needed since the last sync
	for _, p := range w.pending {
		if size := cap(p.data); chunkSize <= size && size <= 2*chunkSize {
			w.spare = append(w.spare, p.data)
		}
	}
	clear(w.pending)
	w.pending = w.pending[:0]
	return nil
}

// rewrite writes the blocks again that the disk may have lost when it failed.
func (w *writer) rewrite() error {
	for _, p := range w.pending {
		if _, err := w.file.WriteAt(p.data, p.at); err != nil {
			return err
		}
	}
	return nil
}

// close closes the segment with a statement. It opens the next segment unless the server ends.
func (w *writer) close(st *Statement) error {
	now := w.ledger.options.Now().UTC()
	if w.closing == nil {
		st.Header, st.Closed = w.header, now
		data, signed, err := closing(st, w.ledger.options.Sign)
		if err != nil {
			return err
		}
		w.closing = signed
		if err := w.put(data); err != nil {
			return err
		}
	}
	if err := w.sync(); err != nil {
		return err
	}
	w.release()
	w.header = Header{
		Ledger: w.header.Ledger, Segment: w.header.Segment + 1, Previous: w.closing.hash(), Inputs: w.header.Inputs,
		Run: w.header.Run, Opened: now,
	}
	w.closing = nil
	w.ledger.toStamp(closed{w.header.Segment - 1, w.header.Previous})
	if st.End == Ended {
		return nil
	}
	if err := w.open(); err != nil {
		w.ledger.options.Log.Warn("the server cannot create the next segment of the ledger yet", "error", err)
	}
	return nil
}

// closing returns the block that closes a segment, and the signed statement in it.
func closing(st *Statement, sign Sign) ([]byte, *Signed, error) {
	signed, err := st.sign(sign)
	if err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(signed)
	if err != nil {
		return nil, nil, err
	}
	last := block{kind: blockClose, content: text}
	return last.append(nil), signed, nil
}

// release closes the file.
func (w *writer) release() {
	if w.file != nil {
		_ = w.file.Close()
		w.file = nil
	}
}

// expire deletes the records of segments that are older than the retention time. The first block
// and the signed statement of each segment remain.
func (l *Ledger) expire() {
	const every = time.Minute
	now := l.options.Now()
	if l.options.Keep <= 0 || now.Sub(l.writer.expiryCheckedAt) < every {
		return
	}
	l.writer.expiryCheckedAt = now
	list, err := numbers(l.dir)
	for _, number := range list {
		if err != nil || number >= l.writer.header.Segment {
			break
		}
		var more bool
		more, err = l.expireOne(number)
		if !more {
			break
		}
	}
	if err != nil {
		l.options.Log.Error("the server cannot delete expired records of the ledger", "error", err)
	}
}

// expireOne deletes the records of a segment if they are expired. It reports whether the next
// segment can be expired, too.
func (l *Ledger) expireOne(number uint64) (more bool, err error) {
	path := filepath.Join(l.dir, fmt.Sprintf(segmentFile, number))
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil // deleted earlier
	}
	if err != nil || l.options.Now().Sub(info.ModTime()) < l.options.Keep {
		return false, err
	}
	s, err := readSegment(l.dir, number, nil)
	if err != nil {
		return false, err
	}
	if s.Signed == nil || s.Problem != nil {
		return true, nil // damaged: a person has to examine it
	}
	if l.options.Now().Sub(s.Statement.Closed) < l.options.Keep {
		return false, nil
	}
	return true, errors.Join(l.keepRoot(s), os.Remove(path), durable.SyncDir(l.dir))
}

// keepRoot writes the blocks that remain of an expired segment.
func (l *Ledger) keepRoot(s *Segment) error {
	head, err := json.Marshal(&s.Header)
	if err != nil {
		return err
	}
	text, err := json.Marshal(s.Signed)
	if err != nil {
		return err
	}
	data := (&block{kind: blockHead, content: head}).append(nil)
	data = (&block{kind: blockClose, content: text}).append(data)
	return l.replace(fmt.Sprintf(rootFile, s.Segment), data)
}

// replace writes a file of the ledger atomically.
func (l *Ledger) replace(name string, data []byte) error {
	return durable.Replace(filepath.Join(l.dir, name), 0o600, durable.Bytes(data))
}
