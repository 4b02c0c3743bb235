package snapshot_test

import (
	"bufio"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/platform/redis"
)

// server is a real Redis that a test starts, kills, and starts again with its data.
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

// connect returns a client as the service uses it. The address can have parameters.
func connect(t testing.TB, addr string) redis.Client {
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
		t.Fatalf("%.100q: %v", words, err)
	}
	return reply
}

// storing returns a store that stores its records with the client. Its deadline is longer than in
// the service, so that the tests also pass on a busy machine.
func storing(t testing.TB, client redis.Client, edits ...func(*snapshot.Options)) *snapshot.Store {
	t.Helper()
	o := &snapshot.Options{Redis: client, Deadline: 20 * time.Second, Now: at(noon)}
	for _, edit := range edits {
		edit(o)
	}
	store, err := snapshot.New(keysOf(t, seed), o)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// aged sets the time to the given duration after noon.
func aged(age time.Duration) func(*snapshot.Options) {
	return func(o *snapshot.Options) { o.Now = at(noon.Add(age)) }
}

// defaultDeadline sets the default deadline of the service.
func defaultDeadline(o *snapshot.Options) { o.Deadline = 0 }

func records(t testing.TB, client redis.Client) any {
	t.Helper()
	return ask(t, client, "dbsize")
}
