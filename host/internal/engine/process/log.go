package process

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/hashicorp/go-hclog"
	"golang.org/x/time/rate"

	"github.com/slipstick/slipstick/sdk/visible"
	"github.com/slipstick/slipstick/sdk/wire/contract"
)

// Log writes the log lines of the processes of one engine to the log of the server. An engine is
// not trusted. So a Log bounds the number and the size of the lines, and replaces characters that
// readers cannot see. It is safe for concurrent use.
type Log struct {
	to    *slog.Logger
	level hclog.Level
	turns *rate.Limiter

	mu      sync.Mutex
	dropped int // lines beyond the rate since the last line
}

// LogOptions are the limits of a Log. The zero value is usable.
type LogOptions struct {
	Level hclog.Level // least level of the lines; Warn if zero
	Rate  int         // most lines per second; 10 if zero
}

const defaultLogRate = 10

// NewLog returns a Log that writes to the logger. The logger names the engine, and has to handle
// the level of slog that corresponds to Level. Trace lines have the level of debug lines.
func NewLog(to *slog.Logger, o LogOptions) *Log {
	lines := cmp.Or(o.Rate, defaultLogRate)
	return &Log{to: to, level: cmp.Or(o.Level, hclog.Warn), turns: rate.NewLimiter(rate.Limit(lines), lines)}
}

// asked returns the level for the environment of the engine.
func (l *Log) asked() string {
	if l == nil {
		return hclog.Off.String()
	}
	return l.level.String()
}

// Limits on log lines, in bytes.
const (
	maxLogLine = 16 << 10 // as JSON, where a character of the text can take 6 bytes
	maxLogText = 1 << 10  // of the texts of a line
)

// SlogLevel returns the level of slog for a level of hclog.
func SlogLevel(level hclog.Level) slog.Level {
	switch level {
	case hclog.Trace, hclog.Debug:
		return slog.LevelDebug
	case hclog.Info:
		return slog.LevelInfo
	case hclog.Error, hclog.Off:
		return slog.LevelError
	}
	return slog.LevelWarn
}

// Members of a log line.
const (
	memberLevel   = "@level"
	memberMessage = "@message"
	memberModule  = "@module"
)

// levelKey precedes the level of a log line. Within a text of JSON its quotes would be escaped.
var levelKey = []byte(`"` + memberLevel + `"`)

// levelOf returns the level of a log line, and NoLevel for other output. It does not parse the line,
// because an engine can print many of them.
func levelOf(line []byte) hclog.Level {
	_, rest, ok := bytes.Cut(line, levelKey)
	if !ok {
		return hclog.NoLevel
	}
	rest = bytes.TrimLeft(rest, ` :`)
	word, _, _ := bytes.Cut(bytes.TrimPrefix(rest, []byte{'"'}), []byte{'"'})
	const longest = len("error")
	return hclog.LevelFromString(string(word[:min(len(word), longest+1)]))
}

