package snapshot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/slipstick/slipstick/host/internal/archive/snapshot"
	"github.com/slipstick/slipstick/host/internal/platform/redis"
)

const keyPrefix = "slipstick:snapshot:"

func TestStored(t *testing.T) {
	client := connect(t, startRedis(t).addr)
	store := storing(t, client)
	made := create(t, store, content(t, "cantilever"))
	if !regexp.MustCompile(`^cx_[a-z2-7]{26}$`).MatchString(made.ID) || !made.Created || made.Fallback {
		t.Errorf("made %+v", made)
	}
	if want := noon.Add(snapshot.Lifetime); !made.ExpiresAt.Equal(want) || !strings.Contains(string(made.Body), `"expires_at":"2027-05-20T12:00:00Z"`) {
		t.Errorf("expires %v, want %v; body %s", made.ExpiresAt, want, made.Body)
	}
	read := get(t, store, made.ID)
	if read.ID != made.ID || !bytes.Equal(read.Body, made.Body) || !read.ExpiresAt.Equal(made.ExpiresAt) || read.Created {
		t.Errorf("read %+v, made %+v", read, made)
	}
	if keys, _ := ask(t, client, "keys", "*").([]any); len(keys) != 1 || keys[0] != keyPrefix+made.ID {
		t.Errorf("keys %q", keys)
	}
	ms, _ := ask(t, client, "pttl", keyPrefix+made.ID).(int64)
	if life := time.Duration(ms) * time.Millisecond; life > snapshot.Lifetime || life < snapshot.Lifetime-time.Minute {
		t.Errorf("the store keeps it for %v", life)
	}
	for _, id := range []string{
		"cx_" + strings.Repeat("a", 26), made.ID + "a", made.ID[:28], strings.ToUpper(made.ID), "cx_" + strings.Repeat("1", 26), "*",
	} {
		wantNotFound(t, store, id, id)
	}
	get(t, store, create(t, embedding(t, seed), content(t, "ohms")).ID)
}

// The same content has one id, and its first record stays.
func TestFirstRecordStays(t *testing.T) {
	client := connect(t, startRedis(t).addr)
	first := create(t, storing(t, client), content(t, "ohms"))
	later := storing(t, client, aged(time.Hour))
	c := content(t, "ohms")
	c.CreatedAt = noon.Add(time.Hour)
	second := create(t, later, c)
	if second.Created || second.ID != first.ID || !bytes.Equal(second.Body, first.Body) || !second.ExpiresAt.Equal(first.ExpiresAt) {
		t.Errorf("second %+v, first %+v", second, first)
	}
	if read := get(t, later, first.ID); !bytes.Equal(read.Body, first.Body) {
		t.Errorf("the record is now %s", read.Body)
	}
}

// The short id depends on all of the content except its time, and on the secret of the oldest key.
func TestShortIDs(t *testing.T) {
	client := connect(t, startRedis(t).addr)
	id := func(seeds []string, edit func(*snapshot.Content)) string {
		store, err := snapshot.New(keysOf(t, seeds...), &snapshot.Options{Redis: client, Deadline: 20 * time.Second, Now: at(noon)})
		if err != nil {
			t.Fatal(err)
		}
		c := content(t, "ohms")
		edit(&c)
		return create(t, store, c).ID
	}
	same := func(*snapshot.Content) {}
	first := id([]string{seed}, same)
	seen := map[string]int{first: -1}
	for i, edit := range []func(*snapshot.Content){
		func(c *snapshot.Content) { c.ToolID += "x" },
		func(c *snapshot.Content) { c.CapabilityID += "x" },
		func(c *snapshot.Content) { c.ToolID += c.CapabilityID[:1]; c.CapabilityID = c.CapabilityID[1:] },
		func(c *snapshot.Content) { c.Version = "1.0.1" },
		func(c *snapshot.Content) { c.EngineDigest = digestPrefix + strings.Repeat("0", 64) },
		func(c *snapshot.Content) { c.Inputs = []byte(`{}`) },
		func(c *snapshot.Content) { c.Result = []byte(`{"status":"success"}`) },
	} {
		changed := id([]string{seed}, edit)
		if other, found := seen[changed]; found {
			t.Errorf("changes %d and %d give one id", i, other)
		}
		seen[changed] = i
	}
	if id([]string{seed}, func(c *snapshot.Content) { c.CreatedAt = noon.Add(-time.Hour) }) != first {
		t.Error("the time changes the id")
	}
	if id([]string{seed, seed2}, same) != first {
		t.Error("a newer key changes the id")
	}
	if id([]string{seed2}, same) == first {
		t.Error("the id is no secret")
	}
}

