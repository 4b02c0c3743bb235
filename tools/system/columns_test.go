package system

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/tables/columns"
)

// The server stays within 300 MB for a file of any number of rows, and the last rows have results. COLUMNS_ROWS
// sets the number of rows.
func TestColumnsSoak(t *testing.T) {
	if !soaking {
		t.Skip("scripts/soak columns")
	}
	rows, err := strconv.Atoi(cmp.Or(os.Getenv("COLUMNS_ROWS"), "100000000"))
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []struct {
		end   string
		begin func(io.Writer, []columns.Column, map[string]string) (columns.Writer, error)
	}{{".parquet", columns.NewParquet}, {".arrow", columns.NewArrow}} {
		dir := t.TempDir()
		from, to := filepath.Join(dir, "rows"+form.end), filepath.Join(dir, "answers"+form.end)
		writeRows(t, from, rows, form.begin)
		cmd := exec.CommandContext(t.Context(), built.slipstick, "calc", "--registry", built.registry, "--batch", from, "-o", to, "ohms-law")
		var said bytes.Buffer
		cmd.Stderr = &said
		began := time.Now()
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v\n%s", err, said.String())
		}
		took := time.Since(began)
		used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		t.Logf("%s: %d rows in %v, %.0f a second; %d MB at most; %v of processor time, with that of the engine",
			form.end, rows, took.Round(time.Second), float64(rows)/took.Seconds(), used.Maxrss>>10, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Round(time.Second))
		if used.Maxrss > 300<<10 {
			t.Errorf("%s: %d MB", form.end, used.Maxrss>>10)
		}
		checkRows(t, to, rows)
		if err := os.Remove(from); err != nil {
			t.Error(err)
		}
	}
}

const soakRows = 4096 // rows of a block

// rowAt returns the voltage and the resistance of a row.
func rowAt(i int) (volt, ohm float64) { return float64(i), float64(1 + i%7) }

func writeRows(t *testing.T, name string, rows int, begin func(io.Writer, []columns.Column, map[string]string) (columns.Writer, error)) {
	t.Helper()
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<20)
	list := []columns.Column{{Name: "V", Kind: columns.Number}, {Name: "R", Kind: columns.Number}}
	w, err := begin(out, list, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b columns.Block
	for at := 0; at < rows; at += soakRows {
		b.Reset(list, min(soakRows, rows-at))
		for i := range b.Rows {
			b.Columns[0].Numbers[i], b.Columns[1].Numbers[i] = rowAt(at + i)
		}
		if err := w.Write(&b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
}

// checkRows compares every current in an output file with the current of its input row.
func checkRows(t *testing.T, name string, rows int) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var r columns.Reader
	if strings.HasSuffix(name, ".arrow") {
		r, err = columns.OpenArrow(file, nil)
	} else if info, statErr := file.Stat(); statErr != nil {
		err = statErr
	} else {
		r, err = columns.OpenParquet(file, info.Size(), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	current := -1
	for i, c := range r.Columns() {
		if c.Name == "current [A]" {
			current = i
		}
	}
	var b columns.Block
	at := 0
	for ; ; at += b.Rows {
		if err := r.Read(&b, soakRows); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		for i, got := range b.Columns[current].Numbers {
			volt, ohm := rowAt(at + i)
			if want := volt / ohm; math.Abs(got-want) > math.Abs(want)*1e-15 {
				t.Fatalf("row %d: %v, want %v", at+i, got, want)
			}
		}
	}
	if at != rows {
		t.Errorf("%d answers to %d rows", at, rows)
	}
}
