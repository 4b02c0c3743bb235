package jail_test

import (
	"testing"

	"github.com/slipstick/slipstick/host/internal/jail"
	"github.com/slipstick/slipstick/sdk/wire"
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
	for name, confiner := range map[string]wire.Confiner{"bare": nil, "jailed": j} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p, err := wire.Launch(b.Context(), program, &wire.Options{Confiner: confiner})
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
