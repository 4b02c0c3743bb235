package transparency

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/slipstick/slipstick/registry/regular"
)

// Names of files of a log, beside its tiles.
const (
	CheckpointFile = "checkpoint"
	RotationsFile  = "rotations" // by which the key that signed the checkpoint came into office
)

const (
	height    = 8           // of tiles, by c2sp.org/tlog-tiles
	tileWidth = 1 << height // entries of a full tile
)

// File is a file of a log, by its path with slashes.
type File struct {
	Name string
	Data []byte
}

// bundle is the tile that has entries, of which so many are in the log.
func bundle(n, size int64) tlog.Tile {
	return tlog.Tile{H: height, L: -1, N: n, W: int(min(tileWidth, size-n*tileWidth))}
}

// pathOf is the path of a tile: that of package tlog has the height in it, and calls entries
// data.
func pathOf(t tlog.Tile) string {
	path := strings.Replace(t.Path(), fmt.Sprintf("tile/%d/", height), "tile/", 1)
	return strings.Replace(path, "tile/data/", "tile/entries/", 1)
}

// Bundles returns the files with the entries, beginning with that of the entry.
func (l *Log) Bundles(from int64) []File {
	var files []File
	size := int64(len(l.entries))
	for n := from / tileWidth; n*tileWidth < size; n++ {
		t := bundle(n, size)
		var data []byte
		for i := range t.W {
			entry, err := l.entries[n*tileWidth+int64(i)].encode()
			if err != nil {
				panic(err) // it was read or made in this spelling
			}
			data = append(binary.BigEndian.AppendUint16(data, uint16(len(entry))), entry...)
		}
		files = append(files, File{pathOf(t), data})
	}
	return files
}

// Files returns the files to be written when a log of so many entries has become this one, in
// their order: the checkpoint is the last, and who reads it finds all that it names.
func (l *Log) Files(was int64) ([]File, error) {
	size := int64(len(l.entries))
	var files []File
	if was < size {
		files = l.Bundles(was)
	}
	for _, t := range tlog.NewTiles(height, was, size) {
		data, err := tlog.ReadTileData(t, l)
		if err != nil {
			return nil, err
		}
		files = append(files, File{pathOf(t), data})
	}
	return append(files, File{CheckpointFile, l.checkpoint.Note()}), nil
}

// Outdated returns the files of a log of so many entries that this one does not need any more:
// tiles that have grown since. Readers of its checkpoint find the new one when they begin anew.
func (l *Log) Outdated(was int64) []string {
	var names []string
	for _, t := range append(tlog.NewTiles(height, 0, was), bundle(was/tileWidth, was)) {
		if t.W == 0 || t.W == tileWidth {
			continue
		}
		grown := t
		grown.W = int(min(tileWidth, int64(len(l.entries))>>(height*max(0, t.L))-t.N*tileWidth))
		if grown.W > t.W {
			names = append(names, pathOf(t))
		}
	}
	return names
}

// Begin returns a log without entries.
func Begin(origin string) (*Log, error) {
	root, err := tlog.TreeHash(0, tlog.HashReaderFunc(nil))
	return &Log{checkpoint: Checkpoint{Origin: origin, Root: root}}, err
}

// Signed returns the log with a checkpoint that says the same as its own, and was signed.
func (l *Log) Signed(c Checkpoint) *Log {
	next := l.clone()
	next.checkpoint = c
	return next
}

// Read reads the log in a directory, and compares all of it with its checkpoint. Of what was
// read before it reads no more than what is new; that may be nil. The error is fs.ErrNotExist
// if there is no log, and a [*Fault] if it is not whole.
func Read(dir string, was *Log) (*Log, error) {
	for try := 0; ; try++ {
		l, err := read(dir, was)
		if err == nil || errors.Is(err, fs.ErrNotExist) && l == nil {
			return l, err
		}
		was, err = nil, missing(err)
		if try == 2 { // a writer was faster, or it is so
			return nil, err
		}
	}
}

func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault(Damaged, "entries of its checkpoint are missing: %v", err)
	}
	return err
}

// read returns a Log with an error if there is one, and it cannot be read.
func read(dir string, was *Log) (*Log, error) {
	data, err := regular.Read(filepath.Join(dir, CheckpointFile), MaxCheckpoint)
	if err != nil {
		return nil, err
	}
	c, err := ParseCheckpoint(data)
	if err != nil {
		return new(Log), fault(Damaged, "%v", err)
	}
	return Assemble(c, was, func(name string) ([]byte, error) {
		return regular.Read(filepath.Join(dir, filepath.FromSlash(name)), MaxBundle)
	})
}

// MaxBundle bounds the file of a bundle of entries, in bytes.
const MaxBundle = tileWidth * (2 + maxEntry)

// Assemble returns the log of a checkpoint, whose entries it gets from bundles. What was
// assembled before is the beginning, if the checkpoint continues it.
func Assemble(c Checkpoint, was *Log, get func(bundle string) ([]byte, error)) (*Log, error) {
	if was != nil && was.checkpoint.Equal(&c) {
		return was.Signed(c), nil
	}
	l := new(Log)
	if was != nil && was.checkpoint.Origin == c.Origin && was.checkpoint.Size <= c.Size {
		l = was.clone()
	}
	began := int64(len(l.entries))
	for n := began / tileWidth; n*tileWidth < c.Size; n++ {
		t := bundle(n, c.Size)
		data, err := get(pathOf(t))
		if err == nil {
			err = l.take(t, data)
		}
		if err != nil {
			return l, err
		}
	}
	root, err := l.root(c.Size)
	switch {
	case err != nil:
		return l, err
	case root != c.Root && began > 0: // find out what is wrong with all of it
		return Assemble(c, nil, get)
	case root != c.Root:
		return l, fault(Damaged, "its entries have the root %s, and its checkpoint says %s", root, c.Root)
	}
	l.checkpoint = c
	return l, nil
}

// take appends the entries of a bundle that the log does not have yet.
func (l *Log) take(t tlog.Tile, data []byte) error {
	for i := t.N * tileWidth; i < t.N*tileWidth+int64(t.W); i++ {
		if len(data) < 2 || len(data) < 2+int(binary.BigEndian.Uint16(data)) {
			return fault(Damaged, "entry %d is cut off", i)
		}
		entry := data[2:][:binary.BigEndian.Uint16(data)]
		data = data[2+len(entry):]
		if i < int64(len(l.entries)) {
			continue
		}
		if err := l.add(bytes.Clone(entry)); err != nil {
			return err
		}
	}
	if len(data) > 0 {
		return fault(Damaged, "%d bytes follow the last entry of %s", len(data), pathOf(t))
	}
	return nil
}

// Seen reads a checkpoint that was stored with [Checkpoint.Note]. It is nil if there is none.
func Seen(file string) (*Checkpoint, error) {
	data, err := regular.Read(file, MaxCheckpoint)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c, err := ParseCheckpoint(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &c, nil
}
