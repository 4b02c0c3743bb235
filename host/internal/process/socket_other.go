//go:build !unix

package process

import (
	"errors"
	"os"
)

func socketFiles() (*os.File, *os.File, error) { return nil, nil, errors.ErrUnsupported }
