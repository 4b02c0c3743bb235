package process

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// Program is the executable of an engine. Its bytes are hashed once and cannot change
// afterwards, so the program that runs is the program that was checked.
type Program struct {
	digest string
	file   *os.File
	path   string
}

// maxProgram bounds the size of an engine's executable.
const maxProgram = 512 << 20

// NewProgram returns a Program with these bytes. Close releases them; processes that were
// launched from it continue.
func NewProgram(executable []byte) (*Program, error) {
	return ReadProgram(bytes.NewReader(executable))
}

// ReadProgram returns a Program with all bytes of r, at most 512 MiB. The digest is computed
// from the bytes that were kept, not from those that were read.
func ReadProgram(r io.Reader) (*Program, error) {
	p := new(Program)
	limited := &io.LimitedReader{R: r, N: maxProgram + 1}
	if err := p.seal(limited); err != nil {
		return nil, fmt.Errorf("keep executable: %w", err)
	}
	if limited.N == 0 {
		p.Close()
		return nil, fmt.Errorf("executable of more than %d bytes", maxProgram)
	}
	hash := sha256.New()
	if err := p.hash(hash); err != nil {
		p.Close()
		return nil, fmt.Errorf("read executable again: %w", err)
	}
	p.digest = "sha256:" + hex.EncodeToString(hash.Sum(nil))
	return p, nil
}

// Digest is the digest of the program's bytes, as sha256:<hex>.
func (p *Program) Digest() string { return p.digest }
