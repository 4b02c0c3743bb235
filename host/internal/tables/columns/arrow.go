package columns

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Keys of a field's metadata: its unit, and the name and the metadata of its extension type.
const (
	unitKey        = "unit"
	extensionKey   = "ARROW:extension:name"
	extensionOfKey = "ARROW:extension:metadata"
	uuidExtension  = "arrow.uuid"
)

// arrowReader reads the streaming form of Arrow.
type arrowReader struct {
	messages *messages
	reader   *ipc.Reader
	columns  []Column
	words    []words           // of each column
	batch    arrow.RecordBatch // the current one
	next     int               // the next row of the batch
}

// words holds the texts of a dictionary.
type words struct {
	of    arrow.ArrayData
	texts []string
	bytes int64 // size of the texts in memory
}

// OpenArrow reads the schema of an Arrow file in the streaming format or in the random access format. A file in the
// random access format has the same messages after a mark of eight bytes. OpenArrow acquires memory before it reads,
// and more before it reads cells that take more.
func OpenArrow(r io.Reader, acquire Acquire) (_ Reader, err error) {
	defer recovered(&err)
	if err := acquire.take(arrowMemory); err != nil {
		return nil, err
	}
	source := bufio.NewReaderSize(r, 64<<10)
	if mark, _ := source.Peek(8); bytes.Equal(mark, []byte("ARROW1\x00\x00")) {
		_, _ = source.Discard(len(mark))
	}
	a := &arrowReader{messages: &messages{source: source, acquire: acquire, held: messageBytes, dictionaries: map[int64]int64{}}}
	a.reader, err = ipc.NewReaderFromMessageReader(a.messages)
	if err != nil {
		return nil, arrowError("this is not an Arrow file, or only a part of one", err)
	}
	fields := a.reader.Schema().Fields()
	if len(fields) > MaxColumns {
		return nil, tooMany(len(fields))
	}
	for _, f := range fields {
		c := Column{Name: f.Name, Type: f.Type.String()}
		c.Kind, c.Form, c.Repeats = arrowKind(f.Type)
		c.Unit, _ = f.Metadata.GetValue(unitKey)
		c.Extension, _ = f.Metadata.GetValue(extensionKey)
		c.ExtensionOf, _ = f.Metadata.GetValue(extensionOfKey)
		if c.Extension == uuidExtension && c.Form == (Form{Size: uuidBytes}) {
			c.Form.Means = UUID
		}
		a.columns = append(a.columns, c)
	}
	a.words = make([]words, len(fields))
	return a, nil
}

// arrowError returns a [*FileError] of this package unchanged, and wraps an error of the library.
func arrowError(reason string, err error) error {
	if known, ok := errors.AsType[*FileError](err); ok {
		return known
	}
	return &FileError{Reason: reason, Err: err}
}

// arrowKind returns the kind and the form of the cells of a type, and whether it is a dictionary.
func arrowKind(t arrow.DataType) (k Kind, f Form, repeats bool) {
	switch t := t.(type) {
	case *arrow.DictionaryType:
		switch t.ValueType.(type) {
		case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
			return Text, f, true
		}
		return Unread, f, false
	case arrow.DecimalType:
		f.Precision, f.Scale = int(t.GetPrecision()), int(t.GetScale())
		if f.Scale < 0 || f.Scale > maxScale {
			return Unread, f, false
		}
		if bits := t.BitWidth(); bits < 128 {
			f.Bits = bits
		}
		return Text, f, false
	case *arrow.FixedSizeBinaryType:
		f.Size = t.ByteWidth
		if f.Size <= 0 || f.Size > maxFixed {
			return Unread, f, false
		}
		return Bytes, f, false
	case *arrow.Time32Type:
		return Integer, Form{Bits: 32, Means: Clock, Per: Unit(t.Unit)}, false
	case *arrow.Time64Type:
		return Integer, Form{Means: Clock, Per: Unit(t.Unit)}, false
	case *arrow.TimestampType:
		return Integer, Form{Means: Timestamp, Per: Unit(t.Unit), Zone: t.TimeZone}, false
	case *arrow.DurationType:
		return Integer, Form{Means: Duration, Per: Unit(t.Unit)}, false
	}
	switch t.ID() {
	case arrow.DATE32:
		return Integer, Form{Bits: 32, Means: Date}, false
	case arrow.DATE64:
		return Integer, Form{Means: Date}, false
	case arrow.INTERVAL_MONTHS:
		return Integer, Form{Bits: 32, Means: Interval}, false
	case arrow.INTERVAL_DAY_TIME:
		return Bytes, Form{Size: 8, Means: Interval}, false
	case arrow.INTERVAL_MONTH_DAY_NANO:
		return Bytes, Form{Size: 16, Means: Interval}, false
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW:
		return Bytes, f, false
	case arrow.FLOAT16:
		return Number, Form{Bits: 16}, false
	case arrow.FLOAT64:
		return Number, f, false
	case arrow.FLOAT32:
		return Number, Form{Bits: 32}, false
	case arrow.INT8, arrow.INT16, arrow.INT32:
		return Integer, Form{Bits: t.(arrow.FixedWidthDataType).BitWidth()}, false
	case arrow.INT64:
		return Integer, f, false
	case arrow.UINT8, arrow.UINT16, arrow.UINT32:
		return Integer, Form{Bits: t.(arrow.FixedWidthDataType).BitWidth(), Unsigned: true}, false
	case arrow.UINT64:
		return Text, Form{Unsigned: true}, false
	case arrow.BOOL:
		return Truth, f, false
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.NULL:
		return Text, f, false
	}
	return Unread, f, false
}

