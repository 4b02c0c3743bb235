package process_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"github.com/slipstick/slipstick/host/internal/engine/process"
	"github.com/slipstick/slipstick/sdk"
	"github.com/slipstick/slipstick/sdk/value"
)

// hostile are lines of an engine that wants to deceive readers of the log.
var hostile = []string{
	`{"@level":"warn","@message":"forged","capability":"other.engine","version":"9.9.9","id":"theirs","level":"ERROR","msg":"all is well"}`,
	`{"@level":"warn","@message":"a\u001b[2J\u202eb\nc\u0000","\u001b]0;key=x":"\r\u2028"}`,
	`{"@level":"error","@message":{"nested":[1,2]},"request_id":["no text"]}`,
	`{"@level":"warn","@message":"broken`,
	`{"@level":"warn"}`,
	`{"@level":"loud","@message":"of no level"}`,
}

const logFlood = 10_000 // lines

// logIn logs according to the mode of the inputs.
func logIn(ctx context.Context, in *input) {
	switch in.Mode {
	case "log":
		logger := sdk.Logger(ctx)
		logger.Debug("began")
		logger.Named("solver").Warn("no convergence", "x", in.X, "error", errors.New("too stiff"))
		fmt.Fprintln(os.Stderr, "printed by the author")
	case "log long":
		sdk.Logger(ctx).Error(strings.Repeat("é", 1<<19), "x", in.X)
	case "log hostile":
		printRaw(strings.Join(hostile, "\n") + "\n")
	case "log flood":
		printRaw(strings.Repeat(hostile[0]+"\n", logFlood))
	}
}

// printRaw writes to the pipe, without the SDK.
func printRaw(text string) {
	for b := []byte(text); len(b) > 0; {
		n, err := syscall.Write(2, b)
		if err != nil {
			return
		}
		b = b[n:]
	}
}

// captured are the lines of a Log.
type captured struct {
	mu    sync.Mutex
	bytes bytes.Buffer
}

// Write implements [io.Writer].
func (c *captured) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes.Write(b)
}

// logLine is a line of the server's log.
type logLine struct {
	Level, Msg, Capability, ID, Text, Module string
	Fields                                   map[string]string
	Dropped                                  int `json:"not_logged_before"`

	size int
}

// lines returns the lines so far.
func (c *captured) lines(t *testing.T) (list []logLine) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for text := range strings.Lines(c.bytes.String()) {
		l := logLine{size: len(text)}
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if l.Msg != "engine logged" || l.Capability != "test.process.echo" {
			t.Errorf("a line that is not of the server: %s", text)
		}
		list = append(list, l)
	}
	return list
}

type requestKey struct{}

func requestContext(t *testing.T, id string) context.Context {
	t.Helper()
	return context.WithValue(t.Context(), requestKey{}, id)
}

// launchLogging starts an engine with a Log.
func launchLogging(t *testing.T, limits process.LogOptions, o process.Options) (*process.Process, *captured) {
	t.Helper()
	c := new(captured)
	to := slog.New(slog.NewJSONHandler(c, &slog.HandlerOptions{Level: slog.LevelDebug})).With("capability", "test.process.echo")
	o.Log = process.NewLog(to, limits)
	o.RequestID = func(ctx context.Context) string {
		id, _ := ctx.Value(requestKey{}).(string)
		return id
	}
	p, err := launch(t, "engine", o)
	if err != nil {
		t.Fatal(err)
	}
	return p, c
}

// transports are the ways to call an engine.
var transports = map[string]process.Options{"stream": {}, "gRPC": {Unary: true}}

func TestLog(t *testing.T) {
	for name, o := range transports {
		t.Run(name, func(t *testing.T) {
			p, c := launchLogging(t, process.LogOptions{}, o)
			if _, err := p.Calculate(requestContext(t, "request-1"), values(1.5, "log")); err != nil {
				t.Fatal(err)
			}
			waitPrinted(t, p, "printed by the author")
			p.Close()
			lines := c.lines(t)
			if len(lines) != 1 {
				t.Fatalf("%d lines, want the warning alone: %+v", len(lines), lines)
			}
			l := &lines[0]
			if l.Level != "WARN" || l.ID != "request-1" || l.Text != "no convergence" || l.Module != "solver" {
				t.Errorf("logged %+v", l)
			}
			if len(l.Fields) != 2 || l.Fields["x"] != "1.5" || l.Fields["error"] != "too stiff" {
				t.Errorf("fields %v", l.Fields)
			}
			if printed := p.Printed(); strings.Contains(printed, "@level") {
				t.Errorf("the report of a failure has log lines: %q", printed)
			}
		})
	}
}

// waitPrinted waits for output of the engine that comes another way than its answer.
func waitPrinted(t *testing.T, p *process.Process, want string) {
	t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(p.Printed(), want); {
		if time.Now().After(end) {
			t.Fatalf("printed %q", p.Printed())
		}
		time.Sleep(time.Millisecond)
	}
}

