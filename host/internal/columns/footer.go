package columns

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// Bounds of the footer of a Parquet file.
const (
	maxFooter   = 16 << 20       // bytes
	maxElements = 2 * MaxColumns // of the schema: columns, and those within them
	maxStructs  = 1 << 18        // of all lists, such as the parts of columns in groups of rows
)

const (
	magic      = "PAR1"
	footerTail = 4 + len(magic) // behind the footer: its length, and the magic

	schemaField = 2 // of FileMetaData
)

// checkFooter refuses a file whose footer would take too much memory: the library allocates what
// lengths say, and follows structures however deep they are.
func checkFooter(r io.ReaderAt, size int64) error {
	var tail [footerTail]byte
	if size < int64(len(magic)+footerTail) {
		return &FileError{Reason: "the file is too short to be one of Parquet"}
	}
	if _, err := r.ReadAt(tail[:], size-int64(len(tail))); err != nil {
		return unexpected(err)
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	switch {
	case string(tail[4:]) != magic:
		return &FileError{Reason: "this is no Parquet file, or only the beginning of one"}
	case length > size-int64(len(magic)+footerTail):
		return &FileError{Reason: "this is only a part of a Parquet file"}
	case length > maxFooter:
		return &FileError{Reason: fmt.Sprintf("the description of the file has more than %d MB", maxFooter>>20), TooLarge: true}
	}
	footer := make([]byte, length)
	if _, err := r.ReadAt(footer, size-int64(footerTail)-length); err != nil {
		return unexpected(err)
	}
	w := &walker{Reader: new(thrift.CompactProtocol).NewReaderFromBytes(footer), size: len(footer), left: maxStructs}
	if err := w.fields(0, func(id int16) { w.inSchema = id == schemaField }); err != nil {
		if known, ok := errors.AsType[*FileError](err); ok {
			return known
		}
		return &FileError{Reason: "the description of the file is damaged", Err: unexpected(err)}
	}
	return nil
}

// walker walks through an encoded struct, and counts.
type walker struct {
	thrift.Reader
	size     int  // bytes of the whole
	left     int  // structs that lists may still have
	inSchema bool // the list that follows is the schema
}

// maxNesting is how deep structures are nested: those of Parquet's description are 6 deep.
const maxNesting = 16

// fields walks through the fields of a struct, and tells each before.
func (w *walker) fields(depth int, tell func(id int16)) error {
	for id := int16(0); ; {
		f, err := w.ReadField()
		if err != nil || f.Type == thrift.STOP {
			return err
		}
		if f.Delta {
			f.ID += id
		}
		id = f.ID
		if tell != nil {
			tell(id)
		}
		if f.Type == thrift.TRUE || f.Type == thrift.FALSE {
			continue // the type is the value
		}
		if err := w.value(f.Type, depth); err != nil {
			return err
		}
	}
}

func (w *walker) value(t thrift.Type, depth int) (err error) {
	if depth++; depth > maxNesting {
		return &FileError{Reason: "the description of the file is nested too deeply"}
	}
	switch t {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		_, err = w.ReadInt8()
	case thrift.I16:
		_, err = w.ReadInt16()
	case thrift.I32:
		_, err = w.ReadInt32()
	case thrift.I64:
		_, err = w.ReadInt64()
	case thrift.DOUBLE:
		_, err = w.ReadFloat64()
	case thrift.BINARY:
		_, err = w.ReadBytes()
	case thrift.STRUCT:
		err = w.fields(depth, nil)
	case thrift.LIST, thrift.SET:
		var list thrift.List
		if list, err = w.ReadList(); err == nil {
			err = w.list(list, depth)
		}
	default:
		err = fmt.Errorf("%v is no type of the description", t)
	}
	return err
}

// list walks through the elements of a list.
func (w *walker) list(list thrift.List, depth int) error {
	n := int(list.Size)
	if n < 0 || n > w.size-w.BytesRead() { // each takes a byte at least
		return io.ErrUnexpectedEOF
	}
	if w.inSchema && depth == 1 && n > maxElements {
		return tooMany(n - 1) // without the root
	}
	if list.Type == thrift.STRUCT {
		if w.left -= n; w.left < 0 {
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
