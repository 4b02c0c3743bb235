package columns

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// unitsKey is the metadata key of the units of the columns: a JSON object with names and units.
const unitsKey = "slipstick.units"

// parquetReader reads Parquet.
type parquetReader struct {
	footer  *footer
	file    io.ReaderAt
	size    int64
	columns []Column
	leaves  []leaf // of each column

	budget int64   // bytes left for pages
	pages  []pages // of the columns in the current group
	group  int     // index of the next group
	left   int64   // rows left in the current group
}

// leaf describes how to read a column without nested columns.
type leaf struct {
	physical
	chunk int // its index in a group
	fill  fill
}

// OpenParquet reads the schema of a Parquet file. It acquires all memory that reading takes at a time
// before it allocates any.
func OpenParquet(r io.ReaderAt, size int64, acquire Acquire) (_ Reader, err error) {
	defer recovered(&err)
	n, err := measure(r, size)
	if err != nil {
		return nil, err
	}
	if err := acquire.take(n.description + n.pages); err != nil {
		return nil, err
	}
	p := &parquetReader{file: r, size: size, budget: n.pages}
	p.footer, err = readFooter(r, size)
	if err != nil {
		return nil, err
	}
	units, err := p.units()
	if err != nil {
		return nil, err
	}
	if err := p.addColumns(units); err != nil {
		return nil, err
	}
	return p, p.checkGroups()
}

// arrowKey is the metadata key of the original Arrow schema, from libraries that convert Arrow to
// Parquet.
const arrowKey = "ARROW:schema"

// units returns the units of columns. They are in the metadata of the file, and in the metadata of the
// columns in an embedded Arrow schema.
func (p *parquetReader) units() (map[string]string, error) {
	units := map[string]string{}
	if schema, err := base64.StdEncoding.DecodeString(p.Metadata(arrowKey)); err == nil && len(schema) > 0 {
		if columns, err := OpenArrow(bytes.NewReader(schema), nil); err == nil { // else the schema is ignored
			for _, c := range columns.Columns() {
				units[c.Name] = c.Unit
			}
		}
	}
	if text := p.Metadata(unitsKey); text != "" {
		if err := json.Unmarshal([]byte(text), &units); err != nil {
			return nil, &FileError{Reason: "the units in the metadata of the file, " + unitsKey + ", are not an object of names and units", Err: err}
		}
	}
	return units, nil
}

// addColumns adds the columns of the file: the elements at the root of the schema.
func (p *parquetReader) addColumns(units map[string]string) error {
	schema := p.footer.Schema
	if len(schema) == 0 {
		return errSchema("it has no root")
	}
	columns := int(schema[0].NumChildren.V)
	if columns > MaxColumns {
		return tooMany(columns)
	}
	at, chunk := 1, 0
	for range columns {
		if at >= len(schema) {
			return errSchema("a column is missing")
		}
		e := &schema[at]
		c := Column{Name: e.Name, Unit: units[e.Name], Type: "nested"}
		next, leaves, err := within(schema, at)
		if err != nil {
			return err
		}
		l := leaf{chunk: chunk}
		if isLeaf(e) && e.RepetitionType.V != format.Repeated {
			if err := l.read(e, &c); err != nil {
				return err
			}
		} else {
			c.Kind = Unread
		}
		p.columns, p.leaves = append(p.columns, c), append(p.leaves, l)
		at, chunk = next, chunk+leaves
	}
	if at != len(schema) {
		return errSchema("it has more columns than its root")
	}
	return nil
}

func errSchema(why string) error {
	return &FileError{Reason: "the schema of the file is damaged", Err: errors.New(why)}
}

func isLeaf(e *format.SchemaElement) bool { return !e.NumChildren.Valid || e.Type.Valid }

