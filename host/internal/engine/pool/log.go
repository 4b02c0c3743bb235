package pool

import (
	"log/slog"
	"sync"
	"time"
)

// logBurst is how many lines about one program are logged per logPeriod. An engine must not
// be able to flood the log.
const (
	logBurst  = 20
	logPeriod = 10 * time.Second
)

// limitedLog drops lines beyond the burst, and later logs how many it dropped.
type limitedLog struct {
	log *slog.Logger

	mu      sync.Mutex
	since   time.Time
	lines   int
	dropped int
}

func (l *limitedLog) warn(message string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); now.Sub(l.since) > logPeriod {
		if l.dropped > 0 {
			args = append(args, "not_logged_before", l.dropped)
		}
		l.since, l.lines, l.dropped = now, 0, 0
	}
	l.lines++
	if l.lines > logBurst {
		l.dropped++
		return
	}
	l.log.Warn(message, args...)
}
