package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/s2"
	"golang.org/x/mod/sumdb/tlog"
)

// writer writes chunks into segments. One goroutine uses it.
type writer struct {
	ledger *Ledger
	header Header
	file   *os.File
	at     int64 // where the next block stands

	// What was written since the disk last said that it has it. It is written again after a
	// failure, because nobody knows what of it is there.
	pending []pending

	tiles  []tlog.Hash
	leaves []tlog.Hash // of the last tile
	count  uint64

	packed  []byte    // memory to compress in
	closing *Signed   // statement that was made and is not known to be on the disk
	looked  time.Time // when expired records were last looked for
}

type pending struct {
	at   int64
	data []byte
}

// write is the goroutine that writes, until the ledger is closed.
func (l *Ledger) write() {
	defer close(l.stopped)
	defer l.writer.release()
	tick := time.NewTicker(l.options.Sync)
	defer tick.Stop()
	for {
		ending := false
		select {
		case <-l.wake:
		case <-tick.C:
			l.tick()
		case <-l.ending:
			ending = true
			l.end()
		}
		for {
			err := l.writeAll()
			l.mu.Lock()
			if (err == nil) != (l.stats.Failure == nil) {
				l.told(err)
			}
			l.stats.Failure = err
			l.synced = err == nil && len(l.full) == 0
			l.mu.Unlock()
			if err == nil || ending {
				break
			}
			select { // until the disk takes it again; what waits meanwhile is bounded
			case <-tick.C:
			case <-l.ending:
				ending = true
				l.end()
			}
		}
		if ending {
			return
		}
		l.expire()
	}
}

// end makes the last segment end.
func (l *Ledger) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.endChunk(Ended)
}

// told logs that writing failed, or goes on.
func (l *Ledger) told(err error) {
	if err != nil {
		l.options.Log.Error("the ledger cannot be written; answers are given all the same, and their records wait until there is no more room for them", "error", err)
		return
	}
	l.options.Log.Info("the ledger is written again", "lost", l.stats.Lost)
}

// tick hands on what came since the last time, and closes a segment whose age it is.
func (l *Ledger) tick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.leaf > 0 && l.options.Now().Sub(l.opened) >= l.options.Close:
		l.endSegment(Aged)
	case l.chunk.records > 0:
		l.endChunk("")
	}
}

// writeAll writes all chunks that wait, and returns when the disk has them.
func (l *Ledger) writeAll() error {
	w := &l.writer
	if err := w.again(); err != nil {
		return err
	}
	for {
		l.mu.Lock()
		if len(l.full) == 0 {
			l.mu.Unlock()
			return w.sync()
		}
		c := l.full[0]
		l.mu.Unlock()
		if err := w.chunk(c); err != nil {
			return err
		}
		l.mu.Lock()
		l.full[0] = nil
		l.full = l.full[1:]
		l.queued -= len(c.data)
		const spares = 4
		if len(l.spare) < spares {
			l.spare = append(l.spare, c)
		}
		l.mu.Unlock()
	}
}

// open makes the file of the segment, with its first block.
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
	head := block{kind: blockHead, raw: len(text), stored: text}
	data := head.append(nil)
	if _, err = file.WriteAt(data, 0); err == nil {
		err = errors.Join(file.Sync(), syncDir(w.ledger.dir))
	}
	if err != nil {
		_ = file.Close()
		return err
	}
	w.file, w.at, w.count = file, int64(len(data)), 0
	w.tiles, w.leaves, w.pending = nil, w.leaves[:0], nil
	return nil
}

// chunk writes a chunk, and closes the segment if that ends behind it. It can be called again
// with the same chunk after an error.
func (w *writer) chunk(c *chunk) error {
	if w.file == nil { // the segment before is closed, and this one could not be opened yet
		if err := w.open(); err != nil {
			return err
		}
	}
	if c.records > 0 {
		if most := s2.MaxEncodedLen(len(c.data)); most > len(w.packed) {
			w.packed = make([]byte, most)
		}
		data := (&block{blockData, c.records, c.first, len(c.data), s2.Encode(w.packed, c.data)}).append(nil)
		c.records = 0 // not once more: put keeps the block until it is written
		w.hash(c.data)
		if err := w.put(data); err != nil {
			return err
		}
	}
	if c.end == "" {
		return nil
	}
	return w.close(c.end)
}

