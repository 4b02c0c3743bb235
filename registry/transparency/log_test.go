package transparency_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/slipstick/slipstick/registry/transparency"
)

func entries(n int, text string) (list []transparency.Entry) {
	for i := range n {
		list = append(list, transparency.Entry{Kind: transparency.Published, Capability: "electrical.basic.ohms_law", Version: fmt.Sprintf("1.%d.0", i), Release: text})
	}
	return list
}

var noon = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func begin(t testing.TB) *transparency.Log {
	t.Helper()
	l, err := transparency.New("test")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func appended(t testing.TB, l *transparency.Log, at time.Time, list ...transparency.Entry) *transparency.Log {
	t.Helper()
	next, err := l.Append(at, list)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// write writes a log to a directory that has the log of was entries.
func write(t testing.TB, dir string, l *transparency.Log, was int64) {
	t.Helper()
	files, err := l.Files(was)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range l.Outdated(was) {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Errorf("outdated files: %v", err)
		}
	}
}

// tiles reads the tiles of a log like any client of c2sp.org/tlog-tiles. The package tlog
// checks each tile against the root.
type tiles struct {
	t   testing.TB
	dir string
}

func (tiles) Height() int { return 8 }

func (r tiles) ReadTiles(list []tlog.Tile) (data [][]byte, err error) {
	for _, t := range list {
		path := fmt.Sprintf("tile/%d/%03d", t.L, t.N)
		if t.W < 256 {
			path += fmt.Sprintf(".p/%d", t.W)
		}
		text, err := os.ReadFile(filepath.Join(r.dir, path))
		if err != nil {
			return nil, err
		}
		data = append(data, text)
	}
	return data, nil
}

func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}

// A log that grows beyond one tile is read as it was written. An independent client also reads
// it, and proves each entry with its tiles.
func TestLogOfTiles(t *testing.T) {
	dir := t.TempDir()
	l, was := begin(t), int64(0)
	var read *transparency.Log
	for i, n := range []int{0, 1, 254, 1, 1, 255, 300} {
		l = appended(t, l, noon.AddDate(0, 0, i), entries(n, fmt.Sprint(i))...)
		write(t, dir, l, was)
		var err error
		read, err = transparency.Read(dir, read)
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := transparency.Read(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range []*transparency.Log{read, fresh} {
			if !got.Checkpoint().Equal(l.Checkpoint()) || len(got.Entries()) != len(l.Entries()) || n > 0 && got.Entries()[was] != l.Entries()[was] {
				t.Errorf("%d entries: read %d of %+v", len(l.Entries()), len(got.Entries()), got.Checkpoint())
			}
		}
		was = int64(len(l.Entries()))
	}
	c := l.Checkpoint()
	hashes := tlog.TileHashReader(tlog.Tree{N: c.Size, Hash: c.Root}, tiles{t, dir})
	for _, i := range []int64{0, 255, 256, 511, 512, c.Size - 1} {
		proof, err := tlog.ProveRecord(c.Size, i, hashes)
		if err != nil {
			t.Fatal(err)
		}
		if err := tlog.CheckRecord(proof, c.Size, c.Root, i, tlog.RecordHash(entryOf(t, dir, i, c.Size))); err != nil {
			t.Errorf("entry %d: %v", i, err)
		}
	}
}

// entryOf reads one entry from its bundle.
func entryOf(t testing.TB, dir string, i, size int64) []byte {
	t.Helper()
	path := fmt.Sprintf("tile/entries/%03d", i/256)
	if width := size - i/256*256; width < 256 {
		path += fmt.Sprintf(".p/%d", width)
	}
	data, err := os.ReadFile(filepath.Join(dir, path))
	if err != nil {
		t.Fatal(err)
	}
	for range i % 256 {
		data = data[2+binary.BigEndian.Uint16(data):]
	}
	return data[2:][:binary.BigEndian.Uint16(data)]
}

// A client that has seen one older checkpoint notices every change of the log before it,
// although the new log is consistent in itself.
func TestOneOlderCheckpointIsEnough(t *testing.T) {
	list := entries(6, "a")
	old := appended(t, begin(t), noon, list[:3]...)
	old = appended(t, old, noon.AddDate(0, 0, 1), list[3])
	seen := old.Checkpoint()
	grown := appended(t, old, noon.AddDate(0, 0, 2), list[4:]...)
	other := entries(1, "b")[0]
	forked := appended(t, appended(t, begin(t), noon, list[0], other, list[2], list[3]), noon, list[4:]...)
	swapped := appended(t, appended(t, begin(t), noon, list[1], list[0], list[2]), noon.AddDate(0, 0, 1), list[3:]...)
	renamed, err := transparency.New("another")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		shown *transparency.Log
		kind  transparency.FaultKind
	}{
		{"the same", old, ""},
		{"grown", grown, ""},
		{"forked", forked, transparency.Forked},
		{"shortened", appended(t, begin(t), noon, list[:3]...), transparency.Shortened},
		{"reordered, with times that fit", swapped, transparency.Forked},
		{"a new log", appended(t, renamed, noon, list...), transparency.Forked},
	} {
		var fault *transparency.Fault
		if err := tt.shown.Continues(seen); (err != nil) != (tt.kind != "") || err != nil && (!errors.As(err, &fault) || fault.Kind != tt.kind) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.kind)
		}
	}

	// Two readers with different logs compare their checkpoints.
	var fault *transparency.Fault
	if err := grown.Agrees(appended(t, old, noon.AddDate(0, 0, 2), other).Checkpoint()); !errors.As(err, &fault) || fault.Kind != transparency.Split {
		t.Errorf("a split view: %v", err)
	}
	if err := grown.Agrees(seen); err != nil {
		t.Errorf("a reader with an older copy: %v", err)
	}
	if err := old.Agrees(grown.Checkpoint()); !errors.Is(err, transparency.ErrNewer) {
		t.Errorf("somebody who is ahead: %v", err)
	}
}