func (a *arrowReader) Columns() []Column { return a.columns }

func (a *arrowReader) Rows() int64 { return -1 }

func (a *arrowReader) Metadata(key string) string {
	metadata := a.reader.Schema().Metadata()
	text, _ := metadata.GetValue(key)
	return text
}

func (a *arrowReader) Read(b *Block, atMost int) (err error) {
	defer recovered(&err)
	if err := a.nextBatch(); err != nil {
		return err
	}
	rows := min(atMost, int(a.batch.NumRows())-a.next)
	b.Reset(a.columns, rows)
	for i := range a.columns {
		if err := a.putCells(&b.Columns[i], i); err != nil {
			if known, ok := errors.AsType[*FileError](err); ok && known.TooLarge {
				return known
			}
			return &FileError{Reason: fmt.Sprintf("column %q cannot be read", a.columns[i].Name), Err: err}
		}
	}
	a.next += rows
	return nil
}

// nextBatch reads the next batch unless the current one has rows left.
func (a *arrowReader) nextBatch() error {
	for a.batch == nil || a.next == int(a.batch.NumRows()) {
		if !a.reader.Next() {
			if err := a.reader.Err(); err != nil {
				return arrowError("the file cannot be read", err)
			}
			return io.EOF
		}
		a.batch, a.next = a.reader.RecordBatch(), 0
	}
	return nil
}

// Skip reads the batches too, because later batches may need their dictionaries.
func (a *arrowReader) Skip(rows int64) (err error) {
	defer recovered(&err)
	for rows > 0 {
		if err := a.nextBatch(); err != nil {
			return err
		}
		n := min(rows, a.batch.NumRows()-int64(a.next))
		a.next, rows = a.next+int(n), rows-n
	}
	return nil
}

