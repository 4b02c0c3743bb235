package main

import (
	"errors"

	"github.com/slipstick/slipstick/host/internal/server"
	"github.com/slipstick/slipstick/host/internal/source"
)

// graded returns an error of a room with the exit code that goes with it.
func graded(err error) error {
	var (
		setting    *source.SettingError
		locked     *source.LockError
		checkpoint *source.CheckpointError
		loss       *server.LossError
	)
	switch {
	case errors.As(err, &setting):
		return &failure{exitMisuse, err}
	case errors.As(err, &locked), errors.As(err, &checkpoint), errors.As(err, &loss):
		return &failure{exitFailed, err}
	}
	return err
}