// One of many concurrent callers creates the snapshot; all get its bytes.
func TestCreateTogether(t *testing.T) {
	store := storing(t, connect(t, startRedis(t).addr), aged(time.Hour))
	var created atomic.Int32
	bodies := make([]string, 50)
	var wg sync.WaitGroup
	for i := range bodies {
		c := content(t, "ohms")
		c.CreatedAt = noon.Add(time.Duration(i) * time.Second)
		wg.Go(func() {
			snap, err := store.Create(t.Context(), c)
			if err != nil || snap.Fallback {
				t.Errorf("%+v, %v", snap, err)
			}
			if snap.Created {
				created.Add(1)
			}
			bodies[i] = string(snap.Body)
		})
	}
	wg.Wait()
	if created.Load() != 1 {
		t.Errorf("created %d times", created.Load())
	}
	for _, body := range bodies {
		if body != bodies[0] {
			t.Fatal("callers were given different bytes")
		}
	}
}

// P5: acknowledged records can be read with the same bytes, also after the server was killed and
// restarted.
func TestNothingIsLost(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	checkNothingIsLost(t, 10_000)
}

// The same with fewer records, for the race detector.
func TestNothingIsLostBriefly(t *testing.T) { checkNothingIsLost(t, 300) }

func checkNothingIsLost(t *testing.T, snapshots int) {
	const callers = 8
	server := startRedis(t)
	store := storing(t, connect(t, server.addr))
	made := make([]snapshot.Snapshot, snapshots)
	each := func(do func(i int)) {
		var wg sync.WaitGroup
		for caller := range callers {
			wg.Go(func() {
				for i := caller; i < snapshots; i += callers {
					do(i)
				}
			})
		}
		wg.Wait()
	}
	base := content(t, "cantilever")
	each(func(i int) {
		c := base
		c.Inputs = fmt.Appendf(nil, `{"length":%d}`, i)
		snap, err := store.Create(t.Context(), c)
		if err != nil || !snap.Created || snap.Fallback {
			t.Errorf("%d: %+v, %v", i, snap, err)
		}
		made[i] = snap
	})
	check := func(store *snapshot.Store) {
		each(func(i int) {
			snap, err := store.Get(t.Context(), made[i].ID)
			if err != nil || !bytes.Equal(snap.Body, made[i].Body) {
				t.Errorf("%d: %s, %v", i, snap.Body, err)
			}
		})
	}
	check(store)
	server.stop()
	server.start(t)
	check(storing(t, connect(t, server.addr)))
}

// C6, C7: if the store is down, Create makes an embedded id, and Get returns ErrUnavailable, never
// ErrNotFound.
func TestStoreDown(t *testing.T) {
	server := startRedis(t)
	client := connect(t, server.addr)
	longDeadline, store := storing(t, client), storing(t, client, defaultDeadline)
	short := create(t, longDeadline, content(t, "ohms"))
	server.stop()
	if _, err := store.Get(t.Context(), short.ID); !errors.Is(err, snapshot.ErrUnavailable) || errors.Is(err, snapshot.ErrNotFound) {
		t.Errorf("read: %v, want ErrUnavailable", err)
	}
	for _, id := range []string{"cx_no", strings.ToUpper(short.ID), "cx_" + strings.Repeat("1", 26), short.ID + "a"} {
		wantNotFound(t, store, "an id that cannot exist", id)
	}
	fallback := create(t, store, content(t, "ohms"))
	if !fallback.Fallback || !fallback.Created || !strings.HasPrefix(fallback.ID, prefix) || !fallback.ExpiresAt.IsZero() || !errors.Is(fallback.Cause, snapshot.ErrUnavailable) {
		t.Errorf("fallback %+v", fallback)
	}
	if read := get(t, store, fallback.ID); !bytes.Equal(read.Body, fallback.Body) {
		t.Errorf("body %s, want %s", read.Body, fallback.Body)
	}
	if _, err := store.Create(t.Context(), sized(20_000)); !errors.Is(err, snapshot.ErrUnavailable) || !errors.Is(err, snapshot.ErrTooLarge) {
		t.Errorf("too large to embed: %v", err)
	}
	server.start(t)
	if read := get(t, longDeadline, short.ID); !bytes.Equal(read.Body, short.Body) {
		t.Errorf("body %s, want %s", read.Body, short.Body)
	}
	if large := create(t, longDeadline, sized(20_000)); large.Fallback {
		t.Errorf("the store is up and not used: %v", large.Cause)
	}
}

