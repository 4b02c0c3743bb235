package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// usage is CPU time up to a point in time, in seconds.
type usage struct {
	when     time.Time
	machine  float64 // of all processes on the machine
	measured float64 // of the bench and its ended children
}

func usageNow() usage {
	stat, _ := os.ReadFile("/proc/stat")
	u := usage{when: time.Now(), machine: busySeconds(string(stat))}
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var r syscall.Rusage
		if syscall.Getrusage(who, &r) == nil {
			u.measured += time.Duration(r.Utime.Nano() + r.Stime.Nano()).Seconds()
		}
	}
	return u
}

// others returns the share of the machine, from 0 to 1, that other processes have used since u.
func (u usage) others() float64 {
	now := usageNow()
	share := (now.machine - u.machine - (now.measured - u.measured)) / now.when.Sub(u.when).Seconds()
	return max(0, share/float64(runtime.NumCPU()))
}

// fewOthers is the largest share of the machine for others that needs no note.
const fewOthers = 0.05

// ticks is the number of ticks per second in /proc/stat.
const ticks = 100

// busySeconds adds up the first line of /proc/stat: cpu user nice system idle iowait irq
// softirq steal. It ignores interrupts, because the bench causes the network's.
func busySeconds(stat string) float64 {
	line, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(line)
	var sum float64
	for _, i := range []int{1, 2, 3, 8} {
		if i < len(fields) {
			n, _ := strconv.ParseFloat(fields[i], 64)
			sum += n
		}
	}
	return sum / ticks
}
