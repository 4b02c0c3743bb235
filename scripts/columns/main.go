// Command columns reads and writes Parquet and Arrow files with the Go library of Arrow. Slipstick has its own code for
// these files. scripts/soak columns checks that each reads the files of the other.
//
//	columns read FILE    prints the columns, and the rows
//	columns write DIR    writes rows.txt, and the same rows as files of several kinds
package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

func main() {
	var err error
	switch {
	case len(os.Args) == 3 && os.Args[1] == "read":
		err = read(os.Args[2])
	case len(os.Args) == 3 && os.Args[1] == "write":
		err = write(os.Args[2])
	default:
		err = fmt.Errorf("columns read FILE | columns write DIR")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "columns:", err)
		os.Exit(1)
	}
}

// read prints a line for each column with its name, type and unit, and then a line for each row.
func read(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var records array.RecordReader
	if filepath.Ext(name) == ".parquet" {
		f, err := file.NewParquetReader(bytes.NewReader(data))
		if err != nil {
			return err
		}
		r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{BatchSize: 1000}, memory.DefaultAllocator)
		if err != nil {
			return err
		}
		records, err = r.GetRecordReader(context.Background(), nil, nil)
		if err != nil {
			return err
		}
	} else {
		records, err = readArrow(data)
		if err != nil {
			return err
		}
	}
	for _, f := range records.Schema().Fields() {
		unit, _ := f.Metadata.GetValue("unit")
		fmt.Printf("%s: %s %s\n", f.Name, f.Type, unit)
	}
	for records.Next() {
		batch := records.RecordBatch()
		for row := range int(batch.NumRows()) {
			var line strings.Builder
			for _, column := range batch.Columns() {
				line.WriteString(cell(column, row) + "|")
			}
			fmt.Println(line.String())
		}
	}
	return records.Err()
}

// readArrow reads an Arrow file, in the file form or the streaming form.
func readArrow(data []byte) (array.RecordReader, error) {
	if !bytes.HasPrefix(data, []byte("ARROW1")) {
		return ipc.NewReader(bytes.NewReader(data))
	}
	r, err := ipc.NewFileReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var batches []arrow.RecordBatch
	for i := range r.NumRecords() {
		batch, err := r.RecordBatchAt(i)
		if err != nil {
			return nil, err
		}
		batches = append(batches, batch)
	}
	return array.NewRecordReader(r.Schema(), batches)
}

// cell returns the exact value of a cell as text.
func cell(column arrow.Array, row int) string {
	if column.IsNull(row) {
		return "-"
	}
	switch c := column.(type) {
	case *array.Float64:
		return fmt.Sprintf("%x", math.Float64bits(c.Value(row)))
	case *array.Float32:
		return fmt.Sprintf("%x", math.Float64bits(float64(c.Value(row))))
	case *array.Decimal128: // with all digits after the point
		return c.Value(row).ToString(scale(c))
	case *array.Decimal256:
		return c.Value(row).ToString(scale(c))
	}
	return column.ValueStr(row)
}

func scale(column arrow.Array) int32 { return column.DataType().(arrow.DecimalType).GetScale() }

// rowsWritten is more than a page of the files has.
const rowsWritten = 300