// putCells copies the next cells of a column into a block of the right size.
func (r *arrowReader) putCells(d *Data, column int) (err error) {
	from, row := r.batch.Column(column), r.next
	if _, none := from.(*array.Null); none || from.NullN() != 0 {
		for i := range d.Null {
			d.Null[i] = none || from.IsNull(row+i)
		}
	}
	switch a := from.(type) {
	case *array.Null:
	case *array.Dictionary:
		words, err := r.wordsOf(a, column)
		if err != nil {
			return err
		}
		for i, null := range d.Null {
			if !null {
				d.Texts[i] = words[a.GetValueIndex(row+i)]
			}
		}
	case *array.String, *array.LargeString, *array.Binary, *array.LargeBinary, *array.FixedSizeBinary, *array.DayTimeInterval, *array.MonthDayNanoInterval:
		return putTexts(d.Texts, from, row)
	case *array.Float16:
		for i := range d.Numbers {
			d.Numbers[i] = float64(a.Value(row + i).Float32())
		}
	case *array.Date32:
		convert(d.Integers, a.Date32Values()[row:])
	case *array.Date64:
		convert(d.Integers, a.Date64Values()[row:])
	case *array.Time32:
		convert(d.Integers, a.Time32Values()[row:])
	case *array.Time64:
		convert(d.Integers, a.Time64Values()[row:])
	case *array.Timestamp:
		convert(d.Integers, a.TimestampValues()[row:])
	case *array.Duration:
		convert(d.Integers, a.DurationValues()[row:])
	case *array.MonthInterval:
		convert(d.Integers, a.MonthIntervalValues()[row:])
	case *array.StringView, *array.BinaryView: // one text can be the value of many rows
		before := r.messages.cells
		if err := r.messages.take(&r.messages.cells, textSize(from, row, len(d.Texts))); err != nil {
			return err
		}
		r.messages.cells = before
		return putTexts(d.Texts, from, row)
	case *array.Float64:
		copy(d.Numbers, a.Float64Values()[row:])
	case *array.Float32:
		convert(d.Numbers, a.Float32Values()[row:])
	case *array.Int8:
		convert(d.Integers, a.Int8Values()[row:])
	case *array.Int16:
		convert(d.Integers, a.Int16Values()[row:])
	case *array.Int32:
		convert(d.Integers, a.Int32Values()[row:])
	case *array.Int64:
		copy(d.Integers, a.Int64Values()[row:])
	case *array.Uint8:
		convert(d.Integers, a.Uint8Values()[row:])
	case *array.Uint16:
		convert(d.Integers, a.Uint16Values()[row:])
	case *array.Uint32:
		convert(d.Integers, a.Uint32Values()[row:])
	case *array.Boolean:
		for i := range d.Truths {
			d.Truths[i] = a.Value(row + i)
		}
	default:
		for i, null := range d.Null {
			if !null && err == nil {
				d.Texts[i], err = textAt(from, row+i)
			}
		}
	}
	return err
}

func convert[To float64 | int64, From ~float32 | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32](dst []To, src []From) {
	for i := range dst {
		dst[i] = To(src[i])
	}
}

// wordsOf returns the texts of the dictionary of a column.
func (r *arrowReader) wordsOf(a *array.Dictionary, column int) ([]string, error) {
	w := &r.words[column]
	if of := a.Data().Dictionary(); w.of != of {
		words := a.Dictionary()
		r.messages.texts -= w.bytes
		w.bytes = textBytes*int64(words.Len()) + textSize(words, 0, words.Len())
		if err := r.messages.take(&r.messages.texts, w.bytes); err != nil {
			return nil, err
		}
		w.of, w.texts = of, make([]string, words.Len())
		if err := putTexts(w.texts, words, 0); err != nil {
			return nil, err
		}
	}
	return w.texts, nil
}

// textSize returns the size in bytes of n texts of an array, starting at a row. All of them are present.
func textSize(from arrow.Array, row, n int) (size int64) {
	for i := row; i < row+n; i++ {
		if from.IsNull(i) {
			continue
		}
		switch a := from.(type) {
		case interface{ Value(int) string }:
			size += int64(len(a.Value(i)))
		case interface{ Value(int) []byte }:
			size += int64(len(a.Value(i)))
		}
	}
	return size
}

// putTexts copies the texts of an array, starting at a row, in one pass. The texts of nulls are empty.
func putTexts(texts []string, from arrow.Array, row int) error {
	if len(texts) == 0 {
		return nil
	}
	switch a := from.(type) {
	case *array.String:
		return cutTexts(texts, a, a.ValueBytes(), a.ValueOffsets(), row)
	case *array.LargeString:
		return cutTexts(texts, a, a.ValueBytes(), a.ValueOffsets(), row)
	case *array.Binary:
		return cutTexts(texts, a, a.ValueBytes(), a.ValueOffsets(), row)
	case *array.LargeBinary:
		return cutTexts(texts, a, a.ValueBytes(), a.ValueOffsets(), row)
	}
	for i := range texts {
		if from.IsNull(row + i) {
			continue
		}
		switch a := from.(type) {
		case *array.StringView:
			var err error
			texts[i], err = textOf(a.Value(row + i))
			if err != nil {
				return err
			}
		case *array.BinaryView:
			texts[i] = string(a.Value(row + i))
		case *array.FixedSizeBinary:
			texts[i] = string(a.Value(row + i))
		case *array.DayTimeInterval:
			v := a.Value(row + i)
			texts[i] = string(le.AppendUint32(le.AppendUint32(nil, uint32(v.Days)), uint32(v.Milliseconds)))
		case *array.MonthDayNanoInterval:
			v := a.Value(row + i)
			texts[i] = string(le.AppendUint64(le.AppendUint32(le.AppendUint32(nil, uint32(v.Months)), uint32(v.Days)), uint64(v.Nanoseconds)))
		default:
			return fmt.Errorf("there are no texts in %s", from.DataType())
		}
	}
	return nil
}

