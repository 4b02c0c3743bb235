// Package columns reads and writes the columns of Parquet and Arrow files. Use [OpenParquet] and
// [OpenArrow] to get a [Reader], and [NewParquet], [NewArrow] and [NewArrowStream] to get a [Writer].
// The package is independent of calculations. A column has a name, perhaps a unit, and cells of one
// kind, which may be null.
package columns

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Kind is the kind of the cells of a column.
type Kind uint8

// The kinds of columns.
const (
	Number  Kind = iota // binary64
	Integer             // of 64 bits, signed
	Truth               // true or false
	Text                // UTF-8; also numbers that no other kind represents with all their digits
	Bytes               // any bytes
	Unread              // cells of none of these kinds, such as lists: they cannot be read
)

// Column describes a column.
type Column struct {
	Name string
	Unit string // of its numbers, "" if the file names none
	Kind Kind
	Form Form

	// Repeats reports whether the column has few different texts, so that it is written as a
	// dictionary.
	Repeats bool

	// Type is the name that the file has for the type of the cells, for messages.
	Type string

	// Extension is the name of an Arrow extension type, and ExtensionOf its metadata. Both are copied to the output.
	Extension, ExtensionOf string
}

// Form is how a file encodes cells of a kind, so that they can be written as they were read. The zero
// value is the most common encoding: binary64, signed integers of 64 bits, text, or bytes of any length.
type Form struct {
	Bits             int  // of a number, an integer or a decimal, if not the default
	Unsigned         bool // unsigned integers; with 64 bits they are texts of their digits
	Precision, Scale int  // of decimals, if they are not 0: texts of their digits
	Size             int  // of bytes, if all cells have the same size; of decimals that Parquet stores as integers

	Means Meaning
	Per   Unit   // of a time
	Zone  string // of a Timestamp; "" if it is local time
}

// Meaning is the meaning of an integer, a text or bytes that cannot be an input of a calculation directly.
type Meaning uint8

// The meanings of cells.
const (
	Null      Meaning = iota
	Date              // an integer: days since 1970, or milliseconds if it has 64 bits
	Clock             // an integer: the time since midnight
	Timestamp         // an integer: the time since 1970
	Duration          // an integer
	Interval          // months, days and times: an integer, or bytes
	UUID              // 16 bytes
	BSON              // bytes
	Int96             // 12 bytes: an obsolete kind of timestamp
	JSON              // a text
	Enum              // a text
)

// Unit is a unit of time.
type Unit uint8

// The units of time.
const (
	Seconds Unit = iota
	Millis
	Micros
	Nanos
)

// Data holds the cells of a column. The slice for its kind has one element for each cell, and a zero
// for a null.
type Data struct {
	Null     []bool
	Numbers  []float64
	Integers []int64
	Truths   []bool
	Texts    []string // or bytes
}

// reset prepares the data for a number of rows. All cells are zero and none is null.
func (d *Data) reset(k Kind, rows int) {
	d.Null = zeros(d.Null, rows)
	switch k {
	case Number:
		d.Numbers = zeros(d.Numbers, rows)
	case Integer:
		d.Integers = zeros(d.Integers, rows)
	case Truth:
		d.Truths = zeros(d.Truths, rows)
	case Text, Bytes:
		d.Texts = zeros(d.Texts, rows)
	}
}

// valid reports for each cell whether it is not null. It returns nil if no cell is null.
func (d *Data) valid() []bool {
	if !slices.Contains(d.Null, true) {
		return nil
	}
	valid := make([]bool, len(d.Null))
	for i, null := range d.Null {
		valid[i] = !null
	}
	return valid
}

// gather copies values of a dictionary into the block, starting at row at.
func (d *Data) gather(at int, dictionary *Data, indexes []int32) error {
	switch {
	case dictionary.Numbers != nil:
		pick(d.Numbers[at:], dictionary.Numbers, indexes)
	case dictionary.Integers != nil:
		pick(d.Integers[at:], dictionary.Integers, indexes)
	case dictionary.Texts != nil:
		pick(d.Texts[at:], dictionary.Texts, indexes)
	case dictionary.Truths != nil:
		pick(d.Truths[at:], dictionary.Truths, indexes)
	default:
		return errors.New("its dictionary is empty")
	}
	return nil
}

