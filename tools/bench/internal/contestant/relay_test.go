package contestant

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const echoVar = "CONTESTANT_ECHO"

// TestMain makes the test program a process of relay.
func TestMain(m *testing.M) {
	if os.Getenv(echoVar) == "" {
		os.Exit(m.Run())
	}
	if Echo() != nil {
		os.Exit(1)
	}
}

// Requests wait for the processes, which end with the server.
func TestRelay(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	var started []*exec.Cmd
	self := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), echoVar+"=1")
		started = append(started, cmd)
		return cmd
	}
	go func() { ended <- ServeRelay(ctx, []byte("answer"), 3, self, in) }()
	line, err := bufio.NewReader(out).ReadString('\n')
	_, url, found := strings.Cut(strings.TrimSpace(line), "serving ")
	if err != nil || !found {
		t.Fatal(line, err)
	}
	for range 7 {
		resp, err := http.Post(url, "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(body) != "answer" || err != nil {
			t.Errorf("%q, %v", body, err)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for _, cmd := range started {
		if err := cmd.Wait(); err != nil {
			t.Errorf("a process ended with %v", err)
		}
	}
}
