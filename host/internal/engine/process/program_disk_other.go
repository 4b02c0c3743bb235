//go:build !linux

package process

import (
	"io"
	"os"
)

// diskFile is not supported here: without leases, writers of a file cannot be detected.
type diskFile struct{}

func (*diskFile) unchanged(*os.File) error { return nil }

func readToDisk(string, func() (io.ReadCloser, error)) (*Program, error) { return nil, errNoDisk }
