package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
)

// share is a part of a profile, in percent.
type share struct {
	Group  string  `json:"group"`
	Itself float64 `json:"itself_percent"` // in its functions, without the functions that they call
	Caused float64 `json:"caused_percent"` // including the system calls, memory and waiting that they cause
}

// groups classify functions by name. The first group that matches decides. The groups that cause
// work are code written for the service; the other groups work on their behalf.
var groups = []struct {
	name      string
	causes    bool
	functions *regexp.Regexp
}{
	{"JSON scanning and inputs", true, regexp.MustCompile(`^github\.com/slipstick/slipstick/sdk/(strictjson|envelope|units|spelling)`)},
	{"engine lane", true, regexp.MustCompile(`^(github\.com/slipstick/slipstick/(sdk/wire|host/internal/engine/(pool|process))|google\.golang\.org/|github\.com/hashicorp/|golang\.org/x/net/(http2|internal|trace))`)},
	{"answers", true, regexp.MustCompile(`^github\.com/slipstick/slipstick/sdk\.`)},
	{"metrics and traces", true, regexp.MustCompile(`^(github\.com/prometheus/|github\.com/slipstick/slipstick/host/internal/platform/telemetry|go\.opentelemetry\.io/)`)},
	{"service", true, regexp.MustCompile(`^(github\.com/slipstick/slipstick/|main\.)`)},
	{"net/http", true, regexp.MustCompile(`^(vendor/golang\.org/x/net/|net/(http|textproto|url)|mime)`)},

	{systemCalls, false, regexp.MustCompile(`[sS]yscall|^runtime\.(futex|epoll|write1|read|usleep|nanotime|walltime|madvise|vdso|netpoll)`)},
	{collection, false, regexp.MustCompile(`^runtime\.(\(\*)?(gc|scan|grey|mark|sweep|wb|bulkBarrier|findObject|spanOf|heapBits|typePointers|mspan|activeSweep|tryDeferToSpanScan|bgsweep|bgscavenge|pageAlloc)`)},
	{"memory", false, regexp.MustCompile(`^(runtime\.(\(\*)?(malloc|new|make|grow|mem(move|clr|equal)|nextFree|mcache|mcentral|mheap|spanSet|concat|slicebyte|string|rawstring|rawbyte|convT|duff|arena|deductAssist|publicationBarrier)|internal/bytealg)`)},
	{"maps and hashes", false, regexp.MustCompile(`^(internal/runtime/maps|runtime\.(map|aeshash|strhash|memhash|nilinterhash|interhash)|hash/|crypto/|aeshash|github\.com/cespare/)`)},
	{goroutines, false, regexp.MustCompile(`^(runtime\.|internal/runtime/|sync\.|sync/|internal/sync|context\.|time\.|gogo)`)},
	{"network", false, regexp.MustCompile(`^(net\.|internal/poll|bufio|io\.|os\.)`)},
	{"numbers, texts and lists", false, regexp.MustCompile(`^(strconv|internal/strconv|fmt|encoding|math|bytes|strings|slices|sort|unicode|indexbytebody)`)},
}

// Groups that are named elsewhere too.
const (
	systemCalls = "system calls"
	collection  = "garbage collection"
	goroutines  = "goroutines and channels"
	other       = "other"
)

func groupOf(function string) (name string, causes bool) {
	for _, g := range groups {
		if g.functions.MatchString(function) {
			return g.name, g.causes
		}
	}
	return other, false
}

// collectors are the functions of the garbage collector, which works for all groups.
var collectors = regexp.MustCompile(`^runtime\.(gcBgMarkWorker|bgsweep|bgscavenge|gcStart|gcMarkDone)`)

// causeOf returns the group that caused the work in a stack. The first function of the stack is
// the innermost one.
func causeOf(stack []string) string {
	for _, function := range stack {
		if name, causes := groupOf(function); causes {
			return name
		}
	}
	if slices.ContainsFunc(stack, collectors.MatchString) {
		return collection
	}
	return goroutines // the scheduler, which looks for a runnable goroutine
}

// shares adds up the output of go tool pprof -traces.
func shares(traces []byte) ([]share, error) {
	itself, caused := map[string]float64{}, map[string]float64{}
	var total float64
	for _, part := range bytes.Split(traces, []byte("-----------+"))[1:] {
		took, stack := parseTrace(string(part))
		if len(stack) == 0 {
			continue
		}
		name, _ := groupOf(stack[0])
		itself[name] += took
		caused[causeOf(stack)] += took
		total += took
	}
	if total == 0 {
		return nil, errors.New("go tool pprof printed no traces")
	}
	var all []share
	for _, name := range groupNames() {
		if itself[name]+caused[name] > 0 {
			all = append(all, share{name, 100 * itself[name] / total, 100 * caused[name] / total})
		}
	}
	slices.SortStableFunc(all, func(a, b share) int { return cmp.Compare(b.Caused, a.Caused) })
	return all, nil
}

func groupNames() []string {
	var names []string
	for _, g := range groups {
		names = append(names, g.name)
	}
	return append(names, other)
}

// parseTrace parses the functions of one stack, innermost first, and the seconds before the first
// function.
func parseTrace(text string) (seconds float64, stack []string) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(strings.ReplaceAll(line, "(inline)", ""))
		if len(stack) == 0 && len(fields) == 2 {
			took, err := time.ParseDuration(fields[0])
			if err != nil {
				continue
			}
			seconds, stack = took.Seconds(), fields[1:]
		} else if len(stack) > 0 && len(fields) == 1 {
			stack = append(stack, fields[0])
		}
	}
	return seconds, stack
}

func printShares(w io.Writer, all []share) {
	fmt.Fprintf(w, "\n%-34s%10s%10s\n", "profile of the server", "caused", "itself")
	for _, s := range all {
		fmt.Fprintf(w, "  %-32s%8.1f %%%8.1f %%\n", s.Group, s.Caused, s.Itself)
	}
}
