package redis

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// One server, a failover set and a cluster, each by its URL.
func TestURLs(t *testing.T) {
	for text, want := range map[string]string{
		"redis://127.0.0.1:6379/0":                                                            "[127.0.0.1:6379]    0 plain 3",
		"redis://:secret@redis.example.org":                                                   "[redis.example.org:6379]  secret  0 plain 3",
		"rediss://user:secret@redis.example.org:6380/1":                                       "[redis.example.org:6380] user secret  1 redis.example.org 3",
		"redis://[::1]:6379?db=2&max_retries=0":                                               "[[::1]:6379]    2 plain -1",
		"redis://127.0.0.1:6379?addr=127.0.0.1:6380&addr=127.0.0.1:6381":                      "[127.0.0.1:6379 127.0.0.1:6380 127.0.0.1:6381]    0 plain 3",
		"redis://127.0.0.1/0?master_name=main&addr=127.0.0.1:26380":                           "[127.0.0.1:26379 127.0.0.1:26380]   main 0 plain 3",
		"redis://watch:secret@127.0.0.1:26379?master_name=main&username=user&password=secret": "[127.0.0.1:26379] user secret main 0 plain 3",
		"redis://127.0.0.1?username=user&password=secret":                                     "[127.0.0.1:6379] user secret  0 plain 3",
		"redis://watch:secret@127.0.0.1/1?addr=127.0.0.1:6380":                                "a cluster has only the database 0",
		"http://user:secret@127.0.0.1":                                                        "not a URL such as",
		"redis://user:secret@127.0.0.1:6379/zero":                                             `"zero" is not a number`,
		"redis://user:se cret@127.0.0.1:6379\x7f":                                             "not a URL such as",
		"redis://127.0.0.1:6379?addr=127.0.0.1":                                               "addr=127.0.0.1 is not HOST:PORT",
		"redis://127.0.0.1:6379?read_replicas=1":                                              `there is no parameter "read_replicas"`,
	} {
		o, err := parse(text)
		got := fmt.Sprint(err)
		if err == nil {
			name := "plain"
			if o.TLSConfig != nil {
				name = o.TLSConfig.ServerName
			}
			got = fmt.Sprintf("%v %s %s %s %d %s %d", o.Addrs, o.Username, o.Password, o.MasterName, o.DB, name, o.MaxRetries)
		} else if strings.Contains(got, "secret") || strings.Contains(got, "cret@") {
			t.Errorf("%s: the error tells the password: %v", text, err)
		}
		if err == nil && got != want || err != nil && !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func open(t testing.TB, address string) Client {
	t.Helper()
	c, err := Open(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// ask returns the reply to a command.
func ask(t testing.TB, c Client, words ...any) any {
	t.Helper()
	reply, err := c.Do(t.Context(), words...)
	if err != nil {
		t.Fatalf("%v: %v", words, err)
	}
	return reply
}

// A script is run by its sum, and sent once to a Redis that does not have it.
func TestScript(t *testing.T) {
	client := open(t, "redis://"+miniredis.RunT(t).Addr())
	script := NewScript(`return {redis.call("incrby", KEYS[1], ARGV[1]), "of " .. KEYS[1]}`)
	for i := range 3 {
		if i == 2 {
			ask(t, client, "script", "flush")
		}
		reply, err := script.Run(t.Context(), client, []string{"calls"}, 2)
		if got := fmt.Sprint(reply); err != nil || got != fmt.Sprintf("[%d of calls]", 2*(i+1)) {
			t.Errorf("%s, %v", got, err)
		}
	}
}

// The errors differ for a missing value, for a refusal, and for a Redis that does not run.
func TestErrors(t *testing.T) {
	m := miniredis.RunT(t)
	client := open(t, "redis://"+m.Addr()+"?max_retries=0")
	if _, err := client.Do(t.Context(), "get", "nothing"); err != ErrNone {
		t.Errorf("error %v of a key that is not there, want ErrNone", err)
	}
	if err := client.Together(t.Context(), []any{"rpush", "list", "a"}, []any{"set", "text", "b"}); err != nil {
		t.Fatal(err)
	}
	_, err := client.Do(t.Context(), "get", "list")
	if !IsRefusal(err, "WRONGTYPE") || !IsRefusal(err, "") || IsPassing(err) {
		t.Errorf("a list read as text: %v", err)
	}
	if err := client.Together(t.Context(), []any{"get", "list"}, []any{"set", "text", "c"}); !IsRefusal(err, "WRONGTYPE") {
		t.Errorf("a list read as text, together with another: %v", err)
	}
	if got := ask(t, client, "get", "text"); got != "c" {
		t.Errorf("%v was stored behind a refusal, want c", got)
	}
	m.SetError("LOADING Redis is loading the dataset in memory")
	_, err = client.Do(t.Context(), "get", "text")
	if !IsRefusal(err, "LOADING") || !IsPassing(err) {
		t.Errorf("a Redis that is starting: %v", err)
	}
	m.Close()
	_, err = client.Do(t.Context(), "get", "text")
	if err == nil || IsRefusal(err, "") || !IsPassing(err) {
		t.Errorf("no Redis: %v", err)
	}
	client.Close()
	_, err = client.Do(t.Context(), "get", "text")
	if !errors.Is(err, redis.ErrClosed) {
		t.Errorf("a closed client: %v", err)
	}
}

// The client sends a user, a password and a database over TLS. It refuses an unknown certificate.
func TestEntry(t *testing.T) {
	web := httptest.NewUnstartedServer(nil)
	web.StartTLS() // for its certificate
	defer web.Close()
	m := miniredis.NewMiniRedis()
	if err := m.StartTLS(&tls.Config{Certificates: web.TLS.Certificates}); err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	m.RequireUserAuth("user", "secret")
	ask(t, open(t, "rediss://user:secret@"+m.Addr()+"/3?skip_verify=true"), "set", "key", "in three")
	if got, err := m.DB(3).Get("key"); got != "in three" {
		t.Errorf("database 3 has %q, %v", got, err)
	}
	for address, refusal := range map[string]bool{
		"rediss://user:wrong@" + m.Addr() + "?skip_verify=true&max_retries=0": true,
		"rediss://user:secret@" + m.Addr() + "?max_retries=0":                 false,
	} {
		if _, err := open(t, address).Do(t.Context(), "ping"); err == nil || IsRefusal(err, "") != refusal {
			t.Errorf("%s: %v, want a refusal of Redis: %v", address, err, refusal)
		}
	}
}

// A call ends at its deadline, and is not sent again. Its connection is not used again. Redis is asked
// for nothing that no caller wants.
func TestDeadline(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var mu sync.Mutex
	var connections int
	got := map[string]int{}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			connections++
			mu.Unlock()
			go func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				for {
					words, err := readCommand(in)
					if err != nil {
						return
					}
					mu.Lock()
					got[words]++
					mu.Unlock()
					switch words {
					case "add": // is not answered
					case "ping":
						fmt.Fprint(conn, "+PONG\r\n")
					default:
						fmt.Fprint(conn, "-ERR unknown command\r\n")
					}
				}
			}()
		}
	}()
	client := open(t, "redis://"+l.Addr().String())
	ask(t, client, "ping") // so that the next has a connection
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := client.Do(ctx, "add"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call that is not answered: %v", err)
	}
	for range 3 {
		if got := ask(t, client, "ping"); got != "PONG" {
			t.Errorf("answered %v", got)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if want := map[string]int{"hello 2": 2, "ping": 4, "add": 1}; connections != 2 || !maps.Equal(got, want) {
		t.Errorf("%d connections, want 2; commands %v, want %v", connections, got, want)
	}
}

// readCommand returns the words of a command.
func readCommand(in *bufio.Reader) (string, error) {
	var n int
	if _, err := fmt.Fscanf(in, "*%d\r\n", &n); err != nil {
		return "", err
	}
	words := make([]string, n)
	for i := range words {
		var size int
		if _, err := fmt.Fscanf(in, "$%d\r\n", &size); err != nil {
			return "", err
		}
		word := make([]byte, size+2)
		if _, err := io.ReadFull(in, word); err != nil {
			return "", err
		}
		words[i] = string(word[:size])
	}
	return strings.Join(words, " "), nil
}

// server is a real redis-server of the test.
type server struct {
	addr string
	cmd  *exec.Cmd
	args []string
}

func startServer(t testing.TB, args ...string) *server {
	t.Helper()
	if testing.Short() {
		t.Skip("it needs redis-server")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{addr: l.Addr().String(), args: args}
	l.Close()
	s.start(t)
	t.Cleanup(func() { s.stop() })
	return s
}

// start returns when the server answers.
func (s *server) start(t testing.TB) {
	t.Helper()
	_, port, _ := net.SplitHostPort(s.addr)
	s.cmd = exec.Command("redis-server", append(s.args, "--port", port, "--bind", "127.0.0.1", "--dir", t.TempDir(), "--save", "")...)
	if err := s.cmd.Start(); err != nil {
		t.Fatalf("%v: apt-get install redis-server", err)
	}
	client := open(t, "redis://"+s.addr)
	eventually(t, "redis-server at "+s.addr, func() bool {
		_, err := client.Do(t.Context(), "ping")
		return err == nil
	})
}

func (s *server) stop() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
}

func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for begin := time.Now(); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			t.Fatalf("waited a minute for %s", what)
		}
	}
}

// A server that was started again has ended all connections. Calls do not fail once for each of
// them. Calls to a server that is down do not keep the client from connecting to it later.
func TestRestart(t *testing.T) {
	s := startServer(t)
	client := open(t, "redis://"+s.addr+"?max_retries=1")
	var all sync.WaitGroup
	for range 10 { // each has a connection
		all.Go(func() { client.Do(t.Context(), "blpop", "nothing", 0.3) }) // ErrNone
	}
	all.Wait()
	if n := client.(*universal).library.PoolStats().IdleConns; n < 3 {
		t.Fatalf("%d connections", n)
	}
	s.stop()
	s.start(t)
	for i := range 3 {
		if n := ask(t, client, "incr", "calls"); n != int64(i+1) {
			t.Errorf("call %d was counted as %v", i+1, n)
		}
	}

	s.stop()
	for range 100 {
		if _, err := client.Do(t.Context(), "incr", "calls"); err == nil || !IsPassing(err) {
			t.Fatalf("Redis is down: %v", err)
		}
	}
	s.start(t)
	eventually(t, "the client to connect again", func() bool {
		n, err := client.Do(t.Context(), "incr", "calls")
		return err == nil && n == int64(1)
	})
}
