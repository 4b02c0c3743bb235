package columns_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/tables/columns"
)

// FuzzFiles reads arbitrary files. They are refused with a FileError, and take no more memory than a
// file of that size may take.
func FuzzFiles(f *testing.F) {
	for i, form := range forms {
		var file bytes.Buffer
		w, err := form.create(&file, described, nil)
		if err != nil {
			f.Fatal(err)
		}
		if err := errors.Join(w.Write(block(rand.New(rand.NewPCG(7, 8)), 20)), w.Close()); err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), file.Bytes())
	}
	files, _ := filepath.Glob("testdata/arrow/*.*r*")
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(slices.IndexFunc(forms, func(f form) bool { return strings.EqualFold(filepath.Ext(name), "."+f.name) })), data)
	}
	f.Fuzz(func(t *testing.T, form uint8, data []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := forms[int(form)%len(forms)].open(data)
		rows := 0
		for err == nil && rows < 1<<16 {
			var b columns.Block
			err = r.Read(&b, 1000)
			if err == nil && b.Rows == 0 {
				t.Fatal("no rows were read, and no error")
			}
			rows += b.Rows
		}
		if r != nil {
			_ = r.Close()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			var file *columns.FileError
			if !errors.As(err, &file) {
				t.Fatalf("%T: %v", err, err)
			}
		}
		runtime.ReadMemStats(&after)
		if after.TotalAlloc-before.TotalAlloc > 1<<29 {
			t.Errorf("%d bytes were allocated for a file of %d", after.TotalAlloc-before.TotalAlloc, len(data))
		}
	})
}
