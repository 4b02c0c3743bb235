package server

import (
	"fmt"
	"strings"
	"testing"
)

// One server, a failover set and a cluster, each by its URL.
func TestRedisURLs(t *testing.T) {
	for address, want := range map[string]string{
		"redis://127.0.0.1:6379/0":                                        "*redis.Client",
		"rediss://user:secret@redis.example.org:6380/1":                   "*redis.Client",
		"redis://127.0.0.1:6379?addr=127.0.0.1:6380&addr=127.0.0.1:6381":  "*redis.ClusterClient",
		"redis://127.0.0.1:26379/0?master_name=main&addr=127.0.0.1:26380": "*redis.Client",
		"http://user:secret@127.0.0.1":                                    "",
		"redis://user:secret@127.0.0.1:6379/zero":                         "",
		"redis://user:se cret@127.0.0.1:6379\x7f":                         "",
	} {
		client, err := redisClient(address)
		got := ""
		if err == nil {
			got = fmt.Sprintf("%T", client)
			client.Close()
		} else if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "cret@") {
			t.Errorf("%s: the error tells the password: %v", address, err)
		}
		if got != want {
			t.Errorf("%s: %s, %v, want %s", address, got, err, want)
		}
	}
}
