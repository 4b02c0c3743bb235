package columns_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/tables/columns"
)

// open opens a file according to its extension.
func open(t testing.TB, name string) (columns.Reader, error) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	if strings.HasPrefix(filepath.Ext(name), ".arrow") {
		return columns.OpenArrow(file, nil)
	}
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return columns.OpenParquet(file, info.Size(), nil)
}

// Files of Arrow's own library are read exactly: other pages, encodings and compressions, and units in
// the metadata of the columns. scripts/columns has written the files.
func TestFilesOfOthers(t *testing.T) {
	rows, err := os.ReadFile("testdata/arrow/rows.txt")
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("testdata/arrow/*.*r*") // .parquet and .arrow
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			r, err := open(t, name)
			if strings.HasSuffix(name, "brotli.parquet") {
				if file := (*columns.FileError)(nil); !errors.As(err, &file) || !strings.Contains(err.Error(), "BROTLI; Snappy, gzip and Zstandard are read") {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if c := r.Columns()[0]; c.Name != "length" || c.Unit != "mm" || c.Kind != columns.Number {
				t.Errorf("%+v", c)
			}
			if got := strings.Join(readAll(t, r), "\n") + "\n"; got != string(rows) {
				t.Errorf("other cells were read:\n%.2000s", got)
			}
		})
	}
	if len(files) != 9 {
		t.Errorf("%q", files)
	}
}

// readAll reads the rest of a file.
func readAll(t *testing.T, r columns.Reader) (cells []string) {
	t.Helper()
	var b columns.Block
	for {
		err := r.Read(&b, 100)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, texts(&b)...)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	return cells
}

// Other readers read written files exactly. COLUMNS_READERS has one command a line. Each prints the
// columns and rows of the file in its argument: the first reads Parquet, all read Arrow.
func TestOthersRead(t *testing.T) {
	readers := strings.Split(os.Getenv("COLUMNS_READERS"), ",")
	if readers[0] == "" {
		t.Skip("scripts/soak columns")
	}
	for _, form := range forms {
		name := filepath.Join(t.TempDir(), "rows."+strings.ToLower(form.name))
		file, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w, err := form.create(file, described, nil)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		random := rand.New(rand.NewPCG(9, 10))
		for range 3 {
			b := block(random, 3000)
			if err := w.Write(b); err != nil {
				t.Fatal(err)
			}
			want = append(want, texts(b)...)
		}
		if err := errors.Join(w.Close(), file.Close()); err != nil {
			t.Fatal(err)
		}
		able := readers
		if form.name == "Parquet" { // which the second command does not read
			able = readers[:1]
		}
		for _, reader := range able {
			command := strings.Fields(reader)
			out, err := exec.Command(command[0], append(command[1:], name)...).Output()
			if err != nil {
				t.Fatalf("%s: %v", reader, err)
			}
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			if len(lines) != len(described)+len(want) {
				t.Fatalf("%s: %d lines\n%.500s", reader, len(lines), out)
			}
			for k, c := range described {
				if !strings.HasPrefix(lines[k], c.Name+": ") || form.name != "Parquet" && !strings.HasSuffix(lines[k], " "+c.Unit) {
					t.Errorf("%s: %s", reader, lines[k])
				}
			}
			for k := range want {
				if got := lines[len(described)+k]; got != want[k] {
					t.Fatalf("%s: row %d of %s\n%s\nwant\n%s", reader, k, form.name, got, want[k])
				}
			}
			t.Logf("%s read %d rows of %s", reader, len(want), form.name)
		}
	}
}
