package process

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"github.com/slipstick/slipstick/sdk/enginefile"
)

// Engine returns the Program of the text engine that has p as its runtime and tail as the bytes
// after it. Both run from the file of p, so close p after the engine. Closing the engine does nothing.
// Its digest is the digest of the whole engine file.
func (p *Program) Engine(tail []byte) (*Program, error) {
	hash, err := p.hashed.Clone()
	if err != nil {
		return nil, err
	}
	hash.Write(tail)
	engine := *p
	engine.tail, engine.shares, engine.size = tail, true, int64(len(tail))
	engine.digest = "sha256:" + hex.EncodeToString(hash.Sum(nil))
	return &engine, nil
}

// IsText reports whether the program is a text engine: a runtime with a document.
func (p *Program) IsText() bool { return p.tail != nil }

// readTail reads the bytes after the runtime if the program is a text engine.
func (p *Program) readTail() error {
	file := p.file
	if file == nil {
		var err error
		file, err = os.Open(p.path)
		if err != nil {
			return err
		}
		defer file.Close()
	}
	f, err := enginefile.ReadTail(file, p.size)
	if errors.Is(err, enginefile.ErrNoDocument) {
		return nil
	}
	if err == nil {
		p.tail, err = f.Tail()
	}
	return err
}

// offerTail passes the bytes after the runtime to a text engine, which cannot open its own file. An
// environment variable gives the descriptor.
func (p *child) offerTail() error {
	if p.program.tail == nil {
		return nil
	}
	file, err := readOnly(p.program.tail, p.socketDir)
	if err != nil {
		return fmt.Errorf("hand over the document: %w", err)
	}
	p.tail = file
	number, err := inherit(p.cmd, file)
	p.cmd.Env = append(p.cmd.Env, fmt.Sprintf("%s=%d", enginefile.DescriptorVariable, number))
	return err
}