// C5: a full store rejects writes and keeps its records.
func TestStoreFull(t *testing.T) {
	client := connect(t, startRedis(t).addr)
	store := storing(t, client)
	before := create(t, store, content(t, "ohms"))
	ask(t, client, "config", "set", "maxmemory", 1)
	if snap := create(t, store, content(t, "amps")); !snap.Fallback || !redis.IsRefusal(snap.Cause, "OOM ") {
		t.Errorf("%+v, want a fallback because of memory", snap)
	}
	get(t, store, before.ID)
}

// C8: the server wrote the record, but its reply was lost. There is one record under one id.
func TestLostReply(t *testing.T) {
	server := startRedis(t)
	direct := connect(t, server.addr)
	p := startProxy(t, server.addr)
	for _, tt := range []struct {
		name     string
		retries  int
		fallback bool // of the call whose reply is lost
	}{{"client retries", 3, false}, {"caller retries", 0, true}} {
		client := connect(t, fmt.Sprint(p.addr, "?max_retries=", tt.retries))
		store := storing(t, client)
		ask(t, client, "ping")
		ask(t, direct, "flushall")
		p.set(func(p *proxy) { p.cut, p.lost = 1, 0 })
		first := create(t, store, content(t, "ohms"))
		if first.Fallback != tt.fallback {
			t.Errorf("%s: fallback %v, want %v: %v", tt.name, first.Fallback, tt.fallback, first.Cause)
		}
		p.set(func(p *proxy) {
			if p.lost != 1 || p.cut != 0 {
				t.Errorf("%s: %d replies lost, want 1", tt.name, p.lost)
			}
		})
		second := create(t, store, content(t, "ohms"))
		if second.Created || second.Fallback || !tt.fallback && (second.ID != first.ID || !bytes.Equal(second.Body, first.Body)) {
			t.Errorf("%s: second %+v, first %+v", tt.name, second, first)
		}
		if n := records(t, direct); n != int64(1) {
			t.Errorf("%s: %d records", tt.name, n)
		}
		get(t, store, first.ID)
	}
}

// C9: foreign values are neither shown nor treated as missing, and do not cause a panic.
func TestForeignValues(t *testing.T) {
	client := connect(t, startRedis(t).addr)
	store := storing(t, client)
	made, other := create(t, store, content(t, "ohms")), create(t, store, content(t, "amps"))
	value := func(id string) string {
		v, _ := ask(t, client, "get", keyPrefix+id).(string)
		return v
	}
	good, foreign := value(made.ID), value(other.ID)
	head, body, _ := strings.Cut(good, "\n")
	words := strings.Split(head, " ")
	texts := map[string]string{
		"nothing":         "",
		"text":            "hello",
		"body alone":      body,
		"head alone":      head,
		"other record":    foreign,
		"cut":             good[:len(good)-1],
		"appended":        good + "\n",
		"changed body":    strings.Replace(good, `"current":1.5`, `"current":1.6`, 1),
		"longer life":     words[0] + " 9999999999 " + words[2] + "\n" + body,
		"no number":       words[0] + " x " + words[2] + "\n" + body,
		"other format":    "x" + good,
		"another word":    head + " x\n" + body,
		"binary":          "\x00\xff\xfe",
		"large":           strings.Repeat(" ", 1<<20),
		"checksum absent": words[0] + " " + words[1] + " \n" + body,
	}
	check := func(name string) {
		if _, err := store.Get(t.Context(), made.ID); !errors.Is(err, snapshot.ErrCorrupt) || errors.Is(err, snapshot.ErrNotFound) || errors.Is(err, snapshot.ErrUnavailable) {
			t.Errorf("%s: read: %v, want ErrCorrupt", name, err)
		}
		if snap, err := store.Create(t.Context(), content(t, "ohms")); !errors.Is(err, snapshot.ErrCorrupt) || errors.Is(err, snapshot.ErrUnavailable) {
			t.Errorf("%s: create: %+v, %v, want ErrCorrupt", name, snap, err)
		}
	}
	for name, text := range texts {
		if text == good {
			t.Fatalf("%s changes nothing", name)
		}
		ask(t, client, "set", keyPrefix+made.ID, text)
		check(name)
	}
	ask(t, client, "del", keyPrefix+made.ID)
	ask(t, client, "lpush", keyPrefix+made.ID, good)
	check("list")
	ask(t, client, "del", keyPrefix+made.ID)
	ask(t, client, "set", keyPrefix+made.ID, good)
	get(t, store, made.ID)
}