// within returns the index after an element and all its nested elements, and the number of its leaves.
func within(schema []format.SchemaElement, at int) (next, leaves int, err error) {
	for open := 1; open > 0; open-- {
		if at >= len(schema) {
			return 0, 0, errSchema("a column is missing")
		}
		e := &schema[at]
		at++
		if isLeaf(e) {
			leaves++
			continue
		}
		n := int(e.NumChildren.V)
		if n < 0 || n > len(schema) {
			return 0, 0, errSchema("a column has other columns that are missing")
		}
		open += n
	}
	return at, leaves, nil
}

// checkGroups compares the groups of rows with the schema.
func (p *parquetReader) checkGroups() error {
	rows := int64(0)
	for g := range p.footer.Groups {
		group := &p.footer.Groups[g]
		switch {
		case group.Rows < 0:
			return &FileError{Reason: "a group has a negative number of rows"}
		case group.Rows > math.MaxInt64-rows:
			return &FileError{Reason: "the groups have more rows than can be counted"}
		}
		rows += group.Rows
		for i := range p.columns {
			l := &p.leaves[i]
			if p.columns[i].Kind == Unread {
				continue
			}
			if err := l.check(group, p.size); err != nil {
				return &FileError{Reason: fmt.Sprintf("column %q cannot be read", p.columns[i].Name), Err: err}
			}
		}
	}
	if rows != p.footer.Rows {
		return &FileError{Reason: fmt.Sprintf("the file has %d rows, and its groups %d", p.footer.Rows, rows)}
	}
	return nil
}

// check compares the column's chunk in a group with the schema.
func (l *leaf) check(g *group, size int64) error {
	if l.chunk >= len(g.Columns) {
		return errors.New("a group of rows does not have it")
	}
	c := &g.Columns[l.chunk]
	switch codec := c.Pages.V.Codec; {
	case c.Encrypted.Valid:
		return errors.New("it is encrypted")
	case !c.Pages.Valid || c.File != "":
		return errors.New("its pages are in another file")
	case c.Pages.V.Type != l.Type:
		return fmt.Errorf("it is of the type %v, and its pages of %v", l.Type, c.Pages.V.Type)
	case codec != format.Uncompressed && codec != format.Snappy && codec != format.Gzip && codec != format.Zstd:
		return &FileError{Reason: fmt.Sprintf("the pages are compressed with %v; Snappy, gzip and Zstandard are read", codec)}
	}
	_, _, err := c.Pages.V.within(size)
	return err
}

// read determines the type of the column that a schema element describes, and how to read it.
func (l *leaf) read(e *format.SchemaElement, c *Column) error {
	logical := logicalOf(e)
	l.physical = physical{Type: e.Type.V, optional: e.RepetitionType.Valid && e.RepetitionType.V == format.Optional}
	switch {
	case !e.Type.Valid || l.Type < format.Boolean || l.Type > format.FixedLenByteArray:
		return errSchema(fmt.Sprintf("column %q has the type %d, which there is not", e.Name, e.Type.V))
	case l.Type == format.Int96:
		l.size = int96Bytes
	case l.Type == format.FixedLenByteArray:
		l.size = int(e.TypeLength.V)
		if l.size <= 0 || l.size > maxFixed {
			return errSchema(fmt.Sprintf("column %q has values of %d bytes", e.Name, l.size))
		}
	}
	c.Type = typeName(e, logical)
	c.Kind, c.Form, l.fill = l.kindOf(logical)
	if logical == nil && c.Form.Size == intervalBytes && e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Interval {
		c.Form.Means = Interval
	}
	c.Repeats = c.Form.Means == Enum
	return nil
}

// maxFixed is the largest size of a value of fixed size, in bytes.
const maxFixed = 1 << 16

