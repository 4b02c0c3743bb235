package memory

import (
	"bufio"
	"bytes"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
)

// scarce is the share of memory below which the rest counts as short.
const scarce = 0.1

// Short reports whether memory is short. It is short if less than a tenth of the machine's memory
// or of Go's memory limit is left. Memory that the system does not report is not short.
func Short() bool {
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		used := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		metrics.Read(used)
		if left := float64(limit) - float64(used[0].Value.Uint64()-used[1].Value.Uint64()); left < scarce*float64(limit) {
			return true
		}
	}
	info, err := os.ReadFile("/proc/meminfo")
	return err == nil && short(info)
}

// short reads the file meminfo of Linux.
func short(info []byte) bool {
	var total, available float64
	for lines := bufio.NewScanner(bytes.NewReader(info)); lines.Scan(); {
		words := bytes.Fields(lines.Bytes())
		if len(words) < 2 {
			continue
		}
		n, err := strconv.ParseFloat(string(words[1]), 64)
		switch name := string(words[0]); {
		case err != nil:
		case name == "MemTotal:":
			total = n
		case name == "MemAvailable:":
			available = n
		}
	}
	return total > 0 && available < scarce*total
}
