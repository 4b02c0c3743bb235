package columns_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/slipstick/slipstick/host/internal/tables/columns"
)

// everyType has a column of each Parquet type.
type everyType struct {
	Date      int32            `parquet:"date,date"`
	Clock     int64            `parquet:"clock,time(microsecond)"`
	Millis    int32            `parquet:"millis,time(millisecond:local)"`
	Moment    int64            `parquet:"moment,timestamp(nanosecond)"`
	Local     int64            `parquet:"local,timestamp(millisecond:local),optional"`
	UUID      [16]byte         `parquet:"uuid,uuid"`
	Fixed     [5]byte          `parquet:"fixed"`
	Blob      []byte           `parquet:"blob,optional"`
	JSON      string           `parquet:"json,json"`
	Enum      string           `parquet:"enum,enum"`
	Price     int64            `parquet:"price,decimal(2:12)"`
	Int96     deprecated.Int96 `parquet:"int96"`
	Text      string           `parquet:"text"`
	Bool      bool             `parquet:"bool"`
	Small     int8             `parquet:"small"`
	Unsigned  uint64           `parquet:"unsigned"`
	Unsigned8 uint8            `parquet:"unsigned8"`
}

func everyRow() everyType {
	return everyType{
		Date: -1, Clock: 86_399_999_999, Millis: 1, Moment: -1, Local: 1_700_000_000_123, UUID: [16]byte{1, 2, 3, 0xff}, Fixed: [5]byte{0xff, 0xfe},
		Blob: []byte("\xff\x00\xfe"), JSON: `{"a":1}`, Enum: "red", Price: -1234, Int96: deprecated.Int96{1, 2, 3},
		Text: "é", Bool: true, Small: -128, Unsigned: math.MaxUint64, Unsigned8: 255,
	}
}

