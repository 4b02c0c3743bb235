package pool

import (
	"fmt"
	"os"
	"runtime"
)

// overloaded reports whether the machine has four times as many threads to run as processors. It
// reports false if the load is not known.
func overloaded() bool {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return false
	}
	var load [3]float64
	var runnable int
	_, err = fmt.Sscanf(string(text), "%f %f %f %d/", &load[0], &load[1], &load[2], &runnable)
	return err == nil && runnable > 4*runtime.NumCPU()
}
