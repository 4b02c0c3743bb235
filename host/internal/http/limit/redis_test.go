package limit_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/http/limit"
	"github.com/slipstick/slipstick/host/internal/platform/redis"
)

// newShared returns the limits of a server that uses the Redis at the address.
func newShared(t testing.TB, addr string, limits limit.Limits, clock func() time.Duration) *limit.Shared {
	t.Helper()
	return limit.NewShared(newClient(t, addr), limit.NewLocal(limits, &limit.Options{Clock: clock}))
}

// newPatientShared is like newShared, but waits for Redis without a deadline. So a busy machine does not affect
// tests of exactness.
func newPatientShared(t testing.TB, addr string, limits limit.Limits, clock func() time.Duration) *limit.Shared {
	t.Helper()
	s := limit.NewShared(noDeadlines{newClient(t, addr)}, limit.NewLocal(limits, &limit.Options{Clock: clock}))
	t.Cleanup(func() {
		if n := s.Fallbacks(); n > 0 {
			t.Errorf("%d decisions without Redis", n)
		}
	})
	return s
}

func newClient(t testing.TB, addr string) redis.Client {
	t.Helper()
	client, err := redis.Open("redis://" + addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// ask returns the reply to a command.
func ask(t testing.TB, client redis.Client, words ...any) any {
	t.Helper()
	reply, err := client.Do(t.Context(), words...)
	if err != nil {
		t.Fatalf("%v: %v", words, err)
	}
	return reply
}

// noDeadlines removes the deadlines of commands, but still stops when the caller's context is canceled.
type noDeadlines struct{ redis.Client }

func (p noDeadlines) Do(ctx context.Context, words ...any) (any, error) {
	if !errors.Is(ctx.Err(), context.Canceled) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
	}
	return p.Client.Do(ctx, words...)
}

// redisServer is a redis-server process of the test.
type redisServer struct {
	addr string
	cmd  *exec.Cmd
}

func startRedis(t testing.TB) *redisServer {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &redisServer{addr: free.Addr().String()}
	free.Close()
	s.start(t)
	t.Cleanup(s.kill)
	return s
}

// start starts the server and returns when it accepts connections.
func (s *redisServer) start(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it needs redis-server")
	}
	program, err := exec.LookPath("redis-server")
	if err != nil {
		t.Fatal("this test needs redis-server: apt-get install redis-server")
	}
	_, port, _ := net.SplitHostPort(s.addr)
	s.cmd = exec.Command(program, "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", t.TempDir())
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var output strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Fprintln(&output, lines.Text())
		if strings.Contains(lines.Text(), "Ready to accept connections") {
			return
		}
	}
	s.kill()
	t.Fatalf("redis-server did not start:\n%s", output.String())
}

// kill kills the process with SIGKILL and returns when it has ended.
func (s *redisServer) kill() {
	if s.cmd.ProcessState == nil {
		s.cmd.Process.Kill()
		s.cmd.Wait()
	}
}

// proxy forwards bytes to a server and delays its answers.
type proxy struct {
	net.Listener
	delay atomic.Int64
	done  context.Context
}

func startProxy(t *testing.T, target string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done, cancel := context.WithCancel(context.Background())
	p := &proxy{Listener: listener, done: done}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			running.Go(func() { p.pass(conn, target) })
		}
	})
	t.Cleanup(func() {
		cancel()
		listener.Close()
		running.Wait()
	})
	return p
}

func (p *proxy) pass(conn net.Conn, target string) {
	defer conn.Close()
	upstream, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer upstream.Close()
	context.AfterFunc(p.done, func() {
		conn.Close()
		upstream.Close()
	})
	var both sync.WaitGroup
	both.Go(func() {
		io.Copy(upstream, conn)
		upstream.Close()
	})
	both.Go(func() {
		io.Copy(delayed{p, conn}, upstream)
		conn.Close()
	})
	both.Wait()
}

// delayed writes after the delay of the proxy.
type delayed struct {
	p *proxy
	io.Writer
}

func (d delayed) Write(b []byte) (int, error) {
	if delay := time.Duration(d.p.delay.Load()); delay > 0 {
		select {
		case <-time.After(delay):
		case <-d.p.done.Done():
		}
	}
	return d.Writer.Write(b)
}

// counting counts the scripts that run.
type counting struct {
	redis.Client
	commands atomic.Int64
}

func (c *counting) Do(ctx context.Context, words ...any) (any, error) {
	if name, _ := words[0].(string); strings.HasPrefix(name, "eval") {
		c.commands.Add(1)
	}
	return c.Client.Do(ctx, words...)
}
