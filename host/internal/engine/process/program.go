package process

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
)

// Program is the executable of an engine. Its bytes are hashed once, and Launch runs it only if
// no other program can have changed them since. So the program that runs is the program that
// was checked.
type Program struct {
	digest string
	size   int64
	file   *os.File
	path   string
	disk   *diskFile // nil if the bytes are in memory
	hashed hash.Cloner
	tail   []byte // of a text engine: the bytes after its runtime; else nil
	shares bool   // the file belongs to another Program
}

// ErrChanged is wrapped by the error of a launch if another program may have written the
// executable since it was hashed. A new copy of it can be launched.
var ErrChanged = errors.New("its executable may have been written since it was checked")

// maxProgram bounds the size of an engine's executable.
const maxProgram = 512 << 20

// NewProgram returns a Program with these bytes. Close releases them; processes that were
// launched from it continue.
func NewProgram(executable []byte) (*Program, error) {
	return ReadProgram(bytes.NewReader(executable))
}

// ReadProgram returns a Program with all bytes of r, at most 512 MiB, in memory. The digest is
// computed from the stored bytes, not from the bytes that were read.
func ReadProgram(r io.Reader) (*Program, error) {
	p := new(Program)
	limited := &io.LimitedReader{R: r, N: maxProgram + 1}
	if err := p.seal(limited); err != nil {
		return nil, fmt.Errorf("keep executable: %w", err)
	}
	if err := tooLarge(limited); err != nil {
		p.Close()
		return nil, err
	}
	p.size = maxProgram + 1 - limited.N
	p.hashed = newHash()
	if err := p.hash(p.hashed); err != nil {
		p.Close()
		return nil, fmt.Errorf("read executable again: %w", err)
	}
	if err := p.complete(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// newHash returns a SHA-256 that can be continued, see [Program.Engine].
func newHash() hash.Cloner { return sha256.New().(hash.Cloner) }

// complete sets what follows from the bytes.
func (p *Program) complete() error {
	p.digest = "sha256:" + hex.EncodeToString(p.hashed.Sum(nil))
	return p.readTail()
}

// ReadProgramInto returns a Program with the bytes that open returns, in an unnamed file in the
// directory. The pages of such a file are shared by the processes that run from it, and the kernel
// can take them back. If no file can be protected from other writers, ReadProgramInto does the same
// as ReadProgram. It also does so for a script, because the interpreter would keep the file open.
func ReadProgramInto(dir string, open func() (io.ReadCloser, error)) (*Program, error) {
	if dir != "" {
		switch p, err := readToDisk(dir, open); {
		case err == nil:
			return p, nil
		case !errors.Is(err, errNoDisk):
			return nil, err
		}
	}
	executable, err := open()
	if err != nil {
		return nil, err
	}
	defer executable.Close()
	return ReadProgram(executable)
}

// errNoDisk is wrapped by the errors of readToDisk after which memory can take the bytes.
var errNoDisk = errors.New("no place on disk")

func tooLarge(read *io.LimitedReader) error {
	if read.N > 0 {
		return nil
	}
	return fmt.Errorf("executable of more than %d bytes", maxProgram)
}

// Digest is the digest of the program's bytes, as sha256:<hex>.
func (p *Program) Digest() string { return p.digest }

// Size is the number of bytes that the program keeps. A text engine that runs from the file of its
// runtime keeps only the bytes after it.
func (p *Program) Size() int64 { return p.size }

// Close releases the bytes.
func (p *Program) Close() error {
	if p.shares {
		return nil
	}
	return p.close()
}

// OnDisk reports whether the program is in a file on disk. Such a program costs little while
// no process runs from it.
func (p *Program) OnDisk() bool { return p.disk != nil }

// Unchanged returns nil if no other program can have written the executable since it was hashed,
// and it was not removed. Otherwise the error wraps ErrChanged.
func (p *Program) Unchanged() error {
	if p.disk == nil {
		return p.kept()
	}
	return p.disk.unchanged(p.file)
}
