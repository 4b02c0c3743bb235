//go:build unix

package snapshot

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a file the owner of another file or of its directory. Without the right to do so, it changes nothing.
func keepOwner(file *os.File, of fs.FileInfo) {
	if stat, ok := of.Sys().(*syscall.Stat_t); ok {
		_ = file.Chown(int(stat.Uid), int(stat.Gid))
	}
}
