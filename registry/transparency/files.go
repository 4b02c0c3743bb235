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

// Names of files next to the tiles of a log.
const (
	CheckpointFile = "checkpoint"
	RotationsFile  = "rotations" // rotations that lead to the key of the checkpoint
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

// bundle returns the tile of entries with number n, in a log of size entries.
func bundle(n, size int64) tlog.Tile {
	return tlog.Tile{H: height, L: -1, N: n, W: int(min(tileWidth, size-n*tileWidth))}
}

// pathOf returns the path of a tile. The path of package tlog differs: it contains the height,
// and calls entries data.
func pathOf(t tlog.Tile) string {
	path := strings.Replace(t.Path(), fmt.Sprintf("tile/%d/", height), "tile/", 1)
	return strings.Replace(path, "tile/data/", "tile/entries/", 1)
}

// Bundles returns the files with the entries from the given one on.
func (l *Log) Bundles(from int64) []File {
	var files []File
	size := int64(len(l.entries))
	for n := from / tileWidth; n*tileWidth < size; n++ {
		t := bundle(n, size)
		var data []byte
		for i := range t.W {
			entry, err := l.entries[n*tileWidth+int64(i)].encode()
			if err != nil {
				panic(err) // it was read or made with this encoder
			}
			data = append(binary.BigEndian.AppendUint16(data, uint16(len(entry))), entry...)
		}
		files = append(files, File{pathOf(t), data})
	}
	return files
}

// Files returns the files to write after a log of was entries has become this one. Write them
// in this order: the checkpoint is last, so its readers find everything that it names.
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

// Outdated returns the files of a log of was entries that this log does not need any more,
// because their tiles have grown. Readers of the old checkpoint find the new one when they
// start again.
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

// New returns a log without entries.
func New(origin string) (*Log, error) {
	root, err := tlog.TreeHash(0, tlog.HashReaderFunc(nil))
	return &Log{checkpoint: Checkpoint{Origin: origin, Root: root}}, err
}

// Signed returns the log with a signed checkpoint, which must have the same content as its
// own.
func (l *Log) Signed(c Checkpoint) *Log {
	next := l.clone()
	next.checkpoint = c
	return next
}

// Read reads the log in a directory, and compares all of it with its checkpoint. Was is the
// result of an earlier read, or nil; Read then reads only newer entries. The error is
// fs.ErrNotExist if there is no log, and a [*Fault] if the log is damaged.
func Read(dir string, was *Log) (*Log, error) {
	for try := 0; ; try++ {
		l, err := read(dir, was)
		if err == nil || errors.Is(err, fs.ErrNotExist) && l == nil {
			return l, err
		}
		was, err = nil, missing(err)
		if try == 2 { // either a writer was faster, or the log is damaged
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

// read returns a Log together with the error if a log exists and cannot be read.
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

// Assemble returns the log of a checkpoint. It gets the entries from bundles. If the
// checkpoint continues was, Assemble starts with the entries of was.
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
	case root != c.Root && began > 0: // check all entries to find the error
		return Assemble(c, nil, get)
	case root != c.Root:
		return l, fault(Damaged, "its entries have the root %s, and its checkpoint has %s", root, c.Root)
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

// Seen reads a checkpoint that was stored in the form of [Checkpoint.Note]. It is nil if there
// is none.
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
