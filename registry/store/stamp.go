package store

import (
	"path/filepath"

	v1 "github.com/opencontainers/image-spec/specs-go/v1"
)

// Stamp detects a change of a layout without opening a file. While two Stamps of it are equal
// and Settled, its index.json is the same. The zero Stamp is for a layout in an unknown state.
type Stamp struct {
	dir, mark, index fileStamp
	settled          bool
}

// Settled reports whether the files were old enough when the Stamp was made. Newer files might
// change without another Stamp, because the clocks of file systems are coarse.
func (s *Stamp) Settled() bool { return s.settled }

// Stamp returns the Stamp of the layout of that name.
func (s *Store) Stamp(id string) (stamp Stamp) {
	dir, now := filepath.Join(s.dir, id), s.now()
	stamp.settled = stamp.dir.read(dir, now) && stamp.mark.read(filepath.Join(dir, v1.ImageLayoutFile), now) &&
		stamp.index.read(filepath.Join(dir, v1.ImageIndexFile), now)
	return stamp
}
