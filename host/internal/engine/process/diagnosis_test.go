package process

import "testing"

// The error has only the message of the panic and the position in the author's code.
func TestPanicIn(t *testing.T) {
	const trace = "\n\ngoroutine 1 [running]:\n" +
		"github.com/slipstick/slipstick/sdk.New[...]({{0x0, 0x0}})\n\tgithub.com/slipstick/slipstick/sdk@v1.2.3/new.go:67 +0x1f4\n" +
		"main.Engine(...)\n\texample.com/lamp/main.go:31\nmain.main()\n\texample.com/lamp/main.go:14 +0x2c\n"
	for _, tt := range []struct{ printed, sentence, at string }{
		{"panic: sdk: spec of a.b.c: no Title" + trace, "sdk: spec of a.b.c: no Title", " (example.com/lamp/main.go:31)"},
		{"beginning\npanic: one\n\ttwo" + trace, "one two", " (example.com/lamp/main.go:31)"},
		{"panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1]" +
			"\n\ngoroutine 1 [running]:\nmain.main()\n\t./main.go:9 +0x2c\n", "runtime error: invalid memory address or nil pointer dereference", " (./main.go:9)"},
		{"panic: no trace\n\ngoroutine 1 [running]:\n ... ", "no trace", ""},
	} {
		if sentence, at, ok := panicIn(tt.printed); !ok || sentence != tt.sentence || at != tt.at {
			t.Errorf("%q: %q, %q, %v", tt.printed, sentence, at, ok)
		}
	}
	for _, printed := range []string{"", "panic: of an engine in another language", "Traceback\nValueError: panic: x"} {
		if sentence, _, ok := panicIn(printed); ok {
			t.Errorf("%q: %q", printed, sentence)
		}
	}
}
