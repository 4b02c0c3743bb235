package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// agent sends messages to a server over pipes.
type agent struct {
	t   *testing.T
	in  *io.PipeWriter
	out *bufio.Scanner
	end chan error
}

func newAgent(t *testing.T, ctx context.Context, s *site) *agent {
	t.Helper()
	in, write := io.Pipe()
	read, out := io.Pipe()
	a := &agent{t: t, in: write, out: bufio.NewScanner(read), end: make(chan error, 1)}
	a.out.Buffer(nil, 1<<20)
	go func() {
		a.end <- s.server.Run(ctx, in, out)
		out.Close()
	}()
	return a
}

// ask writes a line and reads the next.
func (a *agent) ask(line string) (r reply) {
	a.t.Helper()
	if _, err := io.WriteString(a.in, line+"\n"); err != nil {
		a.t.Fatal(err)
	}
	if !a.out.Scan() {
		a.t.Fatalf("%s: the server has left: %v", line, a.out.Err())
	}
	r.text = a.out.Text()
	if err := json.Unmarshal([]byte(r.text), &r); err != nil {
		a.t.Fatalf("%s: %s: %v", line, r.text, err)
	}
	return r
}

// The same tools answer over a pipe. The answer to an invalid message is an error, and the pipe continues.
func TestStdio(t *testing.T) {
	s := newSite(t, base, nil)
	a := newAgent(t, t.Context(), s)
	if r := a.ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`); !strings.Contains(r.text, "search_capabilities") {
		t.Errorf("initialize: %s", r.text)
	}
	fmt.Fprintln(a.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	fmt.Fprintln(a.in, "")
	fmt.Fprintln(a.in, `{"jsonrpc":"2.0","method":"notifications/of/something"}`)
	for _, tt := range []struct {
		line string
		code int    // JSON-RPC code
		want string // substring of the answer
	}{
		{tool("execute_calculation", cube), 0, `"result":{"volume":16}`},
		{tool("execute_calculation", cube), 0, `"text":"16 m3\ntest.geometry.volume 2.0.0, candidate"`},
		{tool("execute_calculation", `{"capability_id":"volume","inputs":{"side":1e-400}}`), 0, `"code":"NUMERIC_UNDERFLOW"`},
		{tool("execute_calculation", `{"capability_id":"volume","inputs":{"side":1,"side":2}}`), 0, `"code":"INVALID_JSON"`},
		{tool("execute_calculation", `{"capability_id":"volume","inputs":{"side":1,"count":501}}`), -32603, `"code":"INTERNAL_ERROR"`},
		{tool("execute_calculation", `[1]`), -32602, ``},
		{tool("nothing", `{}`), -32602, `there is no tool \"nothing\". The tools are search_capabilities, `},
		{`{"jsonrpc":"2.0","id":`, -32700, ``},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600, `batches`},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}`, -32600, ``},
		{`{"jsonrpc":"2.0","id":1,"method":"no/such"}`, -32601, ``},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"` + strings.Repeat("a", 100_000) + `"}}`, -32600, `too large`},
		{`{"jsonrpc":"2.0","id":2,"method":"ping"}`, 0, `"id":2`},
	} {
		r := a.ask(tt.line)
		if len(r.ID) == 0 {
			t.Errorf("an answer without id: %s", r.text)
		}
		code := 0
		if r.Error != nil {
			code = r.Error.Code
		}
		if code != tt.code || !strings.Contains(r.text, tt.want) {
			t.Errorf("%.200s: %s\nwant %d, %s", tt.line, r.text, tt.code, tt.want)
		}
	}
	body, _ := rpc("tools/call", execute(cube))
	if r := a.ask(body); !strings.Contains(r.text, `"volume":16`) {
		t.Errorf("current revision: %s", r.text)
	}
	if _, err := io.WriteString(a.in, `{"jsonrpc":"2.0","id":3,"method":"ping"}`); err != nil { // without a line feed
		t.Fatal(err)
	}
	a.in.Close()
	if !a.out.Scan() || !strings.Contains(a.out.Text(), `"id":3`) {
		t.Errorf("the last line: %s", a.out.Text())
	}
	if err := <-a.end; err != nil {
		t.Errorf("the end of the input: %v", err)
	}
}

// A server whose context is canceled ends while it waits for a line.
func TestStdioCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a := newAgent(t, ctx, newSite(t, base, nil))
	a.ask(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	cancel()
	select {
	case err := <-a.end:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the server does not end")
	}
	a.in.Close() // unblocks the reader, which cannot be canceled
}
