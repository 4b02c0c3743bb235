package columns

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
)

// unitsKey is the key of a file's metadata that has the units of its columns, as a JSON object of
// names and units.
const unitsKey = "slipstick.units"

// parquetReader reads Parquet.
type parquetReader struct {
	file    *parquet.File
	columns []Column
	put     []put // a value of the column at the same index

	memory int64              // that pages take at most
	group  int                // index of the next group
	groups []parquet.RowGroup // of which that one and those behind it are not read yet
	chunks []chunk            // of the group that is read
	left   int64              // rows of that group
	values []parquet.Value
}

// chunk is what is read of a column of a row group.
type chunk struct {
	pages   parquet.Pages
	page    parquet.Page        // that is read
	values  parquet.ValueReader // of the page, unless it has doubles
	doubles []float64           // of the page, that are not read yet; nil if it has anything else
}

// open begins the next page of a column of the kind.
func (c *chunk) open(k Kind) error {
	page, err := c.pages.ReadPage()
	if err != nil {
		return unexpected(err)
	}
	c.page = page
	if data := page.Data(); k == Number && data.Kind() == encoding.Double && page.NumNulls() == 0 {
		if doubles := data.Double(); len(doubles) > 0 && int64(len(doubles)) == page.NumValues() {
			c.doubles = doubles
			return nil
		}
	}
	c.values = page.Values()
	return nil
}

// drop ends the page.
func (c *chunk) drop() {
	parquet.Release(c.page)
	c.page, c.values, c.doubles = nil, nil, nil
}

// OpenParquet reads the description of a Parquet file.
func OpenParquet(r io.ReaderAt, size int64) (_ Reader, err error) {
	defer recovered(&err)
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, &FileError{Reason: "this is no Parquet file, or only a part of one", Err: err}
	}
	p := &parquetReader{file: file, groups: file.RowGroups()}
	if err := checkCodecs(file.Metadata()); err != nil {
		return nil, err
	}
	units, err := unitsIn(file)
	if err != nil {
		return nil, err
	}
	list := file.Root().Columns()
	if len(list) > MaxColumns {
		return nil, tooMany(len(list))
	}
	for _, c := range list {
		column := Column{Name: c.Name(), Unit: units[c.Name()], Type: "nested"}
		if c.Leaf() && !c.Repeated() {
			column.Type = c.Type().String()
		}
		var put put
		column.Kind, column.Form, put = parquetKind(c)
		column.Repeats = column.Kind == Text && isEnum(c)
		p.columns, p.put = append(p.columns, column), append(p.put, put)
	}
	p.memory, err = pagesOf(r, file.Metadata().RowGroups)
	return p, err
}

// arrowKey is the key of a file's metadata that has the schema of Arrow which was written, from
// libraries that convert Arrow to Parquet.
const arrowKey = "ARROW:schema"

// unitsIn returns the units of columns: those in the metadata of the file, and of the columns that the
// schema of Arrow has in its own.
func unitsIn(file *parquet.File) (map[string]string, error) {
	units := map[string]string{}
	if text, ok := file.Lookup(arrowKey); ok {
		if schema, err := base64.StdEncoding.DecodeString(text); err == nil {
			if columns, err := OpenArrow(bytes.NewReader(schema)); err == nil { // else it tells nothing, as without it
				for _, c := range columns.Columns() {
					units[c.Name] = c.Unit
				}
			}
		}
	}
	if text, ok := file.Lookup(unitsKey); ok {
		if err := json.Unmarshal([]byte(text), &units); err != nil {
			return nil, &FileError{Reason: "the units in the metadata of the file, " + unitsKey + ", are no object of names and units", Err: err}
		}
	}
	return units, nil
}

func isEnum(c *parquet.Column) bool {
	t := c.Type().LogicalType()
	if t == nil {
		return false
	}
	_, is := t.Value.(*format.EnumType)
	return is
}

// put puts a value that is not null into a block.
type put func(d *Data, i int, v parquet.Value) error