func pick[T any](dst, words []T, indexes []int32) {
	for k, i := range indexes {
		dst[k] = words[i]
	}
}

func zeros[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// Block holds some rows of a file, by columns.
type Block struct {
	Rows    int
	Columns []Data
}

// Reset prepares the block for that many rows. All cells are zero and none is null.
func (b *Block) Reset(columns []Column, rows int) {
	b.Rows = rows
	if len(b.Columns) != len(columns) {
		b.Columns = make([]Data, len(columns))
	}
	for i := range columns {
		b.Columns[i].reset(columns[i].Kind, rows)
	}
}

// Shorten keeps the first rows of the block.
func (b *Block) Shorten(rows int) {
	b.Rows = rows
	for i := range b.Columns {
		d := &b.Columns[i]
		d.Null = d.Null[:rows]
		d.Numbers, d.Integers = d.Numbers[:min(rows, len(d.Numbers))], d.Integers[:min(rows, len(d.Integers))]
		d.Truths, d.Texts = d.Truths[:min(rows, len(d.Truths))], d.Texts[:min(rows, len(d.Texts))]
	}
}

// Reader reads the rows of a file in order.
type Reader interface {
	// Columns returns the columns of the file in order.
	Columns() []Column
	// Rows returns the number of rows of the file, or -1 if it is not known.
	Rows() int64
	// Metadata returns the value of a key in the metadata of the file, or "" if there is none.
	Metadata(key string) string
	// Read reads at least one and at most atMost of the next rows. There is memory for [BlockRows] of
	// them. Texts stay valid; the rest of the block is valid until the next call. The error is io.EOF
	// after the last row, or a [*FileError]. A file with a column of the kind Unread cannot be read.
	Read(b *Block, atMost int) error
	// Skip skips the next rows. It returns the same errors as Read, and io.EOF if there are fewer rows.
	Skip(rows int64) error
	io.Closer
}

// Writer writes a file.
type Writer interface {
	// Write adds the rows of a block to the file.
	Write(b *Block) error
	// Close ends the file.
	io.Closer
}

// NewWriterFunc starts a file of one format, such as [NewParquet]. The metadata is written to the file in
// addition to its columns. It may be nil.
type NewWriterFunc func(w io.Writer, columns []Column, metadata map[string]string) (Writer, error)

// MaxColumns is the largest number of columns of a file.
const MaxColumns = 1000

// tooMany returns the error for a file with n columns, including nested ones.
func tooMany(n int) error {
	return &FileError{Reason: fmt.Sprintf("the file has %d columns; at most %d are taken", n, MaxColumns)}
}

// errUnread is the error of readers for a column of the kind Unread.
var errUnread = errors.New("its cells are of a type that is not read")

// FileError describes an error in a file.
type FileError struct {
	Reason string
	Err    error // may be nil

	// TooLarge reports that the file may be valid, but that its parts need more memory at once than
	// the reader has.
	TooLarge bool
}

func (e *FileError) Error() string {
	text := e.Reason
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	if len(text) > maxText { // names in a file may be of any length
		text = strings.ToValidUTF8(text[:maxText], "") + "..."
	}
	return text
}

// maxText is the maximum length of the text of a [FileError], in bytes.
const maxText = 400

func (e *FileError) Unwrap() error { return e.Err }

// unexpected returns the error for a file that ends too early.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// recovered turns a panic of a library into an error, because a file of a client can contain anything.
func recovered(err *error) {
	p := recover()
	if known, ok := p.(*FileError); ok {
		*err = known
	} else if p != nil {
		*err = &FileError{Reason: "the file is damaged", Err: fmt.Errorf("%v", p)}
	}
}