// le is the byte order of integers in Arrow.
var le = binary.LittleEndian

// cutTexts copies consecutive texts: each ends at the offset where the next one starts.
func cutTexts[Offset int32 | int64](texts []string, a arrow.Array, bytes []byte, offsets []Offset, row int) error {
	isText := arrow.IsBaseBinary(a.DataType().ID()) && a.DataType().(arrow.BinaryDataType).IsUtf8()
	first := offsets[0]
	offsets = offsets[row:]
	start := offsets[0]
	all := string(bytes[start-first : offsets[len(texts)]-first])
	for i := range texts {
		if a.IsNull(row + i) {
			continue
		}
		texts[i] = all[offsets[i]-start : offsets[i+1]-start]
		if isText && !utf8.ValidString(texts[i]) {
			return errNotUTF8
		}
	}
	return nil
}

// textAt returns the digits of a number.
func textAt(from arrow.Array, i int) (string, error) {
	switch a := from.(type) {
	case *array.Uint64:
		return strconv.FormatUint(a.Value(i), 10), nil
	case *array.Decimal32:
		return decimalText(big.NewInt(int64(a.Value(i))), scaleOf(a))
	case *array.Decimal64:
		return decimalText(big.NewInt(int64(a.Value(i))), scaleOf(a))
	case *array.Decimal128:
		return decimalText(a.Value(i).BigInt(), scaleOf(a))
	case *array.Decimal256:
		return decimalText(a.Value(i).BigInt(), scaleOf(a))
	}
	return "", fmt.Errorf("there is no text in %s", from.DataType())
}

func scaleOf(a arrow.Array) int { return int(a.DataType().(arrow.DecimalType).GetScale()) }

func (a *arrowReader) Close() (err error) {
	defer recovered(&err)
	a.reader.Release()
	return nil
}

// maxWords is the number of texts after which a dictionary is replaced by a new one: in a long file
// all texts may be different.
const maxWords = 1 << 12

// arrowWriter writes Arrow.
type arrowWriter struct {
	columns []Column
	writer  batchWriter
	builder *array.RecordBuilder
}

// batchWriter writes batches of rows in one of the two forms of Arrow.
type batchWriter interface {
	Write(arrow.RecordBatch) error
	Close() error
}

// NewArrow starts an Arrow file in the random access format. It has no dictionaries: each column
// could have only one, which is known only at the end. The metadata is written as in [NewParquet].
func NewArrow(w io.Writer, columns []Column, metadata map[string]string) (_ Writer, err error) {
	defer recovered(&err)
	columns = slices.Clone(columns)
	for i := range columns {
		columns[i].Repeats = false
	}
	schema, err := arrowSchema(columns, metadata)
	if err != nil {
		return nil, err
	}
	writer, err := ipc.NewFileWriter(w, ipc.WithSchema(schema))
	return newArrow(columns, schema, writer), err
}

// NewArrowStream starts an Arrow file in the streaming format. A dictionary that has grown is written
// again in full, because many readers refuse a message with only its new texts.
func NewArrowStream(w io.Writer, columns []Column, metadata map[string]string) (_ Writer, err error) {
	defer recovered(&err)
	schema, err := arrowSchema(columns, metadata)
	if err != nil {
		return nil, err
	}
	return newArrow(columns, schema, ipc.NewWriter(w, ipc.WithSchema(schema))), nil
}

func newArrow(columns []Column, schema *arrow.Schema, w batchWriter) *arrowWriter {
	return &arrowWriter{columns: columns, writer: w, builder: array.NewRecordBuilder(memory.DefaultAllocator, schema)}
}