// logicalOf returns the logical type of a column, or nil if it has only a physical type.
func logicalOf(e *format.SchemaElement) format.LogicalTypeValue {
	if e.LogicalType.Value != nil || !e.ConvertedType.Valid {
		return e.LogicalType.Value
	}
	switch t := e.ConvertedType.V; t {
	case deprecated.UTF8:
		return new(format.StringType)
	case deprecated.Enum:
		return new(format.EnumType)
	case deprecated.Json:
		return new(format.JsonType)
	case deprecated.Bson:
		return new(format.BsonType)
	case deprecated.Decimal:
		return &format.DecimalType{Scale: e.Scale.V, Precision: e.Precision.V}
	case deprecated.Date:
		return new(format.DateType)
	case deprecated.TimeMillis, deprecated.TimestampMillis:
		return timeOf(t == deprecated.TimestampMillis, new(format.MilliSeconds))
	case deprecated.TimeMicros, deprecated.TimestampMicros:
		return timeOf(t == deprecated.TimestampMicros, new(format.MicroSeconds))
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return &format.IntType{BitWidth: 8 << (t - deprecated.Uint8)}
	case deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
		return &format.IntType{BitWidth: 8 << (t - deprecated.Int8), IsSigned: true}
	}
	return nil
}

func timeOf(isTimestamp bool, unit format.TimeUnitValue) format.LogicalTypeValue {
	if isTimestamp {
		return &format.TimestampType{IsAdjustedToUTC: true, Unit: format.TimeUnit{Value: unit}}
	}
	return &format.TimeType{IsAdjustedToUTC: true, Unit: format.TimeUnit{Value: unit}}
}

// typeName returns the name that Parquet has for the type of a column.
func typeName(e *format.SchemaElement, logical format.LogicalTypeValue) string {
	switch {
	case logical != nil:
		return logical.String()
	case e.ConvertedType.Valid && e.ConvertedType.V == deprecated.Interval:
		return "INTERVAL"
	case e.Type.V == format.FixedLenByteArray:
		return fmt.Sprintf("%v(%d)", e.Type.V, e.TypeLength.V)
	}
	return e.Type.V.String()
}

// kindOf returns the kind and the form of the cells of a column, and the function that copies its values.
func (l *leaf) kindOf(logical format.LogicalTypeValue) (Kind, Form, fill) {
	switch t := logical.(type) {
	case *format.DecimalType:
		if isDecimal(l.Type) && t.Scale >= 0 && t.Scale <= maxScale && t.Precision > 0 && t.Precision <= maxDigits {
			size := map[format.Type]int{format.Int32: 4, format.Int64: 8}[l.Type]
			return Text, Form{Precision: int(t.Precision), Scale: int(t.Scale), Size: size}, l.decimals(int(t.Scale))
		}
	case *format.StringType:
		if l.Type == format.ByteArray {
			return Text, Form{}, putByteTexts
		}
	case *format.EnumType:
		if l.Type == format.ByteArray {
			return Text, Form{Means: Enum}, putByteTexts
		}
	case *format.JsonType:
		if l.Type == format.ByteArray {
			return Text, Form{Means: JSON}, putByteTexts
		}
	case *format.BsonType:
		if l.Type == format.ByteArray {
			return Bytes, Form{Means: BSON}, putBytes
		}
	case *format.UUIDType:
		if l.Type == format.FixedLenByteArray && l.size == uuidBytes {
			return Bytes, Form{Means: UUID, Size: uuidBytes}, putBytes
		}
	case *format.Float16Type:
		if l.Type == format.FixedLenByteArray && l.size == 2 {
			return Number, Form{Bits: 16}, putHalfs
		}
	case *format.DateType:
		if l.Type == format.Int32 {
			return Integer, Form{Bits: 32, Means: Date}, putInt32s(Form{Bits: 32})
		}
	case *format.TimeType:
		switch per := unitOf(t.Unit); {
		case l.Type == format.Int32 && per == Millis:
			return Integer, Form{Bits: 32, Means: Clock, Per: per, Zone: zoneOf(t.IsAdjustedToUTC)}, putInt32s(Form{Bits: 32})
		case l.Type == format.Int64 && per > Millis:
			return Integer, Form{Means: Clock, Per: per, Zone: zoneOf(t.IsAdjustedToUTC)}, putInt64s
		}
	case *format.TimestampType:
		if per := unitOf(t.Unit); l.Type == format.Int64 && per >= Millis {
			return Integer, Form{Means: Timestamp, Per: per, Zone: zoneOf(t.IsAdjustedToUTC)}, putInt64s
		}
	case *format.NullType:
		return Text, Form{}, func(*Data, int, *values, int, int) error { return errors.New("a column of nulls has a value") }
	case *format.IntType:
		switch f := (Form{Bits: int(t.BitWidth) % 64, Unsigned: !t.IsSigned}); {
		case l.Type == format.Int32 && (f.Bits == 8 || f.Bits == 16 || f.Bits == 32):
			return Integer, f, putInt32s(f)
		case l.Type == format.Int64 && f == Form{Unsigned: true}:
			return Text, f, putUint64s
		case l.Type == format.Int64 && f == Form{}:
			return Integer, f, putInt64s
		}
	case nil:
		switch l.Type {
		case format.Boolean:
			return Truth, Form{}, putTruths
		case format.Int32:
			return Integer, Form{Bits: 32}, putInt32s(Form{Bits: 32})
		case format.Int64:
			return Integer, Form{}, putInt64s
		case format.Float:
			return Number, Form{Bits: 32}, putFloats
		case format.Double:
			return Number, Form{}, putDoubles
		case format.ByteArray:
			return Bytes, Form{}, putBytes
		case format.FixedLenByteArray:
			return Bytes, Form{Size: l.size}, putBytes
		case format.Int96:
			return Bytes, Form{Size: l.size, Means: Int96}, putBytes
		}
	}
	return Unread, Form{}, nil
}

