package redis

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/alicebob/miniredis/v2"
	library "github.com/redis/go-redis/v9"
)

// One server, a failover set and a cluster, each by its URL.
func TestURLs(t *testing.T) {
	for address, want := range map[string]string{
		"redis://127.0.0.1:6379/0":                                        "*redis.Client",
		"rediss://user:secret@redis.example.org:6380/1":                   "*redis.Client",
		"redis://127.0.0.1:6379?addr=127.0.0.1:6380&addr=127.0.0.1:6381":  "*redis.ClusterClient",
		"redis://127.0.0.1:26379/0?master_name=main&addr=127.0.0.1:26380": "*redis.Client",
		"http://user:secret@127.0.0.1":                                    "",
		"redis://user:secret@127.0.0.1:6379/zero":                         "",
		"redis://user:se cret@127.0.0.1:6379\x7f":                         "",
	} {
		client, err := Open(address, slog.New(slog.DiscardHandler))
		got := ""
		if err == nil {
			got = fmt.Sprintf("%T", client.(over).UniversalClient)
			client.Close()
		} else if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "cret@") {
			t.Errorf("%s: the error tells the password: %v", address, err)
		}
		if got != want {
			t.Errorf("%s: %s, %v, want %s", address, got, err, want)
		}
	}
}

func TestClientsThatWouldBreakPromises(t *testing.T) {
	for want, client := range map[string]library.UniversalClient{
		"ContextTimeoutEnabled": library.NewClient(&library.Options{}),
		"Ring":                  library.NewRing(&library.RingOptions{}),
		"replicas":              library.NewClusterClient(&library.ClusterOptions{ReadOnly: true, ContextTimeoutEnabled: true}),
	} {
		if _, err := Of(client); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: error %v, want one about %s", client, err, want)
		}
		client.Close()
	}
}

// A script is run by its sum, and sent once to a Redis that does not know it or has forgotten it.
func TestScript(t *testing.T) {
	m := miniredis.RunT(t)
	client, err := Open("redis://"+m.Addr(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	script := NewScript(`return {redis.call("incrby", KEYS[1], ARGV[1]), "of " .. KEYS[1]}`)
	for i := range 3 {
		if i == 2 {
			if _, err := client.Do(t.Context(), "script", "flush"); err != nil {
				t.Fatal(err)
			}
		}
		reply, err := script.Run(t.Context(), client, []string{"calls"}, 2)
		if got := fmt.Sprint(reply); err != nil || got != fmt.Sprintf("[%d of calls]", 2*(i+1)) {
			t.Errorf("%s, %v", got, err)
		}
	}
}

// What Redis says is told apart: nothing there, a refusal, and a Redis that is not there.
func TestErrors(t *testing.T) {
	m := miniredis.RunT(t)
	client, err := Open("redis://"+m.Addr()+"?max_retries=-1", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Do(t.Context(), "get", "nothing"); err != ErrNone {
		t.Errorf("error %v of a key that is not there, want ErrNone", err)
	}
	if err := client.Together(t.Context(), []any{"rpush", "list", "a"}, []any{"set", "text", "b"}); err != nil {
		t.Fatal(err)
	}
	_, err = client.Do(t.Context(), "get", "list")
	if !IsRefusal(err, "WRONGTYPE") || !IsRefusal(err, "") || IsPassing(err) {
		t.Errorf("a list read as text: %v", err)
	}
	m.SetError("LOADING Redis is loading the dataset in memory")
	if _, err = client.Do(t.Context(), "get", "text"); !IsRefusal(err, "LOADING") || !IsPassing(err) {
		t.Errorf("a Redis that is starting: %v", err)
	}
	m.Close()
	if _, err = client.Do(t.Context(), "get", "text"); err == nil || IsRefusal(err, "") || !IsPassing(err) {
		t.Errorf("no Redis: %v", err)
	}
}
