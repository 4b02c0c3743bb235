package columns_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
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
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/slipstick/slipstick/host/internal/tables/columns"
)

// written is a row of the files that are mutated. Each column has a different encoding.
type written struct {
	Double  float64  `parquet:"V"`
	Null    *float64 `parquet:"null,optional"`
	Split   float64  `parquet:"R,split"`
	Deltas  int64    `parquet:"deltas,delta"`
	Deltas4 int32    `parquet:"deltas4,optional,delta"`
	Word    string   `parquet:"word,dict"`
	Lengths string   `parquet:"lengths,delta"`
	Prefix  string   `parquet:"prefix,optional,delta"`
	Bool    bool     `parquet:"bool"`
	Float   float32  `parquet:"float,dict"`
	Plain   string   `parquet:"plain,optional"`
}

// parquetFile returns some rows as Parquet.
func parquetFile(t testing.TB, codec compress.Codec, version int) []byte {
	t.Helper()
	rows := make([]written, 60)
	for i := range rows {
		word := fmt.Sprint("word ", i%5)
		rows[i] = written{
			Double: float64(i) / 3, Split: float64(i), Deltas: int64(i * i), Deltas4: int32(i), Word: word, Lengths: word,
			Prefix: fmt.Sprint("a common prefix ", i), Bool: i%3 == 0, Float: float32(i % 4), Plain: word,
		}
		if i%7 > 2 {
			rows[i].Null = &rows[i].Double
		}
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[written](&file, parquet.Compression(codec), parquet.DataPageVersion(version), parquet.KeyValueMetadata("key", "value"), parquet.DataPageStatistics(true))
	if _, err := w.Write(rows[:40]); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(rows[40:]); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// arrowFile returns some rows as Arrow: numbers, texts of each kind, and a dictionary that grows.
func arrowFile(t testing.TB, stream bool, options ...ipc.Option) []byte {
	t.Helper()
	metadata := arrow.NewMetadata([]string{"unit"}, []string{"mV"})
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "V", Type: arrow.PrimitiveTypes.Float64, Nullable: true, Metadata: metadata},
		{Name: "R", Type: arrow.PrimitiveTypes.Int16},
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "large", Type: arrow.BinaryTypes.LargeString},
		{Name: "view", Type: arrow.BinaryTypes.StringView, Nullable: true},
		{Name: "word", Type: words, Nullable: true},
		{Name: "bool", Type: arrow.FixedWidthTypes.Boolean},
	}, &metadata)
	var file bytes.Buffer
	options = append(options, ipc.WithSchema(schema), ipc.WithDictionaryDeltas(true))
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	} = ipc.NewWriter(&file, options...)
	if !stream {
		var err error
		w, err = ipc.NewFileWriter(&file, options...)
		if err != nil {
			t.Fatal(err)
		}
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for batch := range 2 {
		words := 3
		if stream { // the other format has one dictionary for each column
			words += batch
		}
		for i := range 30 {
			text := fmt.Sprint("a text that is longer than a view is ", i)
			b.Field(0).(*array.Float64Builder).Append(float64(i))
			b.Field(1).(*array.Int16Builder).Append(int16(i))
			b.Field(3).(*array.LargeStringBuilder).Append(text)
			b.Field(6).(*array.BooleanBuilder).Append(i%2 == 0)
			if i%5 == 0 {
				b.Field(2).AppendNull()
				b.Field(4).AppendNull()
				b.Field(5).AppendNull()
				continue
			}
			b.Field(2).(*array.StringBuilder).Append(text)
			b.Field(4).(*array.StringViewBuilder).Append(text)
			if err := b.Field(5).(*array.BinaryDictionaryBuilder).AppendString(fmt.Sprint("word ", i%words)); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Write(b.NewRecordBatch()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// smallFiles returns valid files of every codec, page version and format.
func smallFiles(t testing.TB) map[string][]byte {
	files := map[string][]byte{}
	for _, version := range []int{1, 2} {
		for name, codec := range map[string]compress.Codec{"plain": &parquet.Uncompressed, "snappy": &parquet.Snappy, "gzip": &parquet.Gzip, "zstd": &parquet.Zstd} {
			files[fmt.Sprintf("v%d %s.parquet", version, name)] = parquetFile(t, codec, version)
		}
	}
	for name, stream := range map[string]bool{"file": false, "stream": true} {
		for codec, option := range map[string]ipc.Option{"plain": ipc.WithCompressConcurrency(1), "lz4": ipc.WithLZ4(), "zstd": ipc.WithZstd()} {
			files[fmt.Sprintf("%s %s.arrow", codec, name)] = arrowFile(t, stream, option)
		}
	}
	return files
}

// readWhole reads a file to its end with a memory limit.
func readWhole(name string, data []byte, memory int64) (rows int, err error) {
	acquire := func(bytes int64) error {
		memory -= bytes
		if memory < 0 {
			return errNoMemory
		}
		return nil
	}
	var r columns.Reader
	if strings.HasSuffix(name, ".parquet") {
		r, err = columns.OpenParquet(bytes.NewReader(data), int64(len(data)), acquire)
	} else {
		r, err = columns.OpenArrow(bytes.NewReader(data), acquire)
	}
	block := new(columns.Block)
	for err == nil {
		err = r.Read(block, columns.BlockRows(len(r.Columns())))
		if err == nil {
			rows += block.Rows
		}
	}
	return rows, err
}

var errNoMemory = errors.New("there is no memory")

// allocated returns the number of bytes that f allocates.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// mutate changes some bytes of a file. It often makes an announced length large.
func mutate(random *rand.Rand, file []byte) []byte {
	file = slices.Clone(file)
	for range 1 + random.IntN(3) {
		at := random.IntN(len(file))
		if random.IntN(2) == 0 {
			at = len(file) - 1 - random.IntN(min(len(file), 1500)) // the metadata of Parquet
		}
		switch random.IntN(8) {
		case 0:
			copy(file[at:], "\xff\xff\xff\x7f")
		case 1:
			copy(file[at:], "\xff\xff\xff\xff\x07")
		case 2:
			copy(file[at:], binary.LittleEndian.AppendUint64(nil, uint64(1)<<random.IntN(63)))
		case 3:
			file[at] ^= 1 << random.IntN(8)
		case 4:
			file[at] = byte(random.Uint32())
		case 5:
			file[at] |= 0xf0 // a list with a separate length, in Thrift
		case 6:
			n := min(random.IntN(64), len(file)-at)
			copy(file[at:], file[random.IntN(len(file)-n+1):][:n])
		case 7:
			file = slices.Insert(file, at, 0xff, 0xff, 0xff, 0x7f)
		}
	}
	return file
}

// TestWriteMutated writes the files of scripts/soak hostile into the directory MUTATED.
func TestWriteMutated(t *testing.T) {
	dir := os.Getenv("MUTATED")
	if dir == "" {
		t.Skip("scripts/soak hostile")
	}
	const files = 40_000
	random, small := rand.New(rand.NewPCG(11, 12)), smallFiles(t)
	names := slices.Sorted(maps.Keys(small))
	for i := range files {
		name := names[i%len(names)]
		data := small[name]
		if i >= len(names) { // the first files are valid
			data = mutate(random, data)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%05d %s", i, name)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever a file announces, reading it allocates no more than its real size, and no more than was
// acquired before.
func TestMutated(t *testing.T) {
	const (
		each    = 30
		ready   = 4 << 20 // bytes that are allocated in any case, such as buffers and decoders
		granted = 24 << 20
	)
	random := rand.New(rand.NewPCG(9, 10))
	files, refused := smallFiles(t), 0
	for name, file := range files {
		if rows, err := readWhole(name, file, granted); rows != 60 || !errors.Is(err, io.EOF) {
			t.Errorf("%s: %d rows, %v", name, rows, err)
		}
		for range each {
			data, err := mutate(random, file), error(nil)
			if took := allocated(func() { _, err = readWhole(name, data, granted) }); took > ready {
				t.Errorf("%s: %d KB were allocated for %d bytes: %v", name, took>>10, len(data), err)
			}
			if errors.Is(err, io.EOF) {
				continue
			}
			refused++
			if !errors.As(err, new(*columns.FileError)) && !errors.Is(err, errNoMemory) {
				t.Errorf("%s: %T: %v", name, err, err)
			}
		}
	}
	if refused < len(files)*each/4 {
		t.Errorf("%d of %d files were refused", refused, len(files)*each)
	}
}

// If the length in a page header becomes 256 MB, nothing is allocated. The file is refused before
// memory is acquired for it.
func TestForgedPageHeader(t *testing.T) {
	for _, version := range []int{1, 2} {
		f := forge(format.Uncompressed, []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f})
		most := []byte("a value with a length of its own")
		if version == 1 {
			f.page.DataPageHeader.V.Statistics.MaxValue = most
		} else {
			f.page.Type, f.page.DataPageHeader = format.DataPageV2, thrift.Null[format.DataPageHeader]{}
			f.page.DataPageHeaderV2.Set(format.DataPageHeaderV2{NumValues: 1, NumRows: 1, Statistics: format.Statistics{MaxValue: most}})
		}
		file := f.file(t)
		if rows, err := readWhole("honest.parquet", file, 1<<20); rows != 1 || !errors.Is(err, io.EOF) {
			t.Fatalf("version %d: %d rows, %v", version, rows, err)
		}
		length := bytes.Index(file, most) - 1
		copy(file[length:], "\xff\xff\xff\x7f")
		var err error
		took := allocated(func() { _, err = readWhole("forged.parquet", file, 0) })
		if took > 64<<10 || !errors.As(err, new(*columns.FileError)) {
			t.Errorf("version %d: %d KB were allocated: %v", version, took>>10, err)
		}
	}
}
