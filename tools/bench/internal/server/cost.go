package server

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Cost is the resource usage of a server since its start. Below are the processes that it started,
// which are its engines.
type Cost struct {
	Own, Below     Usage
	Objects, Bytes float64 // allocated by the server itself; 0 without metrics
}

// Usage is what processes have used.
type Usage struct {
	CPU    time.Duration
	Waits  float64 // number of times that a thread gave up its CPU to wait
	Faults float64 // page faults
}

// Minus returns the usage since an earlier Cost.
func (c Cost) Minus(earlier Cost) Cost {
	return Cost{
		Own: c.Own.minus(earlier.Own), Below: c.Below.minus(earlier.Below),
		Objects: c.Objects - earlier.Objects, Bytes: c.Bytes - earlier.Bytes,
	}
}

func (u Usage) minus(earlier Usage) Usage {
	return Usage{u.CPU - earlier.CPU, u.Waits - earlier.Waits, u.Faults - earlier.Faults}
}

// Cost reads the usage of the server from /proc and from its metrics.
func (s *Server) Cost(ctx context.Context) (Cost, error) {
	var c Cost
	children, err := parents()
	if err != nil {
		return c, err
	}
	pid := s.cmd.Process.Pid
	c.Own, err = used(pid)
	if err != nil {
		return c, err
	}
	for _, child := range below(children, pid) {
		u, err := used(child)
		if err != nil {
			continue // it has ended
		}
		c.Below.CPU += u.CPU
		c.Below.Waits += u.Waits
		c.Below.Faults += u.Faults
	}
	c.Objects, c.Bytes, err = s.allocated(ctx)
	return c, err
}

// CPUTime reads the CPU time of a process without its child processes.
func CPUTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return parseUsage(string(stat)).CPU, err
}

// used reads the usage of a process without its child processes.
func used(pid int) (Usage, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Usage{}, err
	}
	u := parseUsage(string(stat))
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil {
		return Usage{}, err
	}
	for _, name := range threads {
		status, _ := os.ReadFile(name) // a thread that has ended does not wait any more
		u.Waits += parseWaits(status)
	}
	return u, nil
}

// tick is the unit of CPU times in /proc.
const tick = 10 * time.Millisecond

// parseUsage reads the faults and CPU times of a stat file.
func parseUsage(stat string) Usage {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	const minflt, majflt, utime, stime = 10 - 3, 12 - 3, 14 - 3, 15 - 3 // the fields start with the third
	if len(fields) <= stime {
		return Usage{}
	}
	sum := func(a, b int) int64 {
		first, _ := strconv.ParseInt(fields[a], 10, 64)
		second, _ := strconv.ParseInt(fields[b], 10, 64)
		return first + second
	}
	return Usage{CPU: time.Duration(sum(utime, stime)) * tick, Faults: float64(sum(minflt, majflt))}
}

func parseWaits(status []byte) float64 {
	_, after, _ := bytes.Cut(status, []byte("\nvoluntary_ctxt_switches:"))
	line, _, _ := bytes.Cut(after, []byte("\n"))
	n, _ := strconv.ParseFloat(strings.TrimSpace(string(line)), 64)
	return n
}

// Metrics calls each for every value in the server's metrics. It makes no calls for a server without
// metrics.
func (s *Server) Metrics(ctx context.Context, each func(name, value string)) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/metrics", nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil
	}
	return eachMetric(resp.Body, each)
}

func eachMetric(text io.Reader, each func(name, value string)) error {
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		line := lines.Text()
		if end := strings.LastIndexByte(line, ' '); end > 0 && !strings.HasPrefix(line, "#") {
			each(line[:end], line[end+1:])
		}
	}
	return lines.Err()
}

func (s *Server) allocated(ctx context.Context) (objects, bytes float64, err error) {
	err = s.Metrics(ctx, func(name, value string) {
		switch name {
		case "go_memstats_mallocs_total":
			objects, _ = strconv.ParseFloat(value, 64)
		case "go_memstats_alloc_bytes_total":
			bytes, _ = strconv.ParseFloat(value, 64)
		}
	})
	return objects, bytes, err
}
