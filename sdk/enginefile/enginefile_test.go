package enginefile_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipstick/slipstick/sdk/enginefile"
)

// The test binary is a runtime that prints its text if this is set.
const playVar = "SLIPSTICK_TEST_RUNTIME"

func TestMain(m *testing.M) {
	if os.Getenv(playVar) == "" {
		os.Exit(m.Run())
	}
	text, err := enginefile.Own()
	if err != nil {
		io.WriteString(os.Stderr, err.Error())
		os.Exit(1)
	}
	os.Stdout.Write(append(append(text.Document, text.Vectors...), text.Closure...))
}

var text = enginefile.Text{Document: []byte("# Square\n"), Vectors: []byte("x,y\n2,4\n"), Closure: []byte("{}\n")}

func join(t testing.TB, program string, text *enginefile.Text) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := enginefile.Join(&b, strings.NewReader(program), text); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(data []byte) (*enginefile.File, error) {
	return enginefile.Read(bytes.NewReader(data), int64(len(data)))
}

func TestJoin(t *testing.T) {
	for name, text := range map[string]enginefile.Text{
		"with all parts": text, "without": {Document: []byte("d")},
		"largest": {Document: make([]byte, enginefile.MaxDocument), Vectors: make([]byte, enginefile.MaxVectors), Closure: make([]byte, enginefile.MaxClosure)},
	} {
		t.Run(name, func(t *testing.T) {
			data := join(t, "program", &text)
			if !bytes.Equal(data, join(t, "program", &text)) {
				t.Error("the same parts give other bytes")
			}
			f, err := read(data)
			if err != nil {
				t.Fatal(err)
			}
			want := &enginefile.File{Text: text, Runtime: enginefile.PartOf([]byte("program"))}
			if d := cmp.Diff(want, f); d != "" || f.Size() != int64(len(data)) {
				t.Errorf("size %d of %d, %s", f.Size(), len(data), d)
			}
			tail, err := f.Tail()
			if err != nil || !bytes.Equal(append([]byte("program"), tail...), data) {
				t.Errorf("runtime and tail are not the file (%v)", err)
			}
		})
	}
}

