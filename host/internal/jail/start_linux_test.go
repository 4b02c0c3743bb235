package jail_test

import (
	"testing"

	"github.com/slipstick/slipstick/host/internal/jail"
	"github.com/slipstick/slipstick/host/internal/process"
)

// BenchmarkStart measures from nothing to the first answer, and the end.
func BenchmarkStart(b *testing.B) {
	j, err := jail.New(nil)
	if err != nil {
		b.Skip(err)
	}
	defer j.Close()
	program, err := evilProgram()
	if err != nil {
		b.Fatal(err)
	}
	for name, confiner := range map[string]process.Confiner{"bare": nil, "jailed": j} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p, err := process.Launch(b.Context(), program, &process.Options{Confiner: confiner})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := call(b.Context(), p, "nothing", struct{}{}); err != nil {
					b.Fatal(err)
				}
				p.Close()
			}
		})
	}
}