// rewritten reads a file and writes it.
func rewritten(t *testing.T, data []byte, in, out form) ([]byte, error) {
	t.Helper()
	r, err := in.open(data)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	w, err := out.create(&file, r.Columns(), nil)
	if err != nil {
		return nil, err
	}
	for block := new(columns.Block); ; {
		err := r.Read(block, 1000)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = w.Write(block)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes(), nil
}

// Columns of every Parquet type are written as they were read, including the type.
func TestEveryTypeOfParquet(t *testing.T) {
	rows := []everyType{everyRow(), {UUID: [16]byte{9}}, everyRow()}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[everyType](&file)
	if _, err := w.Write(rows); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	out, err := rewritten(t, file.Bytes(), forms[0], forms[0])
	if err != nil {
		t.Fatal(err)
	}
	got, err := parquet.Read[everyType](bytes.NewReader(out), int64(len(out)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		if g, w := got[i], rows[i]; !reflect.DeepEqual(g, w) {
			t.Errorf("row %d is %+v\nwant %+v", i, g, w)
		}
	}
	types := func(data []byte) (list []string) {
		f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Root().Columns() {
			list = append(list, c.Name()+" "+c.Type().String())
		}
		return list
	}
	before, after := types(file.Bytes()), types(out)
	for i := range before {
		if before[i] != after[i] {
			t.Errorf("%s became %s", before[i], after[i])
		}
	}
	if _, err := rewritten(t, file.Bytes(), forms[0], forms[1]); err == nil || !strings.Contains(err.Error(), `column "int96" is of the type INT96, which Arrow does not have`) {
		t.Errorf("%v", err)
	}
}

// Timestamps and UUIDs have a text; other bytes have none.
func TestTextsOfTypes(t *testing.T) {
	var file bytes.Buffer
	w := parquet.NewGenericWriter[everyType](&file)
	if _, err := w.Write([]everyType{everyRow()}); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	r, err := forms[0].open(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var b columns.Block
	if err := r.Read(&b, 10); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"date": "1969-12-31", "clock": "23:59:59.999999", "millis": "00:00:00.001", "moment": "1969-12-31T23:59:59.999999999Z",
		"local": "2023-11-14T22:13:20.123", "uuid": "010203ff-0000-0000-0000-000000000000",
	}
	none := map[string]bool{"fixed": true, "blob": true, "int96": true}
	for i, c := range r.Columns() {
		if text, ok := want[c.Name]; ok {
			got := ""
			if d := &b.Columns[i]; c.Kind == columns.Integer {
				got = c.IntegerText(d.Integers[0])
			} else {
				got = c.BytesText(d.Texts[0])
			}
			if got != text || c.IsPlain() {
				t.Errorf("%s is %s, want %s", c.Name, got, text)
			}
		}
		if c.HasText() == none[c.Name] {
			t.Errorf("%s: HasText is %v", c.Name, c.HasText())
		}
	}
}

// Columns of every flat Arrow type are written as they were read, including the type.
func TestEveryTypeOfArrow(t *testing.T) {
	uuid := arrow.NewMetadata([]string{"ARROW:extension:metadata", "ARROW:extension:name"}, []string{"", "arrow.uuid"})
	own := arrow.NewMetadata([]string{"ARROW:extension:metadata", "ARROW:extension:name"}, []string{"x", "own"})
	fields := []arrow.Field{
		{Name: "date32", Type: arrow.FixedWidthTypes.Date32}, {Name: "date64", Type: arrow.FixedWidthTypes.Date64},
		{Name: "s", Type: arrow.FixedWidthTypes.Time32s}, {Name: "ms", Type: arrow.FixedWidthTypes.Time32ms},
		{Name: "us", Type: arrow.FixedWidthTypes.Time64us}, {Name: "ns", Type: arrow.FixedWidthTypes.Time64ns},
		{Name: "utc", Type: arrow.FixedWidthTypes.Timestamp_us}, {Name: "zone", Type: &arrow.TimestampType{Unit: arrow.Second, TimeZone: "Europe/Berlin"}},
		{Name: "local", Type: &arrow.TimestampType{Unit: arrow.Nanosecond}}, {Name: "duration", Type: arrow.FixedWidthTypes.Duration_ms},
		{Name: "months", Type: arrow.FixedWidthTypes.MonthInterval}, {Name: "days", Type: arrow.FixedWidthTypes.DayTimeInterval},
		{Name: "nanos", Type: arrow.FixedWidthTypes.MonthDayNanoInterval}, {Name: "binary", Type: arrow.BinaryTypes.Binary},
		{Name: "fixed", Type: &arrow.FixedSizeBinaryType{ByteWidth: 16}, Metadata: own}, {Name: "uuid", Type: &arrow.FixedSizeBinaryType{ByteWidth: 16}, Metadata: uuid},
		{Name: "half", Type: arrow.FixedWidthTypes.Float16}, {Name: "d32", Type: &arrow.Decimal32Type{Precision: 9, Scale: 2}},
		{Name: "d64", Type: &arrow.Decimal64Type{Precision: 18, Scale: 2}}, {Name: "d128", Type: &arrow.Decimal128Type{Precision: 38, Scale: 2}},
	}
	for i := range fields {
		fields[i].Nullable = true
	}
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for _, f := range b.Fields() {
		switch f := f.(type) {
		case *array.Date32Builder:
			f.Append(-1)
		case *array.Date64Builder:
			f.Append(86_400_000)
		case *array.Time32Builder:
			f.Append(12)
		case *array.Time64Builder:
			f.Append(13)
		case *array.TimestampBuilder:
			f.Append(-14)
		case *array.DurationBuilder:
			f.Append(-15)
		case *array.MonthIntervalBuilder:
			f.Append(-16)
		case *array.DayTimeIntervalBuilder:
			f.Append(arrow.DayTimeInterval{Days: -1, Milliseconds: 2})
		case *array.MonthDayNanoIntervalBuilder:
			f.Append(arrow.MonthDayNanoInterval{Months: -1, Days: 2, Nanoseconds: -3})
		case *array.BinaryBuilder:
			f.Append([]byte("\xff\x00"))
		case *array.FixedSizeBinaryBuilder:
			f.Append([]byte("0123456789abcde\xff"))
		case *array.Float16Builder:
			f.Append(float16.New(-1.5))
		case *array.Decimal32Builder:
			f.Append(decimal.Decimal32(-123))
		case *array.Decimal64Builder:
			f.Append(decimal.Decimal64(-123))
		case *array.Decimal128Builder:
			f.Append(decimal128.FromI64(-123))
		default:
			t.Fatalf("%T", f)
		}
		f.AppendNull()
	}
	want := b.NewRecordBatch()
	var file bytes.Buffer
	w := ipc.NewWriter(&file, ipc.WithSchema(schema))
	if err := errors.Join(w.Write(want), w.Close()); err != nil {
		t.Fatal(err)
	}
	for _, out := range forms[1:] {
		data, err := rewritten(t, file.Bytes(), forms[1], out)
		if err != nil {
			t.Fatal(err)
		}
		r, err := ipc.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("ARROW1\x00\x00"))))
		if err != nil || !r.Next() {
			t.Fatal(err)
		}
		for i, f := range r.Schema().Fields() {
			if !f.Equal(fields[i]) || !array.Equal(r.RecordBatch().Column(i), want.Column(i)) {
				t.Errorf("%s: %v became %v, and %v is %v", out.name, fields[i], f, want.Column(i), r.RecordBatch().Column(i))
			}
		}
	}
	if _, err := rewritten(t, file.Bytes(), forms[1], forms[0]); err == nil || !strings.Contains(err.Error(), `column "duration" is of the type duration[ms], which Parquet does not have`) {
		t.Errorf("%v", err)
	}
}

