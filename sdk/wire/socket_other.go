//go:build !unix

package wire

import (
	"errors"
	"io"
	"os"
)

func socketFiles() (*os.File, *os.File, error) { return nil, nil, errors.ErrUnsupported }

func blockingFile(int) (io.ReadWriteCloser, error) { return nil, errors.ErrUnsupported }