func arrowSchema(columns []Column, metadata map[string]string) (*arrow.Schema, error) {
	var fields []arrow.Field
	for _, c := range columns {
		f := arrow.Field{Name: c.Name, Nullable: true, Type: arrowType(&c)}
		if f.Type == nil {
			return nil, errNoForm(&c, "Arrow")
		}
		about := map[string]string{}
		if c.Unit != "" {
			about[unitKey] = c.Unit
		}
		if c.Form.Means == UUID {
			about[extensionKey], about[extensionOfKey] = uuidExtension, ""
		} else if c.Extension != "" {
			about[extensionKey], about[extensionOfKey] = c.Extension, c.ExtensionOf
		}
		f.Metadata = arrow.MetadataFrom(about)
		fields = append(fields, f)
	}
	about := arrow.MetadataFrom(metadata)
	return arrow.NewSchema(fields, &about), nil
}

// arrowType returns the Arrow type of a column, or nil if Arrow has none.
func arrowType(c *Column) arrow.DataType {
	per := arrow.TimeUnit(c.Form.Per)
	switch c.Form.Means {
	case Date:
		if c.Form.Bits == 32 {
			return arrow.FixedWidthTypes.Date32
		}
		return arrow.FixedWidthTypes.Date64
	case Clock:
		if c.Form.Per <= Millis {
			return &arrow.Time32Type{Unit: per}
		}
		return &arrow.Time64Type{Unit: per}
	case Timestamp:
		return &arrow.TimestampType{Unit: per, TimeZone: c.Form.Zone}
	case Duration:
		return &arrow.DurationType{Unit: per}
	case Interval:
		return map[int]arrow.DataType{0: arrow.FixedWidthTypes.MonthInterval, 8: arrow.FixedWidthTypes.DayTimeInterval, 16: arrow.FixedWidthTypes.MonthDayNanoInterval}[c.Form.Size]
	case BSON, Int96:
		return nil
	}
	switch {
	case c.Kind == Bytes && c.Form.Size > 0:
		return &arrow.FixedSizeBinaryType{ByteWidth: c.Form.Size}
	case c.Kind == Bytes:
		return arrow.BinaryTypes.Binary
	case c.Kind == Number && c.Form.Bits == 16:
		return arrow.FixedWidthTypes.Float16
	case c.Kind == Number && c.Form.Bits == 32:
		return arrow.PrimitiveTypes.Float32
	case c.Kind == Number:
		return arrow.PrimitiveTypes.Float64
	case c.Kind == Truth:
		return arrow.FixedWidthTypes.Boolean
	case c.Kind == Integer && c.Form.Unsigned:
		return map[int]arrow.DataType{8: arrow.PrimitiveTypes.Uint8, 16: arrow.PrimitiveTypes.Uint16, 32: arrow.PrimitiveTypes.Uint32}[c.Form.Bits]
	case c.Kind == Integer && c.Form.Bits != 0:
		return map[int]arrow.DataType{8: arrow.PrimitiveTypes.Int8, 16: arrow.PrimitiveTypes.Int16, 32: arrow.PrimitiveTypes.Int32}[c.Form.Bits]
	case c.Kind == Integer:
		return arrow.PrimitiveTypes.Int64
	case c.Form.Unsigned:
		return arrow.PrimitiveTypes.Uint64
	case c.Form.Precision > 0 && c.Form.Bits == 32:
		return &arrow.Decimal32Type{Precision: int32(c.Form.Precision), Scale: int32(c.Form.Scale)}
	case c.Form.Precision > 0 && c.Form.Bits == 64:
		return &arrow.Decimal64Type{Precision: int32(c.Form.Precision), Scale: int32(c.Form.Scale)}
	case c.Form.Precision > maxPrecision256:
		return nil
	case c.Form.Precision > maxPrecision128:
		return &arrow.Decimal256Type{Precision: int32(c.Form.Precision), Scale: int32(c.Form.Scale)}
	case c.Form.Precision > 0:
		return &arrow.Decimal128Type{Precision: int32(c.Form.Precision), Scale: int32(c.Form.Scale)}
	case c.Repeats:
		return &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	}
	return arrow.BinaryTypes.String
}

// The largest number of digits of a decimal of 128 or 256 bits.
const (
	maxPrecision128 = 38
	maxPrecision256 = 76
)

func (a *arrowWriter) Write(b *Block) (err error) {
	defer recovered(&err)
	for i := range a.columns {
		if err := appendCells(a.builder.Field(i), &b.Columns[i], &a.columns[i]); err != nil {
			return err
		}
	}
	batch := a.builder.NewRecordBatch()
	defer batch.Release()
	for _, to := range a.builder.Fields() {
		if words, ok := to.(*array.BinaryDictionaryBuilder); ok && words.DictionarySize() > maxWords {
			words.ResetFull()
		}
	}
	return a.writer.Write(batch)
}

