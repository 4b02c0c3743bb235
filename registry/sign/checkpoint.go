package sign

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/slipstick/slipstick/registry/documents"
)

// MaxCheckpoint bounds the file of a checkpoint, in bytes.
const MaxCheckpoint = 16 << 20

// State is all that a registry held at one time, as its publisher signed it. A registry
// that holds less was set back to an older copy, or has lost something.
type State struct {
	Format       string             `json:"format"`
	Kind         Kind               `json:"type"`
	Number       uint64             `json:"number" validate:"required"` // one more than that of the checkpoint before
	Time         time.Time          `json:"time"`
	Expires      time.Time          `json:"expires" validate:"gtfield=Time"` // then there must be a newer one
	Capabilities map[string]Holding `json:"capabilities"`
}

// Holding is one capability in a checkpoint.
type Holding struct {
	Current  string          `json:"current,omitempty"`
	Tools    []string        `json:"tools,omitempty"`   // tool ids that belong to it
	Sequence uint64          `json:"sequence,omitzero"` // of the last signed statement about its life
	Versions map[string]Held `json:"versions"`
}

// Held is one version in a checkpoint.
type Held struct {
	Release string `json:"release_digest"`
	State   string `json:"state"` // active, deprecated, yanked or revoked
}

// checkpointFile is a checkpoint as it lies on disk.
type checkpointFile struct {
	Statement string `json:"statement"`
	Signature string `json:"signature"`
	Rotations []link `json:"rotations,omitempty"`
}

// SignState signs a checkpoint and returns its file.
func (s *Signer) SignState(state State) ([]byte, error) {
	state.Format, state.Kind = Format, Checkpoint
	state.Time, state.Expires = second(state.Time), second(state.Expires)
	err := form.Check(state, func(documents.Finding) error {
		return errors.New("a checkpoint has a number above 0, and expires after it was made")
	})
	if err != nil {
		return nil, err
	}
	signed, err := s.sign(Checkpoint, state, MaxCheckpoint/2)
	if err != nil {
		return nil, err
	}
	chain, err := readChain(signed.Rotations)
	if err != nil {
		return nil, err
	}
	return json.Marshal(checkpointFile{string(signed.Document), string(signed.Signature), chain})
}

// ErrExpired is the error of a checkpoint whose time is over, and that counts in all else:
// what it says was so, and there must be a newer one.
var ErrExpired = errors.New("the checkpoint has expired")

// ReadState reads the file of a checkpoint. The error says why it does not count: the key
// does not, it was changed, it is of the future, or, if nothing else is wrong, it is
// [ErrExpired].
func (t *Trust) ReadState(data []byte, now time.Time) (State, Signature, error) {
	var file checkpointFile
	var state State
	if len(data) > MaxCheckpoint {
		return state, Signature{}, fmt.Errorf("the checkpoint has %d bytes, more than the %d that are read", len(data), MaxCheckpoint)
	}
	if err := json.Unmarshal(data, &file, json.RejectUnknownMembers(true)); err != nil {
		return state, Signature{}, fmt.Errorf("the checkpoint cannot be read: %w", err)
	}
	signed := &Signed{Document: []byte(file.Statement), Signature: []byte(file.Signature)}
	seen := Signature{KeyID: signed.KeyID()}
	if len(file.Rotations) > 0 {
		var err error
		if signed.Rotations, err = json.Marshal(file.Rotations); err != nil {
			return state, seen, err
		}
	}
	keys, broken := t.known(signed.Rotations, now)
	k, err := signed.by(keys)
	if err != nil {
		return state, seen, errors.Join(err, broken)
	}
	if err := decode(signed.Document, MaxCheckpoint, &state); err != nil {
		return state, seen, fmt.Errorf("the checkpoint %w", err)
	}
	seen = Signature{Key: k.Name, KeyID: seen.KeyID, Time: state.Time, Via: k.via, Holds: true}
	if err := k.usable(state.Time, now); err != nil {
		return state, seen, err
	}
	switch {
	case state.Format != Format || state.Kind != Checkpoint:
		return state, seen, forged("it is a statement of the type %.40q, not a checkpoint", state.Kind)
	case !k.may([]Role{Publishes}):
		return state, seen, fmt.Errorf("the key %q has the roles %v, and this needs %v", k.Name, k.Roles, Publishes)
	}
	for capability, held := range state.Capabilities {
		if !k.covers(capability) {
			return state, seen, fmt.Errorf("the key %q does not count for %.200s", k.Name, capability)
		}
		if err := t.mayName(&k.Key, held.Tools); err != nil {
			return state, seen, err
		}
	}
	return state, seen, state.Valid(now)
}

// Valid returns an [ErrExpired] if the time of the checkpoint is over.
func (s *State) Valid(now time.Time) error {
	if now.After(s.Expires) {
		return fmt.Errorf("%w on %s: get the newest, or ask the publisher whether there is one", ErrExpired, day(s.Expires))
	}
	return nil
}

// NumberOf returns the number of the checkpoint in a file, whoever signed it.
func NumberOf(data []byte) (uint64, error) {
	var file checkpointFile
	var state State
	err := json.Unmarshal(data, &file)
	if err == nil {
		err = decode([]byte(file.Statement), MaxCheckpoint, &state)
	}
	if err != nil || state.Kind != Checkpoint {
		return 0, errors.New("it holds no checkpoint")
	}
	return state.Number, nil
}

// memory is the newest checkpoint that was ever accepted.
type memory struct {
	Number uint64 `json:"number"`
	Digest string `json:"digest"` // of the state
}

func (s *State) memory() (memory, error) {
	data, err := encode(s)
	return memory{s.Number, fmt.Sprintf("sha256:%x", sha256.Sum256(data))}, err
}

// CheckNewest returns an error if a newer checkpoint was accepted before, as the file
// remembers, or another one of the same number. A file that is not there remembers nothing.
func (s *State) CheckNewest(file string) error {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var was memory
	if err == nil {
		err = json.Unmarshal(data, &was)
	}
	if err != nil {
		return fmt.Errorf("the memory of checkpoints %s cannot be read: %w", file, err)
	}
	now, err := s.memory()
	switch {
	case err != nil:
		return err
	case now.Number < was.Number:
		return fmt.Errorf("checkpoint %d is older than %d, which was accepted before", now.Number, was.Number)
	case now.Number == was.Number && now.Digest != was.Digest:
		return fmt.Errorf("there are two checkpoints of the number %d: %s was accepted before, and this is %s", now.Number, was.Digest, now.Digest)
	}
	return nil
}

// Remember makes this the newest checkpoint, in one step. It is for after every check.
func (s *State) Remember(file string) error {
	now, err := s.memory()
	if err != nil {
		return err
	}
	data, err := json.Marshal(now)
	if err != nil {
		return err
	}
	if was, err := os.ReadFile(file); err == nil && bytes.Equal(was, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(file), ".checkpoint-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(data)
	if err := errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), file)
}
