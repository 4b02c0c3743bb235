// Package enginefile writes and reads the files of text engines. A text engine computes by a
// document. Its file is a program that is made without a compiler:
//
//	runtime | document | vectors | closure | trailer
//
// The runtime is an executable that evaluates any document, built once for each platform. The
// document has the formula. Vectors are the file of vectors that the document names, if it
// names one. The closure has the published tables and documents that it uses, if it uses any. The
// trailer has the sizes and the SHA-256 of the four parts.
//
// Use [Join] to make such a file, [Read] to take it apart, and [Own] in a runtime. The same parts
// always give the same bytes, so anyone can rebuild an engine from its parts.
//
// The loaders of ELF, Mach-O and PE files ignore bytes after the program. Signatures do not: on
// macOS and Windows, tools that verify a code signature refuse bytes after it. Sign the release of
// the engine instead, as Slipstick does, and verify the runtime by its own digest.
package enginefile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Limits of the parts, in bytes.
const (
	MaxRuntime  = 512<<20 - MaxDocument - MaxVectors - MaxClosure - trailerSize
	MaxDocument = 64 << 10
	MaxVectors  = 4 << 20
	MaxClosure  = 1 << 20
)

// magic ends every engine file with a document. Its last character is the version of the format.
const magic = "slipstick text 2"

const (
	parts       = 4
	partSize    = 8 + sha256.Size
	trailerSize = int64(parts*partSize + len(magic))
)

// ErrNoDocument means that a file is not an engine with a document: its end is not a trailer.
var ErrNoDocument = errors.New("it has no document: make an engine of a runtime and a document first")

// Part is the size of a part in bytes, and its SHA-256.
type Part struct {
	Size   int64
	SHA256 [sha256.Size]byte
}

// PartOf returns the Part with these bytes.
func PartOf(data []byte) Part { return Part{int64(len(data)), sha256.Sum256(data)} }

// Text is what makes one text engine differ from another.
type Text struct {
	Document []byte
	Vectors  []byte // file of vectors that the document names; empty if it names none
	Closure  []byte // published tables and documents that the document uses; empty if it uses none
}

// part is a part of a text, with the name that messages use.
type part struct {
	name  string
	bytes *[]byte
	least int64
	limit int64
}

// parts returns the parts in their order in the file.
func (t *Text) parts() []part {
	return []part{{"document", &t.Document, 1, MaxDocument}, {"file of vectors", &t.Vectors, 0, MaxVectors}, {"closure", &t.Closure, 0, MaxClosure}}
}

// File is an engine file with its parts. The bytes of its runtime are the first ones of the file.
type File struct {
	Text
	Runtime Part
}

// Tail returns the bytes after the runtime in the engine file. The error means that a part is too
// large or missing.
func (f *File) Tail() ([]byte, error) {
	err := within("runtime", f.Runtime.Size, 1, MaxRuntime)
	tail, trailer := make([]byte, 0, f.Size()-f.Runtime.Size), f.Runtime.append(nil)
	for _, p := range f.parts() {
		if err == nil {
			err = within(p.name, int64(len(*p.bytes)), p.least, p.limit)
		}
		tail, trailer = append(tail, *p.bytes...), PartOf(*p.bytes).append(trailer)
	}
	if err != nil {
		return nil, err
	}
	return append(append(tail, trailer...), magic...), nil
}

// append appends the part as the trailer has it.
func (p Part) append(b []byte) []byte {
	return append(binary.BigEndian.AppendUint64(b, uint64(p.Size)), p.SHA256[:]...)
}

// Size returns the size of the whole file in bytes.
func (f *File) Size() int64 {
	size := f.Runtime.Size + trailerSize
	for _, p := range f.parts() {
		size += int64(len(*p.bytes))
	}
	return size
}

func within(part string, size, least, limit int64) error {
	if size < least || size > limit {
		return fmt.Errorf("the %s has %d bytes: between %d and %d are allowed", part, size, least, limit)
	}
	return nil
}

