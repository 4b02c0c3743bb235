package store

import (
	"path/filepath"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"
)

// Stamp tells without opening a file that a layout lists what it listed before: as long as
// two Stamps of it are equal and Settled, its index.json is the same. The zero Stamp is that
// of a layout of which nothing is known.
type Stamp struct {
	dir, mark, index fileStamp
	settled          bool
}

// Settled reports whether the files were older than the clock of a file system is coarse
// when the Stamp was made. Otherwise they might change without another Stamp.
func (s *Stamp) Settled() bool { return s.settled }

// Stamp returns the Stamp of the layout of that name.
func (s *Store) Stamp(id string) (stamp Stamp) {
	dir, now := filepath.Join(s.dir, id), s.now()
	stamp.settled = stamp.dir.read(dir, now) && stamp.mark.read(filepath.Join(dir, v1.ImageLayoutFile), now) &&
		stamp.index.read(filepath.Join(dir, v1.ImageIndexFile), now)
	return stamp
}