func isDecimal(t format.Type) bool {
	return t == format.Int32 || t == format.Int64 || t == format.ByteArray || t == format.FixedLenByteArray
}

// unitOf returns a unit of time, or Seconds if Parquet has no such unit.
func unitOf(u format.TimeUnit) Unit {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return Millis
	case *format.MicroSeconds:
		return Micros
	case *format.NanoSeconds:
		return Nanos
	}
	return Seconds
}

func zoneOf(utc bool) string {
	if utc {
		return "UTC"
	}
	return ""
}

// resized returns a slice with at least n elements.
func resized[T any](s []T, n int) []T {
	if len(s) < n {
		s = append(s, make([]T, n-len(s))...)
	}
	return s
}

func putDoubles(d *Data, at int, v *values, from, n int) error {
	d.Numbers = resized(d.Numbers, at+n)
	copy(d.Numbers[at:], v.doubles[from:from+n])
	return nil
}

func putFloats(d *Data, at int, v *values, from, n int) error {
	d.Numbers = resized(d.Numbers, at+n)
	convert(d.Numbers[at:at+n], v.floats[from:])
	return nil
}

func putTruths(d *Data, at int, v *values, from, n int) error {
	d.Truths = resized(d.Truths, at+n)
	for k, bit := range v.truths[from : from+n] {
		d.Truths[at+k] = bit != 0
	}
	return nil
}

func putInt64s(d *Data, at int, v *values, from, n int) error {
	d.Integers = resized(d.Integers, at+n)
	copy(d.Integers[at:], v.int64s[from:from+n])
	return nil
}

// putInt32s returns the function that copies integers of at most 32 bits.
func putInt32s(f Form) fill {
	return func(d *Data, at int, v *values, from, n int) error {
		d.Integers = resized(d.Integers, at+n)
		for k, i := range v.int32s[from : from+n] {
			x := int64(i)
			if f.Unsigned {
				x = int64(uint32(i))
			}
			if !f.holds(x) {
				return fmt.Errorf("%d is not an integer of %d bits", x, f.Bits)
			}
			d.Integers[at+k] = x
		}
		return nil
	}
}

// holds reports whether an integer fits the form.
func (f Form) holds(x int64) bool {
	if f.Unsigned {
		return x>>f.Bits == 0
	}
	return x>>(f.Bits-1) == x>>63
}

func putUint64s(d *Data, at int, v *values, from, n int) error {
	d.Texts = resized(d.Texts, at+n)
	for k, i := range v.int64s[from : from+n] {
		d.Texts[at+k] = strconv.FormatUint(uint64(i), 10)
	}
	return nil
}

