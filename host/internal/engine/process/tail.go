package process

import (
	"fmt"
	"strings"
	"sync"
)

// tail keeps the beginning and the end of what an engine printed, to explain why it ended. A
// Go program prints the reason first, other programs print it last.
type tail struct {
	mu    sync.Mutex
	first []byte
	last  []byte
	lost  bool // bytes between first and last were dropped
}

// Sizes of both parts, in bytes.
const (
	maxFirst = 1 << 10
	maxLast  = 2 << 10
)

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(b), maxFirst-len(t.first))
	t.first = append(t.first, b[:n]...)
	t.last = append(t.last, b[n:]...)
	if over := len(t.last) - maxLast; over > 0 {
		t.last, t.lost = append(t.last[:0], t.last[over:]...), true
	}
	return len(b), nil
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	between := ""
	if t.lost {
		between = " ... "
	}
	return strings.ToValidUTF8(strings.TrimSpace(string(t.first)+between+string(t.last)), "?")
}

// note returns the text as the end of an error message, "" if nothing was printed.
func (t *tail) note() string {
	text := t.text()
	if text == "" {
		return ""
	}
	return fmt.Sprintf("; it printed %q", text)
}