// write writes the same rows as files of several kinds.
func write(dir string) error {
	fields := []arrow.Field{
		{Name: "length", Type: arrow.PrimitiveTypes.Float64, Metadata: arrow.NewMetadata([]string{"unit"}, []string{"mm"})},
		{Name: "single", Type: arrow.PrimitiveTypes.Float32},
		{Name: "i8", Type: arrow.PrimitiveTypes.Int8},
		{Name: "i64", Type: arrow.PrimitiveTypes.Int64},
		{Name: "u32", Type: arrow.PrimitiveTypes.Uint32},
		{Name: "u64", Type: arrow.PrimitiveTypes.Uint64},
		{Name: "wet", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "beam", Type: arrow.BinaryTypes.String},
		{Name: "large", Type: arrow.BinaryTypes.LargeString},
		{Name: "model", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}},
		{Name: "price", Type: &arrow.Decimal128Type{Precision: 9, Scale: 2}},
		{Name: "exact", Type: &arrow.Decimal128Type{Precision: 30, Scale: 10}},
	}
	for i := range fields {
		fields[i].Nullable = true
	}
	schema := arrow.NewSchema(fields, nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	var text strings.Builder
	for row := range rowsWritten {
		for i := range fields {
			if (row+i)%5 == 0 {
				builder.Field(i).AppendNull()
				continue
			}
			switch b := builder.Field(i).(type) {
			case *array.Float64Builder:
				b.Append(1 / float64(row-150))
			case *array.Float32Builder:
				b.Append(1 / float32(row+1))
			case *array.Int8Builder:
				b.Append(int8(row))
			case *array.Int64Builder:
				b.Append(math.MinInt64 + int64(row))
			case *array.Uint32Builder:
				b.Append(math.MaxUint32 - uint32(row))
			case *array.Uint64Builder:
				b.Append(math.MaxUint64 - uint64(row))
			case *array.BooleanBuilder:
				b.Append(row%3 == 0)
			case *array.StringBuilder:
				b.Append(strings.Repeat("é", row%4))
			case *array.LargeStringBuilder:
				b.Append(fmt.Sprint("row ", row))
			case *array.BinaryDictionaryBuilder:
				if err := b.AppendString([]string{"euler", "timoshenko"}[row%2]); err != nil {
					return err
				}
			case *array.Decimal128Builder:
				b.Append(decimal128.FromI64(int64(row-150) * 12345))
			}
		}
	}
	batch := builder.NewRecordBatch()
	for row := range rowsWritten {
		for _, column := range batch.Columns() {
			text.WriteString(cell(column, row) + "|")
		}
		text.WriteByte('\n')
	}
	if err := os.WriteFile(filepath.Join(dir, "rows.txt"), []byte(text.String()), 0o666); err != nil {
		return err
	}
	for name, properties := range map[string][]parquet.WriterProperty{
		"plain":  {parquet.WithDictionaryDefault(false), parquet.WithStoreDecimalAsInteger(true)},
		"snappy": {parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDataPageSize(256)},
		"gzip":   {parquet.WithCompression(compress.Codecs.Gzip), parquet.WithMaxRowGroupLength(100)},
		"zstd":   {parquet.WithCompression(compress.Codecs.Zstd), parquet.WithDataPageVersion(parquet.DataPageV2), parquet.WithVersion(parquet.V2_LATEST)},
		"brotli": {parquet.WithCompression(compress.Codecs.Brotli)},
	} {
		var out bytes.Buffer
		w, err := pqarrow.NewFileWriter(schema, &out, parquet.NewWriterProperties(properties...), pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema()))
		if err != nil {
			return err
		}
		if err := w.WriteBuffered(batch); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name+".parquet"), out.Bytes(), 0o666); err != nil {
			return err
		}
	}
	for name, options := range map[string][]ipc.Option{"stream": nil, "lz4": {ipc.WithLZ4()}, "zstd": {ipc.WithZstd()}} {
		var out bytes.Buffer
		w := ipc.NewWriter(&out, append(options, ipc.WithSchema(schema))...)
		for row := int64(0); row < rowsWritten; row += 100 {
			if err := w.Write(batch.NewSlice(row, row+100)); err != nil {
				return err
			}
		}
		if err := w.Close(); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name+".arrow"), out.Bytes(), 0o666); err != nil {
			return err
		}
	}
	out, err := os.Create(filepath.Join(dir, "random.arrow"))
	if err != nil {
		return err
	}
	defer out.Close()
	w, err := ipc.NewFileWriter(out, ipc.WithSchema(schema))
	if err != nil {
		return err
	}
	if err := w.Write(batch); err != nil {
		return err
	}
	return w.Close()
}
