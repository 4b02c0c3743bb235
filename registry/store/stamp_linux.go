package store

import (
	"syscall"
	"time"
)

// fileStamp is the metadata of a file. A process that changes or replaces the file changes at
// least one field. The owner of a file cannot set the time of its last change.
type fileStamp struct {
	device, inode uint64
	mode          uint32
	size          int64
	written       syscall.Timespec
	changed       syscall.Timespec
}

// coarse is a period in which a file can change twice and have the same times.
const coarse = 2 * time.Second

// read reports whether the last change of the file is longer ago than coarse. It does not
// follow links.
func (s *fileStamp) read(name string, now time.Time) (settled bool) {
	var info syscall.Stat_t
	if syscall.Lstat(name, &info) != nil {
		return false
	}
	*s = fileStamp{uint64(info.Dev), info.Ino, info.Mode, info.Size, info.Mtim, info.Ctim}
	return now.Sub(time.Unix(info.Ctim.Unix())) > coarse
}
