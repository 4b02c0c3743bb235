// Package limit decides whether a client may call a surface now. It implements the rate limits of the server.
//
// A surface has a limit N. In any 60 seconds at most N calls of a client are accepted. A call is refused only
// if N calls were accepted in the last 60 seconds (spec 8). The window slides with every call. It is half open:
// a call accepted at time s counts for the calls at s <= t < s+60s. So the next call can be accepted at exactly
// s+60s. Refused calls do not count.
//
// A [Limiter] decides for a server. It keeps the windows of one process in a [Local], and shares windows with
// other servers in a [Shared]. A [Budget] limits memory and places that clients use at the same time.
package limit

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Window is the time over which calls are counted.
const Window = 60 * time.Second

// MaxLimit is the largest limit. It exists because every accepted call is stored for the duration of the
// window.
const MaxLimit = 10_000

// The surfaces.
const (
	Calc    = "calc"     // REST calculations
	MCP     = "mcp"      // MCP calls
	MCPExec = "mcp-exec" // calculations over MCP
	Share   = "share"    // snapshots
	Page    = "page"     // tool pages
)

var surfaces = []string{Calc, MCP, MCPExec, Share, Page}

// Limits has the number of accepted calls per client and Window for each surface. 0 turns the limit of a
// surface off. A surface that is not in the map has its default.
type Limits map[string]int

// Defaults returns the default limits.
func Defaults() Limits {
	return Limits{Calc: 60, MCP: 120, MCPExec: 30, Share: 60, Page: 120}
}

// ParseLimits reads limits such as "calc=60,mcp-exec=0". Surfaces that are not named keep their default. The
// error names the invalid part.
func ParseLimits(text string) (Limits, error) {
	named := Limits{}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" && strings.TrimSpace(text) == "" {
			break
		}
		surface, value, ok := strings.Cut(part, "=")
		surface, value = strings.TrimSpace(surface), strings.TrimSpace(value)
		if !ok {
			return nil, fmt.Errorf("limit %q: want surface=calls, such as calc=60", part)
		}
		if _, repeated := named[surface]; repeated {
			return nil, fmt.Errorf("limit %q: %s is given twice", part, surface)
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			return nil, fmt.Errorf("limit %q: %q is not a whole number", part, value)
		}
		named[surface] = n
	}
	return named.complete()
}

// complete returns the limits of all surfaces.
func (l Limits) complete() (Limits, error) {
	all := Defaults()
	for _, surface := range slices.Sorted(maps.Keys(l)) {
		if _, ok := all[surface]; !ok {
			return nil, fmt.Errorf("limit of %q: no such surface, there are %s", surface, strings.Join(surfaces, ", "))
		}
		if n := l[surface]; n < 0 || n > MaxLimit {
			return nil, fmt.Errorf("limit of %q: %d is not from 0 to %d", surface, n, MaxLimit)
		}
		all[surface] = l[surface]
	}
	return all, nil
}

// String returns the limits in the map as ParseLimits reads them.
func (l Limits) String() string {
	var parts []string
	for _, surface := range surfaces {
		if n, ok := l[surface]; ok {
			parts = append(parts, surface+"="+strconv.Itoa(n))
		}
	}
	return strings.Join(parts, ",")
}
