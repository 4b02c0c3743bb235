package redis

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"
)

// The master of a failover set is found by its sentinels, also after it has changed.
func TestFailover(t *testing.T) {
	master := startServer(t)
	host, port, _ := strings.Cut(master.addr, ":")
	replica := startServer(t, "--replicaof", host+" "+port)
	settings := filepath.Join(t.TempDir(), "sentinel.conf")
	if err := os.WriteFile(settings, fmt.Appendf(nil, "sentinel monitor main %s %s 1\nsentinel down-after-milliseconds main 60000\n", host, port), 0o600); err != nil {
		t.Fatal(err)
	}
	sentinel := startServer(t, settings, "--sentinel")
	watch := open(t, "redis://"+sentinel.addr)
	eventually(t, "the sentinel to know the replica", func() bool {
		list, _ := ask(t, watch, "sentinel", "replicas", "main").([]any)
		return len(list) == 1
	})

	client := open(t, "redis://127.0.0.1:1?master_name=main&addr="+sentinel.addr) // one of two sentinels is down
	ask(t, client, "set", "a", "before")
	eventually(t, "the replica", func() bool {
		reply, err := open(t, "redis://"+replica.addr).Do(t.Context(), "get", "a")
		return err == nil && reply == "before"
	})
	eventually(t, "a failover", func() bool {
		_, err := watch.Do(t.Context(), "sentinel", "failover", "main")
		return err == nil
	})
	now := open(t, "redis://"+replica.addr+"?max_retries=0")
	eventually(t, "the new master", func() bool {
		_, err := client.Do(t.Context(), "set", "a", "after")
		reply, _ := now.Do(t.Context(), "get", "a")
		return err == nil && reply == "after"
	})
	if role, _ := ask(t, client, "role").([]any); len(role) == 0 || role[0] != "master" {
		t.Errorf("the client asks %v, which is not the master", role)
	}
	if _, err := open(t, "redis://"+sentinel.addr+"?master_name=other&max_retries=0").Do(t.Context(), "ping"); err == nil || !strings.Contains(err.Error(), "no sentinel knows a failover set other") {
		t.Errorf("a failover set that there is not: %v", err)
	}
}

// The client finds the keys of a cluster while they move and after that.
func TestCluster(t *testing.T) {
	var servers [3]*server
	var nodes [3]Client
	for i := range servers {
		servers[i] = startServer(t, "--cluster-enabled", "yes")
		nodes[i] = open(t, "redis://"+servers[i].addr)
	}
	for i, n := range nodes {
		ask(t, n, "cluster", "addslotsrange", i*16384/3, (i+1)*16384/3-1)
		host, port, _ := strings.Cut(servers[0].addr, ":")
		ask(t, n, "cluster", "meet", host, port)
	}
	for _, n := range nodes {
		eventually(t, "the cluster", func() bool {
			text, _ := ask(t, n, "cluster", "info").(string)
			return strings.Contains(text, "cluster_state:ok") && strings.Contains(text, "cluster_known_nodes:3")
		})
	}

	client := open(t, "redis://127.0.0.1:1?addr="+servers[1].addr) // one of two that are named is down
	// at returns the number of the node that has a key, as the client knows.
	at := func(key string) int {
		node, err := client.(*universal).library.(*redis.ClusterClient).MasterForKey(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		return slices.IndexFunc(servers[:], func(s *server) bool { return s.addr == node.Options().Addr })
	}
	for i := range 30 {
		ask(t, client, "set", fmt.Sprint("key", i), i)
	}
	for i, n := range nodes {
		if ask(t, n, "dbsize") == int64(0) {
			t.Errorf("node %d has no keys", i)
		}
	}
	script := NewScript(`return redis.call("get", KEYS[1])`)
	for i := range 30 {
		if got, err := script.Run(t.Context(), client, []string{fmt.Sprint("key", i)}); got != fmt.Sprint(i) {
			t.Errorf("key%d: %v, %v", i, got, err)
		}
	}
	if value, err := client.Setting(t.Context(), "cluster-enabled"); value != "yes" {
		t.Errorf("a setting: %q, %v", value, err)
	}
	var mu sync.Mutex
	ports := map[string]bool{}
	if err := client.EachNode(t.Context(), func(ctx context.Context, node Client) error {
		port, err := node.Setting(ctx, "port")
		mu.Lock()
		defer mu.Unlock()
		ports[port] = true
		return err
	}); err != nil || len(ports) != 3 {
		t.Errorf("each node: %v, %v", ports, err)
	}

	// The slot of a key moves from one node to the next.
	const key = "{moves}1"
	ask(t, client, "set", key, "here")
	slot := ask(t, nodes[0], "cluster", "keyslot", key)
	from := at(key)
	to := (from + 1) % 3
	id := func(i int) any { return ask(t, nodes[i], "cluster", "myid") }
	ask(t, nodes[to], "cluster", "setslot", slot, "importing", id(from))
	ask(t, nodes[from], "cluster", "setslot", slot, "migrating", id(to))
	ask(t, client, "set", "{moves}2", "there") // new keys are in the other already: ASK
	if err := client.Together(t.Context(), []any{"set", "{moves}3", "there"}, []any{"get", "{moves}4"}); err != nil {
		t.Errorf("together: %v", err)
	}
	if ask(t, client, "get", key) != "here" || ask(t, client, "get", "{moves}2") != "there" {
		t.Error("keys of a slot that moves were not found")
	}
	host, port, _ := strings.Cut(servers[to].addr, ":")
	ask(t, nodes[from], "migrate", host, port, key, 0, 10_000)
	for _, i := range []int{to, from} {
		ask(t, nodes[i], "cluster", "setslot", slot, "node", id(to))
	}
	if ask(t, client, "get", key) != "here" { // MOVED
		t.Error("a key that has moved was not found")
	}
	eventually(t, "the client to know where the slot is", func() bool {
		ask(t, client, "get", key)
		return at(key) == to
	})
}

// A replica takes the slots of a master that is down. Commands reach it without a redirection.
func TestClusterFailover(t *testing.T) {
	var servers [2]*server
	var nodes [2]Client
	for i := range servers {
		servers[i] = startServer(t, "--cluster-enabled", "yes", "--cluster-require-full-coverage", "no")
		nodes[i] = open(t, "redis://"+servers[i].addr)
	}
	ask(t, nodes[0], "cluster", "addslotsrange", 0, 16383)
	host, port, _ := strings.Cut(servers[0].addr, ":")
	ask(t, nodes[1], "cluster", "meet", host, port)
	master := ask(t, nodes[0], "cluster", "myid")
	eventually(t, "the replica", func() bool {
		_, err := nodes[1].Do(t.Context(), "cluster", "replicate", master)
		return err == nil
	})
	client := open(t, "redis://"+servers[0].addr+"?addr="+servers[1].addr)
	eventually(t, "the cluster", func() bool {
		_, err := client.Do(t.Context(), "set", "a", "before")
		return err == nil
	})
	eventually(t, "the data in the replica", func() bool {
		text, err := nodes[1].About(t.Context(), "keyspace")
		return err == nil && strings.Contains(text, "keys=1")
	})
	servers[0].stop()
	ask(t, nodes[1], "cluster", "failover", "takeover")
	eventually(t, "the new master", func() bool {
		reply, err := client.Do(t.Context(), "get", "a")
		return err == nil && reply == "before"
	})
	ask(t, client, "set", "a", "after")
}
