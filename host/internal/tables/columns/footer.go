package columns

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Limits of the footer of a Parquet file.
const (
	maxFooter   = 16 << 20       // bytes
	maxElements = 2 * MaxColumns // of the schema, including nested columns
	maxStructs  = 1 << 18        // of all lists, such as the parts of columns in groups of rows
)

const (
	magic      = "PAR1"
	footerTail = 4 + len(magic) // after the footer: its length, and the magic
)

// Bytes that decoding takes for each struct in a list of the footer, and for each element of the schema.
const (
	structBytes  = 128
	elementBytes = 512
)

// footer contains the parts of the file metadata that the package reads.
type footer struct {
	Schema    []format.SchemaElement `thrift:"2,required"`
	Rows      int64                  `thrift:"3,required"`
	Groups    []group                `thrift:"4,required"`
	Metadata  []keyValue             `thrift:"5,optional"`
	Encrypted thrift.Null[present]   `thrift:"8,optional"`
}

// group is a group of rows.
type group struct {
	Columns []columnChunk `thrift:"1,required"`
	Rows    int64         `thrift:"3,required"`
}

// columnChunk is the part of a column in a group.
type columnChunk struct {
	File      string               `thrift:"1,optional"` // "": this one
	Pages     thrift.Null[pagesAt] `thrift:"3,optional"`
	Encrypted thrift.Null[present] `thrift:"8,optional"`
}

// pagesAt is the location of the pages of a columnChunk, and their compression.
type pagesAt struct {
	Type       format.Type             `thrift:"1,required"`
	Codec      format.CompressionCodec `thrift:"4,required"`
	Size       int64                   `thrift:"7,required"` // of all pages with their headers
	Data       int64                   `thrift:"9,required"`
	Dictionary int64                   `thrift:"11,optional"`
}

// start returns the offset of the first page.
func (p *pagesAt) start() int64 {
	if p.Dictionary > 0 {
		return min(p.Dictionary, p.Data)
	}
	return p.Data
}

// keyValue is an entry of the metadata. It may have no value.
type keyValue struct {
	Key   string `thrift:"1,required"`
	Value string `thrift:"2,optional"`
}

// present is a struct that is only checked for presence.
type present struct{}