// Changes on disk are found without any memory.
func TestDamagedLog(t *testing.T) {
	list := entries(3, "a")
	first := appended(t, appended(t, begin(t), noon, list[0]), noon.AddDate(0, 0, 1), list[1])
	l := appended(t, first, noon.AddDate(0, 0, 2), list[2])
	const file = "tile/entries/000.p/3"
	for _, tt := range []struct {
		name   string
		change func(data []byte) []byte
		kind   transparency.FaultKind
	}{
		{"a byte", func(data []byte) []byte { return []byte(strings.Replace(string(data), "1.1.0", "1.1.1", 1)) }, transparency.Damaged},
		{"cut off", func(data []byte) []byte { return data[:len(data)-1] }, transparency.Damaged},
		{"with more behind it", func(data []byte) []byte { return append(data, 0) }, transparency.Damaged},
		{"with more in it", func(data []byte) []byte { return []byte(strings.Replace(string(data), `{"time"`, `{"x":"","time"`, 1)) }, transparency.Damaged},
		{"another spelling", func(data []byte) []byte { return []byte(strings.Replace(string(data), `1.1.0`, `\u0031.1.0`, 1)) }, transparency.Damaged},
		{"reordered", func(data []byte) []byte {
			n := 2 + int(binary.BigEndian.Uint16(data))
			return append(append(append([]byte{}, data[n:2*n]...), data[:n]...), data[2*n:]...)
		}, transparency.Reordered},
		{"gone", nil, transparency.Damaged},
	} {
		dir := t.TempDir()
		write(t, dir, l, 0)
		path := filepath.Join(dir, file)
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if tt.change == nil {
			err = os.Remove(path)
		} else {
			err = os.WriteFile(path, tt.change(data), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		var fault *transparency.Fault
		if _, err := transparency.Read(dir, nil); !errors.As(err, &fault) || fault.Kind != tt.kind {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.kind)
		}
		// A reader who has read the start of the log keeps it.
		if got, err := transparency.Read(dir, first); err == nil && (!got.Checkpoint().Equal(l.Checkpoint()) || got.Entries()[1].Version != list[1].Version) {
			t.Errorf("%s, for who has read the beginning: %+v", tt.name, got.Entries())
		}
	}
	if _, err := transparency.Read(t.TempDir(), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no log: %v", err)
	}
}

// The clock of a second writer may be late; times never decrease.
func TestTimesGoForward(t *testing.T) {
	l := appended(t, begin(t), noon, entries(1, "a")...)
	l = appended(t, l, noon.Add(-time.Hour), entries(1, "b")...)
	if at := l.Entries()[1].Time; !at.Equal(noon) {
		t.Errorf("the second entry is of %s", at)
	}
}

// There is one spelling of a checkpoint.
func TestParseCheckpoint(t *testing.T) {
	c := *appended(t, begin(t), noon, entries(2, "a")...).Checkpoint()
	c.Signed, c.Until = noon, noon.Add(time.Hour)
	signed := c.With("— test AAAA\n")
	good := string(signed.Note())
	got, err := transparency.ParseCheckpoint([]byte(good))
	if err != nil || !got.Equal(&c) || got.Valid() != time.Hour || !got.IsSigned() {
		t.Fatalf("%+v, %v", got, err)
	}
	if err := got.Expired(noon.Add(2 * time.Hour)); !errors.Is(err, transparency.ErrExpired) {
		t.Errorf("its time is over: %v", err)
	}
	for name, bad := range map[string]string{
		"nothing":              "",
		"no signatures":        strings.SplitAfter(good, "\n\n")[0][:20],
		"a size with a zero":   strings.Replace(good, "\n2\n", "\n02\n", 1),
		"a size below nothing": strings.Replace(good, "\n2\n", "\n-2\n", 1),
		"a size beyond bounds": strings.Replace(good, "\n2\n", "\n99999999\n", 1),
		"no hash":              strings.Replace(good, c.Root.String(), "AAAA", 1),
		"a line more":          strings.Replace(good, "\nsigned", "\nmore\nsigned", 1),
		"a time that is none":  strings.Replace(good, "until 2026", "until never", 1),
		"no origin":            strings.Replace(good, "test\n", "\n", 1),
		"much":                 good + strings.Repeat("— test AAAA\n", transparency.MaxCheckpoint/10),
	} {
		if c, err := transparency.ParseCheckpoint([]byte(bad)); err == nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func FuzzParseCheckpoint(f *testing.F) {
	c := appended(f, begin(f), noon, entries(2, "a")...).Checkpoint()
	f.Add(c.Note())
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := transparency.ParseCheckpoint(data); err == nil && string(c.Note()) != string(data) {
			t.Errorf("%q is read as %q", data, c.Note())
		}
	})
}
