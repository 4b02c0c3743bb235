// Package columns answers what is in the columns of a Parquet or Arrow file, and writes columns
// as such a file. It knows nothing of calculations: a column has a name, perhaps a unit, and
// cells of one kind, each of which may be null.
package columns

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Kind is what is in the cells of a column.
type Kind uint8

// The kinds of columns.
const (
	Number  Kind = iota // binary64
	Integer             // of 64 bits, signed
	Truth               // true or false
	Text                // UTF-8; also numbers that no other kind has with all their digits
	Bytes               // anything
	Unread              // cells of none of these kinds, such as lists: they cannot be read
)

// Column says what a column is.
type Column struct {
	Name string
	Unit string // of its numbers, "" if the file does not say
	Kind Kind
	Form Form

	// Repeats says that few different texts are in the column, so that it is written as a
	// dictionary.
	Repeats bool

	// Type is what the file calls the type of its cells, for messages.
	Type string

	// Extension is the name of an Arrow extension type, and ExtensionOf its metadata. Both are passed on.
	Extension, ExtensionOf string
}

// Form is how a file has cells of a kind, so that they are written as they were read. The zero value
// is the most common one: binary64, integers of 64 bits with a sign, text, or bytes of any length.
type Form struct {
	Bits             int  // of a number, an integer or a decimal, if it is not what is usual
	Unsigned         bool // integers without a sign; those of 64 bits are texts of their digits
	Precision, Scale int  // of decimals, if they are not 0: texts of their digits
	Size             int  // of bytes, if all cells have as many; of decimals that Parquet has as integers

	Means Meaning
	Per   Unit   // of a time
	Zone  string // of a Moment; "" if it is local
}

// Meaning is what an integer, a text or bytes mean that are no input of a calculation as they are.
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
	Int96             // 12 bytes: an old kind of moment
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

// Data is the cells of a column. The slice of its kind has one element for each, with a zero for
// a null.
type Data struct {
	Null     []bool
	Numbers  []float64
	Integers []int64
	Truths   []bool
	Texts    []string // or bytes
}

// reset makes the data that of rows cells, none of which is null.
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

// valid tells of each cell that it is not null; nil if none is.
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

// gather puts values of a dictionary into a block, from its row at on.
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

// Block is some rows of a file, by columns.
type Block struct {
	Rows    int
	Columns []Data
}

// Reset makes the block one of that many rows without nulls, in which every cell is zero.
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

// Reader reads the rows of a file, in their order.
type Reader interface {
	// Columns returns the columns of the file, in their order.
	Columns() []Column
	// Rows returns how many rows the file has, -1 if that is not known.
	Rows() int64
	// Metadata returns what the file says under a key, "" if it says nothing.
	Metadata(key string) string
	// Read reads the next rows, at least one and at most as many as are asked for, of which [BlockRows]
	// is what there is memory for. Texts are
	// valid for good, the rest of the block until the next call. The error is io.EOF after the
	// last row, or a [*FileError]. A file with a column of the kind Unread cannot be read.
	Read(b *Block, atMost int) error
	// Skip leaves out the next rows. The error is as from Read; io.EOF says that there were not
	// so many.
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

// Begin begins a file of one form, such as [NewParquet]. The metadata, which may be nil, is what the file
// says beside its columns.
type Begin func(w io.Writer, columns []Column, metadata map[string]string) (Writer, error)

// MaxColumns is how many columns a file may have.
const MaxColumns = 1000

// tooMany refuses a file with so many columns, those within columns counted.
func tooMany(n int) error {
	return &FileError{Reason: fmt.Sprintf("the file has %d columns; at most %d are taken", n, MaxColumns)}
}

// errUnread is what readers return of a column of the kind Unread.
var errUnread = errors.New("its cells are of a type that is not read")

// FileError says what is wrong with a file.
type FileError struct {
	Reason string
	Err    error // may be nil

	// TooLarge says that the file may be sound, but that parts of it take more memory at once than is
	// given to them.
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

// maxText bounds what is told of a file, in bytes.
const maxText = 400

func (e *FileError) Unwrap() error { return e.Err }

// unexpected is the error of a file that ends where more must follow.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// recovered turns a panic of a library into an error: a file from outside may be anything.
func recovered(err *error) {
	p := recover()
	if known, ok := p.(*FileError); ok {
		*err = known
	} else if p != nil {
		*err = &FileError{Reason: "the file is damaged", Err: fmt.Errorf("%v", p)}
	}
}
