//go:build !unix

package wire

import (
	"errors"
	"os"
)

func socketFiles() (*os.File, *os.File, error) { return nil, nil, errors.ErrUnsupported }