// putByteTexts copies the texts of a block in one pass.
func putByteTexts(d *Data, at int, v *values, from, n int) error {
	if err := putBytes(d, at, v, from, n); err != nil {
		return err
	}
	for _, text := range d.Texts[at : at+n] {
		if !utf8.ValidString(text) {
			return errNotUTF8
		}
	}
	return nil
}

// putBytes copies the bytes of a block in one pass.
func putBytes(d *Data, at int, v *values, from, n int) error {
	d.Texts = resized(d.Texts, at+n)
	start := v.start(from)
	all := string(v.text[start:v.start(from+n)])
	for k := range n {
		d.Texts[at+k] = all[v.start(from+k)-start+v.prefix : v.start(from+k+1)-start]
	}
	return nil
}

func putHalfs(d *Data, at int, v *values, from, n int) error {
	d.Numbers = resized(d.Numbers, at+n)
	for k := range n {
		d.Numbers[at+k] = float64(float16.FromLEBytes(v.bytes(from + k)).Float32())
	}
	return nil
}

// decimals returns the function that copies decimals with scale digits after the point.
func (l *leaf) decimals(scale int) fill {
	return func(d *Data, at int, v *values, from, n int) (err error) {
		d.Texts = resized(d.Texts, at+n)
		unscaled := new(big.Int)
		for k := from; k < from+n && err == nil; k++ {
			switch l.Type {
			case format.Int32:
				unscaled.SetInt64(int64(v.int32s[k]))
			case format.Int64:
				unscaled.SetInt64(v.int64s[k])
			default: // two's complement, most significant byte first
				raw := v.bytes(k)
				unscaled.SetBytes(raw)
				if len(raw) > 0 && raw[0] >= 0x80 {
					unscaled.Sub(unscaled, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw))))
				}
			}
			d.Texts[at+k-from], err = decimalText(unscaled, scale)
		}
		return err
	}
}

func (p *parquetReader) Columns() []Column { return p.columns }

func (p *parquetReader) Rows() int64 { return p.footer.Rows }

func (p *parquetReader) Metadata(key string) string {
	for _, m := range p.footer.Metadata {
		if m.Key == key {
			return m.Value
		}
	}
	return ""
}

func (p *parquetReader) Read(b *Block, atMost int) (err error) {
	defer recovered(&err)
	for p.left == 0 {
		if err := p.nextGroup(); err != nil {
			return err
		}
	}
	rows := int(min(int64(atMost), p.left))
	b.Reset(p.columns, rows)
	for i := range p.columns {
		if err := p.readColumn(&b.Columns[i], i, rows); err != nil {
			return p.columnError(i, err)
		}
	}
	p.left -= int64(rows)
	return nil
}

func (p *parquetReader) columnError(column int, err error) error {
	if known, ok := errors.AsType[*FileError](err); ok && known.TooLarge {
		return known
	}
	return &FileError{Reason: fmt.Sprintf("column %q cannot be read", p.columns[column].Name), Err: err}
}

// readColumn reads the next rows of a column.
func (p *parquetReader) readColumn(d *Data, column, rows int) error {
	fill := p.leaves[column].fill
	if fill == nil {
		return errUnread
	}
	for at := 0; at < rows; {
		n, err := p.pages[column].read(d, at, rows-at, fill)
		if err != nil {
			return err
		}
		at += n
	}
	return nil
}

// Skip skips whole groups and pages without looking at their values.
func (p *parquetReader) Skip(rows int64) (err error) {
	defer recovered(&err)
	for rows > p.left {
		rows, p.left = rows-p.left, 0
		groups := p.footer.Groups
		for p.group < len(groups) && groups[p.group].Rows <= rows {
			rows -= groups[p.group].Rows
			p.group++
		}
		if rows == 0 {
			return nil
		}
		if err := p.nextGroup(); err != nil {
			return err
		}
	}
	p.left -= rows
	if p.left == 0 {
		return nil
	}
	for i := range p.pages {
		if err := p.pages[i].skip(rows, p.leaves[i].fill); err != nil {
			return p.columnError(i, err)
		}
	}
	return nil
}