// D4: a snapshot lives for 180 days to the millisecond. The store keeps it at least until the
// expiry time in its body.
func TestExpiry(t *testing.T) {
	mini := miniredis.RunT(t)
	client := connect(t, mini.Addr())
	made := create(t, storing(t, client), content(t, "ohms"))
	store := func(age time.Duration) *snapshot.Store { return storing(t, client, aged(age)) }
	get(t, store(snapshot.Lifetime-time.Millisecond), made.ID)
	wantNotFound(t, store(snapshot.Lifetime), "at 180 days", made.ID)
	wantNotFound(t, store(snapshot.Lifetime+time.Millisecond), "after 180 days", made.ID)

	c := content(t, "ohms")
	c.CreatedAt = noon.Add(snapshot.Lifetime)
	edge := create(t, store(snapshot.Lifetime), c)
	if !edge.Fallback || !edge.ExpiresAt.IsZero() {
		t.Errorf("at the edge: %+v, want an embedded id rather than an expired one", edge)
	}
	mini.FastForward(snapshot.Lifetime - time.Millisecond)
	if mini.Exists(keyPrefix+made.ID) != true {
		t.Error("the record expired in the store before the time in its body")
	}
	mini.FastForward(time.Millisecond)
	wantNotFound(t, store(0), "removed by the store", made.ID)
	again := create(t, store(snapshot.Lifetime), c)
	if !again.Created || again.ID != made.ID || bytes.Equal(again.Body, made.Body) {
		t.Errorf("created again: %+v", again)
	}
}

// C3: with a slow store, each call takes its deadline, and leaves no goroutine. The time limit of
// the test is long, for busy machines; without a deadline the call would take hours.
func TestSlowStore(t *testing.T) {
	server := startRedis(t)
	p := startProxy(t, server.addr)
	for _, late := range []bool{false, true} { // replies never arrive, or arrive after their calls have ended
		client := connect(t, p.addr)
		store, short := storing(t, client, defaultDeadline), create(t, storing(t, client), content(t, "ohms"))
		held := make(chan struct{})
		p.set(func(p *proxy) { p.hold = held })
		base := runtime.NumGoroutine()
		var wg sync.WaitGroup
		for range 200 {
			wg.Go(func() {
				snap, err := store.Create(t.Context(), content(t, "amps"))
				if err != nil || !snap.Fallback {
					t.Errorf("create: %+v, %v, want a fallback", snap, err)
				}
				if _, err := store.Get(t.Context(), short.ID); !errors.Is(err, snapshot.ErrUnavailable) {
					t.Errorf("read: %v, want ErrUnavailable", err)
				}
			})
		}
		wg.Wait()
		p.set(func(p *proxy) { p.hold = nil })
		if late {
			close(held)
			waitFor(t, "the store", func() bool {
				found, err := store.Get(t.Context(), short.ID)
				if err == nil && !bytes.Equal(found.Body, short.Body) {
					t.Errorf("read %s: %s", short.ID, found.Body)
				}
				return err == nil
			})
		}
		client.Close()
		settle(t, base)
	}
}

func TestCallerLeaves(t *testing.T) {
	p := startProxy(t, startRedis(t).addr)
	p.set(func(p *proxy) { p.hold = make(chan struct{}) })
	store := storing(t, connect(t, p.addr), defaultDeadline)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if snap, err := store.Create(ctx, content(t, "ohms")); err == nil || snap.ID != "" {
		t.Errorf("%+v, %v, want no work for a caller that has canceled", snap, err)
	}
}

// A cluster stores snapshots like a single server.
func TestCluster(t *testing.T) {
	server := startRedis(t, "--cluster-enabled", "yes")
	node := connect(t, server.addr)
	ask(t, node, "cluster", "addslotsrange", 0, 16383)
	waitFor(t, "the cluster", func() bool {
		info, _ := ask(t, node, "cluster", "info").(string)
		return strings.Contains(info, "cluster_state:ok")
	})
	client := connect(t, server.addr+"?addr="+server.addr)
	store := storing(t, client)
	for _, answer := range answers {
		made := create(t, store, content(t, answer))
		if made.Fallback {
			t.Fatalf("%s: %v", answer, made.Cause)
		}
		get(t, store, made.ID)
	}
	if err := snapshot.CheckStore(t.Context(), client); err != nil {
		t.Error(err)
	}
	ask(t, node, "config", "set", "maxmemory-policy", "allkeys-lru")
	if err := snapshot.CheckStore(t.Context(), client); err == nil || errors.Is(err, snapshot.ErrUnavailable) {
		t.Errorf("an evicting node: %v", err)
	}
}
