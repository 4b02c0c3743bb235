package process_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/engine/enginetest"
	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/sdk/enginefile"
)

// textEngine returns the engine file of the test binary and a document.
func textEngine(t *testing.T, document string) (file []byte, runtimeSize int) {
	t.Helper()
	runtime := enginetest.Program(t)
	var b bytes.Buffer
	if err := enginefile.Join(&b, bytes.NewReader(runtime), &enginefile.Text{Document: []byte(document)}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), len(runtime)
}

// documentOf starts the program and returns the document that it finds.
func documentOf(t *testing.T, p *process.Program) string {
	t.Helper()
	running, err := process.Launch(t.Context(), p, &process.Options{Dir: t.TempDir(), StartTimeout: patience, Env: []string{modeVar + "=text"}})
	if err != nil {
		t.Fatal(err)
	}
	defer running.Close()
	return vectorsOf(t, running)
}

// A text engine finds its document if its own file is started, and if its runtime is.
func TestTextEngine(t *testing.T) {
	file, size := textEngine(t, "one")
	whole, err := process.NewProgram(file)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	if got := documentOf(t, whole); got != "one" || !whole.IsText() {
		t.Errorf("document %q, text %v", got, whole.IsText())
	}
	runtime, err := process.NewProgram(file[:size])
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.Close()
	engine, err := runtime.Engine(file[size:])
	if err != nil {
		t.Fatal(err)
	}
	if engine.Digest() != whole.Digest() || engine.Size() != int64(len(file)-size) || runtime.IsText() {
		t.Errorf("digest %s of %d bytes, want %s; text %v", engine.Digest(), engine.Size(), whole.Digest(), runtime.IsText())
	}
	if got := documentOf(t, engine); got != "one" {
		t.Errorf("document %q", got)
	}
	other, otherSize := textEngine(t, "two")
	second, err := runtime.Engine(other[otherSize:])
	if err != nil {
		t.Fatal(err)
	}
	engine.Close() // leaves the file to the second
	if got := documentOf(t, second); got != "two" || second.Digest() == engine.Digest() {
		t.Errorf("document %q, digest %s", got, second.Digest())
	}
}

func TestDamagedTextEngine(t *testing.T) {
	file, size := textEngine(t, "one")
	file[size]++
	if p, err := process.NewProgram(file); err == nil || !strings.Contains(err.Error(), "its document does not match the trailer") {
		t.Errorf("%v, %v", p, err)
	}
}