// nextGroup starts the next group of rows.
func (p *parquetReader) nextGroup() error {
	if p.group == len(p.footer.Groups) {
		return io.EOF
	}
	group := &p.footer.Groups[p.group]
	p.group++
	p.left = group.Rows
	p.pages = resized(p.pages, len(p.columns))
	for i := range p.pages {
		l, c := &p.leaves[i], &p.pages[i]
		if l.fill == nil {
			continue
		}
		chunk := &group.Columns[l.chunk].Pages.V
		*c = pages{file: p.file, at: chunk.start(), left: chunk.Size, codec: chunk.Codec, kind: l.physical, budget: &p.budget, pageMemory: c.pageMemory}
	}
	return nil
}

func (p *parquetReader) Close() error { return nil }

// Limits of a group of rows in a written file. The group ends at the first limit it reaches.
const (
	groupRows  = 1 << 17
	groupBytes = 8 << 20 // of its cells
)

// parquetWriter writes Parquet.
type parquetWriter struct {
	columns []Column
	writer  *parquet.GenericWriter[any]
	rows    int // of the current group
	bytes   int // of its cells
	values  []parquet.Value
	nulls   [][]parquet.Value // of each column, as many as were needed so far
}

// NewParquet starts a Parquet file. The names of columns must differ. The metadata is written to the
// file in addition to its columns. It may be nil.
func NewParquet(w io.Writer, columns []Column, metadata map[string]string) (Writer, error) {
	var root orderedGroup
	units := map[string]string{}
	for _, c := range columns {
		node := parquetNode(&c)
		if node == nil {
			return nil, errNoForm(&c, "Parquet")
		}
		root.fields = append(root.fields, field{parquet.Optional(node), c.Name})
		if c.Unit != "" {
			units[c.Name] = c.Unit
		}
	}
	options := []parquet.WriterOption{parquet.NewSchema("answers", &root), parquet.Compression(&parquet.Snappy), parquet.CreatedBy("slipstick", "", "")}
	if len(units) > 0 {
		text, err := json.Marshal(units)
		if err != nil {
			return nil, err
		}
		options = append(options, parquet.KeyValueMetadata(unitsKey, string(text)))
	}
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		options = append(options, parquet.KeyValueMetadata(key, metadata[key]))
	}
	return &parquetWriter{columns: columns, nulls: make([][]parquet.Value, len(columns)), writer: parquet.NewGenericWriter[any](w, options...)}, nil
}

// parquetNode returns the schema node of a column, or nil if Parquet does not have its type.
func parquetNode(c *Column) parquet.Node {
	switch c.Form.Means {
	case Date:
		return parquet.Date()
	case Clock:
		return parquet.TimeAdjusted(parquetUnit(c.Form.Per), c.Form.Zone != "")
	case Timestamp:
		return parquet.TimestampAdjusted(parquetUnit(c.Form.Per), c.Form.Zone != "")
	case UUID:
		return parquet.UUID()
	case BSON:
		return parquet.BSON()
	case Int96:
		return parquet.Leaf(parquet.Int96Type)
	case JSON:
		return parquet.JSON()
	case Enum:
		return parquet.Encoded(parquet.Enum(), &parquet.RLEDictionary)
	case Interval:
		if c.Form.Size == intervalBytes {
			return parquet.IntervalNode()
		}
		return nil
	case Duration:
		return nil
	}
	switch {
	case c.Kind == Bytes && c.Form.Size > 0:
		return parquet.Leaf(parquet.FixedLenByteArrayType(c.Form.Size))
	case c.Kind == Bytes:
		return parquet.Leaf(parquet.ByteArrayType)
	case c.Kind == Number && c.Form.Bits == 16:
		return parquet.Leaf(halfType{parquet.FixedLenByteArrayType(2)})
	case c.Kind == Number && c.Form.Bits == 32:
		return parquet.Leaf(parquet.FloatType)
	case c.Kind == Number:
		return parquet.Leaf(parquet.DoubleType)
	case c.Kind == Truth:
		return parquet.Leaf(parquet.BooleanType)
	case c.Kind == Integer && c.Form.Unsigned:
		return parquet.Uint(c.Form.Bits)
	case c.Kind == Integer:
		return parquet.Int(cmp.Or(c.Form.Bits, 64))
	case c.Form.Unsigned:
		return parquet.Uint(64)
	case c.Form.Precision > 0 && c.Form.Size == 4:
		return parquet.Decimal(c.Form.Scale, c.Form.Precision, parquet.Int32Type)
	case c.Form.Precision > 0 && c.Form.Size == 8:
		return parquet.Decimal(c.Form.Scale, c.Form.Precision, parquet.Int64Type)
	case c.Form.Precision > 0:
		return parquet.Decimal(c.Form.Scale, c.Form.Precision, parquet.FixedLenByteArrayType(decimalBytes(c.Form.Precision)))
	case c.Repeats:
		return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	}
	return parquet.String()
}

