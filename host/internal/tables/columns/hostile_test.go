package columns_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/slipstick/slipstick/host/internal/tables/columns"
)

// forged is a Parquet file with one column. The metadata of its page may be wrong.
type forged struct {
	meta format.FileMetaData
	page format.PageHeader
	body []byte
}

func forge(codec format.CompressionCodec, body []byte) *forged {
	f := &forged{body: body}
	leaf := format.SchemaElement{Name: "x"}
	leaf.Type.Set(format.Double)
	leaf.RepetitionType.Set(format.Required)
	root := format.SchemaElement{Name: "root"}
	root.NumChildren.Set(1)
	f.meta = format.FileMetaData{Version: 1, NumRows: 1, Schema: []format.SchemaElement{root, leaf}, RowGroups: []format.RowGroup{{
		NumRows: 1, Columns: []format.ColumnChunk{{MetaData: format.ColumnMetaData{
			Type: format.Double, PathInSchema: []string{"x"}, Codec: codec, NumValues: 1, DataPageOffset: 4,
		}}},
	}}}
	f.page = format.PageHeader{Type: format.DataPage, CompressedPageSize: int32(len(body)), UncompressedPageSize: int32(len(body))}
	f.page.DataPageHeader.Set(format.DataPageHeader{NumValues: 1})
	return f
}

// as sets the encoding of the values.
func (f *forged) as(e format.Encoding) *forged {
	f.page.DataPageHeader.V.Encoding = e
	return f
}

// expanded sets the uncompressed size of the page.
func (f *forged) expanded(bytes int32) *forged {
	f.page.UncompressedPageSize = bytes
	return f
}

// typed sets the type of the column.
func (f *forged) typed(t format.Type) {
	f.meta.Schema[1].Type.Set(t)
	f.meta.RowGroups[0].Columns[0].MetaData.Type = t
}

// run starts a run of a repeated value.
func run(values uint64) []byte { return binary.AppendUvarint(nil, values<<1) }

// deltas starts values that are written as differences.
func deltas(values uint64) []byte {
	head := []byte{0x80, 1, 4} // 128 values a block, in four parts
	return append(binary.AppendUvarint(head, values), 0)
}

func (f *forged) file(t *testing.T) []byte {
	t.Helper()
	header, err := thrift.Marshal(new(thrift.CompactProtocol), &f.page)
	if err != nil {
		t.Fatal(err)
	}
	chunk := &f.meta.RowGroups[0].Columns[0].MetaData
	chunk.TotalCompressedSize = int64(len(header) + len(f.body))
	chunk.TotalUncompressedSize = chunk.TotalCompressedSize
	footer, err := thrift.Marshal(new(thrift.CompactProtocol), &f.meta)
	if err != nil {
		t.Fatal(err)
	}
	return parquetOf(append(header, f.body...), footer)
}

func parquetOf(pages, footer []byte) []byte {
	file := append([]byte("PAR1"), append(pages, footer...)...)
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(footer))), "PAR1"...)
}