// parquetKind returns what is in the cells of a column, how, and what puts its values into a block.
func parquetKind(c *parquet.Column) (Kind, Form, put) {
	if !c.Leaf() || c.Repeated() {
		return Unread, Form{}, nil
	}
	var logical format.LogicalTypeValue
	if t := c.Type().LogicalType(); t != nil {
		logical = t.Value
	}
	physical := c.Type().Kind()
	switch t := logical.(type) {
	case *format.DecimalType:
		return Text, Form{Precision: int(t.Precision), Scale: int(t.Scale)}, putDecimal(int(t.Scale))
	case *format.StringType, *format.EnumType, *format.JsonType:
		if physical == parquet.ByteArray {
			return Text, Form{}, putText
		}
		return Unread, Form{}, nil
	case *format.NullType:
		return Text, Form{}, func(*Data, int, parquet.Value) error { return errors.New("a column of nulls has a value") }
	case *format.IntType:
		switch f := (Form{Bits: int(t.BitWidth) % 64, Unsigned: !t.IsSigned}); {
		case physical == parquet.Int32 && f.Unsigned:
			return Integer, f, func(d *Data, i int, v parquet.Value) error { d.Integers[i] = int64(v.Uint32()); return nil }
		case physical == parquet.Int32:
			return Integer, f, putInt32
		case physical == parquet.Int64 && f == Form{Unsigned: true}:
			return Text, f, func(d *Data, i int, v parquet.Value) error {
				d.Texts[i] = strconv.FormatUint(v.Uint64(), 10)
				return nil
			}
		case physical == parquet.Int64 && f == Form{}:
			return Integer, f, putInt64
		}
		return Unread, Form{}, nil
	case nil:
	default:
		return Unread, Form{}, nil
	}
	switch physical {
	case parquet.Boolean:
		return Truth, Form{}, func(d *Data, i int, v parquet.Value) error { d.Truths[i] = v.Boolean(); return nil }
	case parquet.Int32:
		return Integer, Form{Bits: 32}, putInt32
	case parquet.Int64:
		return Integer, Form{}, putInt64
	case parquet.Float:
		return Number, Form{Bits: 32}, func(d *Data, i int, v parquet.Value) error { d.Numbers[i] = float64(v.Float()); return nil }
	case parquet.Double:
		return Number, Form{}, func(d *Data, i int, v parquet.Value) error { d.Numbers[i] = v.Double(); return nil }
	case parquet.ByteArray:
		return Text, Form{}, putText
	}
	return Unread, Form{}, nil
}

func putInt32(d *Data, i int, v parquet.Value) error { d.Integers[i] = int64(v.Int32()); return nil }

func putInt64(d *Data, i int, v parquet.Value) error { d.Integers[i] = v.Int64(); return nil }

func putText(d *Data, i int, v parquet.Value) (err error) {
	d.Texts[i], err = textOf(v.ByteArray())
	return err
}

// putDecimal returns what puts a decimal with so many digits behind the point.
func putDecimal(scale int) put {
	return func(d *Data, i int, v parquet.Value) (err error) {
		unscaled := new(big.Int)
		switch v.Kind() {
		case parquet.Int32:
			unscaled.SetInt64(int64(v.Int32()))
		case parquet.Int64:
			unscaled.SetInt64(v.Int64())
		default: // two's complement, the highest byte first
			raw := v.ByteArray()
			unscaled.SetBytes(raw)
			if len(raw) > 0 && raw[0] >= 0x80 {
				unscaled.Sub(unscaled, new(big.Int).Lsh(big.NewInt(1), uint(8*len(raw))))
			}
		}
		d.Texts[i], err = decimalText(unscaled, scale)
		return err
	}
}

func (p *parquetReader) Columns() []Column { return p.columns }

func (p *parquetReader) Rows() int64 { return p.file.NumRows() }

func (p *parquetReader) Memory() int64 { return p.memory }

func (p *parquetReader) Metadata(key string) string {
	text, _ := p.file.Lookup(key)
	return text
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
			return &FileError{Reason: fmt.Sprintf("column %q cannot be read", p.columns[i].Name), Err: err}
		}
	}
	p.left -= int64(rows)
	return nil
}

// Skip leaves out whole groups without a look at them.
func (p *parquetReader) Skip(rows int64) (err error) {
	defer recovered(&err)
	for rows > p.left {
		rows, p.left = rows-p.left, 0
		for p.group < len(p.groups) && p.groups[p.group].NumRows() <= rows {
			rows -= max(0, p.groups[p.group].NumRows())
			p.group++
		}
		if rows == 0 {
			return nil
		}
		if err := p.nextGroup(); err != nil {
			return err
		}
	}
	if p.left -= rows; rows == 0 || p.left == 0 {
		return nil
	}
	at := p.groups[p.group-1].NumRows() - p.left
	for i := range p.chunks {
		c := &p.chunks[i]
		c.drop()
		if err := c.pages.SeekToRow(at); err != nil {
			return &FileError{Reason: fmt.Sprintf("column %q cannot be read", p.columns[i].Name), Err: err}
		}
	}
	return nil
}

// nextGroup begins the next group of rows.
func (p *parquetReader) nextGroup() error {
	if err := p.endGroup(); err != nil {
		return err
	}
	if p.group == len(p.groups) {
		return io.EOF
	}
	group := p.groups[p.group]
	p.group++
	if p.left = group.NumRows(); p.left < 0 {
		return &FileError{Reason: "a group has a negative number of rows"}
	}
	for _, c := range group.ColumnChunks() {
		p.chunks = append(p.chunks, chunk{pages: c.Pages()})
	}
	return nil
}

func (p *parquetReader) endGroup() error {
	var errs []error
	for i := range p.chunks {
		parquet.Release(p.chunks[i].page)
		errs = append(errs, p.chunks[i].pages.Close())
	}
	p.chunks = p.chunks[:0]
	return errors.Join(errs...)
}

