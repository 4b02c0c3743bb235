// Package checkpoint answers one question: which checkpoint follows the last one? A
// checkpoint is the file in which a publisher signs everything that a registry holds, so
// that hosts notice when the registry is set back. Checkpoints are numbered consecutively.
package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/slipstick/slipstick/registry/sign"
)

// Next signs what the registry holds, as the checkpoint after the one in the file at path;
// it is the first if there is no file. It returns what was signed and the bytes of the new
// file, which [Replace] puts there.
func Next(path string, key *sign.Signer, held map[string]sign.Holding, valid time.Duration) (sign.State, []byte, error) {
	number, err := numberAfter(path)
	if err != nil {
		return sign.State{}, nil, err
	}
	now := time.Now()
	state := sign.State{Number: number, Time: now, Expires: now.Add(valid), Capabilities: held}
	file, err := key.SignState(state)
	return state, append(file, '\n'), err
}

// numberAfter is one more than the number of the checkpoint in a file.
func numberAfter(path string) (uint64, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 1, nil
	}
	if err != nil {
		return 0, err
	}
	number, err := sign.NumberOf(data)
	if err != nil {
		return 0, fmt.Errorf("%s: %w; name a file that is not there yet, or the last checkpoint", path, err)
	}
	return number + 1, nil
}

// Replace writes a file atomically: a host that reads it at the same time finds either the old
// or the new file, complete.
func Replace(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(data)
	if err := errors.Join(err, temp.Chmod(0o644), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
