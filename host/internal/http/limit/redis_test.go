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

// sharedHost is a host at the Redis of the address.
func sharedHost(t testing.TB, addr string, limits limit.Limits, clock func() time.Duration) *limit.Shared {
	t.Helper()
	return limit.NewShared(newClient(t, addr), limit.NewLocal(limits, &limit.Options{Clock: clock}))
}

// patientHost is a host that waits for Redis for as long as it takes, so that a busy
// machine does not decide what a test of exactness finds.
func patientHost(t testing.TB, addr string, limits limit.Limits, clock func() time.Duration) *limit.Shared {
	t.Helper()
	s := limit.NewShared(patience{newClient(t, addr)}, limit.NewLocal(limits, &limit.Options{Clock: clock}))
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

// patience takes the deadlines from commands, but not the end of a caller's context.
type patience struct{ redis.Client }

func (p patience) Do(ctx context.Context, words ...any) (any, error) {
	if !errors.Is(ctx.Err(), context.Canceled) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
	}
	return p.Client.Do(ctx, words...)
}

// server is a redis-server of the test.
type server struct {
	addr string
	cmd  *exec.Cmd
}

func startRedis(t testing.TB) *server {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{addr: free.Addr().String()}
	free.Close()
	s.start(t)
	t.Cleanup(s.kill)
	return s
}

// start returns when the server accepts connections.
func (s *server) start(t testing.TB) {
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
	var said strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Fprintln(&said, lines.Text())
		if strings.Contains(lines.Text(), "Ready to accept connections") {
			return
		}
	}
	s.kill()
	t.Fatalf("redis-server did not start:\n%s", said.String())
}

// kill is kill -9 and returns when the process is gone.
func (s *server) kill() {
	if s.cmd.ProcessState == nil {
		s.cmd.Process.Kill()
		s.cmd.Wait()
	}
}

// proxy passes bytes to a server and holds back its answers.
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

// counting counts the scripts that are run.
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
