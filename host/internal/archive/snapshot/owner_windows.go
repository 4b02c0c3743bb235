package snapshot

import (
	"io/fs"
	"os"
)

// keepOwner does nothing, because a new file has the access list of its directory.
func keepOwner(*os.File, fs.FileInfo) {}
