package system

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A server in a cgroup of 256 MiB answers files of typed columns that announce false sizes. MUTATED is a directory
// with such files. Half of them are sent one after the other, and half 64 at a time.
func TestHostileFiles(t *testing.T) {
	dir := os.Getenv("MUTATED")
	if dir == "" {
		t.Skip("scripts/soak hostile")
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	group := limitedGroup(t, 256<<20)
	script := fmt.Sprintf("echo $$ > %s/cgroup.procs && exec %q serve --addr 127.0.0.1:0 --registry %q --data %q --no-sandbox --limit calc=0",
		group, built.slipstick, built.registry, t.TempDir())
	h := launchServer(t, exec.Command("bash", "-c", script))
	go func() {
		for h.stderr.Scan() { // read the log, so that the server does not block
			continue
		}
	}()
	clients := make([]*http.Client, 4) // one address may use a quarter of the slots
	for i := range clients {
		from := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(1+i))}}
		clients[i] = &http.Client{Transport: &http.Transport{DialContext: from.DialContext, DisableKeepAlives: true}}
	}
	var statuses [600]atomic.Int64
	send := func(client *http.Client, name string) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			return
		}
		media := "application/vnd.apache.arrow.stream"
		if strings.HasSuffix(name, ".parquet") {
			media = "application/vnd.apache.parquet"
		}
		resp, err := client.Post(h.url+"/api/v1/batch?id=ohms-law&output=result", media, bytes.NewReader(data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		statuses[resp.StatusCode].Add(1)
		refused := resp.StatusCode == 400 || resp.StatusCode == 413
		if resp.StatusCode != 200 && !(refused && bytes.Contains(body, []byte(`"code":"`))) {
			t.Errorf("%s: %d %.300s", name, resp.StatusCode, body)
		}
	}
	for _, f := range files[:100] {
		send(clients[0], f.Name())
	}
	before := resident(t, group)
	began := time.Now()
	most := before
	for i, f := range files[:len(files)/2] {
		send(clients[0], f.Name())
		if i%100 == 0 {
			most = max(most, resident(t, group))
		}
	}
	oneByOne := resident(t, group)
	names := make(chan string)
	var senders sync.WaitGroup
	for i := range 64 {
		senders.Go(func() {
			for name := range names {
				send(clients[i%len(clients)], name)
			}
		})
	}
	for i, f := range files[len(files)/2:] {
		names <- f.Name()
		if i%100 == 0 {
			most = max(most, resident(t, group))
		}
	}
	close(names)
	senders.Wait()
	after := resident(t, group)
	const within = 50 << 20
	for waited := 0; after > before+within && waited < 600; waited++ { // wait for the garbage collector
		time.Sleep(time.Second / 2)
		after = resident(t, group)
	}
	t.Logf("%d files in %.0f s: %d answers 200, %d 400, %d 413; %d MiB before, %d after those one after the other, %d at most, %d in the end; %d OOM kills",
		len(files), time.Since(began).Seconds(), statuses[200].Load(), statuses[400].Load(), statuses[413].Load(), before>>20, oneByOne>>20, most>>20, after>>20, killed(t, group))
	if after > before+within {
		t.Errorf("%d MiB are left", after>>20)
	}
	if n := killed(t, group); n != 0 {
		t.Errorf("%d processes were killed for memory", n)
	}
	if status, body := h.post(t, "/api/v1/calc/ohms-law", `{"V":12,"R":8}`); status != 200 {
		t.Errorf("afterwards: %d %s", status, body)
	}
}

// resident returns the resident memory in bytes of the processes in a cgroup, without file pages.
func resident(t *testing.T, group string) int64 {
	return groupCount(t, group, "memory.stat", "total_rss ", "anon ")
}

// killed returns how many processes of a cgroup were killed because the cgroup was out of memory.
func killed(t *testing.T, group string) int64 {
	if _, err := os.Stat(filepath.Join(group, "memory.events")); err == nil {
		return groupCount(t, group, "memory.events", "oom_kill ")
	}
	return groupCount(t, group, "memory.oom_control", "oom_kill ")
}

// groupCount returns the number from the line of a cgroup file that starts with one of the names.
func groupCount(t *testing.T, group, file string, names ...string) int64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(group, file))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		for _, name := range names {
			if number, ok := strings.CutPrefix(strings.TrimSpace(line), name); ok {
				n, err := strconv.ParseInt(number, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
		}
	}
	t.Fatalf("%s has none of %q", file, names)
	return 0
}
