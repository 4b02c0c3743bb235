package telemetry

import (
	"errors"
	"os"
	"runtime/pprof"
)

// Profile writes a CPU profile of this process to the file until end is called, and
// nothing for "".
func Profile(file string) (end func(), err error) {
	if file == "" {
		return func() {}, nil
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close()
	}, nil
}