// write logs a line that may be a log line, and reports whether it is one. Cut means that the line
// is the beginning of a longer one. A nil Log drops log lines.
func (l *Log) write(line []byte, cut bool) bool {
	level := levelOf(line)
	if level == hclog.NoLevel || level == hclog.Off {
		return false
	}
	if l == nil || level < l.level {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.turns.Allow() {
		l.dropped++
		return true
	}
	members, ok := parseLine(line, cut)
	if !ok {
		return false
	}
	l.to.LogAttrs(context.Background(), SlogLevel(level), "engine logged", l.attributes(members)...)
	return true
}

// parseLine parses a log line. A line that is cut in its last text loses the rest of this text. If
// it is cut elsewhere, its message is the beginning of the line.
func parseLine(line []byte, cut bool) (members map[string]json.RawMessage, ok bool) {
	text := line
	if cut {
		text = append(bytes.Clone(withoutEscape(line)), `"}`...)
	}
	err := json.Unmarshal(text, &members)
	ok = err == nil && members[memberMessage] != nil
	if ok || !cut {
		return members, ok
	}
	return map[string]json.RawMessage{memberMessage: line}, true
}

// withoutEscape removes an escape that may be incomplete from the end of the text of a line.
func withoutEscape(line []byte) []byte {
	const longest = len(`\u0000`)
	at := bytes.LastIndexByte(line[max(0, len(line)-longest):], '\\')
	if at < 0 {
		return line
	}
	at += max(0, len(line)-longest)
	for at > 0 && line[at-1] == '\\' {
		at--
	}
	return line[:at]
}

// attributes returns the attributes of a line. The fields of the engine are in a group, so that they
// cannot pass for attributes of the server.
func (l *Log) attributes(members map[string]json.RawMessage) []slog.Attr {
	left := maxLogText
	text := func(raw []byte) string { return shown(raw, &left) }
	var list []slog.Attr
	if id := text(members[contract.LogRequest]); id != "" {
		list = append(list, slog.String("id", id))
	}
	list = append(list, slog.String("text", text(members[memberMessage])))
	if module := text(members[memberModule]); module != "" {
		list = append(list, slog.String("module", module))
	}
	var fields []any
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if strings.HasPrefix(name, "@") || name == contract.LogRequest {
			continue
		}
		key := shown([]byte(name), &left)
		if left <= 0 {
			break
		}
		fields = append(fields, slog.String(key, text(members[name])))
	}
	if len(fields) > 0 {
		list = append(list, slog.Group("fields", fields...))
	}
	if l.dropped > 0 {
		list = append(list, slog.Int("not_logged_before", l.dropped))
		l.dropped = 0
	}
	return list
}

// oneLine replaces the characters of a text that end a line, or that move within it.
var oneLine = strings.NewReplacer("\n", " ", "\r", " ", "\t", " ")

// shown returns a text as the log shows it: a text of JSON, or else the raw bytes. It has at most
// as many bytes as are left, and takes them.
func shown(raw []byte, left *int) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	text = visible.Text(oneLine.Replace(text))
	if len(text) > *left {
		const mark = "..."
		end := max(0, *left-len(mark))
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + mark
	}
	*left -= min(*left, len(text))
	return text
}

// printed takes what an engine prints on stderr. Its log lines go to the log. Everything else goes
// to the tail, for the report of a failure. Only one goroutine may write.
type printed struct {
	log  *Log
	tail *tail

	held  []byte // beginning of a line that may be a log line
	over  bool   // the line is longer than held
	plain bool   // the present line is not a log line
	lines int    // number of lines that may have been log lines
}

// Write implements [io.Writer]. It never fails.
func (p *printed) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		if len(p.held) == 0 && (p.plain || b[0] != '{') {
			b = p.other(b)
		} else {
			b = p.hold(b)
		}
	}
	return n, nil
}

// other takes the output up to the next line that may be a log line, and returns the rest.
func (p *printed) other(b []byte) []byte {
	end := len(b)
	if next := bytes.Index(b, []byte("\n{")); next >= 0 {
		end = next + 1
	}
	_, _ = p.tail.Write(b[:end])
	p.plain = b[end-1] != '\n'
	return b[end:]
}

// hold takes the output up to the end of the present line, and returns the rest.
func (p *printed) hold(b []byte) []byte {
	end := bytes.IndexByte(b, '\n') + 1
	part := b[:end]
	if end == 0 {
		part = b
	}
	fits := min(len(part), maxLogLine-len(p.held))
	p.held = append(p.held, part[:fits]...)
	p.over = p.over || fits < len(part)
	if end > 0 {
		p.flush()
	}
	return b[len(part):]
}

// flush ends the present line.
func (p *printed) flush() {
	if len(p.held) == 0 {
		return
	}
	if !p.log.write(bytes.TrimRight(p.held, "\r\n"), p.over) {
		_, _ = p.tail.Write(p.held)
	}
	if cap(p.held) > maxFirst {
		p.held = nil // most lines are short
	}
	p.held, p.over = p.held[:0], false
	p.lines++
}