// The server can ask for all lines, and for none.
func TestLogLevels(t *testing.T) {
	p, c := launchLogging(t, process.LogOptions{Level: hclog.Trace}, process.Options{})
	o, err := p.Calculate(t.Context(), values(1, "env"))
	if err != nil || !strings.Contains(o.Result[1].Text(), "SLIPSTICK_LOG_LEVEL=trace") {
		t.Errorf("environment: %v, %v", o.Result, err)
	}
	if _, err := p.Calculate(t.Context(), values(1, "log")); err != nil {
		t.Fatal(err)
	}
	p.Close()
	lines := c.lines(t)
	if len(lines) != 2 || lines[0].Level != "DEBUG" || lines[0].Text != "began" || lines[0].ID != "" {
		t.Errorf("logged %+v", lines)
	}

	p = mustLaunch(t)
	o, err = p.Calculate(t.Context(), values(1, "env"))
	if err != nil || !strings.Contains(o.Result[1].Text(), "SLIPSTICK_LOG_LEVEL=off") {
		t.Errorf("environment: %v, %v", o.Result, err)
	}
	for _, mode := range []string{"log", "log flood"} {
		if _, err := p.Calculate(t.Context(), values(1, mode)); err != nil {
			t.Fatal(err)
		}
	}
	p.Close()
	if printed := p.Printed(); strings.Contains(printed, "@level") {
		t.Errorf("printed %q", printed)
	}
}

// Lines of concurrent calls have the ids of their requests, also lines of the rows of a batch.
func TestLogRequests(t *testing.T) {
	const calls = 60
	for name, o := range transports {
		t.Run(name, func(t *testing.T) {
			p, c := launchLogging(t, process.LogOptions{Rate: 10 * calls}, o)
			var wg sync.WaitGroup
			for i := range calls {
				wg.Go(func() {
					if _, err := p.Calculate(requestContext(t, fmt.Sprint("request-", i)), values(float64(i+20), "log")); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			rows := []value.Values{values(20+calls, "log"), values(21+calls, "log")}
			if _, err := p.CalculateBatch(requestContext(t, "batch"), 0, rows); err != nil {
				t.Error(err)
			}
			p.Close()
			seen := map[string]string{} // ids by x
			for _, l := range c.lines(t) {
				seen[l.Fields["x"]] = l.ID
			}
			for i := range calls + len(rows) {
				want := "batch"
				if i < calls {
					want = fmt.Sprint("request-", i)
				}
				if got := seen[fmt.Sprint(i+20)]; got != want {
					t.Errorf("x = %d was logged with the request %q, want %q", i+20, got, want)
				}
			}
		})
	}
}

func TestLogHostile(t *testing.T) {
	p, c := launchLogging(t, process.LogOptions{}, process.Options{})
	if _, err := p.Calculate(t.Context(), values(1, "log hostile")); err != nil {
		t.Fatal(err)
	}
	p.Close()
	lines := c.lines(t)
	if len(lines) != 3 {
		t.Fatalf("logged %+v", lines)
	}
	forged := &lines[0]
	if forged.Level != "WARN" || forged.ID != "" || forged.Text != "forged" || forged.Fields["capability"] != "other.engine" || forged.Fields["level"] != "ERROR" {
		t.Errorf("a forged line: %+v", forged)
	}
	hidden := &lines[1]
	if want := "a\ufffd[2J\ufffdb c\ufffd"; hidden.Text != want || hidden.Fields["\ufffd]0;key=x"] != " \ufffd" {
		t.Errorf("hidden characters: %+q, %+q", hidden.Text, hidden.Fields)
	}
	if nested := &lines[2]; nested.Level != "ERROR" || nested.Text != `{"nested":[1,2]}` || nested.ID != `["no text"]` {
		t.Errorf("members of other types: %+v", nested)
	}
	for _, line := range hostile[3:] {
		if printed := p.Printed(); !strings.Contains(printed, line) {
			t.Errorf("%s is not a log line, and not in the report either: %q", line, printed)
		}
	}
}

// A line of 1 MB becomes one of 1 KiB.
func TestLogLongLine(t *testing.T) {
	p, c := launchLogging(t, process.LogOptions{}, process.Options{})
	if _, err := p.Calculate(t.Context(), values(1, "log long")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Calculate(t.Context(), values(1, "log")); err != nil {
		t.Fatal(err)
	}
	p.Close()
	lines := c.lines(t)
	if len(lines) != 2 || lines[1].Text != "no convergence" {
		t.Fatalf("logged %+v", lines)
	}
	if long := lines[0]; long.Level != "ERROR" || !strings.HasPrefix(long.Text, "éé") || !strings.HasSuffix(long.Text, "é...") || long.size > 1300 {
		t.Errorf("%d bytes of %.100q, level %s", long.size, long.Text, long.Level)
	}
	if printed := p.Printed(); strings.Contains(printed, "é") {
		t.Errorf("printed %.100q", printed)
	}
}

// 10,000 lines at once are 10 lines in the log. The next line has the number of the others.
func TestLogFlood(t *testing.T) {
	p, c := launchLogging(t, process.LogOptions{}, process.Options{})
	start := time.Now()
	if _, err := p.Calculate(t.Context(), values(1, "log flood")); err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	time.Sleep(300 * time.Millisecond) // 3 more lines are allowed
	if _, err := p.Calculate(t.Context(), values(1, "log")); err != nil {
		t.Fatal(err)
	}
	p.Close()
	lines, allowed := c.lines(t), 11+int(10*time.Since(start).Seconds())
	if len(lines) < 11 || len(lines) > allowed {
		t.Errorf("%d lines within %s, at most %d are allowed", len(lines), took, allowed)
	}
	logged := 0
	for _, l := range lines {
		logged += 1 + l.Dropped
	}
	if last := lines[len(lines)-1]; last.Text != "no convergence" || last.Dropped == 0 || logged != logFlood+1 {
		t.Errorf("the lines stand for %d, want %d; the last one is %+v", logged, logFlood+1, last)
	}
}