// hash adds the records of a chunk to the tree. The chunk cannot be read after it.
func (w *writer) hash(data []byte) {
	for len(data) > 0 {
		size, n := binary.Uvarint(data)
		w.leaves = append(w.leaves, leafHash(data[n-1:n+int(size)]))
		w.count++
		if len(w.leaves) == tileSize {
			w.tiles = append(w.tiles, treeHash(w.leaves))
			w.leaves = w.leaves[:0]
		}
		data = data[n+int(size):]
	}
}

// leafHash returns the hash of a record that has a byte in front of it. The byte is overwritten
// with the zero that RFC 6962 wants there, so that nothing is copied.
func leafHash(b []byte) tlog.Hash {
	b[0] = 0
	return sha256.Sum256(b)
}

// put adds a block. If it cannot be written now, it is written again at the same place.
func (w *writer) put(data []byte) error {
	w.pending = append(w.pending, pending{w.at, data})
	w.at += int64(len(data))
	_, err := w.file.WriteAt(data, w.pending[len(w.pending)-1].at)
	return err
}

// sync waits until the disk has everything.
func (w *writer) sync() error {
	if len(w.pending) == 0 {
		return nil
	}
	if err := w.file.Sync(); err != nil {
		return err
	}
	w.pending = nil
	return nil
}

// again writes what the disk may have lost when it failed.
func (w *writer) again() error {
	for _, p := range w.pending {
		if _, err := w.file.WriteAt(p.data, p.at); err != nil {
			return err
		}
	}
	return nil
}

// close closes the segment with a statement, and opens the next one unless the host ends.
func (w *writer) close(end End) error {
	now := w.ledger.options.Now().UTC()
	if w.closing == nil {
		tiles, root := rootOf(w.tiles[:len(w.tiles):len(w.tiles)], w.leaves)
		st := &Statement{Header: w.header, Records: w.count, Root: root, Tiles: tiles, Closed: now, End: end}
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
	if end == Ended {
		return nil
	}
	if err := w.open(); err != nil {
		w.ledger.options.Log.Warn("the next segment of the ledger cannot be made yet", "error", err)
	}
	return nil
}

// closing returns the block that closes a segment.
func closing(st *Statement, sign Sign) ([]byte, *Signed, error) {
	signed, err := st.sign(sign)
	if err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(signed)
	if err != nil {
		return nil, nil, err
	}
	last := block{kind: blockClose, raw: len(text), stored: text}
	return last.append(nil), signed, nil
}

// release closes the file.
func (w *writer) release() {
	if w.file != nil {
		_ = w.file.Close()
		w.file = nil
	}
}

// expire deletes the records of segments whose time has come. What remains of a segment is its
// first block and its signed statement.
func (l *Ledger) expire() {
	const every = time.Minute
	now := l.options.Now()
	if l.options.Keep <= 0 || now.Sub(l.writer.looked) < every {
		return
	}
	l.writer.looked = now
	list, err := numbers(l.dir)
	for _, number := range list {
		if err != nil || number >= l.writer.header.Segment {
			break
		}
		var more bool
		if more, err = l.expireOne(number); !more {
			break
		}
	}
	if err != nil {
		l.options.Log.Error("records of the ledger whose time has come cannot be deleted", "error", err)
	}
}

// expireOne reports whether the next segment can have come to its time, too.
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
		return true, nil // damaged: somebody has to look at it
	}
	if l.options.Now().Sub(s.Statement.Closed) < l.options.Keep {
		return false, nil
	}
	return true, errors.Join(l.keepRoot(s), os.Remove(path), syncDir(l.dir))
}

// keepRoot writes the blocks that remain of a segment.
func (l *Ledger) keepRoot(s *Segment) error {
	head, err := json.Marshal(&s.Header)
	if err != nil {
		return err
	}
	text, err := json.Marshal(s.Signed)
	if err != nil {
		return err
	}
	data := (&block{kind: blockHead, raw: len(head), stored: head}).append(nil)
	data = (&block{kind: blockClose, raw: len(text), stored: text}).append(data)
	temp, err := os.CreateTemp(l.dir, ".root-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(data)
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), filepath.Join(l.dir, fmt.Sprintf(keptFile, s.Segment)))
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