// arrowOf writes rows of a column as Arrow.
func arrowOf(t *testing.T, o ipc.Option, fields ...arrow.Field) []byte {
	t.Helper()
	schema := arrow.NewSchema(fields, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema), o)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	if numbers, ok := b.Field(0).(*array.Float64Builder); ok && len(fields) == 1 {
		numbers.AppendValues(make([]float64, 1000), nil)
		if err := w.Write(b.NewRecordBatch()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Files with fewer or more bytes than they announce are refused with a FileError and take little
// memory.
func TestHostile(t *testing.T) {
	number := []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}
	bomb := func() []byte {
		e, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		return e.EncodeAll(make([]byte, 10<<20), nil)
	}()
	lying := func(change func(*forged)) func() []byte {
		return func() []byte {
			f := forge(format.Uncompressed, number)
			change(f)
			return f.file(t)
		}
	}
	deep := arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Float64}
	for range 100 {
		deep = arrow.Field{Name: "x", Type: arrow.ListOfField(deep)}
	}
	for _, tt := range []struct {
		name string
		form form
		file func() []byte
		want string // "" if the file is read
	}{
		{"an honest file", forms[0], lying(func(*forged) {}), ""},
		{"a footer that would be longer than the file", forms[0], func() []byte { return []byte("PAR1000\xacPAR1") }, "only a part"},
		{"a hundred thousand columns", forms[0], lying(func(f *forged) {
			f.meta.Schema[0].NumChildren.Set(100_000)
			for range 100_000 - 1 {
				f.meta.Schema = append(f.meta.Schema, f.meta.Schema[1])
			}
		}), "the file has 100000 columns"},
		{"columns within columns", forms[0], lying(func(f *forged) {
			leaf := f.meta.Schema[1]
			for range 1500 {
				f.meta.Schema[len(f.meta.Schema)-1] = f.meta.Schema[0]
				f.meta.Schema = append(f.meta.Schema, leaf)
			}
		}), "its cells are of a type that is not read"},
		{"lists within lists", forms[0], func() []byte { return parquetOf(nil, bytes.Repeat([]byte{0x19}, 1<<20)) }, "nested too deeply"},
		{"more groups than bytes", forms[0], func() []byte {
			return parquetOf(nil, append([]byte{0x49, 0xfc}, binary.AppendUvarint(nil, 1<<31-1)...))
		}, "the description of the file is damaged"},
		{"groups of nothing", forms[0], func() []byte {
			return parquetOf(nil, append(append([]byte{0x49, 0xfc}, binary.AppendUvarint(nil, 1<<20)...), make([]byte, 1<<20)...))
		}, "more than 262144 parts"},
		{"a page of two gigabytes", forms[0], lying(func(f *forged) { f.page.CompressedPageSize, f.page.UncompressedPageSize = 1<<31-1, 1<<31-1 }), "a page has more than 64 MB"},
		{"a dictionary that a run of two billion indexes refers to", forms[0], func() []byte {
			return forge(format.Uncompressed, append([]byte{1}, append(run(1<<31-1), 0)...)).as(format.RLEDictionary).file(t)
		}, "a run has more values than its page"},
		{"two billion levels", forms[0], func() []byte {
			f := forge(format.Uncompressed, append([]byte{6, 0, 0, 0}, append(run(1<<31-1), append([]byte{1}, number...)...)...))
			f.meta.Schema[1].RepetitionType.Set(format.Optional)
			f.page.DataPageHeader.V.DefinitionLevelEncoding = format.RLE
			return f.file(t)
		}, "a run has more values than its page"},
		{"two billion differences", forms[0], func() []byte {
			f := forge(format.Uncompressed, append(deltas(1<<31-1), make([]byte, 100)...)).as(format.DeltaBinaryPacked)
			f.typed(format.Int64)
			return f.file(t)
		}, "2147483647 values in place of 1"},
		{"two billion lengths of texts", forms[0], func() []byte {
			f := forge(format.Uncompressed, append(deltas(1), deltas(1<<31-1)...)).as(format.DeltaByteArray)
			f.typed(format.ByteArray)
			return f.file(t)
		}, "2147483647 values in place of 1"},
		{"texts that are prefixes of one another", forms[0], func() []byte {
			text := bytes.Repeat([]byte("x"), 1<<16)
			prefixes, suffixes := []int32{0}, []int32{int32(len(text))}
			for len(prefixes) < 1<<14 {
				prefixes, suffixes = append(prefixes, int32(len(text))), append(suffixes, 0)
			}
			body, _ := parquet.DeltaBinaryPacked.EncodeInt32(nil, prefixes)
			more, _ := parquet.DeltaBinaryPacked.EncodeInt32(nil, suffixes)
			f := forge(format.Uncompressed, slices.Concat(body, more, text)).as(format.DeltaByteArray)
			f.typed(format.ByteArray)
			f.page.DataPageHeader.V.NumValues = int32(len(prefixes))
			f.meta.NumRows, f.meta.RowGroups[0].NumRows = int64(len(prefixes)), int64(len(prefixes))
			return f.file(t)
		}, "more than 8 times as large as the page"},
		{"a text that is longer than its page, in memory that others have used", forms[0], func() []byte {
			f := forge(format.Uncompressed, append([]byte{4, 0, 0, 0}, "textsize"...))
			f.typed(format.ByteArray)
			f.page.DataPageHeader.V.NumValues = 2
			f.meta.NumRows, f.meta.RowGroups[0].NumRows = 2, 2
			return f.file(t)
		}, `column "x" cannot be read: unexpected EOF`},
		{"a page of two billion numbers", forms[0], lying(func(f *forged) { f.page.DataPageHeader.V.NumValues = 1<<31 - 1 }), "or 8388608 values"},
		{"a dictionary of two billion texts", forms[0], lying(func(f *forged) {
			f.page.Type, f.page.DataPageHeader = format.DictionaryPage, thrift.Null[format.DataPageHeader]{}
			f.page.DictionaryPageHeader.Set(format.DictionaryPageHeader{NumValues: 1<<31 - 1})
		}), "or 8388608 values"},
		{"a group of a trillion rows", forms[0], lying(func(f *forged) { f.meta.NumRows, f.meta.RowGroups[0].NumRows = 1<<40, 1<<40 }), `column "x" cannot be read`},
		{"a group with fewer rows than none", forms[0], lying(func(f *forged) { f.meta.RowGroups[0].NumRows = -1 }), "negative"},
		{"Snappy that announces four gigabytes", forms[0], func() []byte {
			return forge(format.Snappy, append([]byte{0xff, 0xff, 0xff, 0xff, 0x0f}, number...)).file(t)
		}, "more bytes than its header states"},
		{"a few bytes of Snappy that announce 50 megabytes", forms[0], func() []byte {
			return forge(format.Snappy, append(binary.AppendUvarint(nil, 50<<20), number...)).expanded(50 << 20).file(t)
		}, "cannot be read: unexpected EOF"},
		{"a few bytes of gzip in place of 50 megabytes", forms[0], func() []byte {
			var body bytes.Buffer
			w := gzip.NewWriter(&body)
			if _, err := w.Write(number[:7]); err != nil || w.Close() != nil {
				t.Fatal(err)
			}
			return forge(format.Gzip, body.Bytes()).expanded(50 << 20).file(t)
		}, "cannot be read: unexpected EOF"},
		{"a few bytes of Zstandard in place of 50 megabytes", forms[0], func() []byte {
			few := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0x20, 3, 1, 0, 0} // one segment of 50 MB, and an empty block
			return forge(format.Zstd, few).expanded(50 << 20).file(t)
		}, "cannot be read"},
		{"Zstandard that is ten megabytes", forms[0], func() []byte { return forge(format.Zstd, bomb).file(t) }, "more bytes than its header states"},
		{"LZ4 with errors that look like a lack of memory", forms[0], func() []byte { return forge(format.Lz4Raw, number).file(t) }, "LZ4_RAW; Snappy, gzip and Zstandard are read"},
		{"an Arrow column within columns", forms[1], func() []byte { return arrowOf(t, ipc.WithCompressConcurrency(1), deep) }, "more than 64 deep"},
		{"many Arrow columns", forms[1], func() []byte {
			many := make([]arrow.Field, 3000)
			for i := range many {
				many[i] = arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Float64}
			}
			return arrowOf(t, ipc.WithCompressConcurrency(1), many...)
		}, "the file has 3000 columns"},
		{"an Arrow buffer that announces a terabyte", forms[1], func() []byte {
			file := arrowOf(t, ipc.WithZstd(), arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Float64})
			return bytes.Replace(file, binary.LittleEndian.AppendUint64(nil, 8000), binary.LittleEndian.AppendUint64(nil, 1<<40), -1)
		}, "takes more than 256 MB at once"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := tt.file()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r, err := tt.form.open(file)
			for err == nil {
				err = r.Read(new(columns.Block), 1000)
			}
			runtime.ReadMemStats(&after)
			refused, ok := errors.AsType[*columns.FileError](err)
			if tt.want == "" && !errors.Is(err, io.EOF) || tt.want != "" && (!ok || !strings.Contains(refused.Error(), tt.want)) {
				t.Errorf("%v", err)
			}
			if ok && len(refused.Error()) > 500 {
				t.Errorf("%d bytes of words", len(refused.Error()))
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
				t.Errorf("%d MB were allocated for %d bytes", took>>20, len(file))
			}
		})
	}
}