// parquetUnit returns the unit of time in Parquet. Seconds are written as milliseconds.
func parquetUnit(u Unit) parquet.TimeUnit {
	return [...]parquet.TimeUnit{Seconds: parquet.Millisecond, Millis: parquet.Millisecond, Micros: parquet.Microsecond, Nanos: parquet.Nanosecond}[u]
}

// halfType is the type of 16-bit numbers, which the library lacks.
type halfType struct{ parquet.Type }

// LogicalType implements [parquet.Type].
func (halfType) LogicalType() *format.LogicalType {
	return &format.LogicalType{Value: new(format.Float16Type)}
}

// decimalBytes returns the size of a decimal with that many digits, in bytes.
func decimalBytes(precision int) int {
	largest := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(precision)), nil)
	return largest.BitLen()/8 + 1 // with a bit for the sign
}

// orderedGroup is a group with its fields in the given order; [parquet.Group] sorts its fields.
type orderedGroup struct {
	parquet.Group // without fields, for the methods that all groups share
	fields        []parquet.Field
}

func (g *orderedGroup) Fields() []parquet.Field { return g.fields }

// field is a column in its group.
type field struct {
	parquet.Node
	name string
}

func (f field) Name() string { return f.name }

// Value implements [parquet.Field]. It returns nothing because no Go values are written.
func (f field) Value(reflect.Value) reflect.Value { return reflect.Value{} }

func (p *parquetWriter) Write(b *Block) (err error) {
	defer recovered(&err)
	for i, w := range p.writer.ColumnWriters() {
		cells, err := p.cells(&b.Columns[i], i)
		if err != nil {
			return err
		}
		if _, err := w.WriteRowValues(cells); err != nil {
			return err
		}
	}
	p.rows, p.bytes = p.rows+b.Rows, p.bytes+cellBytes(b)
	if p.rows < groupRows && p.bytes < groupBytes {
		return nil
	}
	p.rows, p.bytes = 0, 0
	return p.writer.Flush()
}

// cells returns the cells of a column. They are valid until the next call. The cells of a column of
// nulls, such as most error columns, stay unchanged.
func (p *parquetWriter) cells(d *Data, column int) ([]parquet.Value, error) {
	none := parquet.Value{}.Level(0, 0, column)
	rows := len(d.Null)
	if !slices.Contains(d.Null, false) {
		for len(p.nulls[column]) < rows {
			p.nulls[column] = append(p.nulls[column], none)
		}
		return p.nulls[column][:rows], nil
	}
	p.values = slices.Grow(p.values[:0], rows)[:rows]
	c := &p.columns[column]
	if c.Kind == Number && c.Form == (Form{}) && !slices.Contains(d.Null, true) { // the most common case
		for i, x := range d.Numbers {
			p.values[i] = parquet.DoubleValue(x).Level(0, 1, column)
		}
		return p.values, nil
	}
	last := -1 // the row of the previous text, which often is the same
	for i, null := range d.Null {
		switch {
		case null:
			p.values[i] = none
			continue
		case c.Kind == Text && last >= 0 && d.Texts[i] == d.Texts[last]:
			p.values[i] = p.values[last]
			continue
		}
		v, err := valueOf(c, d, i)
		if err != nil {
			return nil, err
		}
		p.values[i], last = v.Level(0, 1, column), i
	}
	return p.values, nil
}

