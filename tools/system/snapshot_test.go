package system

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/slipstick/slipstick/host/internal/platform/redis"
)

// An attacker with write access to Redis cannot make the server show numbers that it has not computed.
func TestForgedSnapshot(t *testing.T) {
	r := startRedis(t, "--appendonly", "yes")
	h := startAll(t, "--redis", r.url())
	id, body := h.createShortSnapshot(t)
	client, err := redis.Open(r.url())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	key := "slipstick:snapshot:" + id
	reply, err := client.Do(t.Context(), "get", key)
	if err != nil {
		t.Fatal(err)
	}
	good, _ := reply.(string)
	head, record, _ := strings.Cut(good, "\n")
	words := strings.Split(head, " ")
	forged := strings.ReplaceAll(record, `"delta":0.0018`, `"delta":666.0018`)
	if forged == record || len(words) != 3 {
		t.Fatalf("the record is %s", good)
	}
	sum := sha256.Sum256([]byte(id + "\n" + words[1] + "\n" + forged))
	if _, err := client.Do(t.Context(), "set", key, fmt.Sprintf("%s %s %x\n%s", words[0], words[1], sum, forged), "keepttl"); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/s/" + id, "/api/v1/share/" + id} {
		status, answer := h.getStored(t, path)
		if status != 500 || strings.Contains(answer, "666") || !strings.Contains(answer, "was changed, so it is not shown") {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
	if _, figures := h.get(t, "/metrics"); !strings.Contains(figures, "\nslipstick_snapshots_forged_total 2\n") {
		t.Errorf("metrics: %s", figures)
	}
	if _, err := client.Do(t.Context(), "set", key, good, "keepttl"); err != nil {
		t.Fatal(err)
	}
	if status, got := h.getStored(t, "/s/"+id); status != 200 || got != body {
		t.Errorf("the record itself: %d %s", status, got)
	}
}
