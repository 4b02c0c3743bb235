package snapshot_test

import (
	"bufio"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	library "github.com/redis/go-redis/v9"

	"github.com/slipstick/slipstick/host/internal/redis"
	"github.com/slipstick/slipstick/host/internal/snapshot"
)

// server is a real Redis that a test starts, kills and starts again on its data.
type server struct {
	addr, dir string
	flags     []string
	stop      func()
}

// startRedis starts a Redis with an append-only file and the flags.
func startRedis(t testing.TB, flags ...string) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{addr: l.Addr().String(), dir: t.TempDir(), flags: flags, stop: func() {}}
	l.Close()
	s.start(t)
	t.Cleanup(func() { s.stop() })
	return s
}

func (s *server) start(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it needs redis-server")
	}
	program, err := exec.LookPath("redis-server")
	if err != nil {
		t.Fatal("redis-server is not installed: apt-get install redis-server")
	}
	_, port, _ := net.SplitHostPort(s.addr)
	cmd := exec.Command(program, append([]string{"--bind", "127.0.0.1", "--port", port, "--dir", s.dir, "--appendonly", "yes", "--save", ""}, s.flags...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready, ended := make(chan bool, 1), make(chan struct{})
	var log strings.Builder
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			log.WriteString(lines.Text() + "\n")
			if strings.Contains(lines.Text(), "Ready to accept connections") {
				ready <- true
			}
		}
	}()
	s.stop = func() {
		_ = cmd.Process.Kill()
		<-ended
		_ = cmd.Wait()
		s.stop = func() {}
	}
	select {
	case <-ready:
	case <-ended:
		s.stop()
		t.Fatalf("redis-server ended:\n%s", log.String())
	}
}

// connect returns a client as the service uses it, changed by the edits.
func connect(t testing.TB, addr string, edits ...func(*library.Options)) *library.Client {
	t.Helper()
	o := &library.Options{Addr: addr, ContextTimeoutEnabled: true}
	for _, edit := range edits {
		edit(o)
	}
	client := library.NewClient(o)
	t.Cleanup(func() { client.Close() })
	return client
}

// storing returns a store that keeps its records with the client. It waits longer
// than a service would, so that a busy machine changes no test.
func storing(t testing.TB, client library.UniversalClient, edits ...func(*snapshot.Options)) *snapshot.Store {
	t.Helper()
	o := &snapshot.Options{Redis: over(t, client), Deadline: 20 * time.Second, Now: at(noon)}
	for _, edit := range edits {
		edit(o)
	}
	store, err := snapshot.New(keysOf(t, seed), o)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// aged is the time so long after noon.
func aged(age time.Duration) func(*snapshot.Options) {
	return func(o *snapshot.Options) { o.Now = at(noon.Add(age)) }
}

// impatient has the deadline of the service.
func impatient(o *snapshot.Options) { o.Deadline = 0 }

func records(t testing.TB, client *library.Client) int64 {
	t.Helper()
	n, err := client.DBSize(t.Context()).Result()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// over returns the library's client as the service asks it.
func over(t testing.TB, client library.UniversalClient) redis.Client {
	t.Helper()
	c, err := redis.Of(client)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