// valueOf returns the Parquet value of a cell that is not null.
func valueOf(c *Column, d *Data, i int) (parquet.Value, error) {
	switch {
	case c.Kind == Bytes && c.Form.Means == Int96:
		raw := []byte(d.Texts[i])
		return parquet.Int96Value(deprecated.Int96{binary.LittleEndian.Uint32(raw), binary.LittleEndian.Uint32(raw[4:]), binary.LittleEndian.Uint32(raw[8:])}), nil
	case c.Kind == Bytes && c.Form.Size > 0:
		return parquet.FixedLenByteArrayValue([]byte(d.Texts[i])), nil
	case c.Kind == Number && c.Form.Bits == 16:
		return parquet.FixedLenByteArrayValue(float16.New(float32(d.Numbers[i])).ToLEBytes()), nil
	case c.Kind == Integer && c.Form.Means != Null:
		return timeValue(&c.Form, d.Integers[i])
	case c.Kind == Number && c.Form.Bits == 32:
		return parquet.FloatValue(float32(d.Numbers[i])), nil
	case c.Kind == Number:
		return parquet.DoubleValue(d.Numbers[i]), nil
	case c.Kind == Truth:
		return parquet.BooleanValue(d.Truths[i]), nil
	case c.Kind == Integer && c.Form.Bits != 0:
		return parquet.Int32Value(int32(d.Integers[i])), nil // unsigned integers have the same bits
	case c.Kind == Integer:
		return parquet.Int64Value(d.Integers[i]), nil
	case c.Form.Unsigned:
		n, err := strconv.ParseUint(d.Texts[i], 10, 64)
		return parquet.Int64Value(int64(n)), err
	case c.Form.Precision > 0:
		unscaled, err := unscaledOf(d.Texts[i], c.Form)
		switch {
		case err != nil:
			return parquet.Value{}, err
		case c.Form.Size == 4:
			return parquet.Int32Value(int32(unscaled.Int64())), nil
		case c.Form.Size == 8:
			return parquet.Int64Value(unscaled.Int64()), nil
		}
		return decimalValue(unscaled, decimalBytes(c.Form.Precision))
	}
	return parquet.ByteArrayValue([]byte(d.Texts[i])), nil
}

// timeValue returns a date or a time in the encoding of Parquet.
func timeValue(f *Form, n int64) (parquet.Value, error) {
	const day = 24 * 60 * 60 * 1000 // milliseconds
	switch {
	case f.Means == Date && f.Bits != 32:
		return parquet.Int32Value(int32(n / day)), nil
	case f.Per == Seconds && f.Means != Date:
		if n > math.MaxInt64/1000 || n < math.MinInt64/1000 {
			return parquet.Value{}, errors.New("a time is further away than Parquet can say")
		}
		n *= 1000
	}
	if f.Means == Date || f.Means == Clock && f.Per <= Millis {
		return parquet.Int32Value(int32(n)), nil
	}
	return parquet.Int64Value(n), nil
}

// decimalValue returns an integer in two's complement, most significant byte first.
func decimalValue(n *big.Int, bytes int) (parquet.Value, error) {
	if n.BitLen() >= 8*bytes {
		return parquet.Value{}, errors.New("a decimal has more digits than its column")
	}
	if n.Sign() < 0 {
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), uint(8*bytes)))
	}
	return parquet.FixedLenByteArrayValue(n.FillBytes(make([]byte, bytes))), nil
}

func (p *parquetWriter) Close() (err error) {
	defer recovered(&err)
	return p.writer.Close()
}