// Join writes the engine file of a runtime and a text. It refuses a runtime that has a document
// already. After an error, discard what was written.
func Join(w io.Writer, runtime io.Reader, t *Text) error {
	hash, end := sha256.New(), new(ending)
	size, err := io.Copy(io.MultiWriter(w, hash, end), io.LimitReader(runtime, MaxRuntime+1))
	if err != nil {
		return fmt.Errorf("copy the runtime: %w", err)
	}
	if string(end.last) == magic {
		return errors.New("the runtime has a document already: take a runtime without one")
	}
	f := File{Text: *t, Runtime: Part{Size: size}}
	hash.Sum(f.Runtime.SHA256[:0])
	tail, err := f.Tail()
	if err != nil {
		return err
	}
	_, err = w.Write(tail)
	return err
}

// ending keeps the last bytes that were written, as many as magic has.
type ending struct{ last []byte }

// Write implements [io.Writer].
func (e *ending) Write(p []byte) (int, error) {
	e.last = append(e.last, p[max(0, len(p)-len(magic)):]...)
	e.last = e.last[max(0, len(e.last)-len(magic)):]
	return len(p), nil
}

// Read takes an engine file of that size apart, and compares every byte with the trailer. The error
// is [ErrNoDocument] if the file has no trailer. Another error means that the file is damaged.
func Read(file io.ReaderAt, size int64) (*File, error) {
	f, err := readTail(file, size, false)
	if err != nil {
		return nil, err
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(file, 0, f.Runtime.Size)); err != nil {
		return nil, fmt.Errorf("read the runtime: %w", err)
	}
	if !bytes.Equal(hash.Sum(nil), f.Runtime.SHA256[:]) {
		return nil, damaged("its runtime")
	}
	return f, nil
}

func damaged(part string) error {
	return fmt.Errorf("the engine file is damaged: %s does not match the trailer; copy the file again", part)
}

// ReadTail is Read without the comparison of the runtime.
func ReadTail(file io.ReaderAt, size int64) (*File, error) { return readTail(file, size, false) }

// readTail reads everything but the runtime. If alone is true, the file has no runtime.
func readTail(file io.ReaderAt, size int64, alone bool) (*File, error) {
	if size < trailerSize {
		return nil, ErrNoDocument
	}
	trailer := make([]byte, trailerSize)
	if _, err := readAt(file, trailer, size-trailerSize); err != nil {
		return nil, fmt.Errorf("read the trailer: %w", err)
	}
	if !bytes.HasSuffix(trailer, []byte(magic)) {
		return nil, ErrNoDocument
	}
	var p [parts]Part
	for i := range p {
		one := trailer[i*partSize:]
		p[i].Size = int64(binary.BigEndian.Uint64(one))
		copy(p[i].SHA256[:], one[8:])
	}
	f := &File{Runtime: p[0]}
	err := within("runtime", p[0].Size, 1, MaxRuntime)
	of, want := f.parts(), trailerSize
	for i := range of {
		if err == nil {
			err = within(of[i].name, p[i+1].Size, of[i].least, of[i].limit)
		}
		want += p[i+1].Size
	}
	if err != nil {
		return nil, fmt.Errorf("the engine file is damaged: by its trailer, %w", err)
	}
	start := p[0].Size
	if alone {
		start = 0
	}
	want += start
	if size != want {
		return nil, fmt.Errorf("the engine file is damaged: it has %d bytes, and its trailer needs %d; copy the file again", size, want)
	}
	for i := range of {
		data := make([]byte, p[i+1].Size)
		_, err := readAt(file, data, start)
		if err != nil {
			return nil, fmt.Errorf("read the %s: %w", of[i].name, err)
		}
		if PartOf(data) != p[i+1] {
			return nil, damaged("its " + of[i].name)
		}
		start += p[i+1].Size
		if len(data) > 0 {
			*of[i].bytes = data
		}
	}
	return f, nil
}

// readAt fills the bytes. A file can have its end right after them.
func readAt(file io.ReaderAt, b []byte, offset int64) (int, error) {
	n, err := file.ReadAt(b, offset)
	if n == len(b) {
		err = nil
	}
	return n, err
}