// appendCells appends the cells of a column.
func appendCells(to array.Builder, d *Data, c *Column) error {
	to.Reserve(len(d.Null))
	switch to := to.(type) {
	case *array.Float64Builder:
		to.AppendValues(d.Numbers, d.valid())
	case *array.Float32Builder:
		appendAs(to, d, d.Numbers)
	case *array.Int8Builder:
		appendAs(to, d, d.Integers)
	case *array.Int16Builder:
		appendAs(to, d, d.Integers)
	case *array.Int32Builder:
		appendAs(to, d, d.Integers)
	case *array.Int64Builder:
		to.AppendValues(d.Integers, d.valid())
	case *array.Uint8Builder:
		appendAs(to, d, d.Integers)
	case *array.Uint16Builder:
		appendAs(to, d, d.Integers)
	case *array.Uint32Builder:
		appendAs(to, d, d.Integers)
	case *array.BooleanBuilder:
		to.AppendValues(d.Truths, d.valid())
	case *array.Date32Builder:
		appendAs(to, d, d.Integers)
	case *array.Date64Builder:
		appendAs(to, d, d.Integers)
	case *array.Time32Builder:
		appendAs(to, d, d.Integers)
	case *array.Time64Builder:
		appendAs(to, d, d.Integers)
	case *array.TimestampBuilder:
		appendAs(to, d, d.Integers)
	case *array.DurationBuilder:
		appendAs(to, d, d.Integers)
	case *array.MonthIntervalBuilder:
		appendAs(to, d, d.Integers)
	case *array.StringBuilder:
		to.AppendValues(d.Texts, d.valid())
	default:
		half, _ := to.(*array.Float16Builder)
		for i, null := range d.Null {
			if null {
				to.AppendNull()
			} else if half != nil {
				half.Append(float16.New(float32(d.Numbers[i])))
			} else if err := appendText(to, d.Texts[i], c); err != nil {
				return err
			}
		}
	}
	return nil
}

func appendAs[To ~float32 | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32, From float64 | int64](to interface {
	Append(To)
	AppendNull()
}, d *Data, cells []From,
) {
	for i, null := range d.Null {
		if null {
			to.AppendNull()
		} else {
			to.Append(To(cells[i]))
		}
	}
}

// appendText appends a text. In a column of numbers it contains the digits of the number.
func appendText(to array.Builder, text string, c *Column) error {
	switch to := to.(type) {
	case *array.BinaryDictionaryBuilder:
		return to.AppendString(text)
	case *array.BinaryBuilder:
		to.Append([]byte(text))
		return nil
	case *array.FixedSizeBinaryBuilder:
		to.Append([]byte(text))
		return nil
	case *array.DayTimeIntervalBuilder:
		raw := []byte(text)
		to.Append(arrow.DayTimeInterval{Days: int32(le.Uint32(raw)), Milliseconds: int32(le.Uint32(raw[4:]))})
		return nil
	case *array.MonthDayNanoIntervalBuilder:
		raw := []byte(text)
		to.Append(arrow.MonthDayNanoInterval{Months: int32(le.Uint32(raw)), Days: int32(le.Uint32(raw[4:])), Nanoseconds: int64(le.Uint64(raw[8:]))})
		return nil
	case *array.Uint64Builder:
		n, err := strconv.ParseUint(text, 10, 64)
		to.Append(n)
		return err
	}
	unscaled, err := unscaledOf(text, c.Form)
	if err != nil {
		return err
	}
	switch to := to.(type) {
	case *array.Decimal32Builder:
		to.Append(decimal.Decimal32(unscaled.Int64()))
	case *array.Decimal64Builder:
		to.Append(decimal.Decimal64(unscaled.Int64()))
	case *array.Decimal128Builder:
		to.Append(decimal128.FromBigInt(unscaled))
	case *array.Decimal256Builder:
		to.Append(decimal256.FromBigInt(unscaled))
	}
	return nil
}

func (a *arrowWriter) Close() (err error) {
	defer recovered(&err)
	a.builder.Release()
	return a.writer.Close()
}
