package server

import "testing"

func TestReachable(t *testing.T) {
	for listens, want := range map[string]string{
		"127.0.0.1:8080": "127.0.0.1:8080", "0.0.0.0:8080": "127.0.0.1:8080", ":8080": "127.0.0.1:8080",
		"[::]:80": "[::1]:80", "calc.example.org:80": "calc.example.org:80", "10.1.2.3:80": "10.1.2.3:80",
	} {
		if got := reachable(listens); got != want {
			t.Errorf("%s: %s, want %s", listens, got, want)
		}
	}
}