// footerOf returns the section of a file that contains its footer.
func footerOf(r io.ReaderAt, size int64) (*io.SectionReader, error) {
	var tail [footerTail]byte
	if size < int64(len(magic)+footerTail) {
		return nil, &FileError{Reason: fmt.Sprintf("this is not a Parquet file: it has %d bytes, and the smallest has %d", size, len(magic)+footerTail)}
	}
	if _, err := r.ReadAt(tail[:], size-int64(len(tail))); err != nil {
		return nil, unexpected(err)
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	switch {
	case string(tail[4:]) == "PARE":
		return nil, errEncrypted()
	case string(tail[4:]) != magic:
		return nil, &FileError{Reason: "this is not a Parquet file, or only the beginning of one"}
	case length > size-int64(len(magic)+footerTail):
		return nil, &FileError{Reason: "this is only a part of a Parquet file"}
	case length > maxFooter:
		return nil, &FileError{Reason: fmt.Sprintf("the description of the file has more than %d MB", maxFooter>>20), TooLarge: true}
	}
	return io.NewSectionReader(r, size-int64(footerTail)-length, length), nil
}

func errEncrypted() error { return &FileError{Reason: "the file is encrypted"} }

// Fields of the file metadata that [measure] looks at. Each is the path of field ids that leads to it.
var (
	pathSchema     = []int16{2}
	pathGroup      = []int16{4}
	pathChunk      = []int16{4, 1}
	pathType       = []int16{4, 1, 3, 1}
	pathSize       = []int16{4, 1, 3, 7}
	pathData       = []int16{4, 1, 3, 9}
	pathDictionary = []int16{4, 1, 3, 11}
)

// needs is the largest number of bytes that reading a file takes.
type needs struct {
	description int64 // of the file metadata and a block
	pages       int64 // of all columns at a time
}

// measure returns the memory that reading a file takes, and refuses a file that would take too much.
// It walks through the footer and the headers of all pages in little memory. It compares every
// length with the bytes that are left before it allocates for it.
func measure(r io.ReaderAt, size int64) (n needs, err error) {
	section, err := footerOf(r, size)
	if err != nil {
		return n, err
	}
	var (
		chunk    pagesAt
		column   int // of the chunk
		elements int
		each     []chunkNeeds // of the columns
	)
	w := newWalker(section, section.Size(), maxStructs)
	w.integer = func(path []int16, v int64) {
		switch {
		case slices.Equal(path, pathType):
			chunk.Type = format.Type(v)
		case slices.Equal(path, pathSize):
			chunk.Size = v
		case slices.Equal(path, pathData):
			chunk.Data = v
		case slices.Equal(path, pathDictionary):
			chunk.Dictionary = v
		}
	}
	w.leave = func(path []int16) error {
		switch {
		case slices.Equal(path, pathGroup):
			column = 0
		case slices.Equal(path, pathChunk):
			if column == len(each) {
				each = append(each, chunkNeeds{})
				if len(each) > maxElements {
					return tooMany(len(each))
				}
			}
			larger, err := each[column].grow(r, size, &chunk)
			if err != nil {
				return err
			}
			n.pages += larger
			if n.pages > maxPages {
				return &FileError{Reason: fmt.Sprintf("the pages of a group of rows take more than %d MB at once", maxPages>>20), TooLarge: true}
			}
			column, chunk = column+1, pagesAt{}
		}
		return nil
	}
	w.list = func(path []int16, size int) error {
		if slices.Equal(path, pathSchema) {
			elements = size
			if size > maxElements {
				return tooMany(size - 1) // without the root
			}
		}
		return nil
	}
	if err := w.fields(); err != nil {
		return n, damaged("the description of the file", err)
	}
	n.description = section.Size() + structBytes*int64(maxStructs-w.structs) + elementBytes*int64(elements) + blockMemory(elements)
	return n, nil
}

// damaged is the error of a part of the file that cannot be read.
func damaged(part string, err error) error {
	if known, ok := errors.AsType[*FileError](err); ok {
		return known
	}
	return &FileError{Reason: part + " is damaged", Err: unexpected(err)}
}

// readFooter reads the metadata of a file that [measure] has checked.
func readFooter(r io.ReaderAt, size int64) (*footer, error) {
	section, err := footerOf(r, size)
	if err != nil {
		return nil, err
	}
	text := make([]byte, section.Size())
	if _, err := io.ReadFull(section, text); err != nil {
		return nil, unexpected(err)
	}
	f := new(footer)
	if err := thrift.NewDecoder(new(thrift.CompactProtocol).NewReaderFromBytes(text)).Decode(f); err != nil {
		return nil, damaged("the description of the file", err)
	}
	if f.Encrypted.Valid {
		return nil, errEncrypted()
	}
	return f, nil
}

// walker walks through an encoded struct of Thrift's compact protocol. It compares every length with
// the bytes that are left. No decoder of the library does this before it allocates.
type walker struct {
	thrift.Reader
	from    *counted
	size    int64   // bytes of the whole struct
	structs int     // that lists may still contain
	path    []int16 // ids of the fields that lead to the current value

	integer func(path []int16, v int64)
	leave   func(path []int16) error // called at the end of each struct
	list    func(path []int16, n int) error
}

// newWalker returns a walker through the first struct of a reader, which has size bytes.
func newWalker(r io.Reader, size int64, structs int) *walker {
	from := &counted{reader: bufio.NewReaderSize(r, headerBuffer)}
	return &walker{Reader: new(thrift.CompactProtocol).NewReader(from), from: from, size: size, structs: structs}
}

// maxNesting is the maximum depth of nested structures. Parquet's metadata has a depth of 6.
const maxNesting = 16

// left returns the number of bytes that are left.
func (w *walker) left() int64 { return w.size - w.from.n }

// fields walks through the fields of a struct.
func (w *walker) fields() error {
	for id := int16(0); ; {
		f, err := w.ReadField()
		if err != nil {
			return err
		}
		if f.Type == thrift.STOP {
			if w.leave != nil {
				return w.leave(w.path)
			}
			return nil
		}
		if f.Delta {
			f.ID += id
		}
		id = f.ID
		if f.Type == thrift.TRUE || f.Type == thrift.FALSE {
			continue // the type is the value
		}
		w.path = append(w.path, id)
		if len(w.path) > maxNesting {
			return &FileError{Reason: "the file is nested too deeply"}
		}
		if err := w.value(f.Type, 0); err != nil {
			return err
		}
		w.path = w.path[:len(w.path)-1]
	}
}

// value walks through a value. depth is the number of lists around it.
func (w *walker) value(t thrift.Type, depth int) (err error) {
	var v int64
	switch t {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		_, err = w.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		v, err = w.ReadInt64()
		if err == nil && w.integer != nil {
			w.integer(w.path, v)
		}
	case thrift.DOUBLE:
		_, err = w.ReadFloat64()
	case thrift.BINARY:
		err = w.skipBytes()
	case thrift.STRUCT:
		err = w.fields()
	case thrift.LIST, thrift.SET:
		err = w.elements(depth + 1)
	default:
		err = fmt.Errorf("%v is not a type of the description", t)
	}
	return err
}

func (w *walker) skipBytes() error {
	n, err := w.ReadLength()
	if err != nil {
		return err
	}
	if int64(n) > w.left() {
		return io.ErrUnexpectedEOF
	}
	_, err = w.from.Discard(n)
	return err
}

// elements walks through the elements of a list.
func (w *walker) elements(depth int) error {
	list, err := w.ReadList()
	if err != nil {
		return err
	}
	n := int(list.Size)
	switch {
	case n < 0 || int64(n) > w.left(): // each takes at least one byte
		return io.ErrUnexpectedEOF
	case depth+len(w.path) > maxNesting:
		return &FileError{Reason: "the file is nested too deeply"}
	}
	if w.list != nil {
		if err := w.list(w.path, n); err != nil {
			return err
		}
	}
	if list.Type == thrift.STRUCT {
		w.structs -= n
		if w.structs < 0 {
			return &FileError{Reason: fmt.Sprintf("the description of the file has more than %d parts", maxStructs), TooLarge: true}
		}
	}
	for range n {
		if err := w.value(list.Type, depth); err != nil {
			return err
		}
	}
	return nil
}

// counted counts the bytes that are read.
type counted struct {
	reader *bufio.Reader
	n      int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.reader.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counted) ReadByte() (byte, error) {
	b, err := c.reader.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// Discard skips bytes.
func (c *counted) Discard(n int) (int, error) {
	n, err := c.reader.Discard(n)
	c.n += int64(n)
	return n, err
}