// Every 16-bit number is read and written unchanged.
func TestHalf(t *testing.T) {
	list := []columns.Column{{Name: "x", Kind: columns.Number, Form: columns.Form{Bits: 16}}}
	for _, form := range forms {
		var b columns.Block
		b.Reset(list, 1<<16)
		for i := range b.Rows {
			b.Columns[0].Numbers[i] = float64(float16.FromBits(uint16(i)).Float32())
		}
		var file bytes.Buffer
		w, err := form.create(&file, list, nil)
		if err == nil {
			err = errors.Join(w.Write(&b), w.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		r, err := form.open(file.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if c := r.Columns()[0]; c.Kind != columns.Number || c.Form != list[0].Form {
			t.Errorf("%s: %+v", form.name, c)
		}
		var got columns.Block
		for at := 0; at < b.Rows; at += got.Rows {
			if err := r.Read(&got, 4096); err != nil {
				t.Fatal(err)
			}
			for i, x := range got.Columns[0].Numbers {
				if want := b.Columns[0].Numbers[at+i]; x != want && !(math.IsNaN(x) && math.IsNaN(want)) {
					t.Fatalf("%s: %x is %v, want %v", form.name, at+i, x, want)
				}
			}
		}
	}
}

// Valid files that few writers produce are read. A schema with an unknown type is refused.
func TestUnusualParquet(t *testing.T) {
	t.Run("a page of nulls alone has no bytes to expand", func(t *testing.T) {
		f := forge(format.Snappy, []byte{2, 0})
		f.meta.Schema[1].RepetitionType.Set(format.Optional)
		f.page.Type, f.page.DataPageHeader = format.DataPageV2, thrift.Null[format.DataPageHeader]{}
		f.page.DataPageHeaderV2.Set(format.DataPageHeaderV2{NumValues: 1, NumNulls: 1, NumRows: 1, DefinitionLevelsByteLength: 2, Encoding: format.Plain})
		r, err := forms[0].open(f.file(t))
		if err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, r); len(got) != 1 || got[0] != "-|" {
			t.Errorf("%q", got)
		}
	})
	t.Run("metadata of a column has a key without a value", func(t *testing.T) {
		f := forge(format.Uncompressed, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f})
		f.meta.RowGroups[0].Columns[0].MetaData.KeyValueMetadata = []format.KeyValue{{Key: "key", Value: ""}}
		f.meta.KeyValueMetadata = []format.KeyValue{{Key: "key", Value: ""}}
		file := f.file(t)
		with, without := []byte("\x18\x03key\x18\x00\x00"), []byte("\x18\x03key\x00")
		missing := bytes.ReplaceAll(file, with, without)
		if len(missing) != len(file)-4 {
			t.Fatalf("%q", file)
		}
		missing[len(missing)-8] -= 4 // the length of the footer
		r, err := forms[0].open(missing)
		if err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, r); len(got) != 1 || got[0] != "3ff0000000000000|" {
			t.Errorf("%q", got)
		}
	})
	for _, damage := range []format.Type{-7, 8, format.Int64} {
		f := forge(format.Uncompressed, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f})
		f.meta.Schema[1].Type.Set(damage)
		_, err := forms[0].open(f.file(t))
		if file := (*columns.FileError)(nil); !errors.As(err, &file) {
			t.Errorf("the type %d: %v", damage, err)
		}
	}
}
