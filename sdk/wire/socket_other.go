//go:build !unix

package wire

import (
	"errors"
	"io"
)

func blockingFile(int) (io.ReadWriteCloser, error) { return nil, errors.ErrUnsupported }
