package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
)

// Program is the executable of an engine: bytes that were hashed once and cannot
// change afterwards, so that what runs is what was checked.
type Program struct {
	digest string
	file   *os.File
	path   string
}

// maxProgram bounds the size of an engine's executable.
const maxProgram = 512 << 20

// NewProgram returns a Program of the bytes. Close releases it; processes that
// were launched from it go on.
func NewProgram(executable []byte) (*Program, error) {
	if len(executable) > maxProgram {
		return nil, fmt.Errorf("executable of %d bytes: at most %d", len(executable), maxProgram)
	}
	sum := sha256.Sum256(executable)
	p := &Program{digest: "sha256:" + hex.EncodeToString(sum[:])}
	if err := p.seal(executable); err != nil {
		return nil, fmt.Errorf("keep executable: %w", err)
	}
	return p, nil
}

// Digest is the digest of the program's bytes, as sha256:<hex>.
func (p *Program) Digest() string { return p.digest }