// readColumn reads a column of the next rows.
func (p *parquetReader) readColumn(d *Data, column, rows int) error {
	c, put := &p.chunks[column], p.put[column]
	if put == nil {
		return errUnread
	}
	for row := 0; row < rows; {
		if c.page == nil {
			if err := c.open(p.columns[column].Kind); err != nil {
				return err
			}
		}
		if c.doubles != nil {
			n := copy(d.Numbers[row:], c.doubles)
			if c.doubles = c.doubles[n:]; len(c.doubles) == 0 {
				c.drop()
			}
			row += n
			continue
		}
		p.values = slices.Grow(p.values[:0], rows)
		n, err := c.values.ReadValues(p.values[:rows-row])
		for i, v := range p.values[:n] {
			if v.IsNull() {
				d.Null[row+i] = true
			} else if err := put(d, row+i, v); err != nil {
				return err
			}
		}
		row += n
		switch {
		case errors.Is(err, io.EOF):
			c.drop()
		case err != nil:
			return err
		case n == 0:
			return io.ErrNoProgress
		}
	}
	return nil
}

// unexpected is the error of a file that ends where more must follow.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (p *parquetReader) Close() (err error) {
	defer recovered(&err)
	return p.endGroup()
}

// Bounds of a group of rows that is written: whichever is reached first.
const (
	groupRows  = 1 << 17
	groupBytes = 8 << 20 // of its cells
)

// parquetWriter writes Parquet.
type parquetWriter struct {
	columns []Column
	writer  *parquet.GenericWriter[any]
	rows    int // of the group that is written
	bytes   int // of its cells
	values  []parquet.Value
	nulls   [][]parquet.Value // of each column, as many as were needed
}

// NewParquet begins a Parquet file. The names of columns must differ. The metadata, which may be nil,
// is what the file says beside its columns.
func NewParquet(w io.Writer, columns []Column, metadata map[string]string) (Writer, error) {
	var root orderedGroup
	units := map[string]string{}
	for _, c := range columns {
		root.fields = append(root.fields, field{parquet.Optional(parquetNode(&c)), c.Name})
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

// parquetNode describes a column that is written.
func parquetNode(c *Column) parquet.Node {
	switch {
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
	case c.Form.Precision > 0:
		return parquet.Decimal(c.Form.Scale, c.Form.Precision, parquet.FixedLenByteArrayType(decimalBytes(c.Form.Precision)))
	case c.Repeats:
		return parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
	}
	return parquet.String()
}

// decimalBytes is how many bytes a decimal with so many digits takes.
func decimalBytes(precision int) int {
	largest := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(precision)), nil)
	return largest.BitLen()/8 + 1 // a bit is for the sign
}

// orderedGroup is a group whose fields stand as they are given; those of [parquet.Group] are sorted.
type orderedGroup struct {
	parquet.Group // of no fields, for what all groups have in common
	fields        []parquet.Field
}

func (g *orderedGroup) Fields() []parquet.Field { return g.fields }

// field is a column in its group.
type field struct {
	parquet.Node
	name string
}

func (f field) Name() string { return f.name }

// Value implements [parquet.Field]. No Go values are written.
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

// cells returns the cells of a column, until it is called again. Those of a column of nulls, as that
// of errors nearly always is, stay as they are.
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
	if c.Kind == Number && c.Form == (Form{}) && !slices.Contains(d.Null, true) { // as nearly all are
		for i, x := range d.Numbers {
			p.values[i] = parquet.DoubleValue(x).Level(0, 1, column)
		}
		return p.values, nil
	}
	last := -1 // the row of the text before, which often has the same
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

// valueOf returns a cell that is not null.
func valueOf(c *Column, d *Data, i int) (parquet.Value, error) {
	switch {
	case c.Kind == Number && c.Form.Bits == 32:
		return parquet.FloatValue(float32(d.Numbers[i])), nil
	case c.Kind == Number:
		return parquet.DoubleValue(d.Numbers[i]), nil
	case c.Kind == Truth:
		return parquet.BooleanValue(d.Truths[i]), nil
	case c.Kind == Integer && c.Form.Bits != 0:
		return parquet.Int32Value(int32(d.Integers[i])), nil // those without a sign have the same bits
	case c.Kind == Integer:
		return parquet.Int64Value(d.Integers[i]), nil
	case c.Form.Unsigned:
		n, err := strconv.ParseUint(d.Texts[i], 10, 64)
		return parquet.Int64Value(int64(n)), err
	case c.Form.Precision > 0:
		unscaled, err := unscaledOf(d.Texts[i], c.Form)
		if err != nil {
			return parquet.Value{}, err
		}
		return decimalValue(unscaled, decimalBytes(c.Form.Precision))
	}
	return parquet.ByteArrayValue([]byte(d.Texts[i])), nil
}

// decimalValue returns a whole number in two's complement, the highest byte first.
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
