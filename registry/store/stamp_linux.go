package store

import (
	"syscall"
	"time"
)

// fileStamp is what the system says of a file. Whoever changes or replaces the file changes
// one of these; the time of the last change cannot be set by its owner.
type fileStamp struct {
	device, inode uint64
	mode          uint32
	size          int64
	written       syscall.Timespec
	changed       syscall.Timespec
}

// coarse is a time within which a file may change twice and have the same times.
const coarse = 2 * time.Second

// read reports whether the last change of the file is longer ago than coarse. It does not follow
// a link.
func (s *fileStamp) read(name string, now time.Time) (settled bool) {
	var info syscall.Stat_t
	if syscall.Lstat(name, &info) != nil {
		return false
	}
	*s = fileStamp{uint64(info.Dev), info.Ino, info.Mode, info.Size, info.Mtim, info.Ctim}
	return now.Sub(time.Unix(info.Ctim.Unix())) > coarse
}