func TestJoinRefuses(t *testing.T) {
	for _, tt := range []struct {
		program string
		text    enginefile.Text
		want    string
	}{
		{"", text, "the runtime has 0 bytes: between 1 and "},
		{"program", enginefile.Text{}, "the document has 0 bytes: between 1 and 65536 are allowed"},
		{"program", enginefile.Text{Document: make([]byte, enginefile.MaxDocument+1)}, "the document has 65537 bytes"},
		{"program", enginefile.Text{Document: []byte("d"), Vectors: make([]byte, enginefile.MaxVectors+1)}, "the file of vectors has 4194305 bytes"},
		{"program", enginefile.Text{Document: []byte("d"), Closure: make([]byte, enginefile.MaxClosure+1)}, "the closure has 1048577 bytes"},
		{string(join(t, "program", &text)), text, "the runtime has a document already"},
	} {
		err := enginefile.Join(io.Discard, strings.NewReader(tt.program), &tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

// The magic is also found if the runtime arrives in small pieces.
func TestJoinSmallPieces(t *testing.T) {
	program := io.MultiReader(bytes.NewReader(join(t, "program", &text)[:30]), oneByte{bytes.NewReader(join(t, "program", &text)[30:])})
	if err := enginefile.Join(io.Discard, program, &text); err == nil || !strings.Contains(err.Error(), "already") {
		t.Error(err)
	}
}

type oneByte struct{ io.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.Reader.Read(p[:1]) }

// Every changed byte is noticed. A changed magic makes the file another program, without a document.
func TestReadAltered(t *testing.T) {
	data := join(t, "program", &text)
	start := len(data) - len("slipstick text 2")
	for i := range data {
		altered := bytes.Clone(data)
		altered[i] ^= 0x40
		f, err := read(altered)
		if f != nil || err == nil || errors.Is(err, enginefile.ErrNoDocument) != (i >= start) {
			t.Errorf("byte %d: %v, %v", i, f, err)
		}
	}
}

func TestReadTruncated(t *testing.T) {
	data := join(t, "program", &text)
	for n := range data {
		if f, err := read(data[:n]); f != nil || !errors.Is(err, enginefile.ErrNoDocument) {
			t.Errorf("%d bytes: %v, %v", n, f, err)
		}
		if n == 0 {
			continue
		}
		if f, err := read(data[n:]); f != nil || err == nil {
			t.Errorf("without %d bytes: %v, %v", n, f, err)
		}
	}
	if f, err := read(append(bytes.Clone(data), 0)); f != nil || !errors.Is(err, enginefile.ErrNoDocument) {
		t.Errorf("one byte more: %v, %v", f, err)
	}
}

func TestReadMessages(t *testing.T) {
	data := join(t, "program", &text)
	change := func(at int) []byte {
		altered := bytes.Clone(data)
		altered[at]++
		return altered
	}
	for _, tt := range []struct {
		data []byte
		want string
	}{
		{[]byte("program"), "it has no document: make an engine of a runtime and a document first"},
		{change(0), "the engine file is damaged: its runtime does not match the trailer; copy the file again"},
		{change(7), "its document does not match the trailer"},
		{change(7 + len(text.Document)), "its file of vectors does not match the trailer"},
		{change(7 + len(text.Document) + len(text.Vectors)), "its closure does not match the trailer"},
		{data[1:], "it has 202 bytes, and its trailer needs 203"},
		{change(len(data) - 176), "the engine file is damaged: by its trailer, the runtime has 72057594037927943 bytes"},
	} {
		if _, err := read(tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %q", err, tt.want)
		}
	}
}

// run starts this test binary, or an engine made of it, as a runtime.
func run(t *testing.T, file string, env []string, extra ...*os.File) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), file)
	cmd.Env, cmd.ExtraFiles = append(env, playVar+"=1"), extra
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestOwn(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no compiler
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	data := join(t, string(program), &text)
	dir := t.TempDir()
	file := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if out, err := run(t, file("engine", data), nil); err != nil || out != string(text.Document)+string(text.Vectors)+string(text.Closure) {
		t.Errorf("%q, %v", out, err)
	}
	if out, err := run(t, self, nil); err == nil || !strings.Contains(out, "read the document of this program: it has no document") {
		t.Errorf("runtime alone: %q, %v", out, err)
	}
	data[len(program)]++
	if out, err := run(t, file("damaged", data), nil); err == nil || !strings.Contains(out, "its document does not match the trailer") {
		t.Errorf("damaged: %q, %v", out, err)
	}
	if runtime.GOOS == "windows" {
		return // it passes no descriptors
	}
	one := enginefile.File{Text: enginefile.Text{Document: []byte("other")}, Runtime: enginefile.PartOf(program)}
	tail, err := one.Tail()
	if err != nil {
		t.Fatal(err)
	}
	handed, err := os.Open(file("tail", tail))
	if err != nil {
		t.Fatal(err)
	}
	defer handed.Close()
	if out, err := run(t, self, []string{enginefile.DescriptorVariable + "=3"}, handed); err != nil || out != "other" {
		t.Errorf("descriptor: %q, %v", out, err)
	}
	if out, err := run(t, self, []string{enginefile.DescriptorVariable + "=x"}); err == nil || !strings.Contains(out, `SLIPSTICK_TEXT="x" is not a descriptor`) {
		t.Errorf("no descriptor: %q, %v", out, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(join(f, "program", &text))
	f.Add(join(f, "p", &enginefile.Text{Document: []byte("d")}))
	f.Add([]byte("slipstick text 2"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := read(data)
		if err != nil {
			return
		}
		again := join(t, string(data[:file.Runtime.Size]), &file.Text)
		if !bytes.Equal(again, data) {
			t.Error("the parts give another file")
		}
	})
}