// The memory for a file does not grow with its rows: the heap is as large after many rows as after
// some.
func TestMemoryOfManyRows(t *testing.T) {
	list := []columns.Column{{Name: "x", Kind: columns.Number}, {Name: "word", Kind: columns.Text, Repeats: true}, {Name: "none", Kind: columns.Text}}
	const blocks, rows = 96, 4096 // three groups of rows
	alive := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for _, form := range forms {
		name := filepath.Join(t.TempDir(), "rows."+strings.ToLower(strings.Fields(form.name)[0]))
		file, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w, err := form.create(file, list, nil)
		if err != nil {
			t.Fatal(err)
		}
		var b columns.Block
		var some int64
		for n := range blocks {
			b.Reset(list, rows)
			for i := range b.Rows {
				b.Columns[0].Numbers[i] = float64(n*rows + i)
				b.Columns[1].Texts[i] = "word"
				b.Columns[2].Null[i] = true
			}
			if err := w.Write(&b); err != nil {
				t.Fatal(err)
			}
			if n == blocks/2 {
				some = alive()
			}
		}
		if grown := alive() - some; grown > 4<<20 {
			t.Errorf("%s: writing: %d KB more", form.name, grown>>10)
		}
		if err := errors.Join(w.Close(), file.Close()); err != nil {
			t.Fatal(err)
		}
		r, err := open(t, name)
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		for ; ; read += b.Rows {
			if err := r.Read(&b, rows); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if read/rows == blocks/2 {
				some = alive()
			}
		}
		if grown := alive() - some; grown > 4<<20 || read != blocks*rows {
			t.Errorf("%s: reading: %d KB more, %d rows", form.name, grown>>10, read)
		}
	}
}
